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

use super::league_sites::{LeagueSite, league_sites};
use super::origin::{Loaded, Origin};
use super::stored::reading;
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
    let mut watched = Vec::new();
    let mut stocks = Vec::new();
    for site in league_sites(&arguments.source, &arguments.rounds, &arguments.appearance)? {
        let (site, stock) = block_in_place(|| Watched::begin(site, &base))?;
        watched.push(site);
        stocks.push(stock);
    }
    let first = stocks.remove(0);
    let places = watched.iter().skip(1).map(Watched::place);
    let server = Arc::new(Server::new(first).beside(places.zip(stocks).collect()));
    line(format!(
        "{}  {own}   {}",
        paint(BOLD, "site"),
        paint(DIM, "(Ctrl-C to stop)")
    ));
    if arguments.open {
        open(&own);
    }
    let watching = watch(watched, &server);
    let limits = Limits::new(arguments.peer_connections.map(|most| most.get().into()));
    let serving = connections::accept(listener, Arc::clone(&server), limits, stop);
    tokio::select! {
        ended = serving => ended.map_err(fault)?,
        () = watching => {}
    }
    Ok(Exit::Success)
}

/// The site of one league, and what it was made from.
struct Watched {
    origin: Origin,
    of: Appearing,
    /// Where its pages stand, such as `leagues/europe/`.
    place: String,
    seen: String,
    loaded: Loaded,
    /// The instant at which something opens or closes.
    due: Option<Timestamp>,
    /// Why it could not be made anew, so that the same trouble is said once.
    told: Option<String>,
}

impl Watched {
    fn begin(site: LeagueSite, base_url: &str) -> Result<(Self, Stock), Error> {
        let _whole = reading();
        let origin = Origin::open(&site.source, &site.rounds)?;
        let seen = origin.mark()?;
        let loaded = origin.load(None)?;
        let of = Appearing {
            base_url: site.base_url(base_url),
            identity: site.identity,
        };
        let stock = stock(&loaded, &of, None)?;
        let mut made = Self {
            origin,
            of,
            place: site.place,
            seen,
            loaded,
            due: None,
            told: None,
        };
        made.due = made.next(&stock);
        Ok((made, stock))
    }

    /// Its place as the server knows it.
    fn place(&self) -> String {
        format!("/{}", self.place.trim_end_matches('/'))
    }

    fn next(&self, stock: &Stock) -> Option<Timestamp> {
        let follows = self.origin.follows_the_clock();
        follows.then(|| schedule::next_change(stock.publication()))
    }

    /// Makes the site anew when the record changed or an instant passed that opens or closes something; says
    /// how long looking took.
    fn look(&mut self, server: &Server) -> Duration {
        server.counts.looks.fetch_add(1, Ordering::Relaxed);
        let is_whole = reading();
        if !*is_whole {
            return Duration::ZERO;
        }
        let start = Instant::now();
        let now = self.origin.mark();
        let took = start.elapsed();
        let passed = self.due.is_some_and(|due| due <= now_or(None));
        if now.as_ref().is_ok_and(|now| *now == self.seen) && !passed {
            return took;
        }
        // What is being written is read again at the next look.
        let made = now.and_then(|now| {
            let again = self.origin.load(Some(&self.loaded))?;
            let made = stock(&again, &self.of, Some(&server.stock()))?;
            Ok((now, again, made))
        });
        match made {
            Ok((now, again, made)) => {
                (self.seen, self.loaded) = (now, again);
                self.due = self.next(&made);
                self.told = None;
                server.replace(made);
            }
            Err(error) => {
                self.due = self.due.map(|_| schedule::later(now_or(None)));
                let text = format!("the site stays as it was: {error}");
                if self.told.as_ref() != Some(&text) {
                    warn(&text);
                    self.told = Some(text);
                }
            }
        }
        took
    }
}

/// Looks at every league again and again; never ends.
async fn watch(mut watched: Vec<Watched>, server: &Server) {
    let shortest = watched.iter().map(|site| site.origin.look_every()).min();
    let shortest = shortest.unwrap_or(Duration::from_secs(10));
    let mut pause = shortest;
    loop {
        tokio::time::sleep(pause).await;
        let sites = watched.iter_mut().zip(server.sites());
        let took: Duration = block_in_place(|| sites.map(|(site, server)| site.look(server)).sum());
        // Looking at many files must not keep a core busy.
        pause = shortest.max(took * 20);
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
