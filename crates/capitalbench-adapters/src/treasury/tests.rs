use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use jiff::civil::date;

use super::*;
use crate::http::{HttpLimits, Reach};

const DAY: Date = date(2026, 9, 14);

fn treasury(base_url: &str) -> Treasury {
    let limits = HttpLimits {
        reach: Reach::Local,
        total_timeout: Duration::from_secs(5),
        ..HttpLimits::default()
    };
    Treasury::new(HttpClient::new(limits).unwrap(), base_url).unwrap()
}

/// One answer of a server on this machine, and the line that it was asked with.
async fn asked(answer: String) -> (Result<Vec<u8>, TreasuryFault>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let serving = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut question = Vec::new();
        let mut piece = [0; 1024];
        while !question.windows(4).any(|end| end == b"\r\n\r\n") {
            let count = stream.read(&mut piece).unwrap();
            question.extend_from_slice(&piece[..count]);
        }
        // A reader that has seen enough may have closed the connection.
        let _ = stream.write_all(answer.as_bytes());
        String::from_utf8(question).unwrap()
    });
    let month = treasury(&address).month(DAY).await;
    (month, serving.join().unwrap())
}

fn reply(status: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/xml\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    )
}

fn feed(day: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\" standalone=\"yes\" ?>\n<feed \
         xmlns=\"http://www.w3.org/2005/Atom\"><entry><content type=\"application/xml\">\
         <m:properties><d:NEW_DATE m:type=\"Edm.DateTime\">{day}T00:00:00</d:NEW_DATE>\
         <d:BC_10YEAR m:type=\"Edm.Double\">4.19</d:BC_10YEAR></m:properties></content></entry>\
         </feed>\n"
    )
}

#[tokio::test]
async fn the_exact_answer_about_a_month_comes_back() {
    let body = feed("2026-09-11");
    let (month, question) = asked(reply("200 OK", &body)).await;
    assert_eq!(month.unwrap(), body.as_bytes());
    let first = question.lines().next().unwrap();
    assert_eq!(
        first,
        "GET /resource-center/data-chart-center/interest-rates/pages/xml\
         ?data=daily_treasury_yield_curve&field_tdr_date_value_month=202609 HTTP/1.1"
    );
    assert!(question.to_lowercase().contains("accept: application/xml"));
}

#[tokio::test]
async fn every_fault_is_named_and_says_whether_it_passes() {
    let body = feed("2026-09-11");
    let check = |fault: &TreasuryFault, expected: &str, passes: bool| {
        let said = fault.to_string();
        assert!(said.starts_with("the Treasury's curve could not be fetched: "));
        assert!(said.contains(expected), "{said}");
        assert_eq!(fault.passes().is_some(), passes, "{said}");
    };
    for (answer, expected, passes) in [
        (reply("503 Service Unavailable", "busy"), "503", true),
        (reply("429 Too Many Requests", ""), "429", true),
        (reply("404 Not Found", ""), "404", false),
        (reply("302 Found", ""), "302", false),
        (reply("200 OK", "<html></html>"), "an element html", false),
        (reply("200 OK", ""), "breaks off", false),
        (
            reply("200 OK", &feed("2026-08-31")),
            "2026-09 holds 2026-08-31",
            false,
        ),
        (reply("200 OK", &feed("2026-09-31")), "is not a day", false),
        (
            reply("200 OK", &" ".repeat(LARGEST_FEED + 1)),
            "bytes long",
            false,
        ),
        (reply("200 OK", &body).replacen("</feed>", "", 1), "", true),
    ] {
        let (month, _) = asked(answer).await;
        check(&month.unwrap_err(), expected, passes);
    }
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let fault = treasury(&address).month(DAY).await.unwrap_err();
    check(&fault, "", true);
}

#[test]
fn a_wrong_address_is_refused() {
    let http = HttpClient::new(HttpLimits::default()).unwrap();
    for text in [
        "ftp://home.treasury.gov",
        "https://a.example/?x=1",
        "http://127.0.0.1",
    ] {
        assert!(Treasury::new(http.clone(), text).is_err(), "{text}");
    }
    assert!(Treasury::new(http, Treasury::DEFAULT_BASE_URL).is_ok());
}
