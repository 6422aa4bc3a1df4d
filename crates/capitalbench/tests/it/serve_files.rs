//! `serve` reads files of rounds when they are asked for: it holds none of them, and shows none that is
//! not the one its site was made from.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use capitalbench_core::values::ids::Digest;

use crate::harness::{Test, WEEKLY};
use crate::site_server::{Answer, COMPLAINTS, SiteServer};
use crate::waiting::wait_until;

const AS_OF: [&str; 2] = ["--as-of", "2026-06-01"];

fn at(name: &str) -> String {
    format!("/rounds/{WEEKLY}/files/research/{name}")
}

/// What an answer holds is what its tag says.
#[track_caller]
fn is_what_it_says(answer: &Answer) {
    let digest = Digest::of(&answer.body).to_hex();
    assert_eq!(answer.header("etag"), format!("\"{}\"", &digest[..32]));
}

#[test]
fn a_file_that_changed_is_never_sent_under_its_old_tag() {
    let first = vec![b'a'; 5000];
    let large = vec![b'a'; 3_000_000];
    let test = Test::weekly()
        .write("research/small.md", &first)
        .write("research/large.md", &large)
        .write("research/asked.md", &first);
    let server = SiteServer::start(&test, &AS_OF);
    let folder = test.path(WEEKLY).join("research");
    let asked = server.get(&at("asked.md"));
    assert_eq!((asked.status, asked.body.len()), (200, 5000));
    is_what_it_says(&asked);
    for (name, bytes) in [
        ("small.md", vec![b'b'; 5000]),
        ("large.md", vec![b'b'; 3_000_000]),
        ("asked.md", vec![b'b'; 5000]),
    ] {
        // The same size and the same time, as a new file.
        let path = folder.join(name);
        let time = fs::metadata(&path).and_then(|found| found.modified());
        fs::write(folder.join(".new"), &bytes).expect("a file");
        let file = fs::File::options().write(true).open(folder.join(".new"));
        file.and_then(|file| file.set_modified(time?))
            .expect("a time");
        fs::rename(folder.join(".new"), &path).expect("a file");
        wait_until("the new file to appear", || {
            let gzip = server.ask("GET", &at(name), &["accept-encoding: gzip"]);
            assert!([200, 503].contains(&gzip.status), "{name}: {}", gzip.status);
            let answer = server.get(&at(name));
            match answer.status {
                200 => is_what_it_says(&answer),
                503 => assert_eq!(answer.header("cache-control"), "no-store"),
                other => panic!("{name}: {other}"),
            }
            answer.status == 200 && answer.body == bytes
        });
    }
}

#[test]
fn a_link_or_a_pipe_in_the_place_of_a_file_is_not_followed() {
    let test = Test::weekly()
        .write("research/a.md", b"what everybody may read")
        .write("research/b.md", b"what everybody may read, too");
    fs::write(test.path("secret.txt"), "do not tell anybody ...").expect("a file");
    let server = SiteServer::start(&test, &AS_OF);
    let folder = test.path(WEEKLY).join("research");
    fs::remove_file(folder.join("a.md")).expect("a removed file");
    symlink(test.path("secret.txt"), folder.join("a.md")).expect("a link");
    fs::remove_file(folder.join("b.md")).expect("a removed file");
    let made = Command::new("mkfifo").arg(folder.join("b.md")).status();
    assert!(made.expect("mkfifo").success());
    // The site cannot be made of such a round, so it stays, without these two.
    let looks = server.metric("capitalbench_looks_total");
    wait_until("another look at the folder", || {
        for name in ["a.md", "b.md"] {
            let answer = server.get(&at(name));
            assert_eq!(answer.status, 503, "{name}: {}", answer.text());
            let known = server.ask("HEAD", &at(name), &[]);
            assert_eq!(known.status, 503);
        }
        server.metric("capitalbench_looks_total") > looks + 1
    });
    assert_eq!(server.get(&at("../manifest.yaml")).status, 404);
    let manifest = format!("/rounds/{WEEKLY}/files/manifest.yaml");
    assert_eq!(server.get(&manifest).status, 200);
}

/// Memory of the server in megabytes.
fn memory(server: &SiteServer) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", server.id())).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next());
    kilobytes
        .and_then(|text| text.parse::<usize>().ok())
        .expect("its memory")
        / 1024
}

#[test]
fn served_files_of_rounds_are_not_kept_in_memory() {
    let bytes: Vec<u8> = (0..=250_u8).cycle().take(30_000_000).collect();
    let mut test = Test::weekly();
    for number in 0..8 {
        test = test.write(&format!("research/large-{number}.md"), &bytes);
    }
    let server = SiteServer::start(&test, &AS_OF);
    let before = memory(&server);
    assert!(before < 160, "{before} MB for 240 MB of files");
    for number in 0..8 {
        let answer = server.get(&at(&format!("large-{number}.md")));
        assert!(answer.body == bytes, "{} bytes", answer.body.len());
        is_what_it_says(&answer);
        let packed = server.ask("HEAD", &at("large-0.md"), &["accept-encoding: gzip"]);
        assert_eq!(packed.header("content-encoding"), "gzip");
    }
    let after = memory(&server);
    assert!(after < 160, "{after} MB after all were sent");
}

#[test]
fn private_state_files_do_not_rebuild_the_site() {
    let test = Test::weekly();
    fs::create_dir_all(test.path(".capitalbench")).expect("a folder");
    let server = SiteServer::start(&test, &[]);
    wait_until("three looks at the folder", || {
        server.metric("capitalbench_looks_total") >= 3
    });
    assert!(test.path(".capitalbench/cache").is_dir());
    assert_eq!(server.metric("capitalbench_rebuilds_total"), 0);
}

#[test]
fn nothing_is_said_twice_while_a_site_is_served() {
    let manifest = format!("{WEEKLY}/manifest.yaml");
    let test = Test::weekly();
    let good = test.read("manifest.yaml");
    let invented = good.clone() + "publication_stream: synthetic\n";
    fs::write(test.path(&manifest), &invented).expect("a manifest");
    let server = SiteServer::start(&test, &["--as-of", "2026-03-20"]);
    let said = |text: &str| {
        let all = fs::read_to_string(test.path(COMPLAINTS)).expect("its complaints");
        all.matches(text).count()
    };
    let wait_for = |what: &str, name: &str, more: u64| {
        let before = server.metric(name);
        wait_until(what, || server.metric(name) >= before + more);
    };
    assert_eq!(said("market: "), 1);
    fs::write(test.path(&format!("{WEEKLY}/notes.txt")), "changed").expect("a file");
    wait_for(
        "a site of the changed round",
        "capitalbench_rebuilds_total",
        1,
    );
    assert_eq!(said("market: "), 1, "a rebuilt site says its market again");
    fs::write(test.path(&manifest), "broken: [").expect("a manifest");
    wait_until("the broken round", || said("the site stays as it was") > 0);
    wait_for("more looks", "capitalbench_looks_total", 3);
    assert_eq!(said("the site stays as it was"), 1);
}
