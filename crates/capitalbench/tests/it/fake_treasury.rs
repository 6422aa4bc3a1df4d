//! A server on the loopback that speaks as the Treasury's feed does, from an invented curve.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::fake_tiingo::reply;
use crate::harness::{Ran, Test};
use crate::waiting::Watched;

#[derive(Default)]
struct State {
    questions: Vec<String>,
    stopping: bool,
}

/// The server; it stops when dropped.
pub(crate) struct FakeTreasury {
    address: SocketAddr,
    shared: Arc<Watched<State>>,
    serving: Option<JoinHandle<()>>,
}

impl FakeTreasury {
    /// Answers each month, such as `202612`, with what the script returns.
    pub(crate) fn start(script: impl Fn(&str) -> String + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address");
        let shared = Arc::new(Watched::<State>::default());
        let kept = Arc::clone(&shared);
        let serving = thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if kept.lock().stopping {
                    break;
                }
                serve(stream, &script, &kept);
            }
        });
        Self {
            address,
            shared,
            serving: Some(serving),
        }
    }

    /// The true feed up to the third of December 2026.
    pub(crate) fn honest() -> Self {
        Self::start(|month| xml(&feed(month, &days_of(month))))
    }

    /// Months that were asked for, in order.
    pub(crate) fn questions(&self) -> Vec<String> {
        self.shared.lock().questions.clone()
    }

    /// Runs the program with this server in place of the Treasury.
    pub(crate) fn run(&self, test: &Test, arguments: &[&str]) -> Ran {
        let address = format!("http://{}", self.address);
        let variables = [
            ("TREASURY_BASE_URL", address.as_str()),
            ("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES", "1"),
        ];
        test.run_with(&variables, arguments)
    }
}

impl Drop for FakeTreasury {
    fn drop(&mut self) {
        self.shared.lock().stopping = true;
        let _ = TcpStream::connect(self.address);
        if let Some(serving) = self.serving.take() {
            let _ = serving.join();
        }
    }
}

fn serve(mut stream: TcpStream, script: &impl Fn(&str) -> String, shared: &Watched<State>) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
    let mut question = Vec::new();
    let mut piece = [0; 1024];
    while !question.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return,
            Ok(count) => question.extend_from_slice(&piece[..count]),
        }
    }
    let question = String::from_utf8_lossy(&question).into_owned();
    let asked = question.split_whitespace().nth(1).unwrap_or_default();
    let start = "/resource-center/data-chart-center/interest-rates/pages/xml\
                 ?data=daily_treasury_yield_curve&field_tdr_date_value_month=";
    let Some(month) = asked.strip_prefix(start) else {
        let _ = stream.write_all(reply("404 Not Found", "text/html", "", "").as_bytes());
        return;
    };
    shared.lock().questions.push(month.to_owned());
    let _ = stream.write_all(script(month).as_bytes());
}

pub(crate) fn xml(body: &str) -> String {
    reply("200 OK", "application/xml; charset=utf-8", "", body)
}

/// Weekdays of a month, as far as they are published.
pub(crate) fn days_of(month: &str) -> Vec<u8> {
    match month {
        "202612" => (1..=3).collect(),
        "202611" => (2..=27)
            .filter(|day| ![7, 8, 14, 15, 21, 22, 26].contains(day))
            .collect(),
        _ => (5..=9).collect(),
    }
}

/// A month of the feed in the Treasury's own form.
pub(crate) fn feed(month: &str, days: &[u8]) -> String {
    let (year, number) = month.split_at(4);
    let mut text = "<?xml version=\"1.0\" encoding=\"utf-8\" standalone=\"yes\" ?>\n\
        <feed xml:base=\"http://data.treasury.gov/Feed.svc/\" \
        xmlns:d=\"http://schemas.microsoft.com/ado/2007/08/dataservices\" \
        xmlns:m=\"http://schemas.microsoft.com/ado/2007/08/dataservices/metadata\" \
        xmlns=\"http://www.w3.org/2005/Atom\">\n\
        <title type=\"text\">DailyTreasuryYieldCurveRateData</title>\n"
        .to_owned();
    for day in days {
        let _ = write!(
            text,
            "<entry>\n<id>x</id>\n<title type=\"text\"></title>\n<author><name /></author>\n\
             <content type=\"application/xml\">\n<m:properties>\n\
             <d:NEW_DATE m:type=\"Edm.DateTime\">{year}-{number}-{day:02}T00:00:00</d:NEW_DATE>\n\
             <d:BC_1MONTH m:type=\"Edm.Double\">3.72</d:BC_1MONTH>\n\
             <d:BC_3MONTH m:type=\"Edm.Double\">3.{:02}</d:BC_3MONTH>\n\
             <d:BC_2YEAR m:type=\"Edm.Double\">3.47</d:BC_2YEAR>\n\
             <d:BC_10YEAR m:type=\"Edm.Double\">4.19</d:BC_10YEAR>\n\
             <d:BC_30YEAR m:type=\"Edm.Double\" m:null=\"true\" />\n\
             </m:properties>\n</content>\n</entry>\n",
            60 + day
        );
    }
    text + "</feed>\n"
}
