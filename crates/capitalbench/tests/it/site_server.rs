//! `serve` as a process, and requests as bytes on a socket.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::harness::{Test, program};

/// What a server says on standard error.
pub(crate) const COMPLAINTS: &str = ".complaints";

/// A running server; it ends with the test.
pub(crate) struct SiteServer {
    child: Child,
    pub(crate) address: SocketAddr,
}

/// One answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.get(name);
        found.unwrap_or_else(|| panic!("no {name} in {:?}", self.headers))
    }
}

impl SiteServer {
    /// Serves the folder of a test at a free port.
    pub(crate) fn start(test: &Test, more: &[&str]) -> Self {
        let given = ["serve", "--rounds-dir", ".", "--listen", "127.0.0.1:0"];
        Self::of(test, &[&given[..], more].concat())
    }

    /// Any command that ends by serving.
    pub(crate) fn of(test: &Test, arguments: &[&str]) -> Self {
        Self::with(test, &[], arguments)
    }

    /// The same with variables.
    pub(crate) fn with(test: &Test, variables: &[(&str, &str)], arguments: &[&str]) -> Self {
        // The site does not follow files whose names begin with a dot.
        let complaints = File::create(test.path(COMPLAINTS)).expect("a file");
        let mut child = Command::new(program())
            .args(arguments)
            .env("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES", "1")
            .envs(variables.iter().copied())
            .current_dir(test.folder())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(complaints)
            .spawn()
            .expect("the program starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let address = lines
            .by_ref()
            .map(|line| line.expect("a line"))
            .find_map(|line| {
                let rest = line.split_once("http://")?.1.to_owned();
                rest.split_whitespace().next()?.parse().ok()
            })
            .expect("an address");
        Self { child, address }
    }

    /// The number of its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("a connection");
        let limit = Some(Duration::from_secs(30));
        stream.set_read_timeout(limit).expect("a limit");
        stream.set_write_timeout(limit).expect("a limit");
        stream
    }

    /// Sends bytes and reads until the server closes.
    pub(crate) fn raw(&self, request: &[u8]) -> Vec<u8> {
        let mut stream = self.connect();
        // A server that refuses may close before it has read everything.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[&str]) -> Answer {
        let mut request = format!("{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n");
        for header in headers {
            request.push_str(header);
            request.push_str("\r\n");
        }
        request.push_str("\r\n");
        read(&self.raw(request.as_bytes()))
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[])
    }

    /// A count that the server tells of itself.
    pub(crate) fn metric(&self, name: &str) -> u64 {
        let text = self.get("/metrics").text();
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let value = line.and_then(|rest| rest.trim().parse().ok());
        value.unwrap_or_else(|| panic!("no {name} in {text}"))
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([name, &id]).status();
        assert!(sent.expect("kill").success());
    }

    pub(crate) fn ended(mut self) -> ExitStatus {
        self.child.wait().expect("an ended process")
    }
}

impl Drop for SiteServer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a whole answer.
#[track_caller]
pub(crate) fn read(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no head in {:?}", String::from_utf8_lossy(bytes)));
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1));
    let headers = lines.filter_map(|line| line.split_once(": "));
    Answer {
        status: status.and_then(|text| text.parse().ok()).expect("a status"),
        headers: headers
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect(),
        body: bytes[end + 4..].to_vec(),
    }
}
