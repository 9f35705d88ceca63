//! A folder in which OpenSSL and `SoftHSM` create keys, certificates and tokens.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use crate::support::{Said, Temporary};

const MODULE: &str = "/usr/lib/softhsm/libsofthsm2.so";
const PIN: &str = "1234";

pub struct Bench(TempDir);

impl Bench {
    pub fn new() -> Bench {
        let bench = Bench(tempfile::tempdir().expect("a folder"));
        fs::create_dir(bench.path("tokens")).expect("a folder");
        let configuration = format!(
            "directories.tokendir = {}\nobjectstore.backend = file\n",
            bench.path("tokens").display()
        );
        fs::write(bench.path("softhsm2.conf"), configuration).expect("written");
        bench.openssl("req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 3000 -subj /CN=Authority");
        bench
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(self.0.path())
            .env("SOFTHSM2_CONF", self.path("softhsm2.conf"))
            .output()
            .unwrap_or_else(|error| panic!("{program} does not run ({error}); run script/bootstrap --tests"));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {arguments:?}: {said}");
    }

    pub fn openssl(&self, arguments: &str) {
        self.run("openssl", &arguments.split_whitespace().collect::<Vec<_>>());
    }

    /// Creates a key and a certificate with these extensions, valid for `days`, also packed as PKCS#12.
    pub fn certify(&self, name: &str, days: u32, extensions: &str) {
        self.openssl(&format!("ecparam -name prime256v1 -genkey -noout -out {name}.sec1"));
        self.openssl(&format!("pkcs8 -topk8 -nocrypt -in {name}.sec1 -out {name}.key"));
        self.certify_key(name, days, extensions);
    }

    /// Like [`Self::certify`], but for an existing key.
    pub fn certify_key(&self, name: &str, days: u32, extensions: &str) {
        fs::write(self.path("ext"), format!("{extensions}\n")).expect("written");
        self.openssl(&format!("req -new -key {name}.key -out {name}.csr -subj /CN={name}"));
        self.openssl(&format!(
            "x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out {name}.pem -days {days} -extfile ext"
        ));
        self.openssl(&format!(
            "pkcs12 -export -inkey {name}.key -in {name}.pem -certfile ca.pem -passout pass:geheim -out {name}.p12"
        ));
    }

    /// Creates a new token that contains this key.
    pub fn token_with(&self, key: &str) {
        self.new_token();
        self.import_into_token(key, "01");
    }

    pub fn new_token(&self) {
        let pins = ["--so-pin", "5678", "--pin", PIN];
        self.run(
            "softhsm2-util",
            &[&["--init-token", "--free", "--label", "Seals"][..], &pins].concat(),
        );
    }

    pub fn import_into_token(&self, key: &str, id: &str) {
        let file = format!("{key}.key");
        let arguments = [
            "--import", &file, "--token", "Seals", "--label", key, "--id", id, "--pin", PIN,
        ];
        self.run("softhsm2-util", &arguments);
    }

    /// Creates an installation with a company, and configures the token.
    pub fn installation(&self) -> Temporary {
        Temporary::with_company()
            .with("SOFTHSM2_CONF", &self.text("softhsm2.conf"))
            .with("COUNTERSIGN_PKCS11__MODULE", MODULE)
            .with("COUNTERSIGN_PKCS11__PIN", PIN)
    }
}

/// Runs `company key use-token` with a key of the token.
pub fn use_token(here: &Temporary, company: &str, key: &str, certificates: &str) -> Said {
    let uri = format!("pkcs11:token=Seals;object={key}");
    let key = ["--uri", &uri, "--certificates", certificates];
    here.say(&[&["company", "key", "use-token", "--company", company][..], &key].concat())
}
