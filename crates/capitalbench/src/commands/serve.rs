//! `serve`: the website from memory, made anew when the rounds change or a close passes.

use std::collections::BTreeMap;
use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use capitalbench_archive::public_files::fingerprint;
use jiff::Timestamp;
use tokio::runtime::Runtime;

use super::Outcome;
use super::published::load;
use super::site::site;
use crate::cli::Serve;
use crate::clock::now_or;
use crate::console::{BOLD, DIM, WARNING, line, paint, remark};
use crate::error::CommandError;

mod answer;
mod connections;
mod first_word;
mod patience;
mod schedule;
mod stock;

use answer::Server;
use stock::Stock;

/// How often the rounds are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// How many ports after a taken one are tried where any will do.
const NEAR: u16 = 50;

pub(crate) fn run(arguments: &Serve) -> Result<Outcome, CommandError> {
    started(arguments, 0)
}

/// The same, at one of the next ports when the port is taken.
pub(crate) fn run_near(arguments: &Serve) -> Result<Outcome, CommandError> {
    started(arguments, NEAR)
}

fn started(arguments: &Serve, near: u16) -> Result<Outcome, CommandError> {
    let runtime = Runtime::new().map_err(|error| CommandError::new(error.to_string()))?;
    let ended = runtime.block_on(serve(arguments, near));
    // A reader that never reads must not keep the program from ending.
    runtime.shutdown_timeout(Duration::from_secs(1));
    ended
}

fn bound(wanted: SocketAddr, near: u16) -> Result<TcpListener, CommandError> {
    let mut address = wanted;
    loop {
        match TcpListener::bind(address) {
            Ok(listener) => return Ok(listener),
            Err(error)
                if error.kind() == std::io::ErrorKind::AddrInUse
                    && address.port() < wanted.port().saturating_add(near) =>
            {
                address.set_port(address.port() + 1);
            }
            Err(error) => {
                let text = format!("cannot listen on {address}: {error}");
                return Err(CommandError::new(text).hint("choose another address with --listen"));
            }
        }
    }
}

async fn serve(arguments: &Serve, near: u16) -> Result<Outcome, CommandError> {
    let stop = stopped()?;
    let fault = |error: std::io::Error| CommandError::new(error.to_string());
    let listener = bound(arguments.listen, near)?;
    listener.set_nonblocking(true).map_err(fault)?;
    let address = listener.local_addr().map_err(fault)?;
    let own = format!("http://{address}");
    let base = arguments.base_url.clone().unwrap_or_else(|| own.clone());
    let seen = fingerprint(&arguments.rounds.folder);
    let stock = make(arguments, &base, None)?;
    let server = Arc::new(Server::new(stock));
    line(format!(
        "{}  {own}   {}",
        paint(BOLD, "site"),
        paint(DIM, "(Ctrl-C to stop)")
    ));
    if arguments.open {
        open(&own);
    }
    let watching = watch(arguments, &base, &server, seen);
    let serving = connections::accept(listener, Arc::clone(&server), stop);
    tokio::select! {
        ended = serving => ended.map_err(fault)?,
        () = watching => {}
    }
    Ok(Outcome::Holds)
}

/// The site as it is now; what did not change is taken over from the one before.
fn make(arguments: &Serve, base: &str, before: Option<&Stock>) -> Result<Stock, CommandError> {
    let publication = load(&arguments.rounds)?;
    let none = BTreeMap::new();
    let earlier = before.map_or(&none, |before| &before.families);
    let rendered = site(&arguments.rounds.folder, &publication, base, earlier)?;
    Ok(Stock::new(rendered, publication, before))
}

/// Makes the site anew when a file of the rounds changes or an instant passes that opens or closes
/// something; never ends.
async fn watch(
    arguments: &Serve,
    base: &str,
    server: &Arc<Server>,
    mut seen: capitalbench_core::ids::Digest,
) {
    let folder = &arguments.rounds.folder;
    let next = |stock: &Stock| match arguments.rounds.as_of {
        Some(_) => None,
        None => Some(schedule::next_change(stock.publication())),
    };
    let mut due: Option<Timestamp> = next(&server.stock());
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let now = tokio::task::block_in_place(|| fingerprint(folder));
        let passed = due.is_some_and(|due| due <= now_or(None));
        if now == seen && !passed {
            continue;
        }
        seen = now;
        // A folder that is being written is read again at the next look.
        let before = server.stock();
        match tokio::task::block_in_place(|| make(arguments, base, Some(&before))) {
            Ok(stock) => {
                due = next(&stock);
                server.replace(stock);
            }
            Err(error) => {
                due = due.map(|_| schedule::later(now_or(None)));
                remark(format!(
                    "{} the site stays as it was: {error}",
                    paint(WARNING, "warning:")
                ));
            }
        }
    }
}

/// Ends when the operator or the machine asks to stop.
fn stopped() -> Result<impl Future<Output = ()> + Send + 'static, CommandError> {
    use tokio::signal::unix::{SignalKind, signal};
    let fault = |error: std::io::Error| CommandError::new(error.to_string());
    let mut interrupt = signal(SignalKind::interrupt()).map_err(fault)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(fault)?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Asks the desktop to open an address; where there is none, nothing happens.
fn open(address: &str) {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let started = std::process::Command::new(opener).arg(address).spawn();
    if started.is_err() {
        remark(format!(
            "could not open a browser; the address is {address}"
        ));
    }
}
