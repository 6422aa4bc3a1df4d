//! The league file as it is written: every field with its comment; those that are not set stand
//! there as comments with an example.

use std::fmt::Write as _;

use capitalbench_core::league::settings::{
    BriefingSource, League, LeagueCalls, PriceSettings, UniverseChoice,
};
use capitalbench_core::round::manifest::Track;

use crate::format::round::controls;

use super::words::{NONE, cadence_text, duration_text, money_text, percent_text, text_of};

/// The text of the file; reading it gives the same league again.
pub fn render(league: &League) -> String {
    let mut page = Page(String::new());
    page.comment(&[
        "A CapitalBench league. Every field has a default; docs/league.md explains each of them.",
        "`capitalbench league check` tries what is written here.",
    ]);
    names(&mut page, league);
    schedule(&mut page, league);
    question(&mut page, league);
    money(&mut page, league);
    prices(&mut page, &league.prices);
    proof(&mut page, league);
    entrants(&mut page, league);
    publication(&mut page, league);
    page.0
}

/// The text so far.
struct Page(String);

impl Page {
    fn comment(&mut self, lines: &[&str]) {
        for line in lines {
            let _ = writeln!(self.0, "# {line}");
        }
    }

    /// An empty line and what the next fields are about.
    fn about(&mut self, lines: &[&str]) {
        self.0.push('\n');
        self.comment(lines);
    }

    fn field(&mut self, name: &str, value: &str) {
        let _ = writeln!(self.0, "{name}: {value}");
    }

    /// A field that may be left out, with an example of its value.
    fn optional(&mut self, name: &str, value: Option<&str>, example: &str) {
        if let Some(value) = value {
            return self.field(name, &text_of(value));
        }
        let blanks = name.len() - name.trim_start().len();
        let (before, name) = name.split_at(blanks);
        let _ = writeln!(self.0, "{before}# {name}: {example}");
    }

    fn list(&mut self, name: &str, values: &[String], example: &str) {
        if values.is_empty() {
            return self.optional(&format!("  {name}"), None, example);
        }
        let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
        self.field(&format!("  {name}"), &format!("[{}]", values.join(", ")));
    }
}

/// A text inside brackets, where a comma would end it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn names(page: &mut Page, league: &League) {
    page.about(&["The name on pages and in messages."]);
    page.field("name", &text_of(&league.name));
    page.about(&["Where readers find the site."]);
    page.optional(
        "address",
        league.address.as_deref(),
        "https://league.example",
    );
    page.about(&[
        "How the site looks: one colour for links, the icon and images, and a picture beside the name.",
    ]);
    let accent = league.accent.map(|accent| accent.to_string());
    page.optional("accent", accent.as_deref(), "'#0b5fa5'");
    page.optional("logo", league.logo.as_deref(), "logo.png");
    page.about(&["The first word of round ids, such as HOUSE in HOUSE-2026-12-07-1W."]);
    page.field("prefix", &text_of(&league.prefix));
    page.about(&[
        "With false every pass rehearses: mock models answer, the market is invented, nothing is sent",
        "to a provider, and the rounds lie in rehearsal/. With true the models are asked for real,",
        "which costs money, and the rounds lie in rounds/.",
    ]);
    let real = league.calls == LeagueCalls::Real;
    page.field("allow_real_api_calls", &real.to_string());
}

fn schedule(page: &mut Page, league: &League) {
    page.about(&[
        "When rounds are decided: `weekly: monday` (or another day) and `monthly: first session`.",
        "Where the exchange is closed, the next session counts.",
    ]);
    page.0.push_str("tracks:\n");
    for (track, example) in [(Track::Weekly, "monday"), (Track::Monthly, "first session")] {
        let known = league.tracks.iter().find(|one| one.track == track);
        let cadence = known.map(|one| cadence_text(one.cadence));
        page.optional(&format!("  {}", track.as_str()), cadence, example);
    }
    page.about(&[
        "A round is opened, frozen and asked this long before its deadline. The rest of the time is for",
        "models that could not be asked: a key to repair, a provider that is down.",
    ]);
    let length = duration_text(league.opens_before_deadline);
    page.field("opens_before_deadline", &length);
    page.about(&["Every model must have decided this long before the exchange opens."]);
    let length = duration_text(league.deadline_before_open);
    page.field("deadline_before_open", &length);
}

fn question(page: &mut Page, league: &League) {
    page.about(&[
        "What may be held: a shipped universe (v1.5, v2.0, v2.1, europe-v1, crypto-v1) or a file.",
    ]);
    let (UniverseChoice::Shipped(universe) | UniverseChoice::File(universe)) = &league.universe;
    page.field("universe", &text_of(universe));
    page.about(&["What models decide: portfolio (holdings with weights) or single_pick."]);
    page.field("format", league.format.as_str());
    page.about(&["The models, as docs/models.md describes them."]);
    page.field("models", &text_of(&league.models));
    page.about(&["Your own prices of models, before the shipped ones."]);
    page.optional("pricing", league.pricing.as_deref(), "pricing.yaml");
    page.about(&[
        "Whether entrants that follow a rule (equal weights, cash, ...) stand beside the models.",
    ]);
    page.comment(&[
        "A list adds fixed portfolios and funds: [{name: 60/40, hold: {SP500: 60, AGGREGATE_BONDS: 40}},",
        "{name: Target 2050, symbol: VFIFX}].",
    ]);
    if league.own_controls.is_empty() {
        page.field("controls", &league.controls.to_string());
    } else {
        for line in controls::lines(&league.own_controls) {
            page.0.push_str(&line);
            page.0.push('\n');
        }
    }
    page.about(&[
        "What models read: mechanical (computed from prices and public sources), the output of a",
        "command, as in {command: python3 facts.py}, or three files that you write for each round, as in",
        "{facts: facts.md, audit: audit.md, briefing: briefing.md}.",
    ]);
    let text = match &league.briefing {
        BriefingSource::Mechanical => "mechanical".to_owned(),
        BriefingSource::Command(command) => format!("{{command: {}}}", quoted(command)),
        BriefingSource::Files {
            facts,
            audit,
            briefing,
        } => {
            let [facts, audit, briefing] = [facts, audit, briefing].map(|text| quoted(text));
            format!("{{facts: {facts}, audit: {audit}, briefing: {briefing}}}")
        }
    };
    page.field("briefing", &text);
    page.about(&[
        "A round counts when this share of the models, and at least so many, gave a valid answer. The",
        "others are listed with their reason. Otherwise the round is void.",
    ]);
    page.0.push_str("failure_policy:\n");
    let share = percent_text(league.failure_policy.accept_from_pct.saturating_mul(100));
    page.field("  accept_from", &share);
    page.field("  at_least", &league.failure_policy.at_least.to_string());
    lanes(page, league);
}

fn lanes(page: &mut Page, league: &League) {
    page.about(&[
        "What moves the models: in one of `every` rounds of a track the same question is asked again after",
        "the record, with one thing changed: order, masked, no_briefing or no_table. `base` answers to the",
        "frozen text (the record's is one of them) stand beside `twin` answers to each. It costs calls.",
    ]);
    let Some(settings) = &league.lanes else {
        let example = "{twins: [order, masked], every: 4, base: 2, twin: 2}";
        return page.optional("lanes", None, example);
    };
    let lanes = &settings.lanes;
    let twins: Vec<&str> = lanes.twins.iter().map(|lane| lane.as_str()).collect();
    page.0.push_str("lanes:\n");
    page.field("  twins", &format!("[{}]", twins.join(", ")));
    page.field("  every", &settings.every.to_string());
    page.field("  base", &lanes.base.to_string());
    page.field("  twin", &lanes.twin.to_string());
}

fn money(page: &mut Page, league: &League) {
    page.about(&[
        "The most that calls may cost, in US dollars. A run that could cost more is not begun. `none` is",
        "no limit. A month is one of the calendar, in UTC.",
    ]);
    page.0.push_str("budget:\n");
    page.field("  per_round", &money_text(league.budget.per_round));
    page.field("  per_month", &money_text(league.budget.per_month));
}

fn prices(page: &mut Page, prices: &PriceSettings) {
    page.about(&[
        "Where prices come from: tiingo, alphavantage, yahoo or csv (a folder of files, `histories`).",
    ]);
    page.0.push_str("prices:\n");
    page.field("  source", &prices.source);
    page.0.push_str(
        "  # What you may ask: for tiingo questions an hour, a day and symbols a month, for alphavantage\n  \
         # the questions a minute. Without it the free plan counts.\n",
    );
    page.optional("  plan", prices.plan.as_deref(), "50/1000/500");
    page.optional("  histories", prices.histories.as_deref(), "closes");
    page.0
        .push_str("  # A second source, and how far the returns of both may be apart.\n");
    page.optional("  second", prices.second.as_deref(), "yahoo");
    page.field("  tolerance_bps", &prices.tolerance_bps.to_string());
    page.0.push_str(
        "  # A larger move in a day stops the round, unless a split, a distribution or the second\n  \
         # source explains it.\n",
    );
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share in hundredths of a percent, which casting keeps in range"
    )]
    let share = (prices.largest_daily_move * 10_000.0).round() as u32;
    page.field("  largest_daily_move", &percent_text(share));
}

fn proof(page: &mut Page, league: &League) {
    page.about(&[
        "What readers can check without trusting you: none, signed (every step is in a signed log) or",
        "anchored (outside clocks have also stamped it, which needs `clocks`).",
    ]);
    page.field("proof", league.proof.as_str());
    page.about(&[
        "Outside clocks: time stamp authorities with the files of their root certificates, and calendars",
        "of OpenTimestamps.",
    ]);
    page.0.push_str("clocks:\n");
    let clocks = &league.clocks;
    page.list(
        "authorities",
        &clocks.authorities,
        "[https://freetsa.org/tsr]",
    );
    page.list("roots", &clocks.roots, "[freetsa-root.pem]");
    let example = "[https://a.pool.opentimestamps.org]";
    page.list("calendars", &clocks.calendars, example);
    witnesses(page, league);
}

fn witnesses(page: &mut Page, league: &League) {
    page.about(&[
        "Witnesses (C2SP tlog-witness) who see the log grow and cosign it, so that nobody can be shown",
        "another one, and how many of them must; more than half where `quorum` is left out.",
    ]);
    page.0.push_str("witnesses:\n");
    let witnesses = &league.witnesses;
    let quorum = witnesses.quorum.map(|quorum| quorum.to_string());
    page.optional("  quorum", quorum.as_deref(), "1");
    if witnesses.of.is_empty() {
        let example = "[{key: w+10043a1a+BIqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c, address: https://w.example}]";
        return page.optional("  of", None, example);
    }
    page.0.push_str("  of:\n");
    for one in &witnesses.of {
        let (key, address) = (quoted(&one.key), quoted(&one.address));
        page.field("  - {key", &format!("{key}, address: {address}}}"));
    }
}

fn entrants(page: &mut Page, league: &League) {
    page.about(&[
        "Entrants from outside: the folder (or a list of files) with the registrations that you admit, and",
        "the folder where sealed entries and openings arrive. docs/enter.md tells how they take part.",
    ]);
    let Some(settings) = &league.entrants else {
        return page.optional(
            "entrants",
            None,
            "{registrations: entrants, entries: entries}",
        );
    };
    page.0.push_str("entrants:\n");
    page.list("registrations", &settings.registrations, "[entrants]");
    page.optional("  entries", settings.entries.as_deref(), "entries");
}

fn publication(page: &mut Page, league: &League) {
    let publication = &league.publication;
    page.about(&[
        "What is published after every change: the folder of the built site (or none), the database that",
        "DATABASE_URL names, and the daily figures of open rounds. The licence of the data stands on the",
        "data page and in the exports; choose one only if the vendor of your prices lets you.",
    ]);
    page.0.push_str("publication:\n");
    let site = publication.site.as_deref().unwrap_or(NONE);
    page.field("  site", &text_of(site));
    page.field("  database", &publication.database.to_string());
    page.field("  interim", &publication.interim.to_string());
    let licence = publication.licence.as_ref().map(ToString::to_string);
    page.optional("  licence", licence.as_deref(), "CC-BY-4.0");
    page.about(&[
        "Which prices everybody may read: full (the closes as the vendor gave them) or returns (an option",
        "is 1 at its entry close, and the closes stay private). Tiingo, Alpha Vantage and Yahoo do not",
        "let closes be passed on; write full only if your contract does. It is frozen with each round.",
    ]);
    page.0.push_str("publish:\n");
    page.field("  prices", league.publish.as_str());
    page.about(&[
        "Who is told what happens: the variable that holds the address of a webhook, or a command that",
        "reads the message from its standard input.",
    ]);
    page.0.push_str("messages:\n");
    let messages = &league.messages;
    let webhook = messages.webhook_variable.as_deref();
    page.optional("  webhook", webhook, "LEAGUE_WEBHOOK");
    page.optional("  command", messages.command.as_deref(), "./tell-me");
}
