//! A public prefix: what the public may see of a league, as objects that any web server can hand out.
//!
//! A store is private, because the names of its objects are digests of what open rounds withhold. The
//! objects here are made of a publication alone, so nothing of a withheld file is in their bytes, their
//! names or their number.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use capitalbench_adapters::http::{HttpClient, HttpLimits};
use capitalbench_adapters::site::PublicPlace;
use capitalbench_archive::disk::file_ops::{self, READ_LIMIT, scratch::replace_unflushed};
use capitalbench_archive::store::folder_store::{Condition, Listed};
use capitalbench_archive::store::unit::HEADS;
use capitalbench_core::publication::Publication;
use capitalbench_core::values::ids::Digest;
use capitalbench_database::delta::Delta;
use capitalbench_database::gateway::GatewayError;
use capitalbench_database::prefix::{
    LIST, List, OBJECTS, Prefix, object_digest, object_name, object_of,
};
use capitalbench_database::read::{StoredPublication, read};
use capitalbench_database::sync::Scope;
use jiff::SignedDuration;

use super::store::Store;
use super::target::with_delta;
use crate::error::Error;
use crate::operator::configuration::Configuration;
use crate::operator::wait;

/// Objects that are fetched at a time.
const AT_ONCE: usize = 16;
/// How long an object stays that no list names any more: caches hand out the list of before.
const GRACE: SignedDuration = SignedDuration::from_hours(24);
/// How often reading starts again because somebody publishes meanwhile.
const MOST_STARTS: usize = 5;

/// What a publishing brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published {
    pub parts: usize,
    pub written: usize,
    /// Objects that nothing names any more.
    pub removed: usize,
}

/// Makes a prefix what a publication of a folder of rounds is: objects first, then the list that names
/// them; what no list names for a while is removed.
pub fn publish(
    public: &Store,
    rounds: &Path,
    publication: &Publication,
) -> Result<Published, Error> {
    if !public.list(HEADS)?.is_empty() {
        let text = format!(
            "{} holds a store of rounds, which is private",
            public.address
        );
        return Err(Error::new(text).hint("publish to an address that nothing else is kept below"));
    }
    let before = public.get(LIST)?;
    let named = match &before {
        Some((bytes, _)) => list(&public.address, bytes)?.objects(),
        None => BTreeSet::new(),
    };
    let there = objects_of(public)?;
    // What nothing names may be removed by another publisher at any time.
    let known = there.iter().filter(|(digest, _)| named.contains(digest));
    let known = known.map(|(digest, own)| (*digest, own.size)).collect();
    let (list, written) = with_delta(rounds, publication, &Scope::Whole, |delta| {
        put_parts(public, delta, publication, &known)
    })??;
    let objects = list.objects();
    let left: Vec<Digest> = named.difference(&objects).copied().collect();
    rewrite(public, &left)?;
    let tag = put_list(public, &list, before.as_ref())?;
    let is_named = |digest: &Digest| objects.contains(digest) || named.contains(digest);
    let gone = there.into_iter().filter(|(digest, _)| !is_named(digest));
    Ok(Published {
        parts: objects.len(),
        written,
        removed: remove_old(public, &tag, gone.collect())?,
    })
}

/// The objects below an address; nothing else that lies there is ours.
fn objects_of(public: &Store) -> Result<BTreeMap<Digest, Listed>, Error> {
    let listed = public.list(OBJECTS)?.into_iter();
    Ok(listed
        .filter_map(|own| Some((object_digest(&own.key)?, own)))
        .collect())
}

/// Writes once more what the list will no longer name, so that its age tells since when: readers and
/// caches may have the list of before.
fn rewrite(public: &Store, left: &[Digest]) -> Result<(), Error> {
    let rewritten = public.each(left, |digest| {
        let name = object_name(digest);
        match public.get(&name)? {
            Some((bytes, _)) => public.put(&name, &bytes, Condition::Always).map(drop),
            None => Ok(()),
        }
    });
    rewritten.map(drop)
}

/// Lets the list take the place of the one that was read; its tag. A repeated request meets its own
/// first try, so what stands there decides.
fn put_list(
    public: &Store,
    list: &List,
    before: Option<&(Vec<u8>, String)>,
) -> Result<String, Error> {
    let bytes = list.render();
    let condition = match before {
        Some((before, tag)) if *before == bytes => return Ok(tag.clone()),
        Some((_, tag)) => Condition::Unchanged(tag),
        None => Condition::Absent,
    };
    let put = public.put(LIST, &bytes, condition);
    if let Ok(Some(tag)) = put {
        return Ok(tag);
    }
    match public.get(LIST)? {
        Some((found, tag)) if found == bytes => Ok(tag),
        _ => {
            put?;
            let text = format!("another process published to {} meanwhile", public.address);
            Err(Error::new(text).hint("publish again; readers see what it published"))
        }
    }
}

/// Removes what no list names since the grace period, unless somebody else published meanwhile.
fn remove_old(
    public: &Store,
    tag: &str,
    mut gone: BTreeMap<Digest, Listed>,
) -> Result<usize, Error> {
    if gone.is_empty() {
        return Ok(0);
    }
    let before = public.store_clock()?.saturating_sub(GRACE.as_secs());
    gone.retain(|_, own| own.written_at < before);
    if public.get(LIST)?.is_none_or(|(_, now)| now != tag) {
        return Ok(0);
    }
    let keys: Vec<String> = gone.into_values().map(|own| own.key).collect();
    public.each(&keys, |key| public.delete(key))?;
    Ok(keys.len())
}

/// Writes the objects of all parts that are not there with their size.
fn put_parts(
    public: &Store,
    delta: &Delta<'_>,
    publication: &Publication,
    known: &BTreeMap<Digest, u64>,
) -> Result<(List, usize), Error> {
    let names: Vec<&str> = delta.names().collect();
    let put = public.each(&names, |name| {
        let object = object_of(delta, name).map_err(|error| Error::new(error.to_string()))?;
        let Some(bytes) = object else { return Ok(None) };
        let size = bytes.len() as u64;
        if size > READ_LIMIT {
            let text = format!("{name} has {size} bytes, and readers take at most {READ_LIMIT}");
            return Err(Error::new(text).hint("move large files out of its round"));
        }
        let digest = Digest::of(&bytes);
        let is_new = known.get(&digest) != Some(&size);
        if is_new {
            public.put(&object_name(&digest), &bytes, Condition::Always)?;
        }
        Ok(Some(((*name).to_owned(), digest, is_new)))
    })?;
    let put: Vec<(String, Digest, bool)> = put.into_iter().flatten().collect();
    let written = put.iter().filter(|(_, _, is_new)| *is_new).count();
    let parts: BTreeMap<String, Digest> = put
        .into_iter()
        .map(|(name, digest, _)| (name, digest))
        .collect();
    Ok((List::of(delta, publication.as_of, parts), written))
}

fn list(address: &str, bytes: &[u8]) -> Result<List, Error> {
    List::parse(bytes).map_err(|why| Error::new(format!("{address}/{LIST}: {why}")))
}

/// A public address, and what this machine keeps of it.
pub struct PublicAddress {
    address: String,
    place: PublicPlace,
    kept: PathBuf,
}

impl PublicAddress {
    /// Whether a text names such an address.
    pub fn is_one(text: &str) -> bool {
        text.starts_with("https://") || text.starts_with("http://")
    }

    pub fn open(configuration: &Configuration, address: &str, home: &Path) -> Result<Self, Error> {
        let address = address.trim_end_matches('/').to_owned();
        let limits = HttpLimits {
            reach: configuration.reach(),
            body_bytes: usize::try_from(READ_LIMIT).unwrap_or(usize::MAX),
            ..HttpLimits::default()
        };
        let http = HttpClient::new(limits).map_err(|error| Error::new(error.to_string()))?;
        let place = PublicPlace::new(http, &address);
        let place = place.map_err(|why| Error::new(format!("{address}: {why}")))?;
        let digest = Digest::of(address.as_bytes()).to_hex();
        let kept = home.join("public").join(&digest[..16]);
        Ok(Self {
            address,
            place,
            kept,
        })
    }

    /// The list as it is now, as text that changes when anything does.
    pub fn list(&self) -> Result<Vec<u8>, Error> {
        let found = wait(self.place.get(LIST))?;
        let found = found.map_err(|error| self.failed(LIST, &error.to_string()))?;
        found.ok_or_else(|| {
            let text = format!("there is no {LIST} at {}", self.address);
            Error::new(text).hint("name the address that `store publish --public` writes to")
        })
    }

    /// Reads everything as of one moment; only what changed is fetched again.
    pub fn read(&self, before: Option<&StoredPublication>) -> Result<StoredPublication, Error> {
        let mut bytes = self.list()?;
        for _ in 0..MOST_STARTS {
            let found = self.read_as(&bytes, before);
            let now = self.list()?;
            if now == bytes || found.is_ok() {
                return found;
            }
            bytes = now;
        }
        self.read_as(&bytes, before)
    }

    fn read_as(
        &self,
        bytes: &[u8],
        before: Option<&StoredPublication>,
    ) -> Result<StoredPublication, Error> {
        let list = list(&self.address, bytes)?;
        let objects: Vec<Digest> = list.objects().into_iter().collect();
        self.fetch_all(&objects)?;
        let fetch = |digest: &Digest| {
            let object = self.object(digest);
            object.map_err(|error| GatewayError::Unreadable(error.message))
        };
        let read = wait(read(&Prefix::new(list, fetch), before))?;
        read.map_err(|error| self.failed(LIST, &error.to_string()))
    }

    /// Fetches what is not kept here, several at a time.
    fn fetch_all(&self, objects: &[Digest]) -> Result<(), Error> {
        let share = objects.len().div_ceil(AT_ONCE).max(1);
        std::thread::scope(|threads| {
            let shares = objects.chunks(share);
            let running: Vec<_> = shares
                .map(|own| {
                    threads.spawn(move || {
                        own.iter()
                            .try_for_each(|digest| self.object(digest).map(drop))
                    })
                })
                .collect();
            let broke = || Err(Error::new("a thread that fetched objects broke"));
            let ended = running
                .into_iter()
                .map(|own| own.join().unwrap_or_else(|_| broke()));
            ended.collect()
        })
    }

    /// An object, checked against its name.
    fn object(&self, digest: &Digest) -> Result<Vec<u8>, Error> {
        let name = object_name(digest);
        let file = self.kept.join(&name);
        if let Ok(bytes) = file_ops::read(&file)
            && Digest::of(&bytes) == *digest
        {
            return Ok(bytes);
        }
        let found = wait(self.place.get(&name))?;
        let found = found.map_err(|error| self.failed(&name, &error.to_string()))?;
        let bytes = found.ok_or_else(|| self.failed(&name, "it is not there"))?;
        if Digest::of(&bytes) != *digest {
            return Err(self.failed(&name, "it does not hold what its name says"));
        }
        replace_unflushed(&file, &bytes)?;
        Ok(bytes)
    }

    fn failed(&self, what: &str, why: &str) -> Error {
        let text = format!("{}/{what}: {why}", self.address);
        Error::new(text).hint("look again later; if it stays, tell the operator of that address")
    }
}

/// Writes a publication as a folder of rounds: what `verify` reads, as far as it is public.
pub fn unpack(record: &StoredPublication, rounds: &Path) -> Result<(), Error> {
    let of_rounds = record.files.iter().flat_map(|(id, (_, files))| {
        let own = files.iter();
        own.map(move |(path, bytes)| (format!("{id}/{path}"), bytes))
    });
    let log = record
        .log_files()
        .filter(|(path, _)| path.starts_with("log/"));
    let log = log.map(|(path, bytes)| (path.clone(), bytes));
    for (path, bytes) in of_rounds.chain(log) {
        if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(Error::new(format!(
                "the publication names the file {path:?}"
            )));
        }
        replace_unflushed(&rounds.join(path), bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
