//! Kills at random moments of whoever pushes into one store, with a prune beside.

use std::collections::VecDeque;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use capitalbench_archive::log::LogFolder;
use capitalbench_archive::log::check::check;

use crate::due_rounds::{due_rounds, leaderboard, market, name};
use crate::fake_tiingo::FakeTiingo;
use crate::faulty_layer::FaultyLayer;
use crate::harness::{Test, raised};
use crate::market::serve;
use crate::store::{all_resolved, signed, worker_command};
use crate::store_place::{Place, Stores, on_both};
use crate::waiting::wait_until;

on_both!(kills_at_random_moments_beside_a_prune_lose_nothing_and_do_nothing_twice);

/// Calls among which the last one of a process is chosen: a worker that resolves one round makes about 550.
const CALLS: u64 = 700;
/// Workers at a time, each a process with a cache of its own.
const WORKERS: usize = 4;
/// Before every phase the objects of the store become old.
const PHASES: usize = 4;

/// Numbers that look random and are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

/// What all threads of a phase share.
struct Scene<'a> {
    test: &'a Test,
    place: &'a Place,
    prices: &'a FakeTiingo,
    layer: PathBuf,
    /// Rounds that the operator has not pushed yet.
    later: Mutex<VecDeque<String>>,
    kills: AtomicUsize,
    /// Kills after which a phase ends.
    quota: AtomicUsize,
    until: Instant,
}

impl Scene<'_> {
    fn is_over(&self) -> bool {
        self.kills.load(Ordering::SeqCst) >= self.quota.load(Ordering::SeqCst)
            || Instant::now() > self.until
    }

    /// One worker after the other, each until a call that nobody can foresee.
    fn work(&self, slot: usize, chance: &mut Chance) {
        let mut idle = 0;
        while !self.is_over() && idle < 40 {
            let mut worker = worker_command(self.test, self.place, self.prices);
            let cache = self.test.path(&format!("cache-{slot}"));
            worker
                .args(["--lease", "1", "--concurrency", "2"])
                .env("XDG_CACHE_HOME", cache)
                .env("LD_PRELOAD", &self.layer)
                .env("NO_FLUSH", "1")
                .env("KILL_AT", (1 + chance.below(CALLS)).to_string())
                .stderr(Stdio::piped());
            let ended = worker.output().expect("the program starts");
            let said = String::from_utf8_lossy(&ended.stderr).into_owned();
            match ended.status.code() {
                None => {
                    idle = 0;
                    self.kills.fetch_add(1, Ordering::SeqCst);
                }
                // A worker may meet a round that another one has just taken over.
                Some(0 | 1) => idle += 1,
                Some(code) => panic!("a worker ended with {code}: {said}"),
            }
        }
    }

    /// The operator adds rounds meanwhile, and is killed too.
    fn add(&self, chance: &mut Chance) {
        while !self.is_over() {
            let mut later = self.later.lock().expect("no panic");
            let Some(round) = later.front() else { break };
            let last = (1 + chance.below(CALLS)).to_string();
            if self.push(round, &[("KILL_AT", &last)]) {
                later.pop_front();
            }
        }
    }

    /// Adds a round and signs and pushes it; false when that was killed.
    fn push(&self, round: &str, more: &[(&str, &str)]) -> bool {
        let folder = format!("rounds/{round}");
        let key = self.test.path("log.key").display().to_string();
        let layer = self.layer.display().to_string();
        let with = [
            ("CAPITALBENCH_LOG_KEY", key.as_str()),
            ("LD_PRELOAD", &layer),
            ("NO_FLUSH", "1"),
        ];
        if !self.test.path(&folder).exists() {
            let from = self.test.path(&format!("later/{round}"));
            fs::rename(from, self.test.path(&folder)).expect("a moved round");
            let freeze = ["hash-round", "--round", &folder];
            self.test.run_with(&with, &freeze).code(0);
        }
        let push = ["store", "push", "--rounds-dir", "rounds"];
        let with = [&with[..], more].concat();
        let ran = self.test.run_with(&self.place.and(&with), &push);
        if ran.was_killed() {
            self.kills.fetch_add(1, Ordering::SeqCst);
            return false;
        }
        ran.code(0);
        true
    }

    /// Workers, the operator and a prune until a phase ends.
    fn play(&self, phase: usize, removed: &AtomicUsize) {
        let is_over = AtomicBool::new(false);
        std::thread::scope(|threads| {
            let seed = 0x9e37_79b9 + 1_000 * phase as u64;
            let workers: Vec<_> = (0..WORKERS)
                .map(|slot| {
                    let (scene, mut chance) = (self, Chance(seed + slot as u64));
                    threads.spawn(move || scene.work(slot, &mut chance))
                })
                .collect();
            let (own, mut chance) = (self, Chance(seed + WORKERS as u64));
            threads.spawn(move || own.add(&mut chance));
            threads.spawn(|| {
                while !is_over.load(Ordering::SeqCst) {
                    let prune = ["store", "prune", "--store", &self.place.url, "--json"];
                    let told = self.place.run(self.test, &prune).code(0).json();
                    let count = told["removed"].as_u64().expect("a count");
                    removed.fetch_add(usize::try_from(count).expect("a size"), Ordering::SeqCst);
                }
            });
            for worker in workers {
                worker.join().expect("a worker that holds");
            }
            is_over.store(true, Ordering::SeqCst);
        });
    }

    /// Nobody is killed any more, and everything is resolved.
    fn finish(&self, rounds: usize) {
        for round in &*self.later.lock().expect("no panic") {
            assert!(self.push(round, &[]));
        }
        wait_until("every round to be resolved", || {
            let mut worker = worker_command(self.test, self.place, self.prices);
            let ended = worker.args(["--concurrency", "4"]).output();
            assert!(ended.expect("the program starts").status.success());
            self.place.pull(self.test, "rounds").code(0);
            (0..rounds).all(|number| leaderboard(self.test, &name(number)).is_some())
        });
    }

    /// Everything is whole, and the log tells of it.
    fn is_whole(&self) {
        self.place.verify(self.test).code(0);
        self.place.pull(self.test, "seen").code(0);
        let found = check(
            &LogFolder::of_rounds(&self.test.path("seen")),
            &mut |_, _| {},
        );
        assert_eq!(found.expect("a log").problems, []);
    }
}

fn kills_at_random_moments_beside_a_prune_lose_nothing_and_do_nothing_twice(stores: &Stores) {
    let kills = raised("PROVE_STORE_KILLS", 12);
    let rounds = kills / 4 + 4;
    let began = Instant::now();
    let added: VecDeque<String> = (rounds / 2..rounds).map(name).collect();
    let test = due_rounds(rounds);
    fs::create_dir(test.path("later")).expect("a folder");
    for round in &added {
        let from = test.path(&format!("rounds/{round}"));
        fs::rename(from, test.path(&format!("later/{round}"))).expect("a moved round");
    }
    let place = signed(&test, stores);
    let prices = serve(market());
    let scene = Scene {
        test: &test,
        place: &place,
        prices: &prices,
        layer: FaultyLayer::build().path().to_owned(),
        later: Mutex::new(added),
        kills: AtomicUsize::new(0),
        quota: AtomicUsize::new(0),
        until: began + Duration::from_secs(raised("PROVE_STORE_SECONDS", 60) as u64),
    };
    let removed = AtomicUsize::new(0);
    for phase in 1..=PHASES {
        scene.quota.store(kills * phase / PHASES, Ordering::SeqCst);
        // Nobody writes now: whatever is there is older than any push.
        place.keys.age();
        scene.play(phase, &removed);
        scene.is_whole();
    }
    let killed = scene.kills.load(Ordering::SeqCst);
    scene.finish(rounds);
    all_resolved(&test, &place, rounds);
    let removed = removed.into_inner();
    eprintln!(
        "{killed} kills, {rounds} rounds, {removed} objects pruned meanwhile, {:.1?}",
        began.elapsed()
    );
    assert!(killed >= kills / 2, "{killed} kills");
    assert!(removed > 0, "nothing was pruned");
}
