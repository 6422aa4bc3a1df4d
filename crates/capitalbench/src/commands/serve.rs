//! `serve`: the website from memory, made anew when the rounds change.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use capitalbench_archive::public_files::fingerprint;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use super::Outcome;
use super::published::load;
use super::site::site;
use crate::cli::Serve;
use crate::console::{BOLD, DIM, WARNING, line, paint, remark};
use crate::error::CommandError;

mod answer;
mod stock;

use answer::{Server, router};
use stock::Stock;

/// How often the rounds are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(2);

pub(crate) fn run(arguments: &Serve) -> Result<Outcome, CommandError> {
    let runtime = Runtime::new().map_err(|error| CommandError::new(error.to_string()))?;
    runtime.block_on(serve(arguments))
}

async fn serve(arguments: &Serve) -> Result<Outcome, CommandError> {
    let address = arguments.listen;
    let listener = TcpListener::bind(address).await.map_err(|error| {
        CommandError::new(format!("cannot listen on {address}: {error}"))
            .hint("choose another address with --listen")
    })?;
    let address = listener.local_addr();
    let address = address.map_err(|error| CommandError::new(error.to_string()))?;
    let own = format!("http://{address}");
    let base = arguments.base_url.clone().unwrap_or_else(|| own.clone());
    let stock = make(arguments, &base)?;
    let server = Arc::new(Server::new(stock));
    line(format!(
        "{}  {own}   {}",
        paint(BOLD, "site"),
        paint(DIM, "(Ctrl-C to stop)")
    ));
    if arguments.open {
        open(&own);
    }
    let stop = stopped()?;
    let watching = watch(arguments, &base, &server);
    let serving = axum::serve(listener, router(Arc::clone(&server))).with_graceful_shutdown(stop);
    tokio::select! {
        ended = serving => ended.map_err(|error| CommandError::new(error.to_string()))?,
        () = watching => {}
    }
    Ok(Outcome::Holds)
}

fn make(arguments: &Serve, base: &str) -> Result<Stock, CommandError> {
    let publication = load(&arguments.rounds)?;
    Ok(Stock::new(site(
        &arguments.rounds.folder,
        &publication,
        base,
    )?))
}

/// Makes the site anew when a file of the rounds changes or a close has passed; never ends.
async fn watch(arguments: &Serve, base: &str, server: &Arc<Server>) {
    let folder = &arguments.rounds.folder;
    let mut seen = fingerprint(folder);
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let now = fingerprint(folder);
        if now == seen {
            continue;
        }
        seen = now;
        // A folder that is being written is read again at the next look.
        match tokio::task::block_in_place(|| make(arguments, base)) {
            Ok(stock) => server.replace(stock),
            Err(error) => remark(format!(
                "{} the site stays as it was: {error}",
                paint(WARNING, "warning:")
            )),
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
