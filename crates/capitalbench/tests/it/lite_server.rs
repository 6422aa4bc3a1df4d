//! A `PostgREST`-compatible server with a storage, on a real PostgreSQL: `@supabase/lite`, where
//! `scripts/test` put it. It is not `PostgREST` itself.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use capitalbench_database::direct::{DatabaseUrl, Direct};

use crate::waiting::wait_until;
use capitalbench_testing::database_server::Server;

/// The key that may write.
pub(crate) const SECRET: &str = "sb_secret_recognisable5key7must3never";
/// The key that everybody may have.
pub(crate) const PUBLIC: &str = "sb_publishable_test000000000000000000";

/// This version of the server hands buffers to a stream that takes bytes only.
const BYTES: &str = "const { ServerResponse } = require('http');
const write = ServerResponse.prototype.write;
ServerResponse.prototype.write = function (chunk, ...more) {
  const bytes = chunk instanceof ArrayBuffer ? Buffer.from(chunk) : chunk;
  return write.call(this, bytes, ...more);
};
";

/// Both servers; they end with it.
pub(crate) struct Lite {
    pub(crate) database: Server,
    port: u16,
    process: Child,
    folder: tempfile::TempDir,
}

impl Lite {
    /// `None` where a part of it is not installed, which is printed and not allowed in CI.
    pub(crate) fn start() -> Option<Self> {
        let installed = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../test-node/node_modules");
        let program = installed.join("@supabase/lite/dist/cli/index.js");
        if !program.is_file() {
            let ci = std::env::var("CI").as_deref() == Ok("true");
            assert!(!ci, "@supabase/lite is missing; run scripts/test");
            eprintln!("skipped: no @supabase/lite; scripts/test installs it");
            return None;
        }
        let database = Server::start()?;
        statement(
            &database,
            "create role anon nologin noinherit; create role authenticated nologin noinherit; \
             create role service_role nologin noinherit bypassrls",
        );
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("bytes.cjs"), BYTES).expect("a file");
        fs::create_dir(folder.path().join("supabase")).expect("a folder");
        // Another program may take the free port first.
        let started = (0..5).find_map(|_| start(&program, &database, folder.path()));
        let log = fs::read_to_string(folder.path().join("log")).unwrap_or_default();
        let (port, process) = started.unwrap_or_else(|| panic!("it did not start: {log}"));
        Some(Self {
            database,
            port,
            process,
            folder,
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Paths of all objects that are stored.
    pub(crate) fn objects(&self) -> Vec<PathBuf> {
        let bucket = "supabase/.temp/storage/capitalbench-public-artifacts";
        let mut found = Vec::new();
        let mut folders = vec![self.folder.path().join(bucket)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten() {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.push(path);
                }
            }
        }
        found
    }

    /// What the server printed.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Lite {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn start(program: &Path, database: &Server, folder: &Path) -> Option<(u16, Child)> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("a port").port();
    drop(listener);
    let url = database.url();
    let url = url.split('?').next().unwrap_or_default();
    let config = format!(
        "project_id = \"capitalbench\"\n[api]\nport = {port}\n[db]\ndriver = \"postgres\"\n\
         url = \"{url}\"\n[auth]\npublishable_key = \"{PUBLIC}\"\nsecret_key = \"{SECRET}\"\n"
    );
    fs::write(folder.join("supabase/config.toml"), config).expect("a file");
    let log = fs::File::create(folder.join("log")).expect("a log");
    let process = Command::new("node")
        .arg("-r")
        .arg(folder.join("bytes.cjs"))
        .arg(program)
        .args(["start", "--no-admin"])
        .env("DO_NOT_TRACK", "1")
        .env("EXPERIMENTAL_STORAGE", "1")
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(log.try_clone().expect("a log"))
        .stderr(log)
        .spawn()
        .expect("node runs");
    let mut process = process;
    let mut ready = false;
    wait_until("the storage server to answer or to end", || {
        ready = answers(port);
        ready || process.try_wait().expect("a process").is_some()
    });
    ready.then_some((port, process))
}

fn answers(port: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else {
        return false;
    };
    let _ = stream.set_read_timeout(Some(Duration::from_secs(2)));
    let asked = stream.write_all(b"GET /rest/v1/ HTTP/1.0\r\n\r\n");
    let mut answer = [0; 8];
    asked.is_ok() && stream.read(&mut answer).is_ok_and(|length| length > 0)
}

/// Runs statements as the owner of the database.
pub(crate) fn statement(database: &Server, statement: &str) {
    let url = DatabaseUrl::new(database.url()).expect("an address");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let done = runtime.block_on(async {
        let mut direct = Direct::connect(&url).await.expect("a connection");
        direct.client().batch_execute(statement).await
    });
    done.expect(statement);
}

/// One text that a statement gives.
pub(crate) fn text(database: &Server, statement: &str) -> String {
    let url = DatabaseUrl::new(database.url()).expect("an address");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let row = runtime.block_on(async {
        let mut direct = Direct::connect(&url).await.expect("a connection");
        direct.client().query_one(statement, &[]).await
    });
    row.expect(statement).get(0)
}
