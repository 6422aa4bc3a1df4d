//! What models write is text, whatever it pretends to be.

use capitalbench_core::asking::call_settings::Asked;
use capitalbench_core::decision::submission::{Decision, Submission};
use capitalbench_core::publication::calls::{AskedFor, ModelCalls, Served};
use capitalbench_core::publication::{PublicRound, RoundState};
use capitalbench_core::round::ending::{Ending, ExceptionNote, Tombstone};
use capitalbench_core::values::ids::ModelId;
use capitalbench_core::values::time::WrittenInstant;

use super::markup::{names, read};
use super::sources::{Source, fixtures};

const HOSTILE: &str = "</pre></bdi><script>alert(1)</script><img src=x onerror=alert(2)>\
    [go](javascript:alert(3)) \u{202e}txt.exe\u{2066} <a href=\"https://evil.example\">x</a> \
    \" onmouseover=\"alert(4) & &lt;b&gt; {{ 7 * 7 }}";

fn poison(submission: &mut Submission) {
    HOSTILE.clone_into(&mut submission.rationale_summary);
    HOSTILE.clone_into(&mut submission.provider);
    HOSTILE.clone_into(&mut submission.mode);
    submission.portfolio_rationale = Some(HOSTILE.to_owned());
    submission.key_risks = vec![HOSTILE.to_owned()];
    if let Decision::Portfolio(holdings) = &mut submission.decision {
        for holding in holdings {
            HOSTILE.clone_into(&mut holding.rationale);
        }
    }
}

/// What a ledger could tell of a model, all of it in hostile words.
fn called(submission: &Submission) -> ModelCalls {
    let hostile = || Some(HOSTILE.to_owned());
    ModelCalls {
        display_name: hostile(),
        continues: ModelId::parse(HOSTILE).ok(),
        asked: AskedFor::of(Asked {
            api_model_name: HOSTILE.to_owned(),
            schema_mode: "full".to_owned(),
            reasoning: hostile(),
            service_tier: hostile(),
            routing: vec![HOSTILE.to_owned()],
            extra_fields: vec![HOSTILE.to_owned()],
            body_sha256: HOSTILE.to_owned(),
            ..Asked::default()
        }),
        served: Served {
            model: hostile(),
            service_tier: hostile(),
            answered_by: hostile(),
            ..Served::default()
        },
        ..ModelCalls::new(submission.model_id.clone())
    }
}

/// Explains a round in hostile words; the tombstone says the same.
fn explained(round: &mut PublicRound) -> Tombstone {
    let noted_at = WrittenInstant::parse("2026-03-01T00:00:00Z").expect("an instant");
    round.exceptions.push(ExceptionNote {
        round_id: round.id().clone(),
        number: 1,
        noted_at: noted_at.clone(),
        reason: HOSTILE.to_owned(),
    });
    Tombstone {
        round_id: round.id().clone(),
        ending: Ending::Voided,
        ended_at: noted_at,
        reason: HOSTILE.to_owned(),
    }
}

fn poisoned() -> Source {
    let mut source = fixtures();
    for round in &mut source.publication.rounds {
        let mut calls: Vec<ModelCalls> = round.submissions().into_iter().map(called).collect();
        calls.sort_by(|a, b| a.model_id.cmp(&b.model_id));
        let tombstone = explained(round);
        match &mut round.state {
            RoundState::Draft => round.state = RoundState::Ended(tombstone),
            RoundState::Ended(_) => {}
            RoundState::Open(open) => {
                open.calls = calls;
                open.submissions.iter_mut().for_each(poison);
            }
            RoundState::Resolved(resolved) => {
                resolved.calls = calls;
                let models = resolved.models.iter_mut();
                models.for_each(|m| poison(&mut m.scored.submission));
            }
        }
    }
    for boards in source.publication.boards.values_mut() {
        for row in &mut boards.cumulative {
            HOSTILE.clone_into(&mut row.provider);
        }
    }
    let ids: Vec<_> = source
        .publication
        .boards
        .values()
        .flat_map(|b| &b.behaviour)
        .map(|b| b.model_id.clone())
        .collect();
    for id in ids {
        source.publication.names.insert(id, HOSTILE.to_owned());
    }
    for files in source.files.values_mut() {
        for (path, bytes) in files {
            if path.contains("/raw") || path.contains(".md") {
                *bytes = HOSTILE.into();
            }
            if path.ends_with("run_log.jsonl") {
                let text = String::from_utf8(bytes.to_vec()).expect("a log of text");
                let error = serde_json::to_string(HOSTILE).expect("a text");
                *bytes = text
                    .replace("\"error\": null", &format!("\"error\": {error}"))
                    .into();
            }
        }
    }
    source
}

#[test]
fn hostile_text_is_inert_everywhere() {
    let source = poisoned();
    let mut seen = 0;
    for (path, page) in source.pages() {
        let markup = read(&page).unwrap_or_else(|fault| panic!("{path}: {fault}"));
        for (name, attributes) in &markup.tags {
            assert!(name != "img" && name != "iframe", "{path}: {name}");
            let ours = attributes.contains("site.js\"")
                || attributes.contains("type=\"application/ld+json\"")
                || (path == "verify/index.html" && attributes.contains("src=\"page.js\""));
            assert!(name != "script" || ours, "{path}: {attributes}");
            let handler = names(attributes)
                .into_iter()
                .find(|name| name.starts_with("on"));
            assert_eq!(handler, None, "{path}: {name}");
            let own = attributes.starts_with("rel=\"canonical\" href=\"https://example.org/");
            let outside = !own
                && (attributes.contains("href=\"https:")
                    || attributes.contains("href=\"javascript:"));
            assert!(!outside, "{path}: {attributes}");
        }
        if page.contains("&lt;script&gt;alert(1)") {
            seen += 1;
        }
        let turned = page
            .chars()
            .find(|c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'));
        assert_eq!(turned, None, "{path}");
    }
    assert!(seen > 20, "{seen} pages carried the text");
    let told = |page: &str| page.contains("How it was asked") && page.contains("Tier served");
    let pages = source.pages();
    assert!(
        pages
            .iter()
            .any(|(path, page)| path.starts_with("models/") && told(page))
    );
}
