//! An object store that nobody here wrote (`moto` in server mode), and a proxy before it that spoils
//! what passes.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::waiting::wait_until;

/// Variables that a client of the store needs.
pub(crate) const KEYS: [(&str, &str); 3] = [
    ("AWS_ACCESS_KEY_ID", "test"),
    ("AWS_SECRET_ACCESS_KEY", "recognisable5key7must3never9show"),
    ("AWS_REGION", "us-east-1"),
];

/// The server; it ends with this.
pub(crate) struct Moto {
    port: u16,
    process: Child,
}

impl Moto {
    /// None where it is not installed, which is printed and not allowed in CI.
    pub(crate) fn start() -> Option<Self> {
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
            .args([
                "-m",
                "moto.server",
                "-H",
                "127.0.0.1",
                "-p",
                &port.to_string(),
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("moto starts");
        let moto = Self { port, process };
        wait_until("moto to listen", || {
            TcpStream::connect(moto.address()).is_ok()
        });
        let made = forward(
            moto.address(),
            b"PUT /bench HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
        );
        assert!(
            String::from_utf8_lossy(&made).contains(" 200 "),
            "no bucket"
        );
        Some(moto)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address())
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
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

/// A folder that anybody may read, by `GET` alone.
pub(crate) struct FolderServer {
    address: SocketAddr,
    asked: Arc<AtomicUsize>,
}

impl FolderServer {
    pub(crate) fn start(folder: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (folder, asked) = (folder.to_owned(), Arc::<AtomicUsize>::default());
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
                let found = path.and_then(|path| std::fs::read(folder.join(path)).ok());
                let (status, body) = match found {
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
    stream.write_all(&request[..end]).expect("sent");
    stream.write_all(b"\r\nConnection: close").expect("sent");
    stream.write_all(&request[end..]).expect("sent");
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}
