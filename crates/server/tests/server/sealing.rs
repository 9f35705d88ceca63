//! Timestamps, the revocation list, and keys in a token, in the real program.

use std::fs;
use std::sync::Arc;

use document::pki::revocation::list_validity;
use document::sealing::validation_data::evidence;
use jiff::{Timestamp, ToSpan};
use testkit::time_stamp_authority::{Fault, Revocation, TimeStampAuthority};
use testkit::world::StandingClock;

use crate::key_bench::{Bench, use_token};
use crate::serving::get;
use crate::support::{Said, Temporary, pdf};

const DIGITAL_SIGNATURE: &str = "keyUsage=critical,digitalSignature";

fn authority(revocation: Revocation) -> TimeStampAuthority {
    // The program uses the machine's time.
    let now = Timestamp::now();
    TimeStampAuthority::start(Arc::new(StandingClock::at(now)), revocation, now + (365 * 24).hours())
}

fn sealing_with(authority: &TimeStampAuthority) -> Temporary {
    // The authority's revocation list and its OCSP responder are on this machine too.
    Temporary::with_company()
        .with("COUNTERSIGN_SEALING__TSA_URL", &authority.url())
        .with("COUNTERSIGN_SEALING__PRIVATE_HOSTS", "[\"127.0.0.1\"]")
}

#[test]
fn a_document_is_archived_over_the_network_and_doctor_asks_the_authority() {
    for revocation in [Revocation::List, Revocation::Responder] {
        let authority = authority(revocation);
        let here = sealing_with(&authority);
        let input = here.file("in.pdf", &pdf());
        let output = input.with_file_name("out.pdf");
        let (input, output) = (input.to_str().expect("a path"), output.to_str().expect("a path"));
        let sealed = here.json(&["document", "seal", "--company", "acme", input, output], "");
        assert_eq!(sealed["level"], "B-LTA");
        let bytes = fs::read(output).expect("the sealed file");
        let evidence = evidence(&bytes).expect("evidence");
        assert!(evidence.has_timestamp && evidence.archive.is_some());

        let doctor = here.say(&["doctor"]);
        assert!(doctor.output.contains("issues timestamps"), "{}", doctor.output);
        assert!(
            doctor.output.contains("support long-term validation"),
            "{}",
            doctor.output
        );
        authority.err_by(Fault::TimeNotAvailable);
        let doctor = here.say(&["doctor"]);
        assert_eq!(doctor.code, Some(1), "{}", doctor.output);
        assert!(doctor.output.contains("the clock stands still"), "{}", doctor.output);

        let sealed = here.json(&["document", "seal", "--company", "acme", input, output], "");
        assert_eq!(sealed["level"], "B-B", "sealed without it");
        here.run(&["company", "set", "acme", "--when-tsa-is-down", "wait"], "");
        let said = here.say(&["document", "seal", "--company", "acme", input, output]);
        assert_ne!(said.code, Some(0), "{}", said.output);
    }
}

/// The operator chose the authority on this machine, but not the addresses in its certificates, so we never connect to
/// those.
#[test]
fn what_a_certificate_names_is_fetched_from_no_private_address_and_doctor_says_what_is_missing() {
    for revocation in [Revocation::List, Revocation::Responder, Revocation::None] {
        let authority = authority(revocation);
        let here = Temporary::with_company().with("COUNTERSIGN_SEALING__TSA_URL", &authority.url());
        let input = here.file("in.pdf", &pdf());
        let output = input.with_file_name("out.pdf");
        let (input, output) = (input.to_str().expect("a path"), output.to_str().expect("a path"));
        let sealed = here.json(&["document", "seal", "--company", "acme", input, output], "");
        let doctor = here.say(&["doctor"]);
        let asked = authority.receiver().received();
        assert!(asked.iter().all(|request| request.path == "/tsa"), "{asked:?}");
        if revocation == Revocation::None {
            assert_eq!(
                (sealed["level"].as_str(), doctor.code),
                (Some("B-T"), Some(0)),
                "{}",
                doctor.output
            );
            let told = "a certificate names neither a revocation list nor an OCSP responder";
            assert!(doctor.output.contains(told), "{}", doctor.output);
        } else {
            assert_eq!(
                (sealed["level"].as_str(), doctor.code),
                (Some("B-T"), Some(1)),
                "{}",
                doctor.output
            );
            assert!(
                doctor.output.contains("the address 127.0.0.1 is not public"),
                "{}",
                doctor.output
            );
            assert!(doctor.output.contains("sealing.private_hosts"), "{}", doctor.output);
        }
    }
}

#[test]
fn root_and_revocation_list_are_served_to_everybody() {
    let here = Temporary::with_company();
    let server = here.serve();
    let fetch = |path: &str| {
        let (status, body) = get(&format!("{}{path}", server.address), None);
        assert_eq!(status, 200, "{path}");
        body
    };
    let root = String::from_utf8(fetch("/ca/root.pem")).expect("PEM");
    assert!(root.starts_with("-----BEGIN CERTIFICATE-----"), "{root}");
    let list = fetch("/ca/root.crl");
    let list = list_validity(&list).expect("a list");
    assert!(list.next_update > Some(Timestamp::now()));
}

/// Trouble 15: without a seal key, the server or the start refuses.
#[test]
fn a_server_that_could_not_seal_does_not_start() {
    let here = Temporary::with_company().with("COUNTERSIGN_SEALING__LEVEL", "B-T");
    let said = here.say(&["serve", "--listen", "127.0.0.1:0"]);
    assert_ne!(said.code, Some(0));
    assert!(said.error.contains("sealing.tsa_url"), "{}", said.error);
    assert!(!said.output.contains("listening"), "{}", said.output);

    let here = Temporary::with_company().with("COUNTERSIGN_PKCS11__MODULE", "/none/such.so");
    let here = here.with("COUNTERSIGN_PKCS11__PIN", "1234");
    let said = here.say(&["serve", "--listen", "127.0.0.1:0"]);
    assert_ne!(said.code, Some(0));
    assert!(said.error.contains("pkcs11.module"), "{}", said.error);
}

#[test]
fn a_company_seals_with_a_key_in_a_token() {
    let bench = Bench::new();
    bench.new_token();
    bench.openssl("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out rsa-seal.key");
    bench.certify_key("rsa-seal", 2000, DIGITAL_SIGNATURE);
    bench.certify("ec-seal", 2000, DIGITAL_SIGNATURE);
    let here = bench.installation();
    let input = here.file("in.pdf", &pdf());
    let output = input.with_file_name("out.pdf");
    let (input, output) = (input.to_str().expect("a path"), output.to_str().expect("a path"));
    for (id, name) in [("00", "ec-seal"), ("01", "rsa-seal")] {
        bench.import_into_token(name, id);
        let certificate = bench.text(&format!("{name}.pem"));
        let said = use_token(&here, "acme", "none", &certificate);
        assert!(said.code != Some(0) && said.error.contains("none"), "{}", said.error);
        let said = use_token(&here, "acme", name, &bench.text("ca.pem"));
        assert_ne!(said.code, Some(0), "another key's certificate: {}", said.output);
        let said = use_token(&here, "acme", name, &certificate);
        assert_eq!(said.code, Some(0), "{}", said.error);
        here.run(&["document", "seal", "--company", "acme", input, output], "");
        let verified = here.say(&["verify", output, "--trust", &bench.text("ca.pem")]);
        assert_eq!(verified.code, Some(0), "{}{}", verified.output, verified.error);
        assert!(verified.output.contains(name), "{}", verified.output);
    }
}

#[test]
fn each_process_tries_a_wrong_pin_once_however_many_keys_need_it() {
    let bench = Bench::new();
    bench.certify("ec", 2000, DIGITAL_SIGNATURE);
    bench.token_with("ec");
    let here = bench.installation();
    here.run(&["company", "add", "second", "--name", "Second"], "");
    for company in ["acme", "second"] {
        let said = use_token(&here, company, "ec", &bench.text("ec.pem"));
        assert_eq!(said.code, Some(0), "{}", said.error);
    }
    let refused = |said: &Said| said.error.matches("a login to the token was refused").count();
    let said = here.say(&["doctor"]);
    assert!(said.output.contains("2 usable"), "{}", said.output);
    assert_eq!(refused(&said), 0, "{}", said.error);
    let here = here.with("COUNTERSIGN_PKCS11__PIN", "4321");
    let said = here.say(&["doctor"]);
    assert_eq!(said.code, Some(1), "{}", said.output);
    assert_eq!(refused(&said), 1, "{}", said.error);
    for company in ["acme", "second"] {
        let told = format!("company {company} cannot seal: the token \"Seals\" refused the PIN: it is wrong");
        assert!(said.output.contains(&told), "{}", said.output);
    }
    assert!(said.output.contains("set pkcs11.pin_file"), "{}", said.output);
}
