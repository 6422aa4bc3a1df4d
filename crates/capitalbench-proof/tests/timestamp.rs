//! Tokens of a real authority, made with `openssl ts` in a temporary folder.

#![expect(
    clippy::disallowed_methods,
    reason = "the authority works in a folder of its own, by the real clock"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

use capitalbench_proof::timestamp::{Question, Refusal, Root, check, check_without_root};
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

struct Authority {
    folder: tempfile::TempDir,
}

enum Key {
    Rsa,
    P256,
    P384,
}

fn openssl(folder: &Path, arguments: &[&str]) {
    let output = Command::new("openssl")
        .args(arguments)
        .current_dir(folder)
        .env("OPENSSL_CONF", folder.join("authority.cnf"))
        .output()
        .expect("openssl is on the machine");
    assert!(
        output.status.success(),
        "openssl {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

const CONFIGURATION: &str = "\
[req]
distinguished_name = name
prompt = no
[name]
CN = unused
[issuer]
basicConstraints = critical,CA:true
keyUsage = critical,keyCertSign
subjectKeyIdentifier = hash
[stamper]
basicConstraints = critical,CA:false
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
[past]
database = ./index.txt
rand_serial = yes
new_certs_dir = .
default_md = sha256
policy = any
[any]
commonName = supplied
[tsa]
default_tsa = here
[here]
serial = ./serial
signer_cert = ./stamper.pem
certs = ./chain.pem
signer_key = ./stamper.key
signer_digest = DIGEST
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
accuracy = secs:1, millisecs:500
ess_cert_id_alg = ESS
";

impl Authority {
    /// A root, an intermediate and a signer; the signer valid for `days` from today.
    fn new(key: &Key, digest: &str, ess: &str, days: &str) -> Authority {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = folder.path();
        let configuration = CONFIGURATION.replace("DIGEST", digest).replace("ESS", ess);
        write(at, "authority.cnf", configuration.as_bytes());
        write(at, "serial", b"01\n");
        let kind: &[&str] = match key {
            Key::Rsa => &["-newkey", "rsa:2048"],
            Key::P256 => &["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
            Key::P384 => &["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"],
        };
        let make = |name: &str, subject: &str, more: &[&str]| {
            let key_file = format!("{name}.key");
            let pem = format!("{name}.pem");
            let mut arguments = vec!["req", "-new", "-x509", "-nodes", "-subj", subject];
            arguments.extend_from_slice(kind);
            arguments.extend_from_slice(&["-keyout", &key_file, "-out", &pem]);
            arguments.extend_from_slice(more);
            openssl(at, &arguments);
        };
        make(
            "root",
            "/CN=Test Root",
            &["-extensions", "issuer", "-days", "3650"],
        );
        issue(
            at,
            kind,
            ["middle", "/CN=Test Middle", "issuer", "root", "3650"],
        );
        issue(
            at,
            kind,
            [
                "stamper",
                "/O=Tests/CN=Test Stamper",
                "stamper",
                "middle",
                days,
            ],
        );
        std::fs::copy(at.join("middle.pem"), at.join("chain.pem")).expect("the chain");
        Authority { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn roots(&self) -> Vec<Root> {
        Root::from_pem(&std::fs::read(self.path("root.pem")).expect("the root")).expect("a root")
    }

    fn answer(&self, query: &[u8]) -> Vec<u8> {
        write(self.folder.path(), "query.tsq", query);
        openssl(
            self.folder.path(),
            &[
                "ts",
                "-reply",
                "-queryfile",
                "query.tsq",
                "-out",
                "reply.tsr",
            ],
        );
        std::fs::read(self.path("reply.tsr")).expect("the reply")
    }
}

/// A certificate: its name, its subject, its extensions, who signs it, for how long.
fn issue(at: &Path, kind: &[&str], [name, subject, extensions, issuer, days]: [&str; 5]) {
    let key_file = format!("{name}.key");
    let request = format!("{name}.csr");
    let mut arguments = vec!["req", "-new", "-nodes", "-subj", subject];
    arguments.extend_from_slice(kind);
    arguments.extend_from_slice(&["-keyout", &key_file, "-out", &request]);
    openssl(at, &arguments);
    openssl(
        at,
        &[
            "x509",
            "-req",
            "-in",
            &request,
            "-CA",
            &format!("{issuer}.pem"),
            "-CAkey",
            &format!("{issuer}.key"),
            "-CAcreateserial",
            "-days",
            days,
            "-extfile",
            "authority.cnf",
            "-extensions",
            extensions,
            "-out",
            &format!("{name}.pem"),
        ],
    );
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(folder.join(name), bytes).expect("a file of the test");
}

fn question() -> Question {
    Question {
        digest: Sha256::digest(b"a checkpoint").into(),
        nonce: Some(0xfeed_beef_0000_0001),
    }
}

#[test]
fn true_replies_of_every_kind_of_key_are_accepted() {
    for (key, digest, ess) in [
        (Key::Rsa, "sha256", "sha256"),
        (Key::Rsa, "sha512", "sha1"),
        (Key::P256, "sha256", "sha256"),
        (Key::P384, "sha384", "sha384"),
    ] {
        let authority = Authority::new(&key, digest, ess, "30");
        let asked = question();
        let reply = authority.answer(&asked.to_query());
        let now = Timestamp::now();
        let stamp = check(&reply, &asked, &authority.roots(), now).expect(digest);
        assert_eq!(stamp.authority, "Test Stamper");
        assert_eq!(stamp.serial, "02");
        let late = stamp.before.duration_since(now).as_secs_f64();
        assert!((-5.0..=1.5).contains(&late), "{late}");
        assert_eq!(Question::from_query(&asked.to_query()), Ok(asked));
        openssl(
            authority.folder.path(),
            &[
                "ts",
                "-verify",
                "-queryfile",
                "query.tsq",
                "-in",
                "reply.tsr",
                "-CAfile",
                "root.pem",
                "-untrusted",
                "chain.pem",
            ],
        );
    }
}

#[test]
fn each_fault_is_refused_with_its_own_words() {
    let authority = Authority::new(&Key::P256, "sha256", "sha256", "30");
    let asked = question();
    let reply = authority.answer(&asked.to_query());
    let roots = authority.roots();
    let now = Timestamp::now();
    let refusal = |question: &Question, roots: &[Root], now: Timestamp| {
        check(&reply, question, roots, now)
            .expect_err("a refusal")
            .to_string()
    };

    let other_document = Question {
        digest: Sha256::digest(b"another").into(),
        ..asked
    };
    assert!(refusal(&other_document, &roots, now).starts_with("wrong hash: "));
    let other_question = Question {
        nonce: Some(7),
        ..asked
    };
    assert!(refusal(&other_question, &roots, now).starts_with("wrong nonce: "));
    let yesterday = now - jiff::SignedDuration::from_hours(24);
    assert!(refusal(&asked, &roots, yesterday).starts_with("future time: "));
    let stranger = Authority::new(&Key::P256, "sha256", "sha256", "30");
    assert!(refusal(&asked, &stranger.roots(), now).starts_with("untrusted root: "));
    assert!(refusal(&asked, &[], now).starts_with("untrusted root: "));

    let unrooted = check_without_root(&reply, &asked, now);
    assert_eq!(unrooted, check(&reply, &asked, &roots, now));
    assert_eq!(
        check_without_root(&reply, &other_question, now),
        Err(Refusal::OtherNonce)
    );

    let nonce_left_out = authority.answer(
        &Question {
            nonce: None,
            ..asked
        }
        .to_query(),
    );
    assert_eq!(
        check(&nonce_left_out, &asked, &roots, now),
        Err(Refusal::OtherNonce)
    );
}

#[test]
fn a_certificate_that_had_run_out_is_refused() {
    let authority = Authority::new(&Key::P256, "sha256", "sha256", "30");
    let folder = authority.folder.path();
    write(folder, "index.txt", b"");
    openssl(
        folder,
        &[
            "ca",
            "-batch",
            "-config",
            "authority.cnf",
            "-name",
            "past",
            "-in",
            "stamper.csr",
            "-cert",
            "middle.pem",
            "-keyfile",
            "middle.key",
            "-startdate",
            "20200101000000Z",
            "-enddate",
            "20210101000000Z",
            "-extensions",
            "stamper",
            "-notext",
            "-out",
            "stamper.pem",
        ],
    );
    let asked = question();
    let reply = authority.answer(&asked.to_query());
    let refusal = check(&reply, &asked, &authority.roots(), Timestamp::now()).expect_err("expired");
    assert!(matches!(refusal, Refusal::Expired { .. }), "{refusal}");
    assert!(refusal.to_string().starts_with("expired certificate: "));
    let unrooted = check_without_root(&reply, &asked, Timestamp::now());
    assert_eq!(unrooted, Err(refusal));
}

#[test]
fn an_authority_that_says_no_is_quoted() {
    let authority = Authority::new(&Key::P256, "sha256", "sha256", "30");
    write(authority.folder.path(), "query.tsq", b"not a query");
    openssl(
        authority.folder.path(),
        &[
            "ts",
            "-reply",
            "-queryfile",
            "query.tsq",
            "-out",
            "reply.tsr",
        ],
    );
    let reply = std::fs::read(authority.path("reply.tsr")).expect("the reply");
    let refusal = check(&reply, &question(), &authority.roots(), Timestamp::now());
    assert!(
        matches!(&refusal, Err(Refusal::Declined { status: 2, text }) if text.contains("Bad request")),
        "{refusal:?}"
    );
}

#[test]
fn no_changed_byte_of_a_reply_is_accepted_for_another_time_or_document() {
    let authority = Authority::new(&Key::P256, "sha256", "sha256", "30");
    let asked = question();
    let reply = authority.answer(&asked.to_query());
    let roots = authority.roots();
    let now = Timestamp::now();
    let honest = check(&reply, &asked, &roots, now).expect("the true reply");
    let mut refused = 0;
    for place in 0..reply.len() {
        for flip in [0x01, 0x80] {
            let mut forged = reply.clone();
            forged[place] ^= flip;
            match check(&forged, &asked, &roots, now) {
                Err(_) => refused += 1,
                // Bytes outside the signature (unused certificates, list order) carry no claim.
                Ok(stamp) => assert_eq!(stamp, honest, "byte {place}"),
            }
        }
    }
    assert!(
        refused * 10 > reply.len() * 15,
        "{refused} of {}",
        reply.len() * 2
    );
    for length in 0..reply.len() {
        assert!(check(&reply[..length], &asked, &roots, now).is_err());
    }
}
