//! What every test begins with: a migrated database and a publication.

use std::path::{Path, PathBuf};

use capitalbench_archive::public::public_record::publication;
use capitalbench_core::publication::Publication;
use capitalbench_database::direct::{DatabaseUrl, Direct};
use capitalbench_database::documents::{Document, Header};
use capitalbench_database::migrations::migrate;
use tokio_postgres::Client;

use capitalbench_testing::database_server::Server;

/// A server with the schema of this program.
pub(crate) struct Stage {
    pub(crate) server: Server,
    pub(crate) gateway: Direct,
}

impl Stage {
    /// `None` where PostgreSQL is not installed.
    pub(crate) async fn set() -> Option<Self> {
        let server = Server::start()?;
        let mut gateway = connect(&server).await;
        migrate(gateway.client()).await.expect("the schema is made");
        Some(Self { server, gateway })
    }

    /// The owner's connection.
    pub(crate) fn owner(&mut self) -> &mut Client {
        self.gateway.client()
    }

    /// Makes every later statement one of this role, as `PostgREST` does.
    pub(crate) async fn become_role(&mut self, role: &str) {
        let claims = format!("{{\"role\":\"{role}\"}}");
        let statement =
            format!("set role {role}; select set_config('request.jwt.claims', '{claims}', false)");
        let done = self.owner().batch_execute(&statement).await;
        done.expect("the role is there");
    }

    /// Header and documents that a role can read.
    pub(crate) async fn read_as(&mut self, role: &str) -> (Header, Vec<Document>) {
        self.become_role(role).await;
        let header = "select to_jsonb(p) - 'only_row' - 'changed_at' from public.publication p";
        let header = self.owner().query_one(header, &[]).await.expect("a header");
        let rows = "select to_jsonb(d) - 'part' - 'content_sha256' - 'content_holds' from public.publication_documents d";
        let rows = self.owner().query(rows, &[]).await.expect("documents");
        self.become_role("postgres").await;
        let header = serde_json::from_value(header.get(0)).expect("a header");
        let read =
            |row: &tokio_postgres::Row| serde_json::from_value(row.get(0)).expect("a document");
        (header, rows.iter().map(read).collect())
    }

    /// A number that a statement gives.
    pub(crate) async fn count(&mut self, statement: &str) -> i64 {
        let row = self.owner().query_one(statement, &[]).await;
        row.expect(statement).get(0)
    }
}

/// Another connection of the owner.
pub(crate) async fn connect(server: &Server) -> Direct {
    let url = DatabaseUrl::new(server.url()).expect("an address");
    Direct::connect(&url).await.expect("the server is there")
}

/// The invented rounds of this repository.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/rounds")
}

/// What is public of a folder of rounds on a day.
pub(crate) fn public(rounds: &Path, day: &str) -> Publication {
    let instant = format!("{day}T23:59:59Z").parse().expect("an instant");
    publication(rounds, instant, &|| ()).expect("the rounds are readable")
}

/// The real rounds; `None` where they are not there, and why is printed.
#[expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a test has no configuration to ask and nobody else to tell"
)]
pub(crate) fn archive() -> Option<PathBuf> {
    let named = std::env::var("CAPITALBENCH_ARCHIVE").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/archive");
    let root = named.unwrap_or(beside);
    if root.is_dir() {
        return Some(root.join("rounds"));
    }
    let ci = std::env::var("CI").as_deref() == Ok("true");
    assert!(
        !ci,
        "the archive is missing; set CAPITALBENCH_ARCHIVE to its folder"
    );
    eprintln!("skipped: no archive; set CAPITALBENCH_ARCHIVE to its folder");
    None
}
