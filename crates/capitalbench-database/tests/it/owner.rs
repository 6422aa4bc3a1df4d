//! A database whose owner is no superuser: migrated, checked, filled and read all the same.

use capitalbench_core::publication::PublicRound;
use capitalbench_database::check::check;
use capitalbench_database::delta::Delta;
use capitalbench_database::direct::{DatabaseUrl, Direct};
use capitalbench_database::migrations::migrate;
use capitalbench_database::packing::Files;
use capitalbench_database::read::read;
use capitalbench_database::sync::{REQUEST_BYTES, Scope, sync};

use crate::stage::{connect, fixtures, public};
use capitalbench_testing::database_server::Server;

async fn works_as(server: &Server, owner: &str) {
    let url = server.url().replace("postgres@", &format!("{owner}@"));
    let url = url.replace("/postgres?", &format!("/{owner}?"));
    let url = DatabaseUrl::new(url).expect("an address");
    let mut gateway = Direct::connect(&url).await.unwrap();
    let applied = migrate(gateway.client()).await;
    let applied = applied.unwrap_or_else(|error| panic!("{owner}: {error}"));
    assert!(!applied.is_empty());
    let report = check(gateway.client()).await.unwrap();
    assert_eq!(report.findings, [], "{owner}");
    let publication = public(&fixtures(), "2030-01-01");
    let none = |_: &PublicRound| Ok(Files::new());
    let delta = Delta::of(&publication).unwrap().with_files(&none);
    let synced = sync(&gateway, &delta, &Scope::Whole, REQUEST_BYTES, &|_, _| ());
    synced.await.unwrap();
    let reader = Direct::connect_as_public(&url).await.unwrap();
    assert_eq!(read(&reader, None).await.unwrap().publication, publication);
}

#[tokio::test]
async fn an_owner_needs_no_superuser() {
    let Some(server) = Server::start() else {
        return;
    };
    let mut admin = connect(&server).await;
    // The first may make the roles; for the second an administrator did and granted them.
    for statement in [
        "create role maker login createrole nosuperuser",
        "create database maker owner maker",
    ] {
        admin.client().batch_execute(statement).await.unwrap();
    }
    works_as(&server, "maker").await;
    for statement in [
        "create role keeper login nosuperuser nocreaterole",
        "grant anon, authenticated to keeper",
        "create database keeper owner keeper",
    ] {
        admin.client().batch_execute(statement).await.unwrap();
    }
    works_as(&server, "keeper").await;
}
