//! Several workers of one process, which stop together.

use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::error::Error;
use crate::operator::runtime;
use crate::operator::stops::Stops;

/// One worker among those of this process.
pub(super) struct Crew<'a> {
    pub(super) runtime: &'a Handle,
    stop: watch::Receiver<bool>,
    pub(super) number: u16,
}

/// Lets so many workers work until they are done or the machine asks to stop.
pub(super) fn crew(
    concurrency: u16,
    work: &(dyn Fn(&Crew<'_>) -> Result<(), Error> + Sync),
) -> Result<(), Error> {
    let runtime = runtime(2)?;
    let (tell, stop) = watch::channel(false);
    let mut stops = {
        let _entered = runtime.enter();
        Stops::listen()?
    };
    runtime.spawn(async move {
        stops.next().await;
        tell.send(true)
    });
    let ended = std::thread::scope(|threads| {
        let handle = runtime.handle();
        let workers: Vec<_> = (1..=concurrency)
            .map(|number| {
                let own = Crew {
                    runtime: handle,
                    stop: stop.clone(),
                    number,
                };
                threads.spawn(move || work(&own))
            })
            .collect();
        let mut ended = Ok(());
        for worker in workers {
            let own = worker.join();
            let own = own.unwrap_or_else(|_| Err(Error::new("a worker of this process broke")));
            ended = ended.and(own);
        }
        ended
    });
    runtime.shutdown_timeout(Duration::from_secs(1));
    ended
}

impl Crew<'_> {
    pub(super) fn stopping(&self) -> bool {
        *self.stop.borrow()
    }

    /// Waits for the next look, or for a request to stop.
    pub(super) fn pause(&self, poll: Duration) {
        let mut stop = self.stop.clone();
        self.runtime.block_on(async {
            let asked = stop.wait_for(|stop| *stop);
            let _ = tokio::time::timeout(poll, asked).await;
        });
    }

    /// Does something to its end; none when the worker was asked to stop meanwhile.
    pub(super) fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut stop = self.stop.clone();
        self.runtime.block_on(async {
            tokio::select! {
                done = work => Some(done),
                _ = stop.wait_for(|stop| *stop) => None,
            }
        })
    }
}
