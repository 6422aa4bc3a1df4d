//! An object store that nobody here wrote (`moto` in server mode), and a proxy before it that spoils
//! what passes.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

use crate::store_place::Keys;
use crate::waiting::wait_until;

/// Variables that a client of the store needs.
pub(crate) const KEYS: [(&str, &str); 3] = [
    ("AWS_ACCESS_KEY_ID", "test"),
    ("AWS_SECRET_ACCESS_KEY", "recognisable5key7must3never9show"),
    ("AWS_REGION", "us-east-1"),
];

/// A server, or a bucket of one that `scripts/test` started for all tests.
pub(crate) struct Moto {
    process: Option<Child>,
    bucket: String,
    before: OneAtATime,
}

impl Moto {
    /// None where it is not installed, which is printed and not allowed in CI.
    pub(crate) fn start() -> Option<Self> {
        static BUCKETS: AtomicUsize = AtomicUsize::new(0);
        let (process, upstream) = match std::env::var("CAPITALBENCH_TEST_MOTO") {
            Ok(address) => (None, address.parse().expect("an address")),
            Err(_) => Self::started()?,
        };
        let number = BUCKETS.fetch_add(1, Ordering::SeqCst);
        let moto = Self {
            process,
            bucket: format!("bench-{}-{number}", std::process::id()),
            before: OneAtATime::start(upstream),
        };
        moto.done("PUT", "", b"");
        Some(moto)
    }

    fn started() -> Option<(Option<Child>, SocketAddr)> {
        let python = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../test-python-store/bin/python");
        let has = Command::new(&python)
            .args(["-c", "import moto.server"])
            .output();
        if !has.is_ok_and(|output| output.status.success()) {
            assert_ne!(
                std::env::var("CI").as_deref(),
                Ok("true"),
                "no moto; run scripts/test"
            );
            eprintln!("skipped: no moto; scripts/test-python store installs it");
            return None;
        }
        let port = free_port();
        let process = Command::new(python)
            .args(["-m", "moto.server", "-H", "127.0.0.1", "-p"])
            .arg(port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("moto starts");
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        wait_until("moto to listen", || TcpStream::connect(address).is_ok());
        Some((Some(process), address))
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.before.address
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address())
    }

    pub(crate) fn bucket(&self) -> &str {
        &self.bucket
    }

    /// An answer as a text and its body. `moto` wants to be told who asks, and looks at no signature.
    fn asked(&self, method: &str, path: &str, body: &[u8]) -> (String, Vec<u8>) {
        let head = format!(
            "{method} /{}{path} HTTP/1.1\r\nHost: x\r\n{WHO}\r\nContent-Length: {}\r\n\r\n",
            self.bucket,
            body.len()
        );
        let answer = forward(self.address(), &[head.as_bytes(), body].concat());
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.expect("an answer");
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        (head, answer[end + 4..].to_vec())
    }

    fn done(&self, method: &str, path: &str, body: &[u8]) -> Vec<u8> {
        let (head, body) = self.asked(method, path, body);
        assert!(head.contains(" 20"), "{method} {path}: {head}");
        body
    }

    pub(crate) fn get(&self, key: &str) -> Option<Vec<u8>> {
        let (head, body) = self.asked("GET", &format!("/{key}"), b"");
        head.contains(" 200 ").then_some(body)
    }

    pub(crate) fn put(&self, key: &str, bytes: &[u8]) {
        self.done("PUT", &format!("/{key}"), bytes);
    }

    pub(crate) fn remove(&self, key: &str) {
        self.done("DELETE", &format!("/{key}"), b"");
    }

    /// The keys below a prefix, without it.
    pub(crate) fn names(&self, prefix: &str) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let mut after = String::new();
        loop {
            let path = format!("?list-type=2&prefix={prefix}{after}");
            let page = String::from_utf8(self.done("GET", &path, b"")).expect("a listing");
            let keys = page.split("<Key>").skip(1);
            let keys = keys.filter_map(|part| part.split("</Key>").next()?.strip_prefix(prefix));
            names.extend(keys.map(str::to_owned));
            if !page.contains("<IsTruncated>true<") {
                return names;
            }
            let last = names.last().expect("a page with keys");
            after = format!("&start-after={prefix}{last}");
        }
    }

    /// Lets three days pass for everything written so far.
    pub(crate) fn age(&self) {
        self.before.age();
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// Somebody whom `moto` knows.
pub(crate) const WHO: &str = "Authorization: AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, \
                              SignedHeaders=host, Signature=0";

/// Lets requests through one at a time: `moto` looks at a condition and writes in two steps, between which another
/// thread of it may write. Listings show what is older than an instant as three days older.
struct OneAtATime {
    address: SocketAddr,
    aged: Arc<Mutex<Timestamp>>,
}

/// How listings of `moto` write an instant, without the parts of a second.
const WRITTEN: &str = "%Y-%m-%dT%H:%M:%S.000Z";

impl OneAtATime {
    fn start(upstream: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let aged = Arc::new(Mutex::new(Timestamp::UNIX_EPOCH));
        let own = Arc::clone(&aged);
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let aged = Arc::clone(&own);
                thread::spawn(move || {
                    let Some(request) = read_request(&mut stream) else {
                        return;
                    };
                    let limit = aged.lock().expect("no panic");
                    let mut answer = forward(upstream, &request);
                    let end = request.iter().position(|byte| *byte == b'\r');
                    let line = String::from_utf8_lossy(&request[..end.expect("a line")]);
                    if line.contains("list-type=2") {
                        answer = older(&answer, *limit);
                    }
                    drop(limit);
                    let _ = stream.write_all(&answer);
                });
            }
        });
        Self { address, aged }
    }

    fn age(&self) {
        // What is written from now on has to show another second.
        let now = Timestamp::now().as_second();
        wait_until("another second", || Timestamp::now().as_second() > now);
        let limit = Timestamp::from_second(now + 1).expect("an instant");
        *self.aged.lock().expect("no panic") = limit;
    }
}

/// A listing in which everything written before an instant is three days older.
fn older(listing: &[u8], limit: Timestamp) -> Vec<u8> {
    const OPEN: &str = "<LastModified>";
    let text = str::from_utf8(listing).expect("a listing in UTF-8");
    let mut parts = text.split(OPEN);
    let mut told = parts.next().expect("a part").to_owned();
    for part in parts {
        let (written, rest) = part.split_once('<').expect("an end");
        let mut at: Timestamp = written.parse().expect("an instant");
        if at < limit {
            at -= SignedDuration::from_hours(72);
        }
        told.push_str(OPEN);
        told.push_str(&at.strftime(WRITTEN).to_string());
        told.push('<');
        told.push_str(rest);
    }
    told.into_bytes()
}

/// A second server that nobody here wrote (`s3s-fs`), which checks signatures; it ends with this.
pub(crate) struct S3sFs {
    port: u16,
    process: Child,
    _root: TempDir,
}

impl S3sFs {
    /// None where it is not installed, which is printed: it takes minutes to build, so `scripts/prove
    /// store` does that and no ordinary test.
    pub(crate) fn start() -> Option<Self> {
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../test-s3s/bin/s3s-fs");
        if !program.is_file() {
            eprintln!("skipped: no s3s-fs; scripts/test-s3s builds it");
            return None;
        }
        let root = TempDir::new().expect("a temporary folder");
        std::fs::create_dir(root.path().join("bench")).expect("a bucket");
        let port = free_port();
        let process = Command::new(program)
            .args(["--host", "127.0.0.1", "--port", &port.to_string()])
            .args(["--access-key", KEYS[0].1, "--secret-key", KEYS[1].1])
            .arg(root.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("s3s-fs starts");
        let server = Self {
            port,
            process,
            _root: root,
        };
        wait_until("s3s-fs to listen", || {
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        Some(server)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for S3sFs {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A public prefix that anybody may read, by `GET` alone.
pub(crate) struct PublicServer {
    address: SocketAddr,
    asked: Arc<AtomicUsize>,
}

impl PublicServer {
    pub(crate) fn start(keys: &Keys) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (keys, asked) = (keys.clone(), Arc::<AtomicUsize>::default());
        let own = Arc::clone(&asked);
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                own.fetch_add(1, Ordering::SeqCst);
                let Some(request) = read_request(&mut stream) else {
                    continue;
                };
                let line = String::from_utf8_lossy(&request).into_owned();
                let path = line
                    .strip_prefix("GET /")
                    .and_then(|rest| rest.split(' ').next());
                let (status, body) = match path.and_then(|path| keys.get(path)) {
                    Some(body) => ("200 OK", body),
                    None => ("404 Not Found", Vec::new()),
                };
                let head = format!(
                    "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(&[head.as_bytes(), &body].concat());
            }
        });
        Self { address, asked }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Requests so far.
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

/// A server that says the same to every request.
pub(crate) fn refuser(status: &str, body: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let length = body.len();
    let answer =
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            if read_request(&mut stream).is_some() {
                let _ = stream.write_all(answer.as_bytes());
            }
        }
    });
    format!("http://{address}")
}

fn free_port() -> u16 {
    let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
    free.local_addr().expect("an address").port()
}

/// What happens to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// The server is too busy and does nothing.
    SlowDown,
    /// The server acts, and its answer is lost.
    Unclear,
    /// The request arrives twice, and the second answer comes back.
    Doubled,
    /// The answer breaks off in the middle.
    Partial,
    /// A listing is the one before.
    Stale,
    /// Conditions are ignored.
    Careless,
}

/// The proxy. It takes one request per connection.
pub(crate) struct Proxy {
    address: SocketAddr,
    /// What each request was, and what happened to it.
    pub(crate) seen: Arc<Mutex<Vec<(String, Fault)>>>,
}

impl Proxy {
    /// `choose` gives the fault of a request by its number, its method and its path.
    pub(crate) fn start(
        upstream: SocketAddr,
        choose: impl Fn(usize, &str, &str) -> Fault + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let seen: Arc<Mutex<Vec<(String, Fault)>>> = Arc::default();
        let (own, choose) = (Arc::clone(&seen), Arc::new(choose));
        let listings: Arc<Mutex<BTreeMap<String, Vec<u8>>>> = Arc::default();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, choose) = (Arc::clone(&own), Arc::clone(&choose));
                let listings = Arc::clone(&listings);
                thread::spawn(move || {
                    let choose = |line: &str| {
                        let mut seen = seen.lock().expect("no panic");
                        let mut words = line.split(' ');
                        let method = words.next().unwrap_or_default();
                        let path = words.next().unwrap_or_default();
                        let fault = choose(seen.len(), method, path);
                        seen.push((line.to_owned(), fault));
                        fault
                    };
                    serve(stream, upstream, &choose, &listings);
                });
            }
        });
        Self { address, seen }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many requests met a fault.
    pub(crate) fn faults(&self) -> usize {
        let seen = self.seen.lock().expect("no panic");
        seen.iter()
            .filter(|(_, fault)| *fault != Fault::None)
            .count()
    }
}

fn serve(
    mut stream: TcpStream,
    upstream: SocketAddr,
    choose: &dyn Fn(&str) -> Fault,
    listings: &Mutex<BTreeMap<String, Vec<u8>>>,
) {
    let Some(mut request) = read_request(&mut stream) else {
        return;
    };
    let text = String::from_utf8_lossy(&request).into_owned();
    let line = text.lines().next().unwrap_or_default().to_owned();
    let fault = choose(&line);
    if fault == Fault::SlowDown {
        let body = "<Error><Code>SlowDown</Code></Error>";
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 503 Slow Down\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        let _ = stream.write_all(answer.as_bytes());
        return;
    }
    if fault == Fault::Careless {
        for name in ["if-match", "if-none-match"] {
            let at = request
                .windows(name.len())
                .position(|part| part.eq_ignore_ascii_case(name.as_bytes()));
            if let Some(at) = at {
                request[at] = b'x';
            }
        }
    }
    let mut answer = forward(upstream, &request);
    if fault == Fault::Doubled {
        answer = forward(upstream, &request);
    }
    let is_listing = line.contains("list-type=2");
    if is_listing {
        let mut listings = listings.lock().expect("no panic");
        let before = listings.insert(line, answer.clone());
        if let (Fault::Stale, Some(before)) = (fault, before) {
            answer = before;
        }
    }
    match fault {
        Fault::Unclear => {}
        Fault::Partial => {
            let _ = stream.write_all(&answer[..answer.len() - 1]);
        }
        _ => {
            let _ = stream.write_all(&answer);
        }
    }
}

fn read_request(stream: &mut TcpStream) -> Option<Vec<u8>> {
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .ok()?;
    let mut bytes = Vec::new();
    let mut part = vec![0; 65_536];
    loop {
        let head = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        if let Some(end) = head {
            let text = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
            let length = text
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.map_or(0, |length| length.trim().parse().expect("a length"));
            if bytes.len() >= end + 4 + length {
                return Some(bytes);
            }
        }
        match stream.read(&mut part).ok()? {
            0 => return None,
            count => bytes.extend_from_slice(&part[..count]),
        }
    }
}

/// Sends a request and returns the whole answer, which ends with its connection.
pub(crate) fn forward(upstream: SocketAddr, request: &[u8]) -> Vec<u8> {
    let end = request
        .windows(2)
        .position(|two| two == b"\r\n")
        .expect("a line");
    let mut stream = TcpStream::connect(upstream).expect("the store listens");
    // In one piece: a small second one would wait until the first is acknowledged.
    let whole = [&request[..end], b"\r\nConnection: close", &request[end..]].concat();
    stream.write_all(&whole).expect("sent");
    // Whoever is told that nothing follows need not wait for more.
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}
