use capitalbench_proof::event::{Fact, Files, Instant, Place, Sealed};
use capitalbench_proof::merkle::sha256;

use super::*;

const ANSWER: &str = "runs/first/attempts/m__001.answer";
const RAW: &str = "runs/first/submissions/raw/m.json";

/// A log of one round that grows step by step, a minute apart.
#[derive(Clone)]
struct Story {
    events: Vec<(u64, Event)>,
    minute: u64,
    inventories: u64,
}

fn seal(text: &str) -> Sealed {
    Sealed::new(&[7; 32], text.as_bytes())
}

fn files(names: &[(&str, &str)]) -> Files {
    let file = |(path, text): &(&str, &str)| ((*path).to_owned(), sha256(text.as_bytes()));
    names.iter().map(file).collect()
}

impl Story {
    fn tell(&mut self, fact: Fact) -> &mut Self {
        self.minute += 1;
        let (hour, minute) = (self.minute / 60, self.minute % 60);
        let at = Instant::parse(&format!("2026-09-14T{hour:02}:{minute:02}:00Z"));
        let event = Event {
            round: "R".to_owned(),
            at: at.expect("an instant"),
            fact,
        };
        self.events.push((self.events.len() as u64, event));
        self
    }

    fn inventory(&mut self, bodies: &[(&str, &str)], gone: &[&str]) -> &mut Self {
        self.inventories += 1;
        let body = |(path, text): &(&str, &str)| ((*path).to_owned(), seal(text));
        let fact = Fact::Inventory {
            number: self.inventories,
            bodies: bodies.iter().map(body).collect(),
            gone: gone.iter().map(|path| (*path).to_owned()).collect(),
        };
        self.tell(fact)
    }

    fn freeze(&mut self, prompt: &str) -> &mut Self {
        self.tell(Fact::Freeze {
            inputs: files(&[("prompt.md", prompt)]),
            deadline: None,
            roster: vec!["m".to_owned()],
        })
    }

    fn plan(&mut self, run: &str, calls: &str) -> &mut Self {
        self.tell(Fact::Slots {
            run: run.to_owned(),
            kind: "official".to_owned(),
            calls: calls.to_owned(),
            models: vec!["m".to_owned()],
            replicates: 1,
            max_retries: 1,
            plan: sha256(run.as_bytes()),
        })
    }

    fn begin(&mut self, run: &str, attempt: u32) -> &mut Self {
        self.tell(Fact::AttemptBegin {
            place: place(run),
            attempt,
            input: sha256(b"input"),
            record: seal("begun"),
        })
    }

    fn end(&mut self, run: &str, attempt: u32, answer: &str) -> &mut Self {
        self.tell(Fact::AttemptEnd {
            place: place(run),
            attempt,
            status: "valid".to_owned(),
            reason: None,
            answer: Some(seal(answer)),
            record: seal("ended"),
        })
    }

    fn accept(&mut self, run: &str) -> &mut Self {
        self.tell(Fact::Accepted {
            run: run.to_owned(),
            submissions: 1,
            supersedes: None,
            record: seal("acceptance"),
        });
        self.tell(Fact::Pick {
            run: run.to_owned(),
            file: "submissions/raw/m.json".to_owned(),
            submission: seal("raw"),
        })
    }

    fn prices(&mut self, entry: &str, exit: &str) -> &mut Self {
        let same = files(&[("prices/entry_prices.csv", entry)]);
        let told = self
            .events
            .iter()
            .rev()
            .find_map(|(_, event)| match &event.fact {
                Fact::EntryPrices { files, .. } => Some(files.clone()),
                _ => None,
            });
        if told != Some(same) {
            self.entry(entry);
        }
        self.tell(Fact::ExitPrices {
            session: "2026-09-21".to_owned(),
            files: files(&[("prices/exit_prices.csv", exit)]),
        })
    }

    fn entry(&mut self, entry: &str) -> &mut Self {
        self.tell(Fact::EntryPrices {
            session: "2026-09-14".to_owned(),
            files: files(&[("prices/entry_prices.csv", entry)]),
        })
    }

    fn score(&mut self, outcomes: &str) -> &mut Self {
        self.tell(Fact::Score {
            run: "first".to_owned(),
            results: files(&[("results/outcomes.json", outcomes)]),
        })
    }

    fn correct(&mut self, run: Option<&str>, number: u64, [old, new]: [&str; 2]) -> &mut Self {
        let path = match run {
            Some(_) => "results/outcomes.json",
            None => "prices/exit_prices.csv",
        };
        self.tell(Fact::Correction {
            run: run.map(str::to_owned),
            number,
            reason: format!("reason {number}"),
            replaced: files(&[(path, old)]),
            results: files(&[(path, new)]),
        })
    }

    fn report(&mut self, text: &str) -> &mut Self {
        self.tell(Fact::Claim {
            statement: "report of first".to_owned(),
            files: files(&[("results/report.md", text)]),
        })
    }

    fn found(&self) -> Vec<(Kind, String)> {
        let found = contradictions(&self.events);
        found.into_iter().map(|own| (own.kind, own.about)).collect()
    }
}

fn place(run: &str) -> Place {
    Place {
        run: run.to_owned(),
        model: "m".to_owned(),
        replicate: 1,
    }
}

fn frozen() -> Story {
    let mut story = Story {
        events: Vec::new(),
        minute: 0,
        inventories: 0,
    };
    story.freeze("prompt").inventory(
        &[("prompt.md", "prompt"), ("research/facts.md", "facts")],
        &[],
    );
    story
}

fn asked() -> Story {
    let mut story = frozen();
    story.plan("first", "real").begin("first", 1);
    story.end("first", 1, "answer").inventory(
        &[
            ("runs/first/slots.json", "slots"),
            ("runs/first/attempts/m__001.begun.json", "begun"),
            ("runs/first/attempts/m__001.head.json", "head"),
            (ANSWER, "answer"),
            ("runs/first/attempts/m__001.ended.json", "ended"),
            (RAW, "raw"),
            ("runs/first/submissions/parsed/m.json", "parsed"),
            ("runs/first/run_log.jsonl", "log"),
        ],
        &[],
    );
    story
}

fn accepted() -> Story {
    let mut story = asked();
    story
        .accept("first")
        .inventory(&[("runs/first/acceptance.json", "acceptance")], &[]);
    story
}

fn scored() -> Story {
    let mut story = accepted();
    story.entry("informational").prices("final", "exit");
    story
        .score("scores")
        .report("words")
        .inventory(&[("prices/cross_check_acceptance.json", "allowed")], &[]);
    story
}

#[test]
fn an_honest_round_contradicts_nothing() {
    assert_eq!(scored().found(), []);
    let mut corrected = scored();
    corrected.correct(None, 1, ["exit", "other exit"]);
    corrected.prices("final", "other exit");
    corrected.correct(Some("first"), 1, ["scores", "other scores"]);
    corrected.score("other scores");
    corrected.report("other words");
    assert_eq!(corrected.found(), []);
}

#[test]
fn a_log_that_begins_late_is_honest() {
    let told = scored();
    let is_inventory = |event: &Event| matches!(event.fact, Fact::Inventory { .. });
    let (late, early): (Vec<_>, Vec<_>) = told
        .events
        .into_iter()
        .map(|(_, event)| event)
        .partition(is_inventory);
    let instant = Instant::parse("2026-09-30T12:00:00Z").expect("an instant");
    let late = late.into_iter().map(|event| Event {
        at: instant.clone(),
        ..event
    });
    let events: Vec<(u64, Event)> = (0..).zip(early.into_iter().chain(late)).collect();
    assert_eq!(contradictions(&events), []);
}

#[test]
fn files_derived_before_the_acceptance_may_change_until_then() {
    let mut story = asked();
    story.inventory(
        &[("runs/first/submissions/parsed/m.json", "parsed anew")],
        &[],
    );
    story.accept("first");
    story.inventory(&[("runs/first/acceptance.json", "acceptance")], &[]);
    assert_eq!(story.found(), []);
}

#[test]
fn fixed_files_cannot_change_or_disappear() {
    let accepted_files = [
        ANSWER,
        RAW,
        "runs/first/attempts/m__001.begun.json",
        "runs/first/attempts/m__001.ended.json",
        "runs/first/attempts/m__001.head.json",
        "runs/first/slots.json",
        "runs/first/submissions/parsed/m.json",
        "runs/first/run_log.jsonl",
        "runs/first/acceptance.json",
        "research/facts.md",
        "prompt.md",
        "prices/cross_check_acceptance.json",
    ];
    for path in accepted_files {
        let expected = [(Kind::FileChanged, path.to_owned())];
        let mut changed = scored();
        changed.inventory(&[(path, "other bytes")], &[]);
        assert_eq!(changed.found(), expected, "{path} changed");
        let mut gone = scored();
        gone.inventory(&[], &[path]);
        assert_eq!(gone.found()[0], expected[0], "{path} gone");
    }
}

#[test]
fn inventories_in_a_row_do_not_loosen_what_they_fix() {
    let path = "runs/first/run_log.jsonl";
    let mut story = asked();
    story.accept("first");
    story.inventory(&[("runs/first/acceptance.json", "acceptance")], &[]);
    story.inventory(&[(path, "another log")], &[]);
    assert_eq!(story.found(), [(Kind::FileChanged, path.to_owned())]);
    // Not even when the second one claims the instant of the first.
    let last = story.events.len() - 1;
    story.events[last].1.at = story.events[last - 1].1.at.clone();
    let (_, first) = &mut story.events[last - 1];
    let Fact::Inventory { bodies, .. } = &mut first.fact else {
        panic!("an inventory");
    };
    bodies.insert(path.to_owned(), seal("log"));
    assert_eq!(story.found(), [(Kind::FileChanged, path.to_owned())]);
}

#[test]
fn files_that_were_kept_are_fixed_at_once() {
    for path in [
        "prices/replaced/0001/entry_prices.csv",
        "runs/first/results/superseded/0001/outcomes.json",
    ] {
        let mut story = scored();
        story.inventory(&[(path, "kept")], &[]);
        assert_eq!(story.found(), []);
        let mut gone = story.clone();
        gone.inventory(&[], &[path]);
        assert_eq!(gone.found(), [(Kind::FileChanged, path.to_owned())]);
        story.inventory(&[(path, "other")], &[]);
        assert_eq!(story.found(), [(Kind::FileChanged, path.to_owned())]);
    }
}

#[test]
fn events_and_inventories_tell_the_same_digest() {
    let mut story = frozen();
    story.plan("first", "real").begin("first", 1);
    story.end("first", 1, "answer");
    story.inventory(
        &[
            ("runs/first/attempts/m__001.begun.json", "begun"),
            ("runs/first/attempts/m__001.ended.json", "ended"),
            (ANSWER, "another answer"),
        ],
        &[],
    );
    assert_eq!(story.found(), [(Kind::FileChanged, ANSWER.to_owned())]);
    let mut hidden = frozen();
    hidden.plan("first", "real").begin("first", 1);
    hidden.end("first", 1, "answer");
    hidden.inventory(
        &[
            ("runs/first/attempts/m__001.begun.json", "begun"),
            ("runs/first/attempts/m__001.ended.json", "ended"),
        ],
        &[],
    );
    assert_eq!(hidden.found(), [(Kind::FileChanged, ANSWER.to_owned())]);
    let mut picked = accepted();
    picked.tell(Fact::Pick {
        run: "first".to_owned(),
        file: "submissions/raw/m.json".to_owned(),
        submission: seal("another pick"),
    });
    assert!(
        picked
            .found()
            .contains(&(Kind::FileChanged, RAW.to_owned()))
    );
}

#[test]
fn research_is_fixed_by_the_last_freeze_before_the_first_call() {
    let mut again = frozen();
    again.inventory(&[("research/facts.md", "more facts")], &[]);
    again.freeze("other prompt");
    again.inventory(&[("prompt.md", "other prompt")], &[]);
    again.plan("first", "real").begin("first", 1);
    assert_eq!(again.found(), []);
    let mut added = scored();
    added.inventory(&[("research/audit.md", "audit")], &[]);
    let path = "research/audit.md".to_owned();
    assert_eq!(added.found(), [(Kind::FileChanged, path)]);
    let mut late = asked();
    late.freeze("other prompt");
    assert_eq!(late.found(), [(Kind::Place, "round.freeze".to_owned())]);
    let mut rehearsed = frozen();
    rehearsed.plan("trial", "mock").begin("trial", 1);
    rehearsed.freeze("other prompt");
    assert_eq!(rehearsed.found(), []);
}

#[test]
fn prices_and_results_are_replaced_only_with_a_correction() {
    let mut prices = scored();
    prices.prices("final", "better exit").score("better scores");
    let expected = [
        (Kind::Unexplained, "prices.exit".to_owned()),
        (Kind::Unexplained, "score of first".to_owned()),
    ];
    assert_eq!(prices.found(), expected);
    let mut before_score = accepted();
    before_score.prices("final", "exit");
    before_score.prices("final", "better exit").score("scores");
    let expected = [(Kind::Unexplained, "prices.exit".to_owned())];
    assert_eq!(before_score.found(), expected);
    let mut old_order = scored();
    old_order.prices("final", "better exit");
    old_order.correct(Some("first"), 1, ["scores", "better scores"]);
    old_order.score("better scores");
    assert_eq!(
        old_order.found(),
        [],
        "earlier programs corrected after fetching"
    );
    let mut of_another = scored();
    of_another.correct(Some("second"), 1, ["scores", "better scores"]);
    of_another.score("better scores");
    let expected = [(Kind::Unexplained, "score of first".to_owned())];
    assert_eq!(of_another.found(), expected);
}

#[test]
fn a_correction_names_the_files_that_changed() {
    let mut results = scored();
    results.correct(Some("first"), 1, ["scores", "some scores"]);
    results.score("better scores");
    let expected = [(Kind::Unexplained, "score of first".to_owned())];
    assert_eq!(results.found(), expected);
    let mut prices = scored();
    prices.correct(None, 1, ["another exit", "better exit"]);
    prices.prices("final", "better exit");
    let expected = [(Kind::Unexplained, "prices.exit".to_owned())];
    assert_eq!(prices.found(), expected);
}

#[test]
fn a_report_that_changes_alone_is_told() {
    let mut story = scored();
    story.report("kinder words");
    assert_eq!(story.found(), [(Kind::ClaimReplaced, "claim".to_owned())]);
    assert!(!Kind::ClaimReplaced.is_error() && Kind::Place.is_error());
}

#[test]
fn events_stand_where_they_can_have_happened() {
    let place = |about: &str| (Kind::Place, about.to_owned());
    let mut late = scored();
    late.plan("second", "real").accept("second");
    assert!(late.found().contains(&place("run.accepted")));
    let mut early = accepted();
    early.score("scores");
    assert_eq!(early.found(), [place("score")]);
    let mut unplanned = frozen();
    unplanned.begin("first", 1);
    assert_eq!(unplanned.found(), [place("attempt.begin")]);
    let mut replanned = asked();
    replanned.plan("first", "mock");
    assert_eq!(replanned.found(), [place("roster.slots")]);
    let mut asked_again = accepted();
    asked_again.begin("first", 2);
    assert_eq!(asked_again.found(), [place("attempt.begin")]);
    let mut renumbered = scored();
    renumbered.correct(Some("first"), 2, ["scores", "other"]);
    assert_eq!(renumbered.found(), [place("correction")]);
    let mut doubled = scored();
    let (_, again) = doubled.events[2].clone();
    doubled.events.push((99, again));
    assert!(doubled.found().contains(&place("roster.slots")));
}

#[test]
fn instants_do_not_run_backwards_inside_a_round() {
    for (at, about) in [
        (3, "attempt.begin"),
        (4, "attempt.end"),
        (6, "run.accepted"),
        (11, "prices.exit"),
        (12, "score"),
    ] {
        let mut story = scored();
        let (_, event) = &mut story.events[at];
        assert_eq!(event.fact.name(), about);
        event.at = Instant::parse("2026-09-13T23:00:00Z").expect("an instant");
        let expected = (Kind::Place, about.to_owned());
        assert_eq!(story.found(), [expected], "{about}");
        let (_, event) = &mut story.events[at];
        let minute = at + 1 - 1;
        let near = format!("2026-09-14T00:{minute:02}:10Z");
        event.at = Instant::parse(&near).expect("an instant");
        assert_eq!(story.found(), [], "clocks may differ by a minute");
    }
}
