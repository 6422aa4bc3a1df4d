//! `/api/v1`: the rows of the export, page by page, and refusals that say what to do.

use std::collections::BTreeMap;
use std::io::Read as _;

use capitalbench_core::encoding::tar;
use capitalbench_core::values::ids::Digest;
use serde_json::Value;

use crate::harness::Test;
use crate::site_server::SiteServer;

fn served() -> (Test, SiteServer) {
    let test = Test::all_rounds();
    let server = SiteServer::start(&test, &["--as-of", "2026-06-01"]);
    (test, server)
}

/// The rows of a CSV of ours as lists of cells.
fn csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                cell.push('"');
                chars.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            c => cell.push(c),
        }
    }
    rows
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// All rows of a table, by its cursors.
fn rows(server: &SiteServer, table: &str, limit: usize) -> Vec<Value> {
    let mut found = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = server.get(&format!("/api/v1/{table}?limit={limit}{cursor}"));
        assert_eq!(page.status, 200, "{}", page.text());
        let page = page.json();
        found.extend(page["rows"].as_array().expect("rows").clone());
        match page["next_cursor"].as_str() {
            None => {
                assert_eq!(page["total"], found.len());
                return found;
            }
            Some(next) => cursor = format!("&cursor={next}"),
        }
    }
}

#[test]
fn every_table_has_the_rows_of_its_csv() {
    let (_test, server) = served();
    let index = server.get("/api/v1/").json();
    let tables = index["tables"].as_array().expect("tables");
    assert!(tables.len() > 20);
    let mut counts = BTreeMap::new();
    for table in tables {
        let name = table["name"].as_str().expect("a name");
        let stored = csv(&server.get(&format!("/data/{name}.csv")).text());
        let asked = rows(&server, name, 7);
        let listed = server.get(&format!("/data/{name}.json")).json();
        assert_eq!(Value::Array(asked.clone()), listed, "{name}");
        let columns = &stored[0];
        assert_eq!(asked.len(), stored.len() - 1, "{name}");
        for (row, cells) in asked.iter().zip(&stored[1..]) {
            let given: Vec<String> = columns.iter().map(|column| text(&row[column])).collect();
            assert_eq!(given, *cells, "{name}");
        }
        counts.insert(name.to_owned(), asked.len());
    }
    let metadata = server.get("/api/v1/metadata").json();
    assert_eq!(metadata["as_of"], "2026-06-01T23:59:59Z");
    for (name, count) in counts {
        assert_eq!(metadata["row_counts"][name.as_str()], count, "{name}");
    }
}

#[test]
fn all_data_come_in_one_archive() {
    let (_test, server) = served();
    let packed = server.get("/data/capitalbench-data.tar.gz");
    let mut archive = Vec::new();
    let mut unpacking = flate2::read::GzDecoder::new(packed.body.as_slice());
    unpacking.read_to_end(&mut archive).expect("gzip");
    let files = tar::read(&archive).expect("an archive");
    let checksums = String::from_utf8(files["capitalbench-data/checksums.txt"].clone());
    let checksums = checksums.expect("text");
    assert_eq!(checksums.lines().count() + 1, files.len());
    for line in checksums.lines() {
        let (digest, name) = line.split_once("  ").expect("digest and name");
        let inside = &files[&format!("capitalbench-data/{name}")];
        assert_eq!(Digest::of(inside).to_hex(), digest, "{name}");
        assert_eq!(&server.get(&format!("/data/{name}")).body, inside, "{name}");
    }
}

#[test]
fn rows_are_chosen_by_their_columns() {
    let (_test, server) = served();
    let asked = server.get("/api/v1/outcomes?round_id=weekly-portfolio-resolved&rank=1");
    let found = asked.json();
    assert_eq!(found["total"], 1);
    assert_eq!(found["rows"][0]["model_id"], "anthropic-fixture-b");
    let again = format!("if-none-match: {}", asked.header("etag"));
    let path = "/api/v1/outcomes?round_id=weekly-portfolio-resolved&rank=1";
    assert_eq!(server.ask("GET", path, &[&again]).status, 304);
    assert_eq!(asked.header("access-control-allow-origin"), "*");
    let flags =
        server.get("/api/v1/outcomes?beats_reference=true&round_id=weekly%2Dportfolio%2Dresolved");
    assert_eq!(flags.json()["total"], 2);
    let past = server.get("/api/v1/rounds?cursor=99").json();
    assert_eq!(
        (past["rows"].clone(), past["next_cursor"].clone()),
        (Value::Array(vec![]), Value::Null)
    );
}

#[test]
fn one_round_and_one_model() {
    let (_test, server) = served();
    let round = server
        .get("/api/v1/rounds/weekly-portfolio-resolved")
        .json();
    let whole = server.get("/data/publication.json").json();
    let rounds = whole["rounds"].as_array().expect("rounds");
    assert!(rounds.contains(&round));
    let open = server.get("/api/v1/rounds/weekly-portfolio-pending").json();
    assert_eq!(open["state"], "pending");
    assert!(open.get("result").is_none());
    let model = server.get("/api/v1/models/openai-fixture-a").json();
    assert_eq!(model["model_id"], "openai-fixture-a");
    assert_eq!(model["outcomes"].as_array().map(Vec::len), Some(2));
}

#[test]
fn refusals_name_the_parameter_and_the_remedy() {
    let (_test, server) = served();
    for (path, status, member, named, remedy) in [
        ("rounds?limit=0", 400, "parameter", "limit", "1 to 1000"),
        (
            "rounds?limit=1001",
            400,
            "parameter",
            "limit",
            "limit is \"1001\"; use 1 to 1000",
        ),
        ("rounds?limit=many", 400, "parameter", "limit", "1 to 1000"),
        (
            "rounds?cursor=-1",
            400,
            "parameter",
            "cursor",
            "next_cursor",
        ),
        (
            "rounds?limit=1&limit=2",
            400,
            "parameter",
            "limit",
            "give it once",
        ),
        ("rounds?colour=red", 400, "parameter", "colour", "round_id"),
        ("metadata?x=1", 400, "parameter", "x", "leave x out"),
        ("round", 404, "table", "round", "rounds"),
        (
            "rounds/weekly-portfolio-resolvd",
            404,
            "round",
            "weekly-portfolio-resolvd",
            "did you mean weekly-portfolio-resolved?",
        ),
        ("models/nobody", 404, "model", "nobody", "/api/v1/models"),
        ("rounds/a/b", 404, "path", "/rounds/a/b", "/api/v1"),
    ] {
        let answer = server.get(&format!("/api/v1/{path}"));
        assert_eq!(answer.status, status, "{path}");
        let said = answer.json();
        assert_eq!(said[member], named, "{path}: {said}");
        let message = said["message"].as_str().expect("a message");
        assert!(message.contains(remedy), "{path}: {message}");
    }
}

#[test]
fn the_description_names_what_there_is() {
    let (_test, server) = served();
    let described = server.get("/openapi.json").json();
    assert_eq!(described["openapi"], "3.1.0");
    let paths = described["paths"].as_object().expect("paths");
    assert!(paths.len() > 60);
    for path in paths.keys() {
        let path = path
            .replace("{round_id}", "weekly-portfolio-resolved")
            .replace("{model_id}", "openai-fixture-a");
        assert_eq!(server.get(&path).status, 200, "{path}");
    }
    let text = described.to_string();
    for part in text.split("#/components/schemas/").skip(1) {
        let name = part.split('"').next().expect("a name");
        assert!(
            described["components"]["schemas"][name].is_object(),
            "{name}"
        );
    }
}
