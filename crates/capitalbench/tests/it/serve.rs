//! `serve` over real sockets: the bytes of `build-site`, its headers, and what it withstands.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use crate::harness::{MONTHLY, Test, copy_tree, fixtures};
use crate::site_server::{Answer, SiteServer, read};
use crate::waiting::wait_until;

const AS_OF: [&str; 2] = ["--as-of", "2026-06-01"];
const BIG: &str = "/rounds/weekly-portfolio-resolved/files/research/big.md";

fn served(test: &Test) -> SiteServer {
    SiteServer::start(test, &AS_OF)
}

/// A round with a public file that no socket holds at once.
fn with_big_file() -> (Test, Vec<u8>) {
    let bytes: Vec<u8> = (0..24_000_000_u32).map(|i| (i % 251) as u8).collect();
    let test = Test::weekly();
    let test = test.write("research/big.md", &bytes);
    (test, bytes)
}

fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut reader = flate2::read::GzDecoder::new(bytes);
    reader.read_to_end(&mut out).expect("gzip");
    out
}

#[track_caller]
fn is_secured(answer: &Answer, what: &str) {
    for (name, part) in [
        ("content-security-policy", "default-src 'none'"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-embedder-policy", "require-corp"),
        ("cross-origin-resource-policy", "-origin"),
        ("permissions-policy", "camera=()"),
        ("permissions-policy", "clipboard-write=(self)"),
        ("permissions-policy", "usb=()"),
    ] {
        let value = answer.headers.get(name).map_or("", |value| value);
        assert!(value.contains(part), "{what}: {name} is {value:?}");
    }
    let policy = answer.header("content-security-policy");
    assert!(!policy.contains("unsafe"), "{what}: {policy}");
    assert!(!policy.contains("http"), "{what}: {policy}");
}

#[test]
fn the_served_bytes_are_the_built_ones() {
    let test = Test::all_rounds();
    let base = ["--base-url", "https://bench.example"];
    let build = ["build-site", "--rounds-dir", ".", "--output", "built"];
    test.run(&[&build[..], &AS_OF, &base].concat()).code(0);
    let elsewhere = test.path("moved");
    fs::rename(test.path("built"), &elsewhere).expect("a moved folder");
    let server = SiteServer::start(&test, &[&AS_OF[..], &base].concat());
    let list = fs::read_to_string(elsewhere.join("site-files.txt")).expect("a list");
    let mut seen = 0;
    for path in list.lines() {
        let expected = fs::read(elsewhere.join(path)).expect("a file");
        let answer = server.get(&format!("/{path}"));
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.body == expected, "{path} differs");
        is_secured(&answer, path);
        seen += 1;
    }
    assert!(seen > 150, "{seen} files");
    // A folder is its index.
    assert_eq!(
        server.get("/verify/").body,
        server.get("/verify/index.html").body
    );
}

#[test]
fn one_file_is_served_in_every_encoding_and_range() {
    let test = Test::all_rounds();
    let server = served(&test);
    let path = "/data/publication.json";
    let plain = server.get(path);
    assert_eq!(plain.status, 200);
    assert_eq!(plain.header("content-type"), "application/json");
    assert_eq!(plain.header("access-control-allow-origin"), "*");
    assert_eq!(plain.header("vary"), "accept-encoding");
    assert!(!plain.headers.contains_key("content-encoding"));

    let packed = server.ask("GET", path, &["accept-encoding: br, gzip;q=0.8"]);
    assert_eq!(packed.header("content-encoding"), "gzip");
    assert!(packed.body.len() < plain.body.len());
    assert_eq!(gunzip(&packed.body), plain.body);
    let refused = server.ask("GET", path, &["accept-encoding: gzip;q=0"]);
    assert_eq!(refused.body, plain.body);

    let head = server.ask("HEAD", path, &[]);
    assert_eq!(head.status, 200);
    assert!(head.body.is_empty());
    assert_eq!(
        head.header("content-length"),
        plain.header("content-length")
    );

    let etag = format!("if-none-match: \"other\", {}", plain.header("etag"));
    let unchanged = server.ask("GET", path, &[&etag]);
    assert_eq!((unchanged.status, unchanged.body.len()), (304, 0));
    assert_eq!(unchanged.header("etag"), plain.header("etag"));
    is_secured(&unchanged, "304");
    let changed = server.ask("GET", path, &["if-none-match: \"other\""]);
    assert_eq!(changed.status, 200);
}

#[test]
fn every_kind_of_answer_is_guarded() {
    let test = Test::all_rounds();
    let server = served(&test);
    for (method, path, status) in [
        ("GET", "/", 200),
        ("GET", "/verify", 301),
        ("GET", "/nowhere", 404),
        ("GET", "/404.html", 200),
        ("GET", "/nowhere/", 404),
        ("POST", "/", 405),
        ("DELETE", "/data/rounds.csv", 405),
        ("OPTIONS", "/", 405),
        ("OPTIONS", "/api/v1/rounds", 204),
        ("GET", "/healthz", 200),
        ("GET", "/metrics", 200),
        ("GET", "/api/v1", 200),
        ("GET", "/api/v1/nothing", 404),
        ("GET", "/api/v1/rounds?limit=0", 400),
    ] {
        let answer = server.ask(method, path, &[]);
        assert_eq!(answer.status, status, "{method} {path}");
        is_secured(&answer, path);
    }
    assert_eq!(server.get("/verify").header("location"), "/verify/");
    // Two slashes would name another host.
    let answer = server.get("//verify");
    assert!(answer.status == 404 || answer.header("location").starts_with("/verify"));
    assert_eq!(server.ask("POST", "/", &[]).header("allow"), "GET, HEAD");
    assert_eq!(server.get("/healthz").text(), "ok\n");
    let metrics = server.get("/metrics").text();
    for name in [
        "requests_total{outcome=\"missing\"}",
        "rebuilds_total 0",
        "site_files",
    ] {
        assert!(metrics.contains(name), "{metrics}");
    }
    // Only what is made for it may be framed.
    let list = server.get("/sitemap.xml").text();
    assert!(list.contains("/verify/</loc>"), "{list}");
    let embed = server.get("/embed/embed.css");
    assert!(
        embed
            .header("content-security-policy")
            .contains("frame-ancestors *")
    );
    assert!(
        server
            .get("/")
            .header("content-security-policy")
            .contains("frame-ancestors 'none'")
    );
    // What models and operators wrote is never a page or a script.
    let file = "/rounds/weekly-portfolio-resolved/files/briefing.md";
    assert_eq!(
        server.get(file).header("content-type"),
        "text/plain; charset=utf-8"
    );
}

#[test]
fn other_sites_may_load_embeds_images_and_data_only() {
    let test = Test::all_rounds();
    let server = served(&test);
    for (path, readers) in [
        ("/", "same-origin"),
        ("/style.css", "same-origin"),
        ("/nowhere", "same-origin"),
        ("/embed/embed.css", "cross-origin"),
        (
            "/share/rounds/weekly-portfolio-resolved.svg",
            "cross-origin",
        ),
        ("/data/rounds.csv", "cross-origin"),
        ("/feed.atom", "cross-origin"),
        ("/feed.json", "cross-origin"),
        ("/calendar.ics", "cross-origin"),
        ("/api/v1/rounds", "cross-origin"),
        (
            "/rounds/weekly-portfolio-resolved/files/briefing.md",
            "cross-origin",
        ),
    ] {
        let answer = server.get(path);
        let told = answer.header("cross-origin-resource-policy");
        assert_eq!(told, readers, "{path}");
    }
    // Pages elsewhere may read what is made for their programs.
    for path in ["/feed.atom", "/feed.json", "/calendar.ics", "/openapi.json"] {
        let answer = server.get(path);
        assert_eq!(answer.header("access-control-allow-origin"), "*", "{path}");
    }
}

#[test]
fn nothing_outside_the_site_is_served() {
    let test = Test::all_rounds();
    fs::write(test.path("secret.txt"), "do not tell").expect("a file");
    let round = test.path("weekly-portfolio-resolved");
    fs::write(round.join("runs/official-1/.lock"), "do not tell").expect("a file");
    let server = served(&test);
    for path in [
        "/../secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/rounds/weekly-portfolio-resolved/files/../../../../secret.txt",
        "/rounds/weekly-portfolio-resolved/files/%2e%2e/%2e%2e/secret.txt",
        "/rounds/weekly-portfolio-resolved/files/runs/official-1/.lock",
        "/secret.txt",
        "//etc/passwd",
        "/./secret.txt",
        "/data/..\\..\\secret.txt",
        "/data/%00",
        "http://other/../secret.txt",
    ] {
        let answer = server.get(path);
        assert!(
            matches!(answer.status, 400 | 404),
            "{path}: {}",
            answer.status
        );
        assert!(!answer.text().contains("do not tell"), "{path}");
    }
}

/// A request for the health of the server with so many headers, whose head has so many bytes.
fn padded(headers: usize, bytes: Option<usize>) -> String {
    let mut head = "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n".to_owned();
    head.push_str(&"a: b\r\n".repeat(headers - 3));
    let own = head.len() + "long: \r\n\r\n".len();
    let padding = "x".repeat(bytes.map_or(0, |bytes| bytes - own));
    format!("{head}long: {padding}\r\n\r\n")
}

#[test]
fn oversized_and_malformed_requests_are_refused() {
    let test = Test::weekly();
    let server = served(&test);
    let head = "the head of the request is too large; at most 16384 bytes and 100 headers\n";
    let none = "this is no HTTP/1 request\n";
    let host = "a request of HTTP/1.1 names one host, in one Host header\n";
    for (request, status, words) in [
        (padded(100, None), 200, "ok\n"),
        (padded(101, None), 431, head),
        (padded(4, Some(16_384)), 200, "ok\n"),
        (padded(4, Some(16_385)), 431, head),
        (
            format!("GET /{} HTTP/1.1\r\nhost: x\r\n\r\n", "x".repeat(16_384)),
            431,
            head,
        ),
        ("nonsense\r\n\r\n".to_owned(), 400, none),
        ("GET / HTTP/9.9\r\n\r\n".to_owned(), 400, none),
        (
            "GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n".to_owned(),
            400,
            host,
        ),
        (
            "GET /healthz HTTP/1.1\r\nhost: x\r\nHost: x\r\nconnection: close\r\n\r\n".to_owned(),
            400,
            host,
        ),
        ("GET /healthz HTTP/1.0\r\n\r\n".to_owned(), 200, "ok\n"),
        (
            "POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".to_owned(),
            405,
            "only GET and HEAD\n",
        ),
    ] {
        let answer = read(&server.raw(request.as_bytes()));
        let begins = format!("{} bytes of {}", request.len(), &request[..8]);
        assert_eq!(
            (answer.status, answer.text().as_str()),
            (status, words),
            "{begins}"
        );
        is_secured(&answer, &begins);
    }
    let far = format!("GET /{} HTTP/1.1\r\nhost: x\r\n\r\n", "x".repeat(100_000));
    let bytes = server.raw(far.as_bytes());
    // A server that closes while we still write may take its answer with it.
    if !bytes.is_empty() {
        let answer = read(&bytes);
        assert!([414, 431].contains(&answer.status), "{}", answer.status);
        is_secured(&answer, "a far address");
    }
    assert_eq!(server.get("/healthz").status, 200);
}

#[test]
fn slow_readers_and_writers_do_not_block_others() {
    let (test, bytes) = with_big_file();
    let server = served(&test);
    let mut held = Vec::new();
    for number in 0..80 {
        let mut stream = server.connect();
        let request = match number % 2 {
            0 => format!("GET {BIG} HTTP/1.1\r\nhost: x\r\n\r\n"),
            _ => "GET / HTTP/1.1\r\nhost: never ending".to_owned(),
        };
        stream.write_all(request.as_bytes()).expect("a request");
        held.push(stream);
    }
    for _ in 0..20 {
        assert_eq!(server.get("/healthz").status, 200);
    }
    assert_eq!(server.get(BIG).body.len(), bytes.len());
    drop(held);
}

#[test]
fn an_answer_under_way_is_finished_when_the_server_stops() {
    let (test, bytes) = with_big_file();
    let server = served(&test);
    let mut stream = server.connect();
    let request = format!("GET {BIG} HTTP/1.1\r\nhost: x\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a request");
    let mut first = [0; 1000];
    stream.read_exact(&mut first).expect("the beginning");
    server.signal("-TERM");
    // It listens no more before it ends.
    wait_until("the server to stop listening", || {
        std::net::TcpStream::connect(server.address).is_err()
    });
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).expect("the rest");
    let answer = read(&[&first[..], &rest].concat());
    assert!(answer.body == bytes, "{} bytes", answer.body.len());
    assert!(server.ended().success());
}

#[test]
fn the_site_follows_the_rounds() {
    let test = Test::weekly();
    let server = SiteServer::start(&test, &[]);
    let rounds = |server: &SiteServer| server.get("/api/v1/rounds").json()["total"].clone();
    assert_eq!(rounds(&server), 1);
    copy_tree(
        &fixtures().join("rounds").join(MONTHLY),
        &test.path(MONTHLY),
    );
    wait_until("the new round to appear", || rounds(&server) == 2);
    assert!(server.get("/sitemap.xml").status == 200);
    assert!(server.get("/feed.atom").text().contains(MONTHLY));
    let metrics = server.get("/metrics").text();
    assert!(!metrics.contains("rebuilds_total 0"), "{metrics}");
    // A note in one round renders that round again and takes over the other.
    let note = test.path(MONTHLY).join("research/note.md");
    fs::create_dir_all(note.parent().expect("a folder")).expect("a folder");
    fs::write(note, "A later thought.\n").expect("a note");
    let noted = format!("/rounds/{MONTHLY}/files/research/note.md");
    wait_until("the note to appear", || server.get(&noted).status == 200);
    let metrics = server.get("/metrics").text();
    for count in ["{pages=\"rendered\"} 1\n", "{pages=\"reused\"} 1\n"] {
        assert!(metrics.contains(count), "{metrics}");
    }
    let page = server.get(&format!("/rounds/{MONTHLY}/files/"));
    assert!(page.text().contains("research/note.md"));
}

#[test]
fn a_taken_address_is_an_error_with_a_remedy() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("its address").to_string();
    let test = Test::weekly();
    test.run(&["serve", "--rounds-dir", ".", "--listen", &address])
        .code(2)
        .complains("--listen");
}
