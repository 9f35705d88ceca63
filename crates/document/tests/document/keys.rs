//! Tests of keys and of the certificates that the installation's authority issues.

use std::path::{Path, PathBuf};

use document::pki::authority::{AuthorityError, SealSubject, create_root, issue_seal_certificate};
use document::pki::keys::{
    KeyError, KeyKind, PrivateKey, SealKey, SignatureAlgorithm, Signer, certificates_from_pem, certificates_to_pem,
    warm_up,
};
use jiff::{SignedDuration, ToSpan, tz::TimeZone};
use x509_cert::Certificate;
use x509_cert::der::Decode;
use x509_cert::ext::pkix::{AuthorityKeyIdentifier, BasicConstraints, KeyUsage, SubjectKeyIdentifier};

use crate::judges;
use crate::samples::{HOUSE, House, References, details, now, unsigned};

fn certificate(key: &SealKey) -> Certificate {
    Certificate::from_der(&key.certificates()[0]).expect("a certificate")
}

#[test]
fn the_root_may_issue_seal_certificates_and_nothing_below_them() {
    let root = certificate(&HOUSE.root);
    let body = root.tbs_certificate();
    assert_eq!(body.subject(), body.issuer());
    let (is_critical, constraints) = body.get_extension::<BasicConstraints>().unwrap().expect("constraints");
    assert!(is_critical && constraints.ca);
    assert_eq!(constraints.path_len_constraint, Some(0));
    let (is_critical, usage) = body.get_extension::<KeyUsage>().unwrap().expect("a key usage");
    assert!(is_critical && usage.key_cert_sign() && usage.crl_sign() && !usage.digital_signature());
}

#[test]
fn a_seal_certificate_may_sign_and_issue_nothing() {
    let seal = certificate(&HOUSE.key);
    let body = seal.tbs_certificate();
    let (is_critical, constraints) = body.get_extension::<BasicConstraints>().unwrap().expect("constraints");
    assert!(is_critical && !constraints.ca);
    let (is_critical, usage) = body.get_extension::<KeyUsage>().unwrap().expect("a key usage");
    assert!(is_critical && usage.digital_signature() && usage.non_repudiation() && !usage.key_cert_sign());
    let issuer = certificate(&HOUSE.root);
    let (_, of_issuer) = issuer
        .tbs_certificate()
        .get_extension::<SubjectKeyIdentifier>()
        .unwrap()
        .expect("its id");
    let (_, named) = body
        .get_extension::<AuthorityKeyIdentifier>()
        .unwrap()
        .expect("the issuer's id");
    assert_eq!(named.key_identifier, Some(of_issuer.0));
    assert!(body.subject().to_string().contains("example"));
}

#[test]
fn certificates_are_valid_for_ten_years_from_a_day_before() {
    let validity = *certificate(&HOUSE.key).tbs_certificate().validity();
    let seconds = |time: x509_cert::time::Time| i64::try_from(time.to_unix_duration().as_secs()).unwrap();
    assert_eq!(
        seconds(validity.not_before),
        (now() - SignedDuration::from_hours(24)).as_second()
    );
    let end = now()
        .to_zoned_datetime(TimeZone::UTC)
        .checked_add(10.years())
        .unwrap()
        .timestamp();
    assert_eq!(seconds(validity.not_after), end.as_second());
    assert_eq!(HOUSE.key.not_after().as_second(), end.as_second());
    // The root must outlive them to renew them.
    let thirty = now().to_zoned_datetime(TimeZone::UTC).checked_add(30.years()).unwrap();
    assert_eq!(HOUSE.root.not_after().as_second(), thirty.timestamp().as_second());
}

#[test]
fn a_seal_certificate_ends_with_its_root() {
    let later = now() + SignedDuration::from_hours(24 * 365 * 25);
    let subject = SealSubject {
        company_name: "Later",
        company_id: "later",
        revocation_list: None,
    };
    let key = issue_seal_certificate(&HOUSE.root, &subject, KeyKind::EcdsaP256, later).expect("a certificate");
    assert_eq!(key.not_after(), HOUSE.root.not_after());
}

#[test]
fn serial_numbers_are_long_and_never_the_same() {
    let serials: std::collections::BTreeSet<Vec<u8>> = (0..20)
        .map(|_| create_root("Root", KeyKind::EcdsaP256, now()).expect("a root"))
        .map(|root| certificate(&root).tbs_certificate().serial_number().as_bytes().to_vec())
        .collect();
    assert_eq!(serials.len(), 20);
    assert!(serials.iter().all(|serial| serial.len() == 16 && serial[0] & 0x80 == 0));
}

#[test]
fn a_name_longer_than_a_certificate_holds_is_cut() {
    let subject = SealSubject {
        company_name: &"가".repeat(100),
        company_id: "long",
        revocation_list: None,
    };
    let key = issue_seal_certificate(&HOUSE.root, &subject, KeyKind::EcdsaP256, now()).expect("a certificate");
    assert!(
        certificate(&key)
            .tbs_certificate()
            .subject()
            .to_string()
            .contains(&"가".repeat(64))
    );
}

#[test]
fn only_an_authority_issues() {
    let subject = SealSubject {
        company_name: "Impostor",
        company_id: "impostor",
        revocation_list: None,
    };
    let error = issue_seal_certificate(&HOUSE.key, &subject, KeyKind::EcdsaP256, now())
        .map(|_| ())
        .unwrap_err();
    assert!(matches!(error, AuthorityError::NotAnAuthority), "{error}");
}

#[test]
fn a_key_comes_back_from_what_is_kept_of_it() {
    for (kind, algorithm) in [
        (KeyKind::EcdsaP256, SignatureAlgorithm::EcdsaSha256),
        (KeyKind::Rsa3072, SignatureAlgorithm::RsaPkcs1Sha256),
    ] {
        let house = House::new(kind);
        let kept = house.key.to_pkcs8().expect("PKCS#8");
        let pem = certificates_to_pem(house.key.certificates());
        let again = SealKey::new(&kept, certificates_from_pem(&pem).expect("certificates")).expect("the key");
        assert_eq!(again.algorithm(), algorithm);
        assert_eq!(again.certificates(), house.key.certificates());
        again.prove(now()).expect("it can seal");
    }
}

#[test]
fn a_key_with_anothers_certificate_is_refused() {
    let other = PrivateKey::generate(KeyKind::EcdsaP256)
        .and_then(|key| key.to_pkcs8())
        .expect("a key");
    let error = SealKey::new(&other, HOUSE.key.certificates().to_vec()).expect_err("refused");
    assert!(matches!(error, KeyError::CertificateForAnotherKey), "{error}");
}

#[test]
fn what_is_no_key_or_no_certificate_is_refused() {
    let key = HOUSE.key.to_pkcs8().expect("a key");
    assert!(matches!(SealKey::new(b"no key", vec![]), Err(KeyError::UnsupportedKey)));
    assert!(matches!(SealKey::new(&key, vec![]), Err(KeyError::NoCertificate)));
    let error = SealKey::new(&key, vec![HOUSE.key.certificates()[0].clone(), b"noise".to_vec()]).expect_err("refused");
    assert!(
        matches!(error, KeyError::UnreadableCertificate { position: 2, .. }),
        "{error}"
    );
    assert!(certificates_from_pem("no PEM").is_err());
}

/// A key that cannot seal is detected before people sign.
#[test]
fn a_key_whose_certificate_has_expired_does_not_prove() {
    HOUSE.key.prove(now()).expect("it can seal now");
    let error = HOUSE
        .key
        .prove(now() + SignedDuration::from_hours(24 * 366 * 10))
        .expect_err("refused");
    assert!(matches!(error, KeyError::NotInItsTime { .. }), "{error}");
    let error = HOUSE
        .key
        .prove(now() - SignedDuration::from_hours(25))
        .expect_err("refused");
    assert!(matches!(error, KeyError::NotInItsTime { .. }), "{error}");
}

#[test]
fn the_library_warms_up() {
    warm_up().expect("it works");
}

/// Keys as OpenSSL creates and packs them: its arguments, and the algorithm we sign with, if supported.
const OTHERS_KEYS: [(&str, &str, Option<SignatureAlgorithm>); 8] = [
    (
        "p256",
        "EC -pkeyopt ec_paramgen_curve:P-256",
        Some(SignatureAlgorithm::EcdsaSha256),
    ),
    (
        "p384",
        "EC -pkeyopt ec_paramgen_curve:P-384",
        Some(SignatureAlgorithm::EcdsaSha384),
    ),
    ("ed25519", "ED25519", Some(SignatureAlgorithm::Ed25519)),
    (
        "rsa2048",
        "RSA -pkeyopt rsa_keygen_bits:2048",
        Some(SignatureAlgorithm::RsaPkcs1Sha256),
    ),
    (
        "rsa4096",
        "RSA -pkeyopt rsa_keygen_bits:4096",
        Some(SignatureAlgorithm::RsaPkcs1Sha256),
    ),
    ("rsa1024", "RSA -pkeyopt rsa_keygen_bits:1024", None),
    ("p521", "EC -pkeyopt ec_paramgen_curve:P-521", None),
    ("ed448", "ED448", None),
];

fn openssl_in(folder: &Path, arguments: &str) {
    let output = std::process::Command::new("openssl")
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .output()
        .expect("openssl runs; run script/bootstrap --tests");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Creates and packs each of [`OTHERS_KEYS`] with a certificate of one authority, and returns the authority's PEM.
fn pack_with_openssl(folder: &Path) -> String {
    let openssl = |arguments: &str| openssl_in(folder, arguments);
    let extensions = "keyUsage=critical,digitalSignature,nonRepudiation\n";
    std::fs::write(folder.join("ext"), extensions).expect("written");
    openssl("req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 90 -subj /CN=Authority");
    for (name, make, _) in OTHERS_KEYS {
        openssl(&format!("genpkey -algorithm {make} -out {name}.key"));
        openssl(&format!("req -new -key {name}.key -out {name}.csr -subj /CN={name}"));
        openssl(&format!(
            "x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out {name}.pem -days 30 -extfile ext"
        ));
        openssl(&format!(
            "pkcs12 -export -inkey {name}.key -in {name}.pem -certfile ca.pem -passout pass:geheim -out {name}.p12"
        ));
    }
    std::fs::read_to_string(folder.join("ca.pem")).expect("PEM")
}

/// Every supported key seals files that all verifiers accept. Unsupported keys are refused immediately.
#[test]
fn a_key_of_every_kind_that_can_seal_comes_from_pkcs12_and_seals() {
    let folder = tempfile::tempdir().expect("a folder");
    let authority = pack_with_openssl(folder.path());
    let path = |name: &str| folder.path().join(name);
    let mut files = Vec::new();
    for (name, _, algorithm) in OTHERS_KEYS {
        let file = std::fs::read(path(&format!("{name}.p12"))).expect("a file");
        let read = SealKey::from_pkcs12(&file, "geheim");
        let Some(algorithm) = algorithm else {
            let refused = read.expect_err(name);
            assert!(matches!(refused, KeyError::UnsupportedKey), "{name}: {refused}");
            continue;
        };
        let key = read.expect(name);
        assert_eq!(key.algorithm(), algorithm);
        let now = jiff::Timestamp::now();
        document::verify::prove_foreign_key(&key, now).expect(name);
        let kept = key.to_pkcs8().expect(name);
        let key = SealKey::new(&kept, key.certificates().to_vec()).expect(name);
        let details = document::sealing::SealDetails {
            at: now,
            ..details(true)
        };
        let sealed = document::sealing::seal(unsigned(References::Table), &key, &details).expect(name);
        let roots = document::verify::TrustedRoots::from_pem(&authority).expect("a root");
        let verdict = document::verify::verify(&sealed, &roots, now);
        assert!(verdict.holds(), "{name}: {verdict:?}");
        let file = path(&format!("{name}.pdf"));
        std::fs::write(&file, &sealed).expect("written");
        let mut complaints = judges::qpdf(&file);
        // Poppler's NSS does not support Ed25519 in CMS.
        if algorithm != SignatureAlgorithm::Ed25519 {
            complaints.extend(judges::pdfsig(&file));
        }
        assert!(complaints.is_empty(), "{name}: {}", complaints.join("\n"));
        files.push(file);
    }
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    for (file, complaints) in files.iter().zip(judges::pyhanko(&files, &path("ca.pem"))) {
        assert!(complaints.is_empty(), "{}: {}", file.display(), complaints.join("\n"));
    }
}

/// Importing a key and accepting its seals follow the same rule.
#[test]
fn a_key_is_taken_from_elsewhere_only_if_our_verifier_accepts_its_seals() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    let openssl = |arguments: &str| openssl_in(folder.path(), arguments);
    openssl("req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 90 -subj /CN=Authority");
    openssl("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem");
    openssl("req -new -key key.pem -out key.csr -subj /CN=Seal");
    openssl("pkcs8 -topk8 -nocrypt -outform DER -in key.pem -out key.der");
    let pkcs8 = std::fs::read(folder.path().join("key.der")).expect("a key");
    let root = std::fs::read_to_string(folder.path().join("ca.pem")).expect("PEM");
    let roots = document::verify::TrustedRoots::from_pem(&root).expect("a root");
    for (extensions, is_accepted) in [
        ("keyUsage=digitalSignature", true),
        ("extendedKeyUsage=emailProtection", true),
        ("extendedKeyUsage=1.3.6.1.5.5.7.3.36", true),
        ("extendedKeyUsage=serverAuth,emailProtection", true),
        ("keyUsage=keyEncipherment", false),
        ("extendedKeyUsage=serverAuth", false),
        ("extendedKeyUsage=timeStamping", false),
        ("extendedKeyUsage=codeSigning,OCSPSigning", false),
        ("1.2.3.4=critical,ASN1:NULL", false),
        ("basicConstraints=CA:TRUE", false),
    ] {
        write("ext", &format!("{extensions}\n"));
        openssl("x509 -req -in key.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out own.pem -days 30 -extfile ext");
        let own = std::fs::read_to_string(folder.path().join("own.pem")).expect("PEM");
        let now = jiff::Timestamp::now();
        let certificates = certificates_from_pem(&format!("{own}{root}")).expect("certificates");
        let key = SealKey::new(&pkcs8, certificates).expect("a key");
        let proved = document::verify::prove_foreign_key(&key, now);
        assert_eq!(proved.is_ok(), is_accepted, "{extensions}: {proved:?}");
        if let Err(refused) = &proved {
            assert!(matches!(refused, KeyError::NotForSealing(_)), "{extensions}: {refused}");
        }
        // An authority's certificate is refused although the verifier would follow it.
        if extensions.starts_with("basic") {
            continue;
        }
        let at = document::sealing::SealDetails {
            at: now,
            ..details(true)
        };
        let sealed = document::sealing::seal(unsigned(References::Table), &key, &at).expect("sealed");
        let verdict = document::verify::verify(&sealed, &roots, now);
        assert_eq!(verdict.holds(), is_accepted, "{extensions}: {verdict:?}");
    }
}

/// A verifier requires every certificate of the chain to be valid, so the first expiry date applies to the key.
#[test]
fn a_key_ends_with_the_first_certificate_of_its_chain_that_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let openssl = |arguments: &str| openssl_in(folder.path(), arguments);
    openssl("req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 10 -subj /CN=Authority");
    openssl("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem");
    openssl("req -new -key key.pem -out key.csr -subj /CN=Seal");
    openssl("x509 -req -in key.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out own.pem -days 300");
    openssl("pkcs8 -topk8 -nocrypt -outform DER -in key.pem -out key.der");
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect("a file");
    let pem = String::from_utf8([read("own.pem"), read("ca.pem")].concat()).expect("PEM");
    let key = SealKey::new(&read("key.der"), certificates_from_pem(&pem).expect("two")).expect("a key");
    let days = key.not_after().duration_since(jiff::Timestamp::now()).as_hours() / 24;
    assert!((8..=10).contains(&days), "{days}");
    assert_eq!(
        document::pki::keys::end_of_certificates(&pem).expect("an end"),
        key.not_after()
    );
}
