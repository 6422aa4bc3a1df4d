//! Rows that somebody edited in the database: the next sync finds and mends each, and no reader believes one.

use capitalbench_core::publication::{PublicRound, Publication};
use capitalbench_database::delta::Delta;
use capitalbench_database::direct::{DatabaseUrl, Direct};
use capitalbench_database::packing::Files;
use capitalbench_database::read::{ReadError, StoredPublication, read};
use capitalbench_database::sync::{REQUEST_BYTES, Scope, SyncError, Synced, sync};

use crate::log::add_log;
use crate::stage::{Stage, fixtures, public};

const ROUND: &str = "weekly-portfolio-resolved";

#[expect(
    clippy::unnecessary_wraps,
    reason = "files of a round may be unreadable"
)]
fn one_file(_: &PublicRound) -> Result<Files, String> {
    Ok([("a.txt".to_owned(), b"a".to_vec())].into())
}

async fn bring(stage: &Stage, found: &Publication, scope: &Scope) -> Result<Synced, SyncError> {
    let mut delta = Delta::of(found).unwrap().with_files(&one_file);
    add_log(&mut delta, found, 3);
    sync(&stage.gateway, &delta, scope, REQUEST_BYTES, &|_, _| ()).await
}

async fn filled() -> Option<(Stage, Publication)> {
    let stage = Stage::set().await?;
    let publication = public(&fixtures(), "2030-01-01");
    bring(&stage, &publication, &Scope::Whole).await.unwrap();
    Some((stage, publication))
}

async fn read_back(stage: &Stage) -> Result<StoredPublication, ReadError> {
    let url = DatabaseUrl::new(stage.server.url()).expect("an address");
    let reader = Direct::connect_as_public(&url).await.unwrap();
    read(&reader, None).await
}

async fn nothing_to_do(stage: &Stage, publication: &Publication) {
    let again = bring(stage, publication, &Scope::Whole).await.unwrap();
    assert_eq!((again.requests, again.counts.written), (1, 0));
    assert_eq!(&read_back(stage).await.unwrap().publication, publication);
}

/// One row of a table changed in its first column that lets itself be changed; none where it is empty.
async fn edit_somehow(stage: &mut Stage, table: &str) -> Option<String> {
    let columns = "select a.attname::text, format_type(a.atttypid, null) from pg_attribute a \
         where a.attrelid = $1::text::regclass and a.attnum > 0 and not a.attisdropped \
         and a.attname not in ('part', 'content_sha256', 'content_holds', 'published', 'content', 'object') \
         order by a.atttypid = 'double precision'::regtype desc, a.attnum desc";
    let name = format!("public.{table}");
    let columns = stage.owner().query(columns, &[&name]).await.unwrap();
    for row in columns {
        let (column, kind): (String, String) = (row.get(0), row.get(1));
        let other = match kind.as_str() {
            "double precision" => format!("{column} + 0.0625"),
            "text" => format!("{column} || 'x'"),
            "bigint" => format!("{column} + 1"),
            "boolean" => format!("not {column}"),
            _ => continue,
        };
        let edit = format!(
            "update {name} set {column} = {other} where ctid = (select ctid from {name} \
             where {column} is not null limit 1)"
        );
        if matches!(stage.owner().execute(&edit, &[]).await, Ok(1)) {
            return Some(edit);
        }
    }
    None
}

#[tokio::test]
async fn one_edited_row_of_every_table_is_found_and_mended() {
    let Some((mut stage, publication)) = filled().await else {
        return;
    };
    // References are not looked at, so that every column can be tried.
    let free = "set session_replication_role = replica";
    stage.owner().batch_execute(free).await.unwrap();
    let tables = "select t::text from public.capitalbench_tables() t";
    let tables = stage.owner().query(tables, &[]).await.unwrap();
    let mut edited = 0;
    for row in tables {
        let table: String = row.get(0);
        let Some(edit) = edit_somehow(&mut stage, &table).await else {
            let rows = format!("select count(*) from public.{table}");
            assert_eq!(stage.count(&rows).await, 0, "{table} could not be edited");
            continue;
        };
        edited += 1;
        let mended = bring(&stage, &publication, &Scope::Whole).await;
        let mended = mended.unwrap_or_else(|error| panic!("{edit}: {error}"));
        assert!(mended.counts.written >= 1, "{edit}: {mended:?}");
        let again = bring(&stage, &publication, &Scope::Whole).await.unwrap();
        assert_eq!((again.requests, again.counts.written), (1, 0), "{edit}");
    }
    assert!(edited > 25, "{edited}");
    nothing_to_do(&stage, &publication).await;
}

/// Edits, and what a reader says of them; nothing where readers of the site do not look.
const EDITS: [(&str, &[&str]); 12] = [
    (
        "update public.outcomes set return_fraction = 0.99 where round_id = 'weekly-portfolio-resolved'",
        &[],
    ),
    (
        "update public.publication_documents set document = replace(document, '0.0', '0.1') \
         where kind = 'result' and round_id = 'weekly-portfolio-resolved'",
        &[
            "publication_documents",
            "part round/weekly-portfolio-resolved",
            "result weekly-portfolio-resolved",
        ],
    ),
    (
        "update public.publication_documents set document = replace(document, '0.0', '0.1') \
         where kind = 'board' and track = 'weekly'",
        &["publication_documents", "part board/weekly", "board weekly"],
    ),
    (
        "update public.publication_documents set part = 'catalog' where kind = 'result'",
        &["publication_documents", "part catalog"],
    ),
    (
        "update public.round_files set sha256 = repeat('a', 64) where round_id = 'weekly-portfolio-resolved'",
        &["round_files", "part round/weekly-portfolio-resolved"],
    ),
    (
        "update public.round_files set content = (select content from public.log_files limit 1) \
         where round_id = 'weekly-portfolio-resolved'",
        &[
            "files of weekly-portfolio-resolved",
            "does not match the digest",
        ],
    ),
    (
        "update public.log_files set byte_count = byte_count + 1 where part = 'log/edge'",
        &["log_files", "part log/edge"],
    ),
    (
        "update public.log_files set content = (select content from public.round_files limit 1) \
         where part = 'log/edge'",
        &["the log in log/edge", "does not match the digest"],
    ),
    (
        "update public.publication set as_of = '2029-01-01T00:00:00Z'",
        &["publication", "the one row"],
    ),
    (
        "update public.publication set parts_sha256 = repeat('b', 64)",
        &["publication", "the one row"],
    ),
    (
        "update public.publication_parts set rows_sha256 = repeat('c', 64) where part = 'catalog'",
        &[],
    ),
    (
        "delete from public.publication_documents where kind = 'set'",
        &[],
    ),
];

#[tokio::test]
async fn an_edited_row_is_refused_by_readers_and_mended_by_the_next_sync() {
    let Some((mut stage, publication)) = filled().await else {
        return;
    };
    for (edit, told) in EDITS {
        let edited = stage.owner().execute(edit, &[]).await.unwrap();
        assert!(edited > 0, "{edit}");
        if !told.is_empty() {
            let refused = read_back(&stage).await.unwrap_err();
            let (text, remedy) = (refused.to_string(), refused.remedy());
            for word in told {
                assert!(text.contains(word), "{edit}: {text}");
            }
            assert!(remedy.contains("sync-web"), "{remedy}");
        }
        let mended = bring(&stage, &publication, &Scope::Whole).await.unwrap();
        assert!(mended.requests > 1, "{edit}: {mended:?}");
        nothing_to_do(&stage, &publication).await;
    }
}

/// Somebody edits the digest of a row, or of two, along with their content.
#[tokio::test]
async fn digests_that_were_edited_too_are_found_by_the_sync() {
    let Some((mut stage, publication)) = filled().await else {
        return;
    };
    stage
        .owner()
        .batch_execute("set session_replication_role = replica")
        .await
        .unwrap();
    let outcomes = "public.outcomes where round_id = 'weekly-portfolio-resolved'";
    for edit in [
        format!("with one as (select min(content_sha256) as sha from {outcomes}) update public.outcomes \
            set content_sha256 = one.sha from one where content_sha256 <> one.sha and round_id = 'weekly-portfolio-resolved'"),
        "update public.outcomes set model_id = model_id || 'x'".to_owned(),
        "update public.outcomes set part = 'catalog'".to_owned(),
        "update public.holdings set content_sha256 = repeat('0', 64)".to_owned(),
        "insert into public.providers (part, content_sha256, provider) values ('catalog', repeat('0', 64), 'mine')".to_owned(),
    ] {
        assert!(stage.owner().execute(&edit, &[]).await.unwrap() > 0, "{edit}");
        let mended = bring(&stage, &publication, &Scope::Whole).await;
        let mended = mended.unwrap_or_else(|error| panic!("{edit}: {error}"));
        assert!(mended.counts.written + mended.counts.removed > 0, "{edit}");
        nothing_to_do(&stage, &publication).await;
    }
}

/// Files and the digest of their packed form, edited together, are found by a reader; the sync of that
/// round mends them.
#[tokio::test]
async fn packed_files_of_a_round_that_is_named_are_written_again() {
    let Some((mut stage, publication)) = filled().await else {
        return;
    };
    let edit = "update public.round_files f set content = l.content, packed_sha256 = l.packed_sha256 \
                from public.log_files l where l.part = 'log/edge' and f.round_id = 'weekly-portfolio-resolved'";
    stage.owner().batch_execute(edit).await.unwrap();
    let refused = read_back(&stage).await.unwrap_err();
    assert!(refused.to_string().contains(ROUND), "{refused}");
    assert!(refused.remedy().contains("--round"), "{}", refused.remedy());
    let named = publication.rounds.iter().map(PublicRound::id);
    let mut named = named.filter(|id| id.as_str() == ROUND).cloned();
    let named = named.next().unwrap();
    let mended = bring(&stage, &publication, &Scope::Round(named)).await;
    assert_eq!(mended.unwrap().counts.written, 1);
    nothing_to_do(&stage, &publication).await;
}

#[tokio::test]
async fn a_table_without_row_comparison_is_reported() {
    let Some((mut stage, publication)) = filled().await else {
        return;
    };
    let alter = "alter table public.outcomes alter column content_holds drop expression";
    stage.owner().batch_execute(alter).await.unwrap();
    let refused = bring(&stage, &publication, &Scope::Whole).await;
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("outcomes"), "{refused}");
}

#[tokio::test]
async fn a_mended_round_stays_withheld() {
    let Some((mut stage, publication)) = filled().await else {
        return;
    };
    let hide = "update public.rounds set published = false, title = 'x' \
                where round_id = 'weekly-portfolio-resolved'";
    stage.owner().batch_execute(hide).await.unwrap();
    let mended = bring(&stage, &publication, &Scope::Whole).await.unwrap();
    assert_eq!(mended.counts.written, 1);
    let shown = "select count(*) from public.rounds where not published and title <> 'x'";
    assert_eq!(stage.count(shown).await, 1);
}

/// A digest that is not of its row is refused when it arrives.
#[tokio::test]
async fn a_row_with_another_digest_is_not_taken() {
    let Some((mut stage, _)) = filled().await else {
        return;
    };
    let delta = "select public.capitalbench_apply('{\"format\": 1, \"as_of\": \"x\", \"synthetic\": true, \
                 \"parts\": [{\"part\": \"catalog\"}], \"tables\": {\"providers\": [{\"part\": \"catalog\", \
                 \"provider\": \"mine\", \"content_sha256\": \"0000000000000000000000000000000000000000000000000000000000000000\"}]}}')";
    let refused = stage.owner().query_one(delta, &[]).await.unwrap_err();
    let said = refused.as_db_error().unwrap().message().to_owned();
    assert!(
        said.contains("providers") && said.contains("digests"),
        "{said}"
    );
}
