//! Where the store of a test lies: in a folder, or under a prefix of a server that nobody here wrote.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::harness::{Ran, Test};
use crate::store_server::{KEYS, Moto};

/// Runs every named test with its stores in folders, and with them on `moto`.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod in_a_folder {
            $(
                #[test]
                fn $name() {
                    super::$name(&crate::store_place::Stores::Folders);
                }
            )*
        }
        mod on_a_server {
            $(
                #[test]
                fn $name() {
                    let Some(stores) = crate::store_place::Stores::server() else { return };
                    super::$name(&stores);
                }
            )*
        }
    };
}
pub(crate) use on_both;

/// Where the stores of a test lie.
pub(crate) enum Stores {
    /// In the folder of the test.
    Folders,
    /// In a bucket of the test, each under a prefix of its own.
    Server(Arc<Moto>),
}

impl Stores {
    /// None where there is no server, which is printed.
    pub(crate) fn server() -> Option<Self> {
        Moto::start().map(|moto| Self::Server(Arc::new(moto)))
    }

    /// The one store of a test.
    pub(crate) fn place(&self, test: &Test) -> Place {
        self.named(test, "store")
    }

    /// One of several stores of a test.
    pub(crate) fn named(&self, test: &Test, name: &str) -> Place {
        self.beside(test.folder(), name)
    }

    /// A store for whoever works in a folder.
    pub(crate) fn beside(&self, folder: &Path, name: &str) -> Place {
        match self {
            Self::Folders => Place::in_folder(folder, name),
            Self::Server(moto) => Place::under_prefix(folder, moto, name),
        }
    }

    /// The store of a test once more, for a copy of that test.
    pub(crate) fn copy(&self, place: &Place, test: &Test) -> Place {
        let copy = self.place(test);
        if let Self::Server(_) = self {
            for (key, bytes) in place.keys.all() {
                copy.keys.put(&key, &bytes);
            }
        }
        copy
    }
}

/// A store, and what a command needs to reach it.
pub(crate) struct Place {
    pub(crate) url: String,
    pub(crate) variables: Vec<(&'static str, String)>,
    /// What lies there, behind the back of the program.
    pub(crate) keys: Keys,
}

impl Place {
    fn in_folder(work: &Path, name: &str) -> Self {
        let folder = work.join(name);
        Self {
            url: format!("file://{}", folder.display()),
            variables: vec![cache(work)],
            keys: Keys::Folder(folder),
        }
    }

    fn under_prefix(work: &Path, moto: &Arc<Moto>, name: &str) -> Self {
        static LAST: AtomicUsize = AtomicUsize::new(0);
        let prefix = format!("{name}-{}", LAST.fetch_add(1, Ordering::SeqCst));
        let mut place = Self::at_endpoint(work, &moto.url(), moto.bucket());
        place.url = format!("{}/{prefix}", place.url);
        place.keys = Keys::Server(Arc::clone(moto), prefix);
        place
    }

    /// A bucket behind an endpoint, where the test itself looks at nothing.
    pub(crate) fn at(test: &Test, endpoint: &str, bucket: &str) -> Self {
        Self::at_endpoint(test.folder(), endpoint, bucket)
    }

    fn at_endpoint(work: &Path, endpoint: &str, bucket: &str) -> Self {
        let mut variables = vec![
            cache(work),
            ("AWS_ENDPOINT_URL", endpoint.to_owned()),
            // Under the faulty layer a program also dies before what it says to a server.
            ("COUNT_MESSAGES", "1".to_owned()),
        ];
        variables.extend(KEYS.map(|(name, value)| (name, value.to_owned())));
        Self {
            url: format!("s3://{bucket}"),
            variables,
            keys: Keys::Unknown,
        }
    }

    /// This place, reached through something that lies before its server.
    pub(crate) fn behind(&self, test: &Test, endpoint: &str) -> Self {
        Self {
            url: self.url.clone(),
            keys: self.keys.clone(),
            ..Self::at(test, endpoint, "")
        }
    }

    /// The variables of a command, and more of them.
    pub(crate) fn and<'a>(&'a self, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        let own = self.variables.iter();
        let own = own.map(|(name, value)| (*name, value.as_str()));
        own.chain(more.iter().copied()).collect()
    }

    pub(crate) fn run(&self, test: &Test, arguments: &[&str]) -> Ran {
        test.run_with(&self.and(&[]), arguments)
    }

    pub(crate) fn push(&self, test: &Test, rounds: &str) -> Ran {
        self.there(test, "push", rounds)
    }

    pub(crate) fn pull(&self, test: &Test, rounds: &str) -> Ran {
        self.there(test, "pull", rounds)
    }

    fn there(&self, test: &Test, verb: &str, rounds: &str) -> Ran {
        let words = ["store", verb, "--store", &self.url, "--rounds-dir", rounds];
        self.run(test, &words)
    }

    pub(crate) fn verify(&self, test: &Test) -> Ran {
        self.run(test, &["store", "verify", "--store", &self.url])
    }
}

fn cache(work: &Path) -> (&'static str, String) {
    ("XDG_CACHE_HOME", work.join("cache").display().to_string())
}

/// The keys of a store, as its owner sees them.
#[derive(Clone)]
pub(crate) enum Keys {
    Folder(PathBuf),
    /// A prefix in the bucket of a server.
    Server(Arc<Moto>, String),
    Unknown,
}

impl Keys {
    pub(crate) fn get(&self, key: &str) -> Option<Vec<u8>> {
        match self {
            Self::Folder(folder) => fs::read(folder.join(key)).ok(),
            Self::Server(moto, prefix) => moto.get(&format!("{prefix}/{key}")),
            Self::Unknown => panic!("nobody looks in here"),
        }
    }

    pub(crate) fn put(&self, key: &str, bytes: &[u8]) {
        match self {
            Self::Folder(folder) => {
                let file = folder.join(key);
                fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
                fs::write(file, bytes).expect("a file");
            }
            Self::Server(moto, prefix) => moto.put(&format!("{prefix}/{key}"), bytes),
            Self::Unknown => panic!("nobody looks in here"),
        }
    }

    pub(crate) fn remove(&self, key: &str) {
        match self {
            Self::Folder(folder) => fs::remove_file(folder.join(key)).expect("removed"),
            Self::Server(moto, prefix) => moto.remove(&format!("{prefix}/{key}")),
            Self::Unknown => panic!("nobody looks in here"),
        }
    }

    fn names(&self) -> Vec<String> {
        match self {
            Self::Folder(folder) => {
                let mut names = Vec::new();
                files_below(folder, folder, &mut names);
                names
            }
            Self::Server(moto, prefix) => moto.names(&format!("{prefix}/")),
            Self::Unknown => panic!("nobody looks in here"),
        }
    }

    /// Everything that lies there.
    pub(crate) fn all(&self) -> BTreeMap<String, Vec<u8>> {
        let names = self.names().into_iter();
        let read = |name: String| Some((name.clone(), self.get(&name)?));
        names.filter_map(read).collect()
    }

    /// What lies there as texts, to be compared.
    pub(crate) fn texts(&self) -> BTreeMap<String, String> {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let all = self.all().into_iter();
        all.map(|(name, bytes)| (name, text(bytes))).collect()
    }

    pub(crate) fn clear(&self) {
        for name in self.names() {
            self.remove(&name);
        }
    }

    /// Lets three days pass for everything that lies there now.
    pub(crate) fn age(&self) {
        match self {
            Self::Folder(folder) => {
                let aged = Command::new("find")
                    .arg(folder)
                    .args(["-type", "f", "-exec", "touch", "-d", "3 days ago"])
                    .args(["{}", "+"])
                    .status();
                assert!(aged.expect("find runs").success());
            }
            Self::Server(moto, _) => moto.age(),
            Self::Unknown => panic!("nobody looks in here"),
        }
    }
}

fn files_below(root: &Path, folder: &Path, names: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            files_below(root, &path, names);
        } else {
            let name = path.strip_prefix(root).expect("a path below");
            names.push(name.display().to_string());
        }
    }
}
