//! Whatever a client writes about a round that is not resolved, the public sees no result of it.

use capitalbench_database::delta::Delta;
use capitalbench_database::gateway::{FileLocation, Gateway as _, GatewayError};
use capitalbench_database::requests::{Load, Request};
use capitalbench_database::row_digest::row_digest;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::Value;

use crate::log::add_log;
use crate::stage::{Stage, fixtures, public};

/// Bundles of the log that tell of no round.
const TREE: i64 = 2;

const ROUND: &str = "weekly-portfolio-resolved";

/// Everything of the resolved fixtures, as one request.
fn request() -> Value {
    let publication = public(&fixtures(), "2030-01-01");
    let mut delta = Delta::of(&publication).expect("every figure can be stored");
    add_log(&mut delta, &publication, 3);
    let mut request = Request::new(&delta);
    for name in delta.names() {
        let part = delta.part(name).expect("a part").expect("a known one");
        request.add(Load::new(name, true, part.into_owned(), FileLocation::Rows));
    }
    request.into_body()
}

/// What a client may claim about a round that is not over.
#[derive(Debug, Clone)]
struct Lie {
    state: &'static str,
    exit_date: Option<&'static str>,
    published: bool,
    /// Lists of rounds that leave this one out.
    forgotten: Vec<&'static str>,
    as_decisions: bool,
}

fn lies() -> impl Strategy<Value = Lie> {
    let state = prop_oneof![
        Just(("draft", Some("2026-03-09"))),
        Just(("draft", None)),
        Just(("pending", Some("2026-03-09"))),
        Just(("pending", None)),
        Just(("overdue", Some("2026-03-09"))),
        Just(("resolved", Some("2999-01-01"))),
    ];
    let lists = vec!["board_rounds", "set_rounds"];
    let forgotten = proptest::sample::subsequence(lists, 0..=2);
    let flags = (any::<bool>(), any::<bool>());
    let lie = |((state, exit_date), forgotten, (published, as_decisions))| Lie {
        state,
        exit_date,
        published,
        forgotten,
        as_decisions,
    };
    (state, forgotten, flags).prop_map(lie)
}

/// The rows of a table, to be changed.
fn rows<'a>(request: &'a mut Value, table: &str) -> &'a mut Vec<Value> {
    request["tables"][table].as_array_mut().expect("rows")
}

/// Gives a row the digest of what it says now.
fn sign(row: &mut Value) {
    let digest = row_digest(row.as_object().expect("a row"));
    row["content_sha256"] = digest.to_hex().into();
}

fn told(mut request: Value, lie: &Lie) -> Value {
    let rounds = rows(&mut request, "rounds").iter_mut();
    for row in rounds.filter(|row| row["round_id"] == ROUND) {
        row["state"] = lie.state.into();
        row["exit_date"] = lie.exit_date.into();
        row["published"] = lie.published.into();
        sign(row);
    }
    for table in &lie.forgotten {
        rows(&mut request, table).retain(|row| row["round_id"] != ROUND);
    }
    if lie.forgotten.contains(&"board_rounds") {
        for row in rows(&mut request, "boards") {
            row["latest_round_id"] = Value::Null;
            sign(row);
        }
    }
    request
}

#[tokio::test]
async fn no_false_request_reveals_a_withheld_result() {
    let Some(mut stage) = Stage::set().await else {
        return;
    };
    let honest = request();
    let mut runner = TestRunner::deterministic();
    for _ in 0..60 {
        let lie = lies().new_tree(&mut runner).expect("a lie").current();
        let mut request = told(honest.clone(), &lie);
        if lie.as_decisions {
            refuses_a_result_among_decisions(&stage, &mut request).await;
            continue;
        }
        stage
            .gateway
            .apply(&request)
            .await
            .unwrap_or_else(|error| panic!("{lie:?}: {error}"));
        // A sync leaves `published` as the operator set it.
        let update = format!(
            "update public.rounds set published = {} where round_id = '{ROUND}'",
            lie.published
        );
        stage.owner().batch_execute(&update).await.unwrap();
        for role in ["anon", "authenticated"] {
            stage.become_role(role).await;
            sees_nothing(&mut stage, &lie).await;
            stage.become_role("postgres").await;
        }
    }
}

/// A result that is called something else is refused when it is written.
async fn refuses_a_result_among_decisions(stage: &Stage, request: &mut Value) {
    let documents = rows(request, "publication_documents").iter_mut();
    for row in documents.filter(|row| row["kind"] == "result") {
        row["kind"] = "decisions".into();
        sign(row);
    }
    let refused = stage.gateway.apply(request).await.unwrap_err();
    let GatewayError::Refused { code, .. } = &refused else {
        panic!("{refused}");
    };
    assert_eq!(code.as_deref(), Some("23514"), "{refused}");
}

async fn sees_nothing(stage: &mut Stage, lie: &Lie) {
    let of_round = format!("round_id = '{ROUND}'");
    for (table, which) in [
        ("round_results", of_round.as_str()),
        ("option_returns", &of_round),
        ("outcomes", &of_round),
        ("control_outcomes", &of_round),
        ("repeated_calls", &of_round),
        ("log_files", &of_round),
        ("prices", &format!("{of_round} and side = 'exit'")),
        (
            "interim_points",
            &format!("{of_round} and snapshot_date >= '2026-03-09'"),
        ),
        (
            "publication_documents",
            &format!("{of_round} and kind = 'result'"),
        ),
        (
            "publication_documents",
            "kind = 'board' and track = 'weekly'",
        ),
        ("cumulative", "track = 'weekly'"),
        ("consistency", "track = 'weekly'"),
        ("behaviour", "track = 'weekly'"),
        ("habits", "track = 'weekly'"),
        ("statistics", "track = 'weekly'"),
        ("reliability", "track = 'weekly'"),
        (
            "comparison_sets",
            "track = 'weekly' and included_round_count > 0",
        ),
        ("set_rows", "set_id like 'weekly%'"),
        ("pairs", "set_id like 'weekly%'"),
        (
            "publication_documents",
            "kind = 'set' and set_id like 'weekly%'",
        ),
    ] {
        let statement = format!("select count(*) from public.{table} where {which}");
        assert_eq!(stage.count(&statement).await, 0, "{lie:?}: {statement}");
    }
    let statement = format!("select count(*) from public.rounds where {of_round}");
    assert_eq!(
        stage.count(&statement).await,
        i64::from(lie.published),
        "{lie:?}"
    );
    let statement = format!("select count(*) from public.submissions where {of_round}");
    let shown = lie.published && lie.state != "draft";
    assert_eq!(stage.count(&statement).await > 0, shown, "{lie:?}");
    // The monthly round beside it is resolved, and nobody lied about it.
    let statement =
        "select count(*) from public.outcomes where round_id = 'monthly-single-pick-resolved'";
    assert!(stage.count(statement).await > 0, "{lie:?}");
    let statement = "select count(*) from public.log_files";
    assert_eq!(stage.count(statement).await, TREE + 2, "{lie:?}");
}
