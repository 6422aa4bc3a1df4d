//! Asks outside clocks to stamp a random digest, which shows whether they would stamp a round.

use capitalbench_archive::log::{Believed, LogFolder, Trust};

use super::anchor::{Anchored, Asked, Said, ask, believed, judged, nonce};
use super::clocks::Clocks;
use super::witnesses::Cosigned;
use crate::error::Error;
use crate::operator::{Operator, wait};

/// What every clock said; nothing is kept.
pub fn try_clocks(
    operator: &Operator,
    log: &LogFolder,
    clocks: &Clocks,
) -> Result<Anchored, Error> {
    let believed = believed(log, &clocks.roots)?;
    let rooted = believed != Believed::Anybody;
    let configuration = &operator.configuration;
    let http = configuration.http(configuration.reach())?;
    let mut digest = [0; 32];
    let (first, second) = digest.split_at_mut(16);
    first.copy_from_slice(&nonce()?);
    second.copy_from_slice(&nonce()?);
    let mut asked = Vec::new();
    for (kind, url, _) in clocks.named()? {
        let nonce = nonce()?;
        let said = match wait(ask(&http, kind, &url, digest, nonce))? {
            Err(error) => Said::Refused(error.to_string()),
            Ok(answer) => {
                let trust = Trust {
                    believed: believed.clone(),
                    now: operator.clock.now(),
                };
                judged(&trust, kind, digest, nonce, answer)
                    .map_or_else(Said::Refused, |(_, said)| said)
            }
        };
        let url = url.to_string();
        asked.push(Asked { kind, url, said });
    }
    Ok(Anchored {
        size: 0,
        rooted,
        asked,
        cosigned: Cosigned::default(),
    })
}
