//! A PostgreSQL of its own for each test, as an ordinary user, gone with the test.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

/// A running server; its process and its folder end with it.
pub struct Server {
    running: Running,
    _folder: tempfile::TempDir,
}

/// The shell that waits for the end of its input and then stops the server, so that a killed test
/// leaves nothing behind.
struct Running {
    shell: Child,
    port: u16,
}

/// The shell gives up its own standard error, so that reading it ends when the server ends.
const WATCH: &str =
    r#""$0" "$@" & server=$!; exec 2>&-; read -r _; kill -QUIT $server; wait $server"#;

const SETTINGS: [&str; 6] = [
    "listen_addresses=127.0.0.1",
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "autovacuum=off",
    "jit=off",
];

/// User and group that the server runs as; none where we are not root.
type Owner = Option<(u32, u32)>;

impl Server {
    /// Starts one. `None` means that PostgreSQL is not installed and the test returns early; why is
    /// printed here, and continuous integration must have it.
    pub fn start() -> Option<Self> {
        Self::start_as("postgres")
    }

    /// The same with another name for the role that the server is made with.
    #[expect(
        clippy::disallowed_methods,
        clippy::print_stderr,
        reason = "a test has no configuration to ask and nobody else to tell"
    )]
    pub fn start_as(superuser: &str) -> Option<Self> {
        let Some(programs) = programs() else {
            let ci = std::env::var("CI").as_deref() == Ok("true");
            assert!(!ci, "PostgreSQL is missing; install the package postgresql");
            eprintln!("skipped: no PostgreSQL; install the package postgresql");
            return None;
        };
        let folder = tempfile::Builder::new().prefix("cb-pg").tempdir();
        let folder = folder.expect("a temporary folder");
        let owner = unprivileged();
        if let Some((uid, gid)) = owner {
            chown(folder.path(), Some(uid), Some(gid)).expect("the folder gets its owner");
        }
        let made = as_user(Command::new(programs.join("initdb")), owner)
            .current_dir(folder.path())
            .args(["-U", superuser, "-A", "trust", "-E", "UTF8", "--locale=C"])
            .args(["--no-sync", "--no-instructions", "-D", "d"])
            .output()
            .expect("initdb runs");
        let said = String::from_utf8_lossy(&made.stderr);
        assert!(made.status.success(), "{said}");
        let mut log = String::new();
        // Another program may take the free port first.
        let running =
            (0..5).find_map(|_| Running::start(&programs, folder.path(), owner, &mut log));
        let running = running.unwrap_or_else(|| panic!("the server did not start: {log}"));
        Some(Self {
            running,
            _folder: folder,
        })
    }

    /// The address of the database for its owner.
    pub fn url(&self) -> String {
        let port = self.running.port;
        format!("postgresql://postgres@127.0.0.1:{port}/postgres?sslmode=disable")
    }
}

impl Running {
    /// A server at a free port, and what it says until it takes connections.
    fn start(programs: &Path, folder: &Path, owner: Owner, log: &mut String) -> Option<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("a port").port();
        drop(listener);
        let mut shell = as_user(Command::new("sh"), owner);
        shell.arg("-c").arg(WATCH).arg(programs.join("postgres"));
        shell.args(["-D", "d", "-k"]).arg(folder);
        shell.args(["-p", &port.to_string()]);
        for setting in SETTINGS {
            shell.args(["-c", setting]);
        }
        shell
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut shell = shell.current_dir(folder).spawn().expect("a shell");
        let said = shell.stderr.take().expect("its standard error");
        let running = Self { shell, port };
        let mut lines = BufReader::new(said).lines().map_while(Result::ok);
        let ready = lines.by_ref().any(|line| {
            log.push_str(&line);
            log.push('\n');
            line.contains("ready to accept connections")
        });
        // A server whose messages nobody reads would stop in the end.
        thread::spawn(move || lines.for_each(drop));
        ready.then_some(running)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}

/// PostgreSQL refuses to run as root.
fn unprivileged() -> Owner {
    let id = |arguments: &[&str]| -> Option<u32> {
        let output = Command::new("id").args(arguments).output().ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse().ok()
    };
    if id(&["-u"])? != 0 {
        return None;
    }
    Some((id(&["-u", "postgres"])?, id(&["-g", "postgres"])?))
}

fn as_user(mut command: Command, owner: Owner) -> Command {
    if let Some((uid, gid)) = owner {
        command.uid(uid).gid(gid);
    }
    command
}

/// Where the programs lie: on the path, else in Debian's folder of the newest version.
#[expect(
    clippy::disallowed_methods,
    reason = "a test has no configuration to ask"
)]
fn programs() -> Option<PathBuf> {
    let has =
        |folder: &PathBuf| folder.join("postgres").is_file() && folder.join("initdb").is_file();
    let path = std::env::var_os("PATH").unwrap_or_default();
    if let Some(found) = std::env::split_paths(&path).find(has) {
        return Some(found);
    }
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let versions = versions.filter_map(|entry| Some(entry.ok()?.path().join("bin")));
    versions.filter(has).max()
}
