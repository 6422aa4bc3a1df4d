//! An entrant seals a portfolio before the deadline, and opens it after the entry close.

use std::path::{Path, PathBuf};

use capitalbench_adapters::outside_clock::ClockUrl;
use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::entering::delivered::{EntryStamp, signed_entry, with_stamp};
use capitalbench_archive::entering::portfolio;
use capitalbench_archive::entering::terms::round_terms;
use capitalbench_archive::log::{Believed, LogFolder, Trust};
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_core::decision::entering::admission::{Refusal, RoundTerms};
use capitalbench_core::decision::entering::names::EntrantKey;
use capitalbench_core::decision::entering::opening::{Opening, Salt};
use capitalbench_core::decision::entering::sealed::SealedEntry;
use capitalbench_proof::merkle::sha256;
use capitalbench_proof::note::SignerKey;
use capitalbench_proof::timestamp::Stamp;

use super::{league_of, signer};
use crate::asking::replay::source;
use crate::error::Error;
use crate::operator::files::read;
use crate::operator::{Operator, wait};
use crate::proof::anchor::{Kind, Said, ask, judged, nonce};

/// What an entrant seals.
#[derive(Debug, Clone)]
pub struct SealRequest<'a> {
    /// A folder, a bundle or the address of a frozen round.
    pub round: &'a str,
    /// The file with the holdings.
    pub portfolio: &'a Path,
    /// The file of its key.
    pub key: &'a Path,
    /// A time stamp authority.
    pub authority: Option<&'a ClockUrl>,
    /// The folder for both files.
    pub output: &'a Path,
}

/// A portfolio that is sealed.
#[derive(Debug, Clone)]
pub struct SealedPortfolio {
    pub entry: SealedEntry,
    pub terms: RoundTerms,
    /// To be delivered before the deadline.
    pub file: PathBuf,
    /// To be kept, and shown to nobody.
    pub secret: PathBuf,
    /// What an authority said; none where none was asked.
    pub stamp: Option<Stamp>,
}

/// The name of a file of an entrant about a round.
pub fn file_name(round: &str, key: &str, ending: &str) -> String {
    format!("{round}.{key}.{ending}")
}

/// Checks a portfolio by the rules of the frozen round and seals it.
pub fn seal(operator: &Operator, request: &SealRequest<'_>) -> Result<SealedPortfolio, Error> {
    let key = signer(request.key)?;
    let source = source::open(operator, request.round)?;
    let (terms, league) = terms_of(&source.folder)?;
    let (at, deadline) = (operator.now(), terms.times.deadline);
    if at >= deadline {
        let text = format!("the entry {}", Refusal::Late { at, deadline });
        return Err(Error::new(text).hint("seal an entry for the next round"));
    }
    let opening = Opening {
        league,
        round: terms.round.clone(),
        inputs: terms.inputs,
        key: EntrantKey::parse(&key.verifier().to_string())
            .map_err(|error| Error::new(format!("{}: {error}", request.key.display())))?,
        portfolio: read(request.portfolio, portfolio::parse)?,
        salt: salt()?,
    };
    let inputs = RoundInputs::load(source.folder.clone(), &Universes::default())?;
    let problems = opening.problems(&inputs.manifest, &inputs.universe);
    if let Some(first) = problems.first() {
        let text = format!("{}: {first}", request.portfolio.display());
        return Err(Error::new(text).hint(format!(
            "the portfolio breaks {} of the round; nothing was sealed",
            if problems.len() == 1 {
                "a rule"
            } else {
                "rules"
            }
        )));
    }
    written(operator, request, (&opening, &key), terms)
}

/// Both files: the secret first, so that no entry exists that nobody can open.
fn written(
    operator: &Operator,
    request: &SealRequest<'_>,
    (opening, key): (&Opening, &SignerKey),
    terms: RoundTerms,
) -> Result<SealedPortfolio, Error> {
    let entry = SealedEntry::of(opening);
    let note = signed_entry(&entry, key).map_err(Error::new)?;
    let (round, name) = (terms.round.as_str(), opening.key.name());
    let secret = request.output.join(file_name(round, name, "secret"));
    let file = request.output.join(file_name(round, name, "sealed"));
    if secret.exists() || file.exists() {
        let text = format!("{name} has sealed an entry for {round} already");
        return Err(Error::new(text).hint(format!(
            "deliver {}; a second entry of one key is refused",
            file.display()
        )));
    }
    let stamped = request
        .authority
        .map(|authority| stamp(operator, authority, &note))
        .transpose()?;
    let (bytes, stamp) = match stamped {
        None => (note, None),
        Some((kept, stamp)) => (with_stamp(&note, &kept), Some(stamp)),
    };
    file_ops::create_folder(request.output)?;
    file_ops::create_private(&secret, &opening.to_bytes())?;
    file_ops::create_new(&file, &bytes)?;
    Ok(SealedPortfolio {
        entry,
        terms,
        file,
        secret,
        stamp,
    })
}

/// What a round that can be entered demands, and its league.
fn terms_of(folder: &RoundFolder) -> Result<(RoundTerms, String), Error> {
    let league = league_of(&LogFolder::of_round(folder))?;
    let terms = round_terms(folder)?.ok_or_else(|| {
        let text = format!("{} is not frozen, or has no window", folder.name());
        Error::new(text).hint("wait until the league has frozen the round")
    })?;
    Ok((terms, league))
}

fn salt() -> Result<Salt, Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::new(format!("the system gives no randomness: {error}")))?;
    Ok(Salt::new(bytes))
}

/// What an authority says of a signed note.
fn stamp(
    operator: &Operator,
    authority: &ClockUrl,
    note: &[u8],
) -> Result<(EntryStamp, Stamp), Error> {
    let configuration = &operator.configuration;
    let http = configuration.http(configuration.reach())?;
    let (digest, nonce) = (*sha256(note).as_bytes(), nonce()?);
    let failed = |why: String| Error::new(format!("{authority}: {why}; nothing was sealed"));
    let reply = wait(ask(&http, Kind::Authority, authority, digest, nonce))?;
    let reply = reply.map_err(|error| failed(error.to_string()))?;
    let trust = Trust {
        believed: Believed::Anybody,
        now: operator.clock.now(),
    };
    match judged(&trust, Kind::Authority, digest, nonce, reply.clone()) {
        Ok((_, Said::Stamped { stamp, .. })) => {
            let authority = authority.to_string();
            Ok((EntryStamp { authority, reply }, stamp))
        }
        Ok(_) => Err(failed("the answer is no time stamp".to_owned())),
        Err(why) => Err(failed(why)),
    }
}

/// An entry that may be opened from now on.
#[derive(Debug, Clone)]
pub struct OpenedPortfolio {
    pub opening: Opening,
    pub terms: RoundTerms,
    /// To be delivered before the next session.
    pub file: PathBuf,
}

/// Turns every secret of a round in a folder into an opening, once the entry close is over.
pub fn open(
    operator: &Operator,
    round: &str,
    folder: &Path,
) -> Result<Vec<OpenedPortfolio>, Error> {
    let source = source::open(operator, round)?;
    let (terms, _) = terms_of(&source.folder)?;
    let (at, times) = (operator.now(), terms.times);
    let refused =
        |refusal: Refusal, hint: &str| Err(Error::new(format!("the opening {refusal}")).hint(hint));
    if at < times.opens {
        let refusal = Refusal::Early {
            at,
            opens: times.opens,
        };
        return refused(refusal, "keep the secret to yourself until then");
    }
    if at >= times.closes {
        let refusal = Refusal::Late {
            at,
            deadline: times.closes,
        };
        return refused(
            refusal,
            "the entry counts as cash; open the next one in its time",
        );
    }
    let mut opened = Vec::new();
    for file in secrets(&terms, folder)? {
        let bytes = file_ops::read(&file).map_err(FileError::from)?;
        let opening = Opening::parse(&bytes)
            .map_err(|error| Error::new(format!("{}: {error}", file.display())))?;
        if (&opening.round, opening.inputs) != (&terms.round, terms.inputs) {
            let text = format!("{}: was sealed for another round", file.display());
            return Err(Error::new(text));
        }
        let name = file_name(terms.round.as_str(), opening.key.name(), "opening");
        let file = folder.join(name);
        file_ops::replace(&file, &bytes)?;
        let terms = terms.clone();
        opened.push(OpenedPortfolio {
            opening,
            terms,
            file,
        });
    }
    Ok(opened)
}

fn secrets(terms: &RoundTerms, folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |error: std::io::Error| Error::new(format!("{}: {error}", folder.display()));
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let name = name.to_string_lossy();
        let of_round = name.strip_prefix(terms.round.as_str());
        if of_round.is_some_and(|rest| rest.starts_with('.') && rest.ends_with(".secret")) {
            found.push(folder.join(&*name));
        }
    }
    found.sort();
    if found.is_empty() {
        let text = format!("{} holds no secret of {}", folder.display(), terms.round);
        return Err(Error::new(text).hint("name the folder that `enter seal` wrote to"));
    }
    Ok(found)
}
