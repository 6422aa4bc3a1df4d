//! `store pull`, `store push`, `store status`, `store verify`, `store prune` and `store publish`.

use capitalbench_archive::store::checkout::Checkout;
use capitalbench_operations::operator::Operator;
use capitalbench_operations::proof::promise::require_orders;
use capitalbench_operations::syncing::public_prefix;
use capitalbench_operations::syncing::store::Store;
use capitalbench_operations::syncing::store::local::Cache;
use capitalbench_operations::syncing::store::pull::Local;
use capitalbench_operations::syncing::store::push::Pusher;
use capitalbench_operations::syncing::store::state::{InFolder, Standing};
use capitalbench_operations::syncing::store::whole::require_in_store;
use serde_json::{Value, json};

use super::published::load;
use crate::cli::{self, StoreVerb};
use crate::config::operator;
use crate::console::{ERROR, GOOD, complain, line, paint, plural, show, warn};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &cli::Store) -> Result<Exit, Error> {
    let operator = operator(None)?;
    match &arguments.verb {
        StoreVerb::Pull(own) => pull(&operator, own),
        StoreVerb::Push(own) => push(&operator, own),
        StoreVerb::Status(own) => status(&operator, own),
        StoreVerb::Verify(own) => verify(&operator, own),
        StoreVerb::Prune(own) => prune(&operator, own),
        StoreVerb::Publish(own) => publish(&operator, own),
    }
}

/// The store that was named, or that the folder came from.
fn open(operator: &Operator, arguments: &cli::Checkout) -> Result<Store, Error> {
    let rounds = &arguments.rounds.folder;
    let known = match &arguments.store {
        Some(address) => Some(address.clone()),
        None => Checkout::address(rounds)?,
    };
    let address = known.ok_or_else(|| {
        let text = format!("{} is not a checkout of a store", rounds.display());
        Error::new(text).hint("name the store with --store s3://BUCKET/PREFIX or file:///FOLDER")
    })?;
    Store::open(&operator.configuration, &address)
}

fn pull(operator: &Operator, arguments: &cli::StorePull) -> Result<Exit, Error> {
    let store = open(operator, &arguments.checkout)?;
    let here = store.reading_checkout(&arguments.checkout.rounds.folder)?;
    let local = if arguments.discard_local {
        Local::Discarded
    } else {
        Local::Kept
    };
    let pulled = store.pull(&here, local)?;
    show(
        || {
            let (units, written) = (pulled.units, pulled.written);
            json!({"units": units, "written": written, "cost": cost(&store)})
        },
        || {
            let written = plural(pulled.written, "unit");
            line(format!(
                "pulled {written} of {} from {}",
                pulled.units, store.address
            ));
        },
    );
    Ok(Exit::Success)
}

fn push(operator: &Operator, arguments: &cli::Checkout) -> Result<Exit, Error> {
    let folder = &arguments.rounds.folder;
    if !folder.is_dir() {
        let text = format!("there is no folder {}", folder.display());
        return Err(Error::new(text).hint("name the folder of rounds with --rounds-dir"));
    }
    let store = open(operator, arguments)?;
    let here = store.checkout(&arguments.rounds.folder)?;
    let pusher = Pusher {
        operator,
        here: &here,
        claim: None,
    };
    let pushed = store.push(&pusher, None)?;
    show(
        || {
            let (units, files, lost) = (&pushed.units, pushed.files, &pushed.lost);
            json!({"units": units, "files": files, "lost": lost, "cost": cost(&store)})
        },
        || {
            for unit in &pushed.lost {
                let next = "`store pull` brings them back";
                warn(format!(
                    "{unit}: not pushed, because all its files are gone here; {next}"
                ));
            }
            for unit in &pushed.units {
                line(format!("{unit}: pushed"));
            }
            let count = plural(pushed.units.len(), "unit");
            line(format!("pushed {count} to {}", store.address));
        },
    );
    Ok(Exit::of(pushed.lost.is_empty()))
}

fn status(operator: &Operator, arguments: &cli::Checkout) -> Result<Exit, Error> {
    let store = open(operator, arguments)?;
    let here = store.reading_checkout(&arguments.rounds.folder)?;
    let (count, standings) = store.standings(&here.checkout)?;
    let differs = |own: &Standing| own.here != InFolder::Same || own.is_changed_there;
    let different = standings.iter().filter(|own| differs(own)).count();
    show(
        || {
            let told: Vec<Value> = standings.iter().map(as_json).collect();
            json!({"units": count, "standings": told, "cost": cost(&store)})
        },
        || {
            for own in &standings {
                line(format!("{}: {}", own.unit, words(own)));
            }
            let differ = match different {
                1 => "1 differs".to_owned(),
                many => format!("{many} differ"),
            };
            line(format!(
                "{}, {differ} from {}",
                plural(count, "unit"),
                store.address
            ));
        },
    );
    Ok(Exit::of(different == 0))
}

fn as_json(own: &Standing) -> Value {
    json!({
        "unit": own.unit,
        "changed_here": own.here != InFolder::Same,
        "lost_here": own.here == InFolder::Lost,
        "changed_there": own.is_changed_there,
        "holder": own.holder.as_ref().map(|term| json!({
            "owner": term.owner,
            "until_utc": term.expires_at_utc.to_string(),
        })),
    })
}

fn words(own: &Standing) -> String {
    let differs = match (own.here, own.is_changed_there) {
        (InFolder::Lost, _) => "all its files are gone here; `store pull` brings them back",
        (InFolder::Changed, true) => "changed here and in the store",
        (InFolder::Changed, false) => "changed here; `store push` brings it into the store",
        (InFolder::Same, true) => "changed in the store; `store pull` brings it here",
        (InFolder::Same, false) => "as in the store",
    };
    match &own.holder {
        None => differs.to_owned(),
        Some(term) => format!(
            "{differs}; held by {} until {}",
            term.owner, term.expires_at_utc
        ),
    }
}

fn verify(operator: &Operator, arguments: &cli::StoreOnly) -> Result<Exit, Error> {
    let store = Store::open(&operator.configuration, &arguments.store)?;
    let checked = store.check()?;
    show(
        || {
            json!({
                "units": checked.units,
                "files": checked.files,
                "objects": checked.objects,
                "problems": checked.problems,
                "cost": cost(&store),
            })
        },
        || {
            complain(&checked.problems);
            let verdict = match checked.problems.len() {
                0 => paint(GOOD, "everything is whole"),
                many => paint(ERROR, plural(many, "problem")),
            };
            let (units, files) = (plural(checked.units, "unit"), plural(checked.files, "file"));
            line(format!(
                "{units}, {files} in {}: {verdict}",
                plural(checked.objects, "object")
            ));
        },
    );
    Ok(Exit::of(checked.problems.is_empty()))
}

fn prune(operator: &Operator, arguments: &cli::StorePrune) -> Result<Exit, Error> {
    let store = Store::open(&operator.configuration, &arguments.store.store)?;
    let pruned = store.prune(&Cache::none(), arguments.grace_hours)?;
    show(
        || {
            json!({
                "objects": pruned.objects,
                "removed": pruned.removed,
                "bytes_removed": pruned.bytes_removed,
                "young": pruned.young,
                "cost": cost(&store),
            })
        },
        || {
            let (removed, bytes) = (plural(pruned.removed, "object"), pruned.bytes_removed);
            let young = pruned.young;
            line(format!(
                "removed {removed}, {bytes} bytes; {young} too young to be removed"
            ));
        },
    );
    Ok(Exit::Success)
}

fn publish(operator: &Operator, arguments: &cli::StorePublish) -> Result<Exit, Error> {
    if arguments.rounds.as_of.is_some_and(|at| at > operator.now()) {
        let error = Error::new("--as-of is in the future, when more is public than now");
        return Err(error.hint("name an instant that has passed, or omit it"));
    }
    let public = Store::open(&operator.configuration, &arguments.public)?;
    let publication = load(&arguments.rounds)?;
    require_orders(&arguments.rounds.folder, &publication)?;
    require_in_store(&arguments.rounds.folder)?;
    let done = public_prefix::publish(&public, &arguments.rounds.folder, &publication)?;
    show(
        || {
            json!({
                "parts": done.parts,
                "written": done.written,
                "removed": done.removed,
                "cost": cost(&public),
            })
        },
        || {
            let (parts, written) = (plural(done.parts, "part"), done.written);
            let removed = done.removed;
            line(format!(
                "published {parts} to {}: {written} written, {removed} removed",
                public.address
            ));
        },
    );
    Ok(Exit::Success)
}

/// What a command asked of a store, for machines.
fn cost(store: &Store) -> Value {
    let cost = store.cost();
    json!({
        "requests": cost.requests,
        "bytes_read": cost.bytes_read,
        "bytes_written": cost.bytes_written,
    })
}
