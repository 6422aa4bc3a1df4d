use capitalbench_core::asking::cost::Cost;
use capitalbench_core::asking::lanes::Lanes;
use capitalbench_core::decision::control::own::{Held, OwnControl};
use capitalbench_core::league::accent::Accent;
use capitalbench_core::league::licence::Licence;
use capitalbench_core::league::settings::{
    BriefingSource, Cadence, LaneSettings, LeagueCalls, TrackSchedule, UniverseChoice,
    WitnessSetting,
};
use capitalbench_core::market::published_prices::PublishedPrices;
use capitalbench_core::round::manifest::{Proof, SubmissionFormat, Track};
use capitalbench_core::values::ids::OptionId;
use jiff::SignedDuration;
use jiff::civil::Weekday;
use proptest::prelude::*;

use super::*;

fn read(text: &str) -> Result<League, String> {
    parse(text.as_bytes(), "house-league").map_err(|fault| fault.to_string())
}

#[test]
fn an_empty_file_is_a_league_with_every_default() {
    for text in [
        "",
        "# nothing yet\n",
        "clocks:\ntracks:\nprices:\n  # plan: 1/1/1\n",
    ] {
        assert_eq!(
            read(text).unwrap(),
            League::named("house-league"),
            "{text:?}"
        );
    }
}

const EVERY_FIELD: &str = "\
name: The House
address: https://league.example/
accent: '#C04E00'
logo: art/mark.svg
prefix: HOUSE_1
allow_real_api_calls: true
tracks: {weekly: friday, monthly: first session}
opens_before_deadline: 1h 30m
deadline_before_open: 10m
universe: mine/options.yaml
format: single_pick
models: configs/models.yaml
pricing: card.yaml
controls: false
briefing: {command: python3 facts.py --all}
failure_policy: {accept_from: 75 %, at_least: 3}
lanes: {twins: [order, no_table], every: 2, base: 3, twin: 1}
budget: {per_round: 2.5, per_month: none}
prices:
  source: alphavantage
  plan: 75
  histories: closes
  second: csv
  tolerance_bps: 5
  largest_daily_move: 12.5%
proof: anchored
clocks: {authorities: [https://tsa.example/tsr], calendars: [https://cal.example], roots: [a.pem]}
publication: {site: none, database: true, interim: false, licence: CC-BY-4.0}
witnesses: {quorum: 1, of: [{key: w1.example+89d3dde6+BIqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c, address: https://w1.example/log}]}
messages: {webhook: LEAGUE_WEBHOOK, command: ./tell}
";

#[test]
fn every_field_says_what_it_says() {
    let league = read(EVERY_FIELD).unwrap();
    assert_eq!(league.name, "The House");
    assert_eq!(league.address.as_deref(), Some("https://league.example"));
    assert_eq!(league.accent.unwrap().to_string(), "#c04e00");
    assert_eq!(league.logo.as_deref(), Some("art/mark.svg"));
    assert_eq!(league.prefix, "HOUSE_1");
    assert_eq!(league.calls, LeagueCalls::Real);
    assert_eq!(league.tracks.len(), 2);
    assert_eq!(league.tracks[0].cadence, Cadence::Weekly(Weekday::Friday));
    assert_eq!(league.opens_before_deadline, SignedDuration::from_mins(90));
    assert_eq!(
        league.universe,
        UniverseChoice::File("mine/options.yaml".to_owned())
    );
    assert_eq!(league.format, SubmissionFormat::SinglePick);
    let command = "python3 facts.py --all".to_owned();
    assert_eq!(league.briefing, BriefingSource::Command(command));
    assert_eq!(league.failure_policy.accept_from_pct, 75);
    let lanes = league.lanes.unwrap();
    assert_eq!(
        (lanes.every, lanes.lanes.text().as_str()),
        (2, "order,no_table:3+1")
    );
    assert_eq!(league.budget.per_round, Cost::from_usd(2.5));
    assert_eq!(league.budget.per_month, None);
    assert_eq!(league.prices.plan.as_deref(), Some("75"));
    assert_eq!(
        league.prices.largest_daily_move.to_bits(),
        0.125_f64.to_bits()
    );
    assert_eq!(league.proof, Proof::Anchored);
    assert_eq!(league.clocks.roots, ["a.pem"]);
    assert_eq!(league.witnesses.quorum, Some(1));
    assert_eq!(league.witnesses.of[0].address, "https://w1.example/log");
    assert_eq!(league.publication.site, None);
    assert!(league.publication.database && !league.publication.interim);
    assert_eq!(league.publication.licence, Licence::parse("CC-BY-4.0"));
    assert_eq!(
        league.messages.webhook_variable.as_deref(),
        Some("LEAGUE_WEBHOOK")
    );
}

/// What is written, and how the message begins.
const MISTAKES: [(&str, &str); 53] = [
    (
        "nam: x",
        "line 1: unknown field `nam`; did you mean `name`?",
    ),
    (
        "\nprices:\n  sorce: tiingo",
        "line 3: prices: unknown field `sorce`; did you mean `source`?",
    ),
    (
        "courts: 2",
        "line 1: unknown field `courts`; the known ones here are name, address,",
    ),
    (
        "name: {a: b}",
        "line 1: name: unknown field `a`; it takes one value and no fields",
    ),
    (
        "publication: {licence: all rights reserved}",
        "line 1: publication.licence: must be an SPDX identifier such as CC-BY-4.0",
    ),
    (
        "publish: {prices: return}",
        "line 1: publish.prices: must be one of full, returns; did you mean returns?",
    ),
    ("name: ' '", "line 1: name: must be one line of text"),
    (
        "# one\nprefix: a-b",
        "line 2: prefix: must be a word of at most 40 letters",
    ),
    ("prefix: ''", "line 1: prefix: must be a word"),
    (
        "address: league.example",
        "line 1: address: must be the address of the site",
    ),
    (
        "accent: teal",
        "line 1: accent: must be a colour of six hexadecimal digits in quotes",
    ),
    (
        "name: a\naccent: #0b5fa5",
        "line 2: accent: must be a colour of six hexadecimal digits in quotes",
    ),
    (
        "logo: mark.gif",
        "line 1: logo: must be a file whose name ends in .png or .svg",
    ),
    (
        "logo: mark",
        "line 1: logo: must be a file whose name ends in .png or .svg",
    ),
    (
        "allow_real_api_calls: yes",
        "line 1: allow_real_api_calls: ",
    ),
    (
        "controls: maybe",
        "line 1: controls: must be true, false or a list",
    ),
    (
        "controls:\n- {name: a, symbool: AOR}",
        "line 2: controls.0: unknown field `symbool`; did you mean `symbol`?",
    ),
    (
        "controls: [{name: a}]",
        "line 1: controls.0: a needs one of",
    ),
    (
        "controls:\n- name: a\n  hold: {SP500: 60}",
        "line 1: controls.0: the percentages of a must be whole numbers from 1 on that sum to 100",
    ),
    (
        "tracks: {weekly: sunday}",
        "line 1: tracks.weekly: must be a day from monday to friday",
    ),
    (
        "tracks:\n  monthly: last",
        "line 2: tracks.monthly: must be one of first session",
    ),
    ("tracks: {}", "line 1: tracks: names no track"),
    ("tracks: monday", "line 1: tracks: "),
    (
        "opens_before_deadline: soon",
        "line 1: opens_before_deadline: must be a length of time",
    ),
    (
        "opens_before_deadline: 0m",
        "line 1: opens_before_deadline: must be from 1 minutes to 96 hours",
    ),
    (
        "deadline_before_open: -5m",
        "line 1: deadline_before_open: must be a length of time",
    ),
    (
        "universe: v2.2",
        "line 1: universe: must be one of the shipped universes v1.5, v2.0, v2.1, europe-v1, crypto-v1 or a file",
    ),
    (
        "format: portfolo",
        "line 1: format: must be one of portfolio, single_pick; did you mean portfolio?",
    ),
    (
        "briefing: by hand",
        "line 1: briefing: must be mechanical, {command: COMMAND}, or",
    ),
    (
        "briefing: {facts: a, audit: b}",
        "line 1: briefing: must be mechanical",
    ),
    (
        "briefing: {command: a, facts: b}",
        "line 1: briefing: must be mechanical",
    ),
    (
        "failure_policy: {accept_from: 50}",
        "line 1: failure_policy.accept_from: must be a share such as 50%",
    ),
    (
        "failure_policy: {accept_from: 0%}",
        "line 1: failure_policy.accept_from: must be a whole share from 1%",
    ),
    (
        "lanes: {twins: [sideways]}",
        "line 1: lanes.twins: must be one of order, masked, no_briefing, no_table",
    ),
    (
        "lanes: {twins: []}",
        "line 1: lanes: asks nothing; name some of order, masked",
    ),
    (
        "lanes: {twins: [order], every: 0}",
        "line 1: lanes.every: must be 1 or more",
    ),
    (
        "failure_policy: {at_least: 0}",
        "line 1: failure_policy.at_least: must be 1 or more",
    ),
    (
        "budget:\n  per_month: much",
        "line 2: budget.per_month: must be a sum in US dollars such as 5, or none",
    ),
    (
        "budget: {per_round: -1}",
        "line 1: budget.per_round: must be a sum",
    ),
    (
        "prices: {source: tingo}",
        "line 1: prices.source: must be one of tiingo, csv, yahoo, alphavantage; did you mean tiingo?",
    ),
    (
        "prices: {plan: 50}",
        "line 1: prices.plan: must be questions an hour, a day and symbols a month",
    ),
    (
        "prices: {source: yahoo, plan: 50}",
        "line 1: prices.plan: is for tiingo and alphavantage only",
    ),
    (
        "prices: {source: csv}",
        "line 1: prices.histories: is required for the source csv",
    ),
    (
        "prices: {second: tiingo}",
        "line 1: prices.second: must be another source",
    ),
    (
        "prices: {largest_daily_move: 0%}",
        "line 1: prices.largest_daily_move: must be above 0%",
    ),
    (
        "prices: {tolerance_bps: -1}",
        "line 1: prices.tolerance_bps: must be a number of basis points",
    ),
    (
        "proof: stamped",
        "line 1: proof: must be one of none, signed, anchored",
    ),
    (
        "witnesses: {quorum: 1}",
        "line 1: witnesses.quorum: names nobody who could cosign",
    ),
    (
        "witnesses: {of: [{key: w, address: https://w.example}]}",
        "line 1: witnesses.of.key: the text is not a key",
    ),
    (
        "witnesses: {of: [{key: w1.example+89d3dde6+BIqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c, address: w.example}]}",
        "line 1: witnesses.of.address: must be the address of a witness",
    ),
    (
        "witnesses: {quorum: 2, of: [{key: w1.example+89d3dde6+BIqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c, address: https://w.example}]}",
        "line 1: witnesses: 2 of 1 witnesses can never sign",
    ),
    (
        "witnesses: {of: [{kee: x}]}",
        "line 1: witnesses.of.0: unknown field `kee`; did you mean `key`?",
    ),
    (
        "clocks:\n  authorities: [tsa.example]",
        "line 2: clocks.authorities: must be a list of addresses",
    ),
];

#[test]
fn each_mistake_is_named_with_line_and_field() {
    for (text, expected) in MISTAKES {
        let found = read(text).expect_err(text);
        assert!(found.starts_with(expected), "{text:?}: {found}");
    }
}

#[test]
fn the_numbers_of_a_league_are_bounded() {
    let text = |field: &str, length: usize| format!("{field}: {}", "a".repeat(length));
    assert!(read(&text("name", 80)).is_ok() && read(&text("name", 81)).is_err());
    assert!(read(&text("prefix", 40)).is_ok() && read(&text("prefix", 41)).is_err());
    for (good, bad) in [
        ("opens_before_deadline: 1m", "opens_before_deadline: 59s"),
        ("opens_before_deadline: 96h", "opens_before_deadline: 5761m"),
        ("deadline_before_open: 0m", "deadline_before_open: -1s"),
        ("deadline_before_open: 12h", "deadline_before_open: 721m"),
        (
            "prices: {tolerance_bps: 10000}",
            "prices: {tolerance_bps: 10001}",
        ),
        (
            "failure_policy: {accept_from: 100%}",
            "failure_policy: {accept_from: 101%}",
        ),
    ] {
        assert!(read(good).is_ok(), "{good}");
        assert!(read(bad).is_err(), "{bad}");
    }
}

#[test]
fn an_address_in_the_place_of_its_variable_is_not_repeated() {
    let text = "messages:\n  webhook: https://hooks.example/secret\n";
    let found = read(text).expect_err("a secret in the file");
    assert!(found.starts_with("line 2: messages.webhook: must name an environment variable"));
    assert!(!found.contains("secret\""), "{found}");
    assert!(!found.contains("hooks.example"), "{found}");
}

#[test]
fn configured_controls_stand_beside_those_that_every_round_has() {
    let text = "controls: [{name: 60/40, hold: {SP500: 60, BONDS: 40}}, {name: AOR, symbol: AOR}]";
    let league = read(text).unwrap();
    assert!(league.controls);
    assert_eq!(league.own_controls.len(), 2);
    let ids = league.own_controls.iter().map(|own| own.id().as_str());
    assert_eq!(ids.collect::<Vec<_>>(), ["control-60/40", "control-AOR"]);
}

/// Holdings in another order than that of the alphabet: returns are added in the order of the file.
fn own_controls() -> Vec<OwnControl> {
    let parts = [("SP500", 60), ("CASH", 40)];
    let parts = parts.map(|(id, percent)| (OptionId::parse(id).unwrap(), percent));
    let held = [
        ("60/40", Held::Portfolio(parts.into())),
        ("Target: 2050", Held::Symbol("VFIFX".to_owned())),
    ];
    held.map(|(name, held)| OwnControl::new(name, held).unwrap())
        .into()
}

#[test]
fn a_field_twice_is_refused() {
    let found = read("name: a\nname: b\n").expect_err("a repeated field");
    assert!(found.contains("repeats the key \"name\""), "{found}");
}

#[test]
fn the_written_file_shows_every_field() {
    let text = render(&League::named("House"));
    for field in FIELDS {
        let name = field.rsplit('.').next().unwrap_or_default();
        let is_shown = text.contains(&format!("{name}: "))
            || text.contains(&format!("{name}:\n"))
            || text.contains(&format!("{{{name}: "));
        assert!(is_shown, "{field}");
    }
    assert!(
        text.lines().all(|line| line.chars().count() <= 100),
        "a line is too long"
    );
}

#[test]
fn the_examples_in_the_written_file_can_be_used() {
    // Every field that is only an example, switched on.
    let text = render(&League::named("House"));
    let used = text.lines().map(|line| {
        let field = line.trim_start().strip_prefix("# ").filter(|rest| {
            let name = rest.split(':').next().unwrap_or_default();
            FIELDS
                .iter()
                .any(|field| field.rsplit('.').next() == Some(name))
        });
        let blanks = &line[..line.len() - line.trim_start().len()];
        field.map_or_else(|| line.to_owned(), |field| format!("{blanks}{field}"))
    });
    let text: Vec<String> = used.collect();
    let league = read(&text.join("\n")).unwrap();
    assert_eq!(league.address.as_deref(), Some("https://league.example"));
    assert_eq!(league.tracks.len(), 2);
    assert_eq!(league.prices.second.as_deref(), Some("yahoo"));
    assert_eq!(league.clocks.authorities.len(), 1);
    assert_eq!(
        (league.witnesses.quorum, league.witnesses.of.len()),
        (Some(1), 1)
    );
    assert_eq!(league.messages.command.as_deref(), Some("./tell-me"));
}

fn a_text() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9#:'\"{},%&*!é漢-]([ -~é漢]{0,20}[a-zA-Z0-9#:'\"{},é漢-])?"
}

fn a_league() -> impl Strategy<Value = League> {
    let texts = proptest::collection::vec(a_text(), 8);
    let numbers = (
        1..6_000_i64,
        0..720_i64,
        1..=100_u32,
        1..50_u32,
        0..100_000_u32,
        1..50_000_u32,
    );
    let choices = proptest::collection::vec(any::<bool>(), 12);
    (texts, numbers, choices, 0..5_usize).prop_map(|(texts, numbers, choices, day)| {
        let (opens, deadline, share, least, cents, bps) = numbers;
        let optional = |index: usize| choices[index].then(|| texts[index % texts.len()].clone());
        let mut league = League::named(&texts[0]);
        if choices[0] {
            league.calls = LeagueCalls::Real;
            league.format = SubmissionFormat::SinglePick;
            league.universe = UniverseChoice::File("mine.yaml".to_owned());
        }
        league.address = choices[1].then(|| "https://league.example/a".to_owned());
        let weekly = Cadence::Weekly(words::WEEKDAYS[day].1);
        league.tracks = vec![TrackSchedule {
            track: Track::Weekly,
            cadence: weekly,
        }];
        if choices[2] {
            let (track, cadence) = (Track::Monthly, Cadence::FirstSession);
            league.tracks.push(TrackSchedule { track, cadence });
        }
        league.opens_before_deadline = SignedDuration::from_secs(60 + opens);
        league.deadline_before_open = SignedDuration::from_mins(deadline);
        league.models = texts[1].clone();
        league.pricing = optional(3);
        league.controls = choices[4];
        if choices[4] && choices[8] {
            league.own_controls = own_controls();
        }
        league.briefing = match (choices[5], choices[6]) {
            (true, true) => BriefingSource::Command(texts[2].clone()),
            (true, false) => BriefingSource::Files {
                facts: texts[3].clone(),
                audit: texts[4].clone(),
                briefing: texts[5].clone(),
            },
            _ => BriefingSource::Mechanical,
        };
        league.failure_policy.accept_from_pct = share;
        league.failure_policy.at_least = least;
        league.budget.per_round = choices[7]
            .then(|| Cost::from_usd(f64::from(cents) / 100.0))
            .flatten();
        league.prices.tolerance_bps = f64::from(cents) / 64.0 % 10_000.0;
        league.prices.largest_daily_move = f64::from(bps) / 10_000.0;
        with_the_rest(league, &choices, &optional)
    })
}

/// Sets the fields that a league may leave out.
fn with_the_rest(
    mut league: League,
    choices: &[bool],
    optional: &dyn Fn(usize) -> Option<String>,
) -> League {
    league.accent = choices[6].then(|| Accent::parse("#c04e00")).flatten();
    league.logo = choices[7].then(|| "mark.png".to_owned());
    league.prices.histories = optional(8);
    league.prices.plan = choices[9].then(|| "50/1000/-".to_owned());
    league.prices.second = choices[10].then(|| "yahoo".to_owned());
    league.clocks.roots = optional(11).into_iter().collect();
    league.clocks.calendars = choices[1]
        .then(|| "https://cal.example".to_owned())
        .into_iter()
        .collect();
    league.publication.site = optional(2).filter(|site| site != "none");
    league.publication.database = choices[3];
    league.publication.licence = choices[9].then(|| Licence::parse("CC0-1.0")).flatten();
    if choices[5] {
        league.publish = PublishedPrices::Returns;
    }
    league.lanes = choices[6].then(|| LaneSettings {
        lanes: Lanes::parse("masked,order:2+3").expect("lanes"),
        every: 3,
    });
    if choices[7] {
        let key = "w1.example+89d3dde6+BIqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c";
        league.witnesses.quorum = choices[8].then_some(1);
        league.witnesses.of.push(WitnessSetting {
            key: key.to_owned(),
            address: "https://w1.example".to_owned(),
        });
    }
    league.messages.webhook_variable = choices[4].then(|| "HOOK".to_owned());
    league.messages.command = optional(5);
    league
}

proptest! {
    #[test]
    fn what_is_written_reads_back(league in a_league()) {
        let text = render(&league);
        let read = read(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(read, league, "{}", text);
    }
}
