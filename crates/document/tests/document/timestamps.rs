//! Third-party programs accept our timestamps, validation data and archive timestamps, and each fault in an authority's
//! response is named.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use crate::revision_writer::RevisionWriter;
use document::marks::stamp::{Mark, MarkContent};
use document::pki::revocation::{SourceAddress, Sources, check_answer, ocsp_request};
use document::pki::timestamp::{
    FailureInfo, NONCE_BYTES, ResponseStatus, TimestampError, TimestampRequest, TimestampSource, TimestampToken,
};
use document::sealing::validation_data::{ValidationData, add_archive_timestamp, add_validation_data, evidence};
use document::sealing::{SealError, seal, seal_with_timestamp};
use document::verify::{TrustedRoots, Verdict, verify};
use domain::SealLevel;
use domain::field::Placement;
use jiff::{Timestamp, ToSpan};
use lopdf::{Document, Stream, dictionary};
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use testkit::time_stamp_authority::{Fault, POLICY, Revocation, TimeStampAuthority};
use testkit::world::StandingClock;

use crate::judges;
use crate::samples::{HOUSE, References, details, now, signed_by_others, unsigned};

/// A time-stamp authority whose certificate expires in a year.
pub fn authority(revocation: Revocation) -> (Arc<StandingClock>, TimeStampAuthority) {
    let clock = Arc::new(StandingClock::at(now()));
    let authority = TimeStampAuthority::start(Arc::clone(&clock) as _, revocation, now() + (365 * 24).hours());
    (clock, authority)
}

fn roots(authority: &TimeStampAuthority) -> String {
    HOUSE.root.certificate_pem() + &authority.root_pem()
}

/// Returns all validation data needed for the seal and the authority's current certificate.
pub fn data(authority: &TimeStampAuthority, at: Timestamp) -> ValidationData {
    let list = document::pki::revocation::issue_list(&HOUSE.root, &[], 7, at - 1.minute(), at + (24 * 30).hours());
    ValidationData {
        certificates: [HOUSE.key_chain(), vec![authority.certificate(), authority.root()]].concat(),
        revocation_lists: vec![list.expect("a list"), authority.revocation_list()],
        ocsp_responses: Vec::new(),
    }
}

fn b_t(authority: &TimeStampAuthority, references: References) -> Vec<u8> {
    seal_with_timestamp(unsigned(references), &HOUSE.key, &details(true), authority).expect("sealed")
}

fn assert_content(complaints: &[Vec<String>]) {
    let all = complaints.concat();
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn everybody_trusts_a_seal_with_a_timestamp() {
    let (_, authority) = authority(Revocation::None);
    let both = [References::Table, References::Stream].map(|references| b_t(&authority, references));
    assert_content(&judges::complaints_at(
        &both.each_ref().map(Vec::as_slice),
        &roots(&authority),
        now(),
    ));
    for sealed in both {
        let evidence = evidence(&sealed).expect("evidence");
        assert!(evidence.has_timestamp);
        assert_eq!(evidence.archive, None);
        assert_eq!(evidence.chains.len(), 2);
        assert_eq!(evidence.chains[1].certificates[0], authority.certificate());
        assert!(evidence.chains.iter().all(|chain| chain.is_own));
    }
    let plain = seal(unsigned(References::Table), &HOUSE.key, &details(true)).expect("sealed");
    assert!(!evidence(&plain).expect("evidence").has_timestamp);
}

#[test]
fn everybody_trusts_validation_data_and_an_archive_timestamp_with_the_network_cut() {
    for revocation in [Revocation::List, Revocation::Responder] {
        let (_, authority) = authority(revocation);
        let mut data = data(&authority, now());
        if revocation == Revocation::Responder {
            data.revocation_lists.pop();
            data.ocsp_responses.push(authority.ocsp_response());
        }
        let both = [References::Table, References::Stream].map(|references| b_t(&authority, references));
        let extended = |data: &ValidationData| {
            let extended = both.iter().map(|sealed| {
                let archived = add_archive_timestamp(sealed, data, &authority).expect("archived");
                assert!(archived.starts_with(sealed));
                archived
            });
            extended.collect::<Vec<_>>()
        };
        // Without the data, nothing proves that the certificates were valid.
        let (archived, bare) = (extended(&data), extended(&ValidationData::default()));
        let archived: Vec<&[u8]> = archived.iter().map(Vec::as_slice).collect();
        let bare: Vec<&[u8]> = bare.iter().map(Vec::as_slice).collect();
        let roots = roots(&authority);
        assert_content(&judges::complaints_at(&archived, &roots, now()));
        let all = judges::long_term_complaints(&[archived, bare].concat(), &roots, now(), &[]);
        assert_content(&all[..2]);
        assert!(all[2..].iter().all(|complaints| !complaints.is_empty()), "{all:?}");
    }
}

/// B-LT adds the data without an archive timestamp, so no signature covers it.
#[test]
fn everybody_is_content_with_validation_data_alone() {
    let (_, authority) = authority(Revocation::List);
    let sealed = b_t(&authority, References::Stream);
    let extended = add_validation_data(&sealed, &data(&authority, now())).expect("extended");
    assert!(extended.starts_with(&sealed));
    assert_content(&[judges::structure_complaints(&extended)]);
    let complaints = judges::complaints_at(&[&extended], &roots(&authority), now()).concat();
    let covers: Vec<&String> = complaints
        .iter()
        .filter(|complaint| !complaint.contains("covers"))
        .collect();
    assert!(
        covers.iter().all(|complaint| complaint.starts_with("pdfsig")),
        "{complaints:?}"
    );
    // The same data is not written twice.
    let again = add_validation_data(&extended, &data(&authority, now())).expect("extended");
    assert!(
        again.len() < extended.len() + 2500,
        "{} after {}",
        again.len(),
        extended.len()
    );
}

/// Signatures by others that lock nothing do not prevent an archive timestamp on the seal.
#[test]
fn a_file_that_others_signed_first_is_archived_too() {
    let (_, authority) = authority(Revocation::List);
    let signed = signed_by_others(&unsigned(References::Table), &HOUSE.key);
    let sealed = seal_with_timestamp(&signed, &HOUSE.key, &details(false), &authority).expect("sealed");
    let archived = add_archive_timestamp(&sealed, &data(&authority, now()), &authority).expect("archived");
    assert_content(&judges::complaints_at(&[&archived], &roots(&authority), now()));
    // We prove the seal, its timestamp and the archive timestamp. Proving the other signatures is up to their signers.
    let own: Vec<bool> = evidence(&archived)
        .expect("evidence")
        .chains
        .iter()
        .map(|chain| chain.is_own)
        .collect();
    assert_eq!(own, [false, true, true, true]);
}

/// On a signed file, all fields that display the entered values share the seal, which is one signature.
#[test]
fn a_seal_that_several_fields_hold_counts_once() {
    let signed = signed_by_others(&unsigned(References::Table), &HOUSE.key);
    let fonts = document::text::fonts::Fonts::embedded().expect("fonts");
    let marks = [1, 2].map(|page| Mark {
        page,
        placement: Placement {
            x: 100_000,
            y: 500_000,
            width: 300_000,
            height: 50_000,
        },
        content: MarkContent::Check,
    });
    let stamped = document::marks::extend::stamp(&signed, &fonts, &marks).expect("stamped");
    let sealed = seal(&stamped, &HOUSE.key, &details(false)).expect("sealed");
    let chains = evidence(&sealed).expect("evidence").chains;
    let own: Vec<bool> = chains.iter().map(|chain| chain.is_own).collect();
    assert_eq!(own, [false, true]);
}

/// Existing validation data that decompresses beyond the verifiers' limit is not decompressed.
#[test]
fn validation_data_are_added_beside_some_that_are_too_large() {
    const TOO_LARGE: usize = 65 * 1024 * 1024;
    let sealed = seal(unsigned(References::Table), &HOUSE.key, &details(true)).expect("sealed");
    let document = Document::load_mem(&sealed).expect("readable");
    let mut writer = RevisionWriter::new(&sealed, &document).expect("a revision");
    let mut bomb = Stream::new(dictionary! {}, vec![0; TOO_LARGE]);
    bomb.compress().expect("compressed");
    let bomb = writer.add(bomb);
    let root = writer.root();
    let store = dictionary! { "CRLs" => vec![bomb.into()] };
    writer.edit_dictionary(root).expect("a catalog").set("DSS", store);
    let before = writer.finish().expect("written").bytes;
    let added = |list: Vec<u8>| {
        let data = ValidationData {
            revocation_lists: vec![list],
            ..ValidationData::default()
        };
        add_validation_data(&before, &data).expect("extended").len() - before.len()
    };
    // Oversized data is ignored, so even identical data is written again.
    assert!(added(vec![0; TOO_LARGE]) > TOO_LARGE);
    assert!(added(vec![1; 100]) < 5_000);
}

/// The archive timestamp is renewed before the first authority's certificate expires.
#[test]
fn a_file_whose_archive_timestamp_was_renewed_in_time_outlives_the_first_authority_certificate() {
    let (clock, authority) = authority(Revocation::List);
    let sealed = b_t(&authority, References::Table);
    let archived = add_archive_timestamp(&sealed, &data(&authority, now()), &authority).expect("archived");
    let (at, ends) = evidence(&archived)
        .expect("evidence")
        .archive
        .expect("an archive timestamp");
    assert_eq!((at, ends), (now(), now() + (365 * 24).hours()));

    let later = now() + (300 * 24).hours();
    clock.set(later);
    let ends = later + (3 * 365 * 24).hours();
    let second = TimeStampAuthority::start(Arc::clone(&clock) as _, Revocation::List, ends);
    let renewed = add_archive_timestamp(&archived, &data(&authority, later), &second).expect("renewed");
    assert!(renewed.starts_with(&archived));
    assert_eq!(evidence(&renewed).expect("evidence").archive, Some((later, ends)));

    // A file cannot prove that the signer of its last timestamp is still valid, so a verifier fetches that data.
    let after_the_first = now() + (400 * 24).hours();
    clock.set(after_the_first);
    let roots = roots(&authority) + &second.root_pem();
    let fetched = [second.revocation_list(), authority.revocation_list()];
    assert_content(&[judges::structure_complaints(&renewed)]);
    assert_content(&judges::long_term_complaints(
        &[&renewed],
        &roots,
        after_the_first,
        &fetched[..1],
    ));
    let complaints = judges::long_term_complaints(&[&archived], &roots, after_the_first, &fetched);
    assert!(
        !complaints.concat().is_empty(),
        "the one that was not renewed in time is no longer proved"
    );
}

#[test]
fn a_wrong_answer_of_the_authority_is_named() {
    let (_, authority) = authority(Revocation::None);
    let request = TimestampRequest::new([7; 32], [0; NONCE_BYTES], Some(POLICY));
    let ask = || request.accept(&authority.answer(&request.to_der().expect("a request")));
    let token = ask().expect("a token");
    let read = TimestampToken::parse(&token).expect("a token");
    assert_eq!(
        (read.at, read.policy, read.imprint),
        (now(), POLICY, [7; 32].as_slice())
    );

    let fail = |fault| {
        authority.err_by(fault);
        ask().expect_err("refused")
    };
    assert!(matches!(fail(Fault::Imprint), TimestampError::WrongImprint));
    assert!(matches!(fail(Fault::Nonce), TimestampError::WrongNonce));
    assert!(matches!(fail(Fault::Policy), TimestampError::WrongPolicy { .. }));
    assert!(matches!(fail(Fault::Signature), TimestampError::Invalid(_)));
    for (number, expected) in [
        (2, ResponseStatus::Rejection),
        (3, ResponseStatus::Waiting),
        (4, ResponseStatus::RevocationWarning),
        (5, ResponseStatus::RevocationNotification),
        (9, ResponseStatus::Unknown(9)),
    ] {
        match fail(Fault::Status(number)) {
            TimestampError::Refused { status, .. } => assert_eq!(status, expected),
            other => panic!("{other}"),
        }
    }
    assert!(matches!(fail(Fault::Status(0)), TimestampError::NoToken));
    let refusal = fail(Fault::TimeNotAvailable);
    assert_eq!(
        refusal.to_string(),
        "the time-stamp authority returned no timestamp: rejected, its source of time is not available (“the clock stands \
         still”)"
    );
    assert!(matches!(refusal, TimestampError::Refused { failures, .. } if failures == [FailureInfo::TimeNotAvailable]));
    assert!(matches!(fail(Fault::Usage), TimestampError::NotAnAuthority));
}

#[test]
fn a_timestamp_is_of_one_digest_and_needs_its_signers_certificate() {
    let (_, authority) = authority(Revocation::None);
    let digest: [u8; 32] = Sha256::digest(b"what was signed").into();
    let token = authority.timestamp(&digest).expect("a token");
    let read = TimestampToken::parse(&token).expect("a token");
    assert_eq!(read.verify(&digest, &[]).expect("valid"), authority.certificate());
    let other: [u8; 32] = Sha256::digest(b"something else").into();
    assert!(matches!(read.verify(&other, &[]), Err(TimestampError::WrongImprint)));
    // Every changed byte must cause a refusal, and none a panic.
    for place in 0..token.len() {
        let mut wrong = token.clone();
        wrong[place] ^= 0x55;
        if let Ok(read) = TimestampToken::parse(&wrong)
            && read.verify(&digest, &[]).is_ok()
        {
            // Certificates other than the signer's are not covered by any signature.
            assert_eq!(read.at, now());
        }
    }
    for end in 0..token.len() {
        assert!(TimestampToken::parse(&token[..end]).is_err());
    }
}

/// OpenSSL as a different authority: RSA, and fractional seconds.
#[test]
fn a_timestamp_by_openssl_is_taken() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    let configuration = "[tsa]\ndefault_tsa=one\n[one]\nserial=serial\ncrypto_device=builtin\nsigner_digest=sha256\n\
        default_policy=1.2.3.4\ndigests=sha256\nclock_precision_digits=3\ness_cert_id_chain=no\n\
        [req]\ndistinguished_name=dn\n[dn]\n[ext]\nextendedKeyUsage=critical,timeStamping\nkeyUsage=critical,digitalSignature\n";
    std::fs::write(path("tsa.cnf"), configuration).expect("written");
    std::fs::write(path("serial"), "01\n").expect("written");
    openssl(
        directory.path(),
        "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 3650 -subj /CN=TSA -config tsa.cnf \
         -extensions ext",
    );
    for (algorithm, policy) in [("sha256", Some("1.2.3.4")), ("sha1", None)] {
        let configuration = configuration.replace("[one]", &format!("[one]\ness_cert_id_alg={algorithm}"));
        std::fs::write(path("tsa.cnf"), configuration).expect("written");
        let policy = policy.map(|policy| policy.parse().expect("a policy"));
        let request = TimestampRequest::new([9; 32], [0xff; NONCE_BYTES], policy);
        std::fs::write(path("request"), request.to_der().expect("a request")).expect("written");
        openssl(
            directory.path(),
            "ts -reply -config tsa.cnf -queryfile request -signer cert.pem -inkey key.pem -out response",
        );
        let response = std::fs::read(path("response")).expect("a response");
        request.accept(&response).expect("taken");
    }
}

fn openssl(directory: &Path, arguments: &str) {
    let output = std::process::Command::new("openssl")
        .args(arguments.split_whitespace())
        .current_dir(directory)
        .output()
        .expect("openssl runs; run script/bootstrap --tests");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_certificate_names_where_its_revocation_is_asked() {
    let (_, by_list) = authority(Revocation::List);
    let named = |sources: &[SourceAddress]| sources.iter().map(ToString::to_string).collect::<Vec<_>>();
    let sources = Sources::of(&by_list.certificate()).expect("sources");
    assert_eq!(named(&sources.lists), [by_list.url().replace("/tsa", "/root.crl")]);
    assert!(sources.responders.is_empty());

    let (_, by_responder) = authority(Revocation::Responder);
    let sources = Sources::of(&by_responder.certificate()).expect("sources");
    assert_eq!(
        named(&sources.responders),
        [by_responder.url().replace("/tsa", "/ocsp")]
    );
    let (certificate, root) = (by_responder.certificate(), by_responder.root());
    let request = ocsp_request(&certificate, &root).expect("a request");
    assert!(request.len() > 60);
    let response = by_responder.ocsp_response();
    let answer = check_answer(&response, &certificate, &root, now()).expect("good");
    assert_eq!(answer.next_update, Some(now() + 24.hours()));
    assert!(check_answer(&response, &by_list.certificate(), &by_list.root(), now()).is_err());
    for end in 0..response.len() {
        assert!(check_answer(&response[..end], &certificate, &root, now()).is_err());
    }
}

#[test]
fn a_seal_fails_as_a_whole_where_the_authority_does() {
    let (_, authority) = authority(Revocation::None);
    authority.err_by(Fault::TimeNotAvailable);
    let error = seal_with_timestamp(unsigned(References::Table), &HOUSE.key, &details(true), &authority);
    assert!(matches!(
        error,
        Err(SealError::Timestamp(TimestampError::Refused { .. }))
    ));
}

/// Files at B-LTA, also after one renewal, with the roots to trust and the time at which to judge them.
struct Archived {
    files: [(Vec<u8>, Timestamp); 2],
    roots: TrustedRoots,
}

impl Archived {
    fn judge(&self, pdf: &[u8], at: Timestamp) -> Verdict {
        verify(pdf, &self.roots, at)
    }
}

static ARCHIVED: LazyLock<Archived> = LazyLock::new(|| {
    let (clock, authority) = authority(Revocation::List);
    let sealed = b_t(&authority, References::Table);
    let archived = add_archive_timestamp(&sealed, &data(&authority, now()), &authority).expect("archived");
    let later = now() + (300 * 24).hours();
    clock.set(later);
    let ends = later + (3 * 365 * 24).hours();
    let second = TimeStampAuthority::start(Arc::clone(&clock) as _, Revocation::Responder, ends);
    let renewed = add_archive_timestamp(&archived, &data(&authority, later), &second).expect("renewed");
    let pem = roots(&authority) + &second.root_pem();
    Archived {
        files: [(archived, now()), (renewed, now() + (400 * 24).hours())],
        roots: TrustedRoots::from_pem(&pem).expect("roots"),
    }
});

/// The value of the last signature with its angle brackets, which is the only part it does not cover.
fn last_gap(pdf: &[u8]) -> std::ops::Range<usize> {
    let key = pdf
        .windows(9)
        .rposition(|window| window == b"/Contents")
        .expect("a value");
    let from = |start: usize, byte: u8| start + pdf[start..].iter().position(|at| *at == byte).expect("a bracket");
    let start = from(key, b'<');
    start..from(start, b'>') + 1
}

#[test]
fn a_renewed_file_passes_here_after_the_first_authority_certificate_has_ended() {
    for (number, (pdf, at)) in ARCHIVED.files.iter().enumerate() {
        let verdict = ARCHIVED.judge(pdf, *at);
        assert!(verdict.holds() && verdict.holds_strictly(), "{verdict:?}");
        assert_eq!(verdict.signatures.len(), 2 + number);
        assert_eq!(verdict.signatures[0].level, Some(SealLevel::Archive), "{verdict:?}");
        let proved = verdict.signatures[0].proved_at.as_ref().expect("a proved time");
        assert_eq!(proved.at, now());
    }
    // Without a timely renewal, the file is no longer proved.
    let late = ARCHIVED.judge(&ARCHIVED.files[0].0, ARCHIVED.files[1].1);
    assert!(!late.holds_strictly(), "{late:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// In a B-LTA file, the last timestamp covers every byte except its own value, including the seal's value with its
    /// timestamp, the validation data and the earlier timestamps.
    #[test]
    fn a_flipped_bit_of_an_archived_file_is_always_rejected(
        renewed in any::<bool>(), place in any::<prop::sample::Index>(), bit in 0_u8..8,
    ) {
        let (whole, moment) = &ARCHIVED.files[usize::from(renewed)];
        let mut pdf = whole.clone();
        let gap = last_gap(&pdf);
        let at = place.index(pdf.len() - gap.len());
        let at = if at < gap.start { at } else { at + gap.len() };
        pdf[at] ^= 1 << bit;
        prop_assert!(!ARCHIVED.judge(&pdf, *moment).holds(), "byte {at}, bit {bit}");
    }

    /// Changing the value of the last timestamp leads to a rejection or to an unchanged verdict.
    #[test]
    fn a_changed_digit_of_the_last_timestamp_is_rejected_or_says_the_same(
        renewed in any::<bool>(), place in any::<prop::sample::Index>(), digit in 0_u8..16,
    ) {
        let (whole, moment) = &ARCHIVED.files[usize::from(renewed)];
        let mut pdf = whole.clone();
        let gap = last_gap(&pdf);
        let digits = if digit % 2 == 0 { 3000 } else { gap.len() - 2 };
        let at = gap.start + 1 + place.index(digits);
        let new = b"0123456789abcdef"[usize::from(digit)];
        prop_assume!(pdf[at] != new);
        pdf[at] = new;
        let (before, after) = (ARCHIVED.judge(whole, *moment), ARCHIVED.judge(&pdf, *moment));
        prop_assert!(!after.holds() || after == before, "digit {at}");
    }

    #[test]
    fn a_cut_archived_file_never_passes_as_what_it_was(
        renewed in any::<bool>(), place in any::<prop::sample::Index>(),
    ) {
        let (whole, moment) = &ARCHIVED.files[usize::from(renewed)];
        let verdict = ARCHIVED.judge(&whole[..place.index(whole.len())], *moment);
        // Cut at the end of a revision, the file is an earlier version with fewer signatures.
        prop_assert!(!verdict.holds() || verdict.signatures.len() < 2 + usize::from(renewed));
    }
}
