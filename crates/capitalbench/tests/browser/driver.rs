//! A small client of the browser's driver: a real Chromium, asked over the loopback.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// What the browser is started with, so that nothing leaves the machine.
const FLAGS: [&str; 8] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// One browser window; it closes with the value.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: TempDir,
}

impl Browser {
    /// Starts the driver and a browser with an empty profile.
    pub(crate) fn start() -> Self {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver; scripts/test installs it");
        // It says at which free port it answers, once it does.
        let said = BufReader::new(driver.stdout.take().expect("its output"));
        let mut lines = said.lines().map_while(Result::ok);
        let port = lines
            .find_map(|line| {
                let (_, port) = line.split_once("successfully on port ")?;
                port.trim_end_matches('.').parse().ok()
            })
            .expect("chromedriver starts");
        thread::spawn(move || lines.for_each(drop));
        let profile = TempDir::new().expect("a temporary folder");
        let mut flags: Vec<String> = FLAGS.map(str::to_owned).to_vec();
        flags.push(format!("--user-data-dir={}", profile.path().display()));
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": flags},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }}});
        let mut browser = Self {
            driver,
            port,
            session: String::new(),
            _profile: profile,
        };
        let begun = browser.post("session", &wanted);
        let session = begun["sessionId"].as_str();
        session.expect("a session").clone_into(&mut browser.session);
        browser
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the driver");
        let text = if method == "POST" {
            body.to_string()
        } else {
            String::new()
        };
        write!(
            stream,
            "{method} /{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{text}",
            text.len()
        )
        .expect("a request");
        let value: Value = serde_json::from_slice(&body_of(stream)).expect("JSON");
        let value = &value["value"];
        assert!(value["error"].is_null(), "{method} {path}: {value}");
        value.clone()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.call("POST", path, body)
    }

    fn in_session(&self, path: &str, body: &Value) -> Value {
        self.post(&format!("session/{}/{path}", self.session), body)
    }

    /// Opens an address and waits until it is loaded.
    pub(crate) fn open(&self, address: &str) {
        self.in_session("url", &json!({ "url": address }));
    }

    /// Sets the size of the page, whatever frame the window has, and the preferred theme.
    pub(crate) fn view(&self, (width, height): (u32, u32), theme: &str) {
        let phone = width < 600;
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            &json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone}),
        );
        self.devtools(
            "Emulation.setEmulatedMedia",
            &json!({"features": [{"name": "prefers-color-scheme", "value": theme}]}),
        );
    }

    /// Shows pages as they are printed, for a reader who prefers a theme.
    pub(crate) fn print(&self, theme: &str) {
        self.devtools(
            "Emulation.setEmulatedMedia",
            &json!({"media": "print", "features": [{"name": "prefers-color-scheme", "value": theme}]}),
        );
    }

    /// Presses and releases a key.
    pub(crate) fn press(&self, key: &str, code: u32) {
        for (step, text) in [
            ("keyDown", if key == "Enter" { "\r" } else { "" }),
            ("keyUp", ""),
        ] {
            self.devtools(
                "Input.dispatchKeyEvent",
                &json!({"type": step, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text}),
            );
        }
    }

    /// Clicks with a mouse.
    pub(crate) fn click(&self, (x, y): (f64, f64)) {
        for step in ["mousePressed", "mouseReleased"] {
            self.devtools(
                "Input.dispatchMouseEvent",
                &json!({"type": step, "x": x, "y": y, "button": "left", "clickCount": 1}),
            );
        }
    }

    /// Taps with a finger.
    pub(crate) fn tap(&self, (x, y): (f64, f64)) {
        self.devtools(
            "Emulation.setTouchEmulationEnabled",
            &json!({"enabled": true}),
        );
        for (step, points) in [
            ("touchStart", json!([{"x": x, "y": y}])),
            ("touchEnd", json!([])),
        ] {
            self.devtools(
                "Input.dispatchTouchEvent",
                &json!({"type": step, "touchPoints": points}),
            );
        }
    }

    fn devtools(&self, command: &str, parameters: &Value) {
        self.in_session(
            "goog/cdp/execute",
            &json!({"cmd": command, "params": parameters}),
        );
    }

    /// The value of a script that returns one.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.in_session("execute/sync", &json!({"script": script, "args": []}))
    }

    /// The value of a script that calls `done` with one.
    pub(crate) fn wait_for(&self, script: &str) -> Value {
        let script = format!("const done = arguments[0];\n{script}");
        self.in_session("execute/async", &json!({"script": script, "args": []}))
    }

    /// Drops files or folders of this machine on the element with this id, as a hand would.
    pub(crate) fn drop_on(&self, id: &str, paths: &[&str]) {
        let place = self.run(&format!(
            "const element = document.getElementById('{id}'); element.scrollIntoView({{behavior: 'instant', block: 'center'}});\
             const box = element.getBoundingClientRect();\
             return [box.x + box.width / 2, box.y + box.height / 2]"
        ));
        for step in ["dragEnter", "dragOver", "drop"] {
            self.devtools(
                "Input.dispatchDragEvent",
                &json!({"type": step, "x": place[0], "y": place[1],
                    "data": {"items": [], "files": paths, "dragOperationsMask": 1}}),
            );
        }
    }

    /// Chooses a file or folder in the field with this id.
    pub(crate) fn choose(&self, id: &str, path: &str) {
        let wanted = json!({"using": "css selector", "value": format!("#{id}")});
        let found = self.in_session("element", &wanted);
        let element = found.as_object().and_then(|found| found.values().next());
        let element = element.and_then(Value::as_str).expect("an element");
        self.in_session(&format!("element/{element}/value"), &json!({"text": path}));
    }

    /// From here on pages run no script of their own.
    pub(crate) fn without_script(&self) {
        let off = json!({"value": true});
        self.devtools("Emulation.setScriptExecutionDisabled", &off);
    }

    /// Table rows of a page, counted without a script.
    pub(crate) fn rows_without_script(&self) -> usize {
        let found = self.in_session(
            "elements",
            &json!({"using": "css selector", "value": "main tr"}),
        );
        found.as_array().map_or(0, Vec::len)
    }

    /// Messages of one kind since the last look.
    fn log(&self, kind: &str) -> Vec<Value> {
        let found = self.in_session("se/log", &json!({ "type": kind }));
        found.as_array().cloned().unwrap_or_default()
    }

    /// Errors and warnings on the console since the last look.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let entries = self.log("browser").into_iter();
        let serious = entries.filter(|e| e["level"] == "SEVERE" || e["level"] == "WARNING");
        serious.map(|entry| entry["message"].to_string()).collect()
    }

    /// Addresses that were asked for since the last look.
    pub(crate) fn requests(&self) -> Vec<String> {
        let entries = self.log("performance").into_iter();
        let sent = entries.filter_map(|entry| {
            let message: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let message = &message["message"];
            let url = message["params"]["request"]["url"].as_str()?;
            (message["method"] == "Network.requestWillBeSent").then(|| url.to_owned())
        });
        sent.collect()
    }
}

/// The body of an answer; the driver leaves its connections open.
fn body_of(stream: TcpStream) -> Vec<u8> {
    let patience = Some(Duration::from_mins(1));
    stream.set_read_timeout(patience).expect("a timeout");
    let mut lines = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        lines.read_line(&mut line).expect("a header");
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().expect("a length");
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    lines.read_exact(&mut body).expect("a body");
    body
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            let path = format!("session/{}", self.session);
            if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) {
                let _ = write!(
                    stream,
                    "DELETE /{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
                );
                let _ = body_of(stream);
            }
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
