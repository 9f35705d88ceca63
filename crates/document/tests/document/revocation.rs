//! Revocation lists and OCSP responses: the same rules decide which ones count, whether we fetch them for a seal or a
//! verifier receives them. OpenSSL creates some of the test data. The tests build invalid data themselves.

use std::path::Path;
use std::process::Command;

use cms::content_info::ContentInfo;
use cms::signed_data::{SignedData, SignerInfos};
use const_oid::ObjectIdentifier;
use const_oid::db::rfc5280::ID_KP_OCSP_SIGNING;
use der::asn1::{Any, OctetString, SetOfVec};
use der::{Decode, Encode};
use document::pki::authority::{CertificateRequest, distribution_points, extension, issue_certificate};
use document::pki::keys::{KeyKind, PrivateKey, SealKey, Signer, certificates_from_pem};
use document::pki::revocation::{
    Revocation, RevocationError, RevocationReason, Revoked, check_answer, check_list, issue_list, serial_number,
};
use document::sealing::seal;
use document::sealing::validation_data::{ValidationData, add_validation_data};
use document::verify::{Fault, Means, Note, RevocationData, SignatureReport, verify, verify_with};
use jiff::{Timestamp, ToSpan};
use lopdf::dictionary;
use testkit::revocation_data::{List, OcspAnswer, Status, moment, sequence, tlv};
use x509_cert::attr::Attribute;
use x509_cert::ext::pkix::{BasicConstraints, ExtendedKeyUsage, KeyUsage, KeyUsages};

use crate::samples::{HOUSE, House, References, details, now, sign_with, unsigned};

/// A verifier's result for the revocation of our seal's certificate, given some data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Good,
    Revoked,
    Unknown,
}

fn said(sealed: &[u8], revocation: RevocationData) -> Said {
    let means = Means {
        roots: HOUSE.roots(),
        revocation,
    };
    let verdict = verify_with(sealed, &means, now());
    let [signature] = verdict.signatures.as_slice() else {
        panic!("{verdict:?}");
    };
    if matches!(signature.faults.as_slice(), [Fault::CertificateRevoked { .. }]) {
        return Said::Revoked;
    }
    assert!(signature.faults.is_empty(), "{signature:?}");
    let is_unknown = |note: &Note| matches!(note, Note::RevocationUnknown { .. });
    if signature.notes.iter().any(is_unknown) {
        Said::Unknown
    } else {
        Said::Good
    }
}

fn sealed() -> Vec<u8> {
    seal(unsigned(References::Table), &HOUSE.key, &details(true)).expect("sealed")
}

fn own() -> &'static [u8] {
    HOUSE.key.certificates().first().expect("a certificate")
}

fn root() -> &'static [u8] {
    HOUSE.root.certificates().first().expect("a certificate")
}

/// Returns a key certified by `issuer`, with or without permission to answer OCSP requests.
fn responder(issuer: &SealKey, usages: &[ObjectIdentifier], ends: Timestamp) -> SealKey {
    let key = PrivateKey::generate(KeyKind::EcdsaP256).expect("a key");
    let request = CertificateRequest {
        common_name: "Responder",
        extensions: vec![
            extension(true, &KeyUsage(KeyUsages::DigitalSignature.into())).expect("an extension"),
            extension(false, &ExtendedKeyUsage(usages.to_vec())).expect("an extension"),
        ],
        not_before: now() - (24 * 30).hours(),
        not_after: ends,
    };
    let certificate = issue_certificate(Some(issuer), &key, request).expect("a certificate");
    SealKey::from_key(key, vec![certificate]).expect("a key")
}

#[test]
fn an_answer_counts_if_the_issuer_or_its_certified_responder_gives_it_for_that_moment() {
    let sealed = sealed();
    let next_year = now() + (24 * 365).hours();
    let stranger = House::new(KeyKind::EcdsaP256);
    let good = OcspAnswer::good(own(), root(), now());
    let delegated = responder(&HOUSE.root, &[ID_KP_OCSP_SIGNING], next_year);
    let not_for_answers = responder(
        &HOUSE.root,
        &[ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.4")],
        next_year,
    );
    let ended = responder(&HOUSE.root, &[ID_KP_OCSP_SIGNING], now() - 1.hour());
    let of_another = responder(&stranger.root, &[ID_KP_OCSP_SIGNING], next_year);
    let along = |responder: &SealKey| {
        OcspAnswer {
            certificates: responder.certificates().to_vec(),
            ..good.clone()
        }
        .signed_by(responder)
    };
    let with = |change: &dyn Fn(&mut OcspAnswer<'static>)| {
        let mut answer = good.clone();
        change(&mut answer);
        answer.signed_by(&HOUSE.root)
    };
    let mut tampered = good.signed_by(&HOUSE.root);
    *tampered.last_mut().expect("a byte") ^= 1;
    let others = stranger.key.certificates().first().expect("a certificate");
    let about_another = OcspAnswer::good(others, root(), now()).signed_by(&HOUSE.root);
    let of_another_issuer = OcspAnswer {
        issuer: stranger.root.certificates().first().expect("a certificate"),
        ..good.clone()
    };
    for (name, response, expected) in [
        ("good", good.signed_by(&HOUSE.root), Said::Good),
        ("by a certified responder", along(&delegated), Said::Good),
        (
            "revoked",
            with(&|answer| answer.status = Status::Revoked(now() - 1.hour())),
            Said::Revoked,
        ),
        (
            "unknown",
            with(&|answer| answer.status = Status::Unknown),
            Said::Unknown,
        ),
        (
            "expired",
            with(&|answer| {
                answer.this_update = now() - 48.hours();
                answer.next_update = Some(now() - 1.minute());
            }),
            Said::Unknown,
        ),
        (
            "from the future",
            with(&|answer| answer.this_update = now() + 1.hour()),
            Said::Unknown,
        ),
        (
            "without an end, fresh",
            with(&|answer| answer.next_update = None),
            Said::Good,
        ),
        (
            "without an end, old",
            with(&|answer| {
                answer.this_update = now() - 25.hours();
                answer.next_update = None;
            }),
            Said::Unknown,
        ),
        ("of another authority", good.signed_by(&stranger.root), Said::Unknown),
        (
            "by whom the issuer certified for something else",
            along(&not_for_answers),
            Said::Unknown,
        ),
        ("by whose certificate had ended", along(&ended), Said::Unknown),
        ("by another authority's responder", along(&of_another), Said::Unknown),
        ("by the company itself", along(&HOUSE.key), Said::Unknown),
        (
            "by a responder who is not there",
            good.signed_by(&delegated),
            Said::Unknown,
        ),
        (
            "about a later moment than that at which it was made",
            OcspAnswer {
                produced_at: now() - 2.hours(),
                certificates: ended.certificates().to_vec(),
                ..good.clone()
            }
            .signed_by(&ended),
            Said::Unknown,
        ),
        ("tampered", tampered, Said::Unknown),
        ("about another certificate", about_another, Said::Unknown),
        (
            "about another issuer",
            of_another_issuer.signed_by(&HOUSE.root),
            Said::Unknown,
        ),
    ] {
        let fetched = check_answer(&response, own(), root(), now());
        assert_eq!(fetched.is_ok(), expected == Said::Good, "{name}: {fetched:?}");
        assert_eq!(
            matches!(fetched, Err(RevocationError::Revoked(_))),
            expected == Said::Revoked,
            "{name}: {fetched:?}"
        );
        let data = RevocationData {
            responses: vec![response],
            ..RevocationData::default()
        };
        assert_eq!(said(&sealed, data), expected, "{name}");
    }
}

#[test]
fn a_list_counts_if_the_issuer_signed_it_and_it_covers_the_certificate() {
    const POINT: &str = "2.5.29.28";
    let here = "http://pki.example.com/here.crl";
    let key = PrivateKey::generate(KeyKind::EcdsaP256).expect("a key");
    let request = CertificateRequest {
        common_name: "Signer",
        extensions: vec![
            extension(true, &KeyUsage(KeyUsages::DigitalSignature.into())).expect("an extension"),
            extension(false, &distribution_points(here).expect("an address")).expect("an extension"),
        ],
        not_before: now() - 1.hour(),
        not_after: now() + (24 * 365).hours(),
    };
    let certificate = issue_certificate(Some(&HOUSE.root), &key, request).expect("a certificate");
    let signer = SealKey::from_key(key, vec![certificate.clone(), root().to_vec()]).expect("a key");
    let sealed = seal(unsigned(References::Table), &signer, &details(true)).expect("sealed");
    let stranger = House::new(KeyKind::EcdsaP256);
    let plain = List {
        this_update: now() - 1.minute(),
        next_update: Some(now() + 24.hours()),
        extensions: Vec::new(),
    };
    let at = |this_update, next_update| List {
        this_update,
        next_update,
        ..plain.clone()
    };
    // `IssuingDistributionPoint` with one of its parts.
    let scoped = |part: &[u8]| List {
        extensions: vec![(POINT, true, sequence(&[part]))],
        ..plain.clone()
    };
    let point = |address: &str| tlv(0xa0, &tlv(0xa0, &tlv(0x86, address.as_bytes())));
    let flag = |number: u8| vec![0x80 | number, 1, 0xff];
    for (name, list, expected) in [
        ("plain", plain.clone(), Said::Good),
        ("of its distribution point", scoped(&point(here)), Said::Good),
        ("of signers", scoped(&flag(1)), Said::Good),
        (
            "of another point",
            scoped(&point("http://pki.example.com/there.crl")),
            Said::Unknown,
        ),
        ("of authorities", scoped(&flag(2)), Said::Unknown),
        ("for some reasons", scoped(&[0x83, 2, 6, 0x40]), Said::Unknown),
        ("indirect", scoped(&flag(4)), Said::Unknown),
        ("of attribute certificates", scoped(&flag(5)), Said::Unknown),
        (
            "of changes alone",
            List {
                extensions: vec![("2.5.29.27", true, vec![2, 1, 1])],
                ..plain.clone()
            },
            Said::Unknown,
        ),
        (
            "with something critical",
            List {
                extensions: vec![("1.2.3.4", true, vec![5, 0])],
                ..plain.clone()
            },
            Said::Unknown,
        ),
        (
            "with something that is not",
            List {
                extensions: vec![("1.2.3.4", false, vec![5, 0])],
                ..plain.clone()
            },
            Said::Good,
        ),
        (
            "expired",
            at(now() - 48.hours(), Some(now() - 1.minute())),
            Said::Unknown,
        ),
        (
            "from the future",
            at(now() + 1.hour(), Some(now() + 24.hours())),
            Said::Unknown,
        ),
        ("without an end, fresh", at(now() - 1.hour(), None), Said::Good),
        ("without an end, old", at(now() - 25.hours(), None), Said::Unknown),
    ] {
        for (issuer, expected) in [(&HOUSE.root, expected), (&stranger.root, Said::Unknown)] {
            let list = list.signed_by(issuer);
            let fetched = check_list(&list, &certificate, root(), now());
            assert_eq!(fetched.is_ok(), expected == Said::Good, "{name}: {fetched:?}");
            let data = RevocationData {
                lists: vec![list],
                ..RevocationData::default()
            };
            assert_eq!(said(&sealed, data), expected, "{name}");
        }
    }
}

/// An expired certificate may be removed from the list, and a responder may forget it (RFC 5280, 3.3; RFC 6960, 4.4.4).
#[test]
fn what_was_issued_after_the_end_of_a_certificate_counts_only_where_it_reaches_back() {
    let end = now() - 1.hour();
    let key = responder(&HOUSE.root, &[ID_KP_OCSP_SIGNING], end);
    let certificate = key.certificates().first().expect("a certificate");
    let before = now() - 2.hours();
    let (in_time, too_short) = (end - 1.minute(), end + 1.minute());
    for (this_update, kept_since, counts) in [
        (before, None, true),
        (now(), None, false),
        (now(), Some(too_short), false),
        (now(), Some(in_time), true),
    ] {
        let extensions = kept_since.map(|at| ("2.5.29.60", false, moment(at)));
        let list = List {
            this_update,
            next_update: Some(now() + 24.hours()),
            extensions: extensions.into_iter().collect(),
        };
        let listed = check_list(&list.signed_by(&HOUSE.root), certificate, root(), now());
        let answer = OcspAnswer {
            this_update,
            kept_since,
            ..OcspAnswer::good(certificate, root(), now())
        };
        let answered = check_answer(&answer.signed_by(&HOUSE.root), certificate, root(), now());
        for found in [listed, answered] {
            let name = format!("{this_update} {kept_since:?}: {found:?}");
            assert_eq!(found.is_ok(), counts, "{name}");
            assert!(
                counts || matches!(found, Err(RevocationError::AfterItsEnd(at)) if at == end),
                "{name}"
            );
        }
    }
    // A statement that the certificate was revoked always counts.
    let answer = OcspAnswer {
        status: Status::Revoked(end - 1.minute()),
        ..OcspAnswer::good(certificate, root(), now())
    };
    let revoked = check_answer(&answer.signed_by(&HOUSE.root), certificate, root(), now());
    assert!(matches!(revoked, Err(RevocationError::Revoked(_))), "{revoked:?}");
    // Our own list keeps every revoked certificate, and states so.
    let own = issue_list(&HOUSE.root, &[], 1, now(), now() + 24.hours()).expect("a list");
    assert!(check_list(&own, certificate, root(), now()).is_ok());
}

#[test]
fn a_revocation_is_reported_with_its_time_and_reason() {
    let since = now() - 1.hour();
    let number = serial_number(own()).expect("a number");
    let list = |reason| {
        let revoked = Revoked {
            serial_number: &number,
            at: since,
            reason,
        };
        let list = issue_list(&HOUSE.root, &[revoked], 1, now() - 1.minute(), now() + 24.hours()).expect("a list");
        RevocationData {
            lists: vec![list],
            ..RevocationData::default()
        }
    };
    let answer = OcspAnswer {
        status: Status::Revoked(since),
        ..OcspAnswer::good(own(), root(), now())
    };
    let answer = RevocationData {
        responses: vec![answer.signed_by(&HOUSE.root)],
        ..RevocationData::default()
    };
    let reasons = [
        RevocationReason::Unspecified,
        RevocationReason::KeyCompromise,
        RevocationReason::Superseded,
        RevocationReason::CessationOfOperation,
    ];
    let lists = reasons.map(|reason| (reason, list(reason)));
    for (reason, revocation) in lists.into_iter().chain([(RevocationReason::KeyCompromise, answer)]) {
        let means = Means {
            roots: HOUSE.roots(),
            revocation,
        };
        let verdict = verify_with(sealed(), &means, now());
        assert!(!verdict.holds() && verdict.unsound().next().is_none(), "{verdict:?}");
        let told = verdict.signatures.first().and_then(SignatureReport::revocation);
        assert_eq!(told, Some(Revocation { since, reason }));
    }
}

/// A file whose validation data contains this many irrelevant lists and responses, followed by a list from the root.
fn with_junk(count: usize, list: Option<Vec<u8>>) -> Vec<u8> {
    let sealed = sealed();
    let junk = |kind: u8| (0..count).map(move |number| [&[kind][..], &number.to_be_bytes()].concat());
    let data = ValidationData {
        certificates: Vec::new(),
        revocation_lists: junk(1).chain(list).collect(),
        ocsp_responses: junk(2).collect(),
    };
    add_validation_data(&sealed, &data).expect("extended")
}

/// Maximum number of items of one kind read from a file.
const MOST: usize = 256;

#[test]
fn junk_in_a_file_hides_no_revocation() {
    let revoked = Revoked {
        serial_number: &serial_number(own()).expect("a number"),
        at: now() - 1.hour(),
        reason: RevocationReason::KeyCompromise,
    };
    let list = issue_list(&HOUSE.root, &[revoked], 1, now() - 1.minute(), now() + 24.hours()).expect("a list");
    let answer = OcspAnswer {
        status: Status::Revoked(now() - 1.hour()),
        ..OcspAnswer::good(own(), root(), now())
    };
    let by_list = RevocationData {
        lists: vec![list.clone()],
        ..RevocationData::default()
    };
    let by_answer = RevocationData {
        responses: vec![answer.signed_by(&HOUSE.root)],
        ..RevocationData::default()
    };
    for brought in [by_list, by_answer] {
        assert_eq!(said(&with_junk(MOST, None), brought), Said::Revoked);
    }
    // At the limit, and one item beyond it, which is reported.
    let nothing = RevocationData::default;
    assert_eq!(said(&with_junk(MOST - 1, Some(list.clone())), nothing()), Said::Revoked);
    let verdict = verify(&with_junk(MOST, Some(list)), &HOUSE.roots(), now());
    assert!(verdict.faults.contains(&Fault::TooMuchValidationData), "{verdict:?}");
}

/// A seal whose message includes these lists in its signed attributes, as Adobe's programs do (ISO 32000-2,
/// 12.8.3.3.2).
fn archiving(lists: &[Vec<u8>]) -> Vec<u8> {
    let archival = ObjectIdentifier::new_unwrap("1.2.840.113583.1.1.8");
    let value = sequence(&[&tlv(0xa0, &sequence(&[&lists.concat()]))]);
    sign_with(
        &unsigned(References::Table),
        &dictionary! {},
        &dictionary! {},
        |digest| {
            let whole = document::pki::cms::sign(&HOUSE.key, digest).expect("signed");
            let info = ContentInfo::from_der(&whole).expect("a message");
            let mut message: SignedData = info.content.decode_as().expect("a message");
            let mut signer = message.signer_infos.0.as_slice()[0].clone();
            let mut attributes = signer.signed_attrs.take().expect("attributes");
            let values = SetOfVec::try_from(vec![Any::from_der(&value).expect("DER")]).expect("a set");
            attributes.insert(Attribute { oid: archival, values }).expect("another");
            let signature = HOUSE.key.sign(&attributes.to_der().expect("DER")).expect("signed");
            signer.signature = OctetString::new(signature).expect("octets");
            signer.signed_attrs = Some(attributes);
            message.signer_infos = SignerInfos::try_from(vec![signer]).expect("a signer");
            let content = Any::encode_from(&message).expect("DER");
            ContentInfo { content, ..info }.to_der().expect("DER")
        },
    )
}

/// Data in a signature's signed attributes is read like data in the file, up to the same limit.
#[test]
fn lists_that_a_signature_signs_along_count_as_far_as_they_are_read() {
    let entry = Revoked {
        serial_number: &serial_number(own()).expect("a number"),
        at: now() - 1.hour(),
        reason: RevocationReason::KeyCompromise,
    };
    let list_of = |entries: &[Revoked<'_>]| {
        issue_list(&HOUSE.root, entries, 1, now() - 1.minute(), now() + 24.hours()).expect("a list")
    };
    let junk = |count: usize| vec![sequence(&[&[2, 1, 7]]); count];
    let none = RevocationData::default;
    let behind = |count: usize, list: Vec<u8>| [junk(count), vec![list]].concat();
    assert_eq!(said(&archiving(&junk(1)), none()), Said::Unknown);
    assert_eq!(said(&archiving(&behind(MOST - 1, list_of(&[]))), none()), Said::Good);
    assert_eq!(
        said(&archiving(&behind(MOST - 1, list_of(&[entry]))), none()),
        Said::Revoked
    );
    let verdict = verify(&archiving(&behind(MOST, list_of(&[entry]))), &HOUSE.roots(), now());
    let signature = verdict.signatures.first().expect("a signature");
    assert_eq!(signature.faults, [Fault::TooMuchValidationData], "{verdict:?}");
}

/// An authority below another may not sign lists for it.
#[test]
fn a_list_signed_with_a_key_that_may_not_sign_lists_does_not_count() {
    let key = PrivateKey::generate(KeyKind::EcdsaP256).expect("a key");
    let request = CertificateRequest {
        common_name: "Issuer of certificates alone",
        extensions: vec![
            extension(
                true,
                &BasicConstraints {
                    ca: true,
                    path_len_constraint: None,
                },
            )
            .expect("an extension"),
            extension(true, &KeyUsage(KeyUsages::KeyCertSign.into())).expect("an extension"),
        ],
        not_before: now() - 1.hour(),
        not_after: now() + (24 * 365).hours(),
    };
    let certificate = issue_certificate(None, &key, request).expect("a certificate");
    let issuer = SealKey::from_key(key, vec![certificate.clone()]).expect("a key");
    let below = responder(&issuer, &[ID_KP_OCSP_SIGNING], now() + 24.hours());
    let list = List {
        this_update: now(),
        next_update: None,
        extensions: Vec::new(),
    };
    let fetched = check_list(&list.signed_by(&issuer), &below.certificates()[0], &certificate, now());
    assert!(matches!(fetched, Err(RevocationError::NotTheIssuers)), "{fetched:?}");
}

/// Uses an authority, a responder and responses from OpenSSL, which runs at the system's current time.
#[test]
fn what_openssl_answers_and_lists_is_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let openssl = |arguments: &str| run(folder.path(), arguments);
    let path = |name: &str| folder.path().join(name);
    let configuration = "[ca]\ndefault_ca=own\n[own]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\n\
        policy=any\ndefault_days=30\ndefault_crl_days=7\ncrlnumber=number\n[any]\ncommonName=supplied\n\
        [req]\ndistinguished_name=dn\n[dn]\n[root]\nbasicConstraints=critical,CA:TRUE\n\
        keyUsage=critical,keyCertSign,cRLSign\n[user]\nkeyUsage=critical,digitalSignature\n\
        crlDistributionPoints=URI:http://pki.example.com/all.crl\n\
        [responder]\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=OCSPSigning\n\
        [list]\nissuingDistributionPoint=critical,@point\n[point]\nfullname=URI:http://pki.example.com/all.crl\n";
    for (name, content) in [
        ("own.cnf", configuration),
        ("index", ""),
        ("serial", "1000\n"),
        ("number", "01\n"),
    ] {
        std::fs::write(path(name), content).expect("written");
    }
    openssl(
        "req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.pem -days 90 -subj /CN=Root -config own.cnf -extensions root",
    );
    for (name, extensions) in [("good", "user"), ("revoked", "user"), ("responder", "responder")] {
        openssl(&format!(
            "req -new -newkey rsa:2048 -nodes -keyout {name}.key -out {name}.csr -subj /CN={name} -config own.cnf"
        ));
        openssl(&format!(
            "ca -batch -config own.cnf -cert root.pem -keyfile root.key -in {name}.csr -out {name}.pem -extensions {extensions}"
        ));
    }
    openssl("ca -config own.cnf -cert root.pem -keyfile root.key -revoke revoked.pem");
    openssl("ca -config own.cnf -cert root.pem -keyfile root.key -gencrl -crlexts list -out all.pem");
    openssl("crl -in all.pem -outform DER -out all.crl");
    let read = |name: &str| std::fs::read(path(name)).expect("a file");
    let certificate = |name: &str| {
        let pem = String::from_utf8(read(name)).expect("PEM");
        let start = pem.find("-----BEGIN").expect("PEM");
        certificates_from_pem(&pem[start..]).expect("a certificate").remove(0)
    };
    let issuer = certificate("root.pem");
    for signer in ["responder", "root"] {
        for (name, is_good) in [("good", true), ("revoked", false)] {
            let asked = document::pki::revocation::ocsp_request(&certificate(&format!("{name}.pem")), &issuer);
            std::fs::write(path("request"), asked.expect("a request")).expect("written");
            openssl(&format!(
                "ocsp -index index -CA root.pem -rsigner {signer}.pem -rkey {signer}.key -reqin request -respout response \
                 -ndays 1"
            ));
            let user = certificate(&format!("{name}.pem"));
            for fetched in [
                check_answer(&read("response"), &user, &issuer, Timestamp::now()),
                check_list(&read("all.crl"), &user, &issuer, Timestamp::now()),
            ] {
                match fetched {
                    Ok(validity) => assert!(is_good && validity.next_update > Some(Timestamp::now())),
                    Err(RevocationError::Revoked(_)) => assert!(!is_good),
                    Err(other) => panic!("{name}: {other}"),
                }
            }
        }
    }
}

fn run(folder: &Path, arguments: &str) {
    let output = Command::new("openssl")
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .output()
        .expect("openssl runs; run script/bootstrap --tests");
    assert!(
        output.status.success(),
        "{arguments}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}
