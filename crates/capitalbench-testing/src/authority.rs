//! A time stamp authority made with `openssl` in a temporary folder: a root, an intermediate, a
//! signer.

use std::path::{Path, PathBuf};
use std::process::Command;

use capitalbench_proof::merkle::sha256;
use jiff::Timestamp;
use tempfile::TempDir;

/// The authority; its folder goes away with it.
pub struct Authority {
    folder: TempDir,
}

/// Its kind of key.
#[derive(Clone, Copy)]
pub enum Key {
    Rsa,
    P256,
    P384,
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
[web_server]
basicConstraints = critical,CA:false
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth
[not_critical]
basicConstraints = critical,CA:false
keyUsage = critical,digitalSignature
extendedKeyUsage = timeStamping
[both_usages]
basicConstraints = critical,CA:false
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping,serverAuth
[dated]
database = ./index.txt
rand_serial = yes
new_certs_dir = .
default_md = sha256
policy = any
unique_subject = no
[any]
organizationName = optional
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

/// From and until when certificates are valid: all instants of tests, and a time gone by.
pub const ALWAYS: [&str; 2] = ["20200101000000Z", "20991231235959Z"];
pub const LONG_AGO: [&str; 2] = ["20200101000000Z", "20210101000000Z"];

impl Authority {
    pub fn new(key: Key, digest: &str, ess: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let authority = Self { folder };
        let configuration = CONFIGURATION.replace("DIGEST", digest).replace("ESS", ess);
        authority.write("authority.cnf", configuration.as_bytes());
        authority.write("serial", b"01\n");
        authority.write("index.txt", b"");
        let kind = match key {
            Key::Rsa => "-newkey rsa:2048",
            Key::P256 => "-newkey ec -pkeyopt ec_paramgen_curve:P-256",
            Key::P384 => "-newkey ec -pkeyopt ec_paramgen_curve:P-384",
        };
        authority.openssl(&format!(
            "req -new -x509 -nodes {kind} -subj /CN=Root -extensions issuer -days 3650 \
             -keyout root.key -out root.pem"
        ));
        for (name, subject, issuer) in [
            ("middle", "/CN=Middle", "root"),
            ("stamper", "/O=Tests/CN=Stamper", "middle"),
        ] {
            authority.openssl(&format!(
                "req -new -nodes {kind} -subj {subject} -keyout {name}.key -out {name}.csr"
            ));
            let extensions = if name == "middle" {
                "issuer"
            } else {
                "stamper"
            };
            authority.issue(name, issuer, extensions, ALWAYS);
        }
        std::fs::copy(authority.path("middle.pem"), authority.path("chain.pem"))
            .expect("the chain");
        authority
    }

    pub fn usual() -> Self {
        Self::new(Key::P256, "sha256", "sha256")
    }

    fn issue(&self, name: &str, issuer: &str, extensions: &str, [from, until]: [&str; 2]) {
        self.openssl(&format!(
            "ca -batch -config authority.cnf -name dated -in {name}.csr -cert {issuer}.pem \
             -keyfile {issuer}.key -startdate {from} -enddate {until} -extensions {extensions} \
             -notext -out {name}.pem"
        ));
    }

    /// Gives the signer a certificate that has run out.
    pub fn let_expire(&self) {
        self.issue("stamper", "middle", "stamper", LONG_AGO);
    }

    /// Gives the signer a certificate for another usage: a section of the configuration.
    pub fn reissue_as(&self, extensions: &str) {
        self.issue("stamper", "middle", extensions, ALWAYS);
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn root(&self) -> Vec<u8> {
        std::fs::read(self.path("root.pem")).expect("the root")
    }

    /// The reply of `openssl ts` to a query, by the clock of this machine.
    pub fn answer(&self, query: &[u8]) -> Vec<u8> {
        self.write("query.tsq", query);
        self.openssl("ts -reply -queryfile query.tsq -out reply.tsr");
        std::fs::read(self.path("reply.tsr")).expect("the reply")
    }

    /// A reply that says another instant, signed as a true one is.
    pub fn answer_at(&self, digest: &[u8; 32], nonce: u64, at: Timestamp) -> Vec<u8> {
        let time = at.strftime("%Y%m%d%H%M%SZ").to_string();
        let mut number = nonce.to_be_bytes().to_vec();
        number.insert(0, 0);
        while number.len() > 1 && number[0] == 0 && number[1] < 0x80 {
            number.remove(0);
        }
        let sha256 = wrap(0x30, &[&wrap(0x06, &[&SHA256_OID]), &[5, 0]]);
        let imprint = wrap(0x30, &[&sha256, &wrap(0x04, &[digest])]);
        let info = wrap(
            0x30,
            &[
                &[2, 1, 1],
                &wrap(0x06, &[&[0x2a, 3, 4, 1]]),
                &imprint,
                &[2, 1, 7],
                &wrap(0x18, &[time.as_bytes()]),
                &wrap(0x02, &[&number]),
            ],
        );
        self.write("info.der", &info);
        self.openssl(
            "cms -sign -binary -nodetach -nosmimecap -cades -md sha256 -in info.der -outform DER \
             -econtent_type 1.2.840.113549.1.9.16.1.4 -signer stamper.pem -inkey stamper.key \
             -certfile chain.pem -out token.der",
        );
        let token = std::fs::read(self.path("token.der")).expect("the token");
        wrap(0x30, &[&[0x30, 3, 2, 1, 0], &token])
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the authority works in a folder of its own"
    )]
    pub fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).expect("a file of the test");
    }

    /// Runs `openssl` in the folder; the words have no spaces in them.
    pub fn openssl(&self, arguments: &str) {
        openssl(self.folder.path(), arguments);
    }
}

fn openssl(folder: &Path, arguments: &str) {
    let output = Command::new("openssl")
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .env("OPENSSL_CONF", folder.join("authority.cnf"))
        .output()
        .expect("openssl is on the machine");
    assert!(
        output.status.success(),
        "openssl {arguments}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

const SHA256_OID: [u8; 9] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01];

fn wrap(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let body = parts.concat();
    let length = body.len();
    let mut bytes = vec![tag];
    match u8::try_from(length) {
        Ok(short) if short < 0x80 => bytes.push(short),
        Ok(one) => bytes.extend([0x81, one]),
        Err(_) => bytes.extend([
            0x82,
            u8::try_from(length >> 8).expect("less than 64 KiB"),
            u8::try_from(length & 0xff).expect("a byte"),
        ]),
    }
    bytes.extend(body);
    bytes
}

pub fn digest_of(document: &[u8]) -> [u8; 32] {
    *sha256(document).as_bytes()
}
