//! `serve`: the website, made anew when the rounds change or a close passes.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use capitalbench_operations::operator::clock::now_or;
use capitalbench_operations::operator::stops::Stops;
use jiff::Timestamp;
use tokio::net::TcpSocket;
use tokio::runtime::Runtime;
use tokio::task::block_in_place;

use super::appearance::identity;
use super::origin::{Loaded, Origin};
use crate::cli::Serve;
use crate::console::{BOLD, DIM, line, paint, remark, warn};
use crate::error::{Error, Exit};

mod answer;
mod bodies;
mod body;
mod connections;
mod drawn;
mod first_word;
mod headers;
mod hot;
mod making;
mod patience;
mod peers;
mod schedule;
mod stock;

use answer::Server;
use connections::Limits;
use making::{Appearing, stock};
use stock::Stock;

/// Connections that may wait to be accepted.
const WAITING: u32 = 4096;

/// Serves until it is stopped; when the port is taken, at one of so many ports after it.
pub(crate) fn run(arguments: &Serve, near: u16) -> Result<Exit, Error> {
    let runtime = Runtime::new().map_err(|error| Error::new(error.to_string()))?;
    let ended = runtime.block_on(serve(arguments, near));
    // A reader that never reads must not keep the program from ending.
    runtime.shutdown_timeout(Duration::from_secs(1));
    ended
}

fn bound(wanted: SocketAddr, near: u16) -> Result<TcpListener, Error> {
    let mut address = wanted;
    loop {
        match listening(address) {
            Ok(listener) => return Ok(listener),
            Err(error)
                if error.kind() == std::io::ErrorKind::AddrInUse
                    && address.port() < wanted.port().saturating_add(near) =>
            {
                address.set_port(address.port() + 1);
            }
            Err(error) => {
                let text = format!("cannot listen on {address}: {error}");
                return Err(Error::new(text).hint("choose another address with --listen"));
            }
        }
    }
}

/// Listens with room for many who wait: where there is none, a flood of one peer makes others ask
/// again after a second.
fn listening(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(WAITING)?.into_std()
}

async fn serve(arguments: &Serve, near: u16) -> Result<Exit, Error> {
    let mut stops = Stops::listen()?;
    let stop = async move { stops.next().await };
    let fault = |error: std::io::Error| Error::new(error.to_string());
    let listener = bound(arguments.listen, near)?;
    listener.set_nonblocking(true).map_err(fault)?;
    let address = listener.local_addr().map_err(fault)?;
    let own = format!("http://{address}");
    let base = arguments.base_url.clone().unwrap_or_else(|| own.clone());
    let origin = Origin::open(arguments.source, &arguments.rounds)?;
    let seen = block_in_place(|| origin.mark())?;
    let loaded = block_in_place(|| origin.load(None))?;
    let of = Appearing {
        identity: identity(&arguments.appearance)?,
        base_url: base.trim_end_matches('/').to_owned(),
    };
    let stock = block_in_place(|| stock(&loaded, &of, None))?;
    let server = Arc::new(Server::new(stock));
    line(format!(
        "{}  {own}   {}",
        paint(BOLD, "site"),
        paint(DIM, "(Ctrl-C to stop)")
    ));
    if arguments.open {
        open(&own);
    }
    let watching = watch(&origin, &of, &server, (seen, loaded));
    let limits = Limits::new(arguments.peer_connections.map(|most| most.get().into()));
    let serving = connections::accept(listener, Arc::clone(&server), limits, stop);
    tokio::select! {
        ended = serving => ended.map_err(fault)?,
        () = watching => {}
    }
    Ok(Exit::Success)
}

/// Makes the site anew when the record changes or an instant passes that opens or closes something;
/// never ends.
async fn watch(
    origin: &Origin,
    of: &Appearing,
    server: &Arc<Server>,
    (mut seen, mut loaded): (String, Loaded),
) {
    let next = |stock: &Stock| {
        let follows = origin.follows_the_clock();
        follows.then(|| schedule::next_change(stock.publication()))
    };
    let mut due: Option<Timestamp> = next(&server.stock());
    let mut pause = origin.look_every();
    let mut told = None;
    loop {
        tokio::time::sleep(pause).await;
        let start = Instant::now();
        let now = block_in_place(|| origin.mark());
        // Looking at many files must not keep a core busy.
        pause = origin.look_every().max(start.elapsed() * 20);
        let passed = due.is_some_and(|due| due <= now_or(None));
        server.counts.looks.fetch_add(1, Ordering::Relaxed);
        if now.as_ref().is_ok_and(|now| *now == seen) && !passed {
            continue;
        }
        // What is being written is read again at the next look.
        let made = now.and_then(|now| {
            let again = block_in_place(|| origin.load(Some(&loaded)))?;
            let before = server.stock();
            let made = block_in_place(|| stock(&again, of, Some(&before)))?;
            Ok((now, again, made))
        });
        match made {
            Ok((now, again, made)) => {
                (seen, loaded) = (now, again);
                due = next(&made);
                told = None;
                server.replace(made);
            }
            Err(error) => {
                due = due.map(|_| schedule::later(now_or(None)));
                // The same trouble is met at every look, and said once.
                let text = format!("the site stays as it was: {error}");
                if told.as_ref() != Some(&text) {
                    warn(&text);
                    told = Some(text);
                }
            }
        }
    }
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
