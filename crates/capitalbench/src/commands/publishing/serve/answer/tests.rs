use std::path::Path;
use std::sync::LazyLock;

use capitalbench_archive::public::public_record::publication;
use http_body_util::BodyExt as _;
use hyper::Request;
use proptest::prelude::*;

use super::*;

/// A site of two files and a folder, with the API of the rounds of the repository.
static SERVER: LazyLock<Server> = LazyLock::new(|| {
    let rounds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/rounds");
    let as_of = "2030-01-01T00:00:00Z".parse().unwrap();
    let publication = publication(&rounds, as_of, &|| ()).unwrap();
    let files = ["index.html", "data/rounds.csv", "404.html"];
    let files = files.map(|name| (name, vec![b'x'; 2000]));
    Server::new(Stock::of_pages(&files, publication))
});

proptest! {
    /// Whatever is asked for, by whatever headers, is answered from the stock or refused, and
    /// every answer is guarded.
    #[test]
    fn any_request_has_a_guarded_answer(
        method in "GET|HEAD|OPTIONS|POST|[A-Z]{1,8}",
        path in "(/|//|/data|/data/rounds.csv|/index.html|/api/v1|/embed)?[ -~]{0,40}",
        known in "(W/)?\"?[ -~]{0,20}\"?(, \\*)?",
        codings in "(gzip|br|\\*|identity)?(;q=[0-9.]{0,5})?,?[ -~]{0,12}",
    ) {
        let request = Request::builder()
            .method(method.as_str())
            .uri(path)
            .header(header::HOST, "x")
            .header(header::IF_NONE_MATCH, known)
            .header(header::ACCEPT_ENCODING, codings)
            .body(());
        // What is no request for the protocol never comes here.
        let Ok(request) = request else { return Ok(()) };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (asked, ()) = request.into_parts();
        let answer = runtime.block_on(answer(&SERVER, &asked));
        let (parts, body) = answer.into_parts();
        prop_assert!(matches!(parts.status.as_u16(), 200 | 204 | 301 | 304 | 400 | 404 | 405));
        for name in ["content-security-policy", "x-content-type-options", "referrer-policy"] {
            prop_assert!(parts.headers.contains_key(name), "no {name}");
        }
        if let Some(place) = parts.headers.get(header::LOCATION) {
            let place = place.as_bytes();
            prop_assert!(place.starts_with(b"/") && !place.starts_with(b"//"));
        }
        let body = runtime.block_on(body.collect()).unwrap().to_bytes();
        if method == "HEAD" || parts.status == StatusCode::NOT_MODIFIED {
            prop_assert!(body.is_empty());
        }
    }
}

#[tokio::test]
async fn a_request_names_one_host() {
    let status = async |version: Version, hosts: &[&str]| {
        let mut request = Request::builder().uri("/").version(version);
        for host in hosts {
            request = request.header(header::HOST, *host);
        }
        let (asked, ()) = request.body(()).unwrap().into_parts();
        answer(&SERVER, &asked).await.status().as_u16()
    };
    for (hosts, expected) in [
        (&["a.example"][..], 200),
        (&["a.example:8400"], 200),
        (&["[2001:db8::1]:80"], 200),
        (&[""], 200),
        (&[], 400),
        (&["a.example", "b.example"], 400),
        (&["a.example", "a.example"], 400),
        (&["a.example, b.example"], 400),
        (&["a.example/x"], 400),
        (&["user@a.example"], 400),
        (&["a example"], 400),
    ] {
        assert_eq!(status(Version::HTTP_11, hosts).await, expected, "{hosts:?}");
    }
    assert_eq!(status(Version::HTTP_10, &[]).await, 200);
    assert_eq!(status(Version::HTTP_10, &["a", "b"]).await, 400);
}
