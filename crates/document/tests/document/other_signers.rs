//! Signatures by another program, with algorithms and formats that we do not use for sealing.

use std::path::Path;
use std::process::Command;

use document::intake::{Limits, Refused, inspect};
use document::marks::extend;
use document::marks::stamp::{Mark, MarkContent};
use document::sealing::seal;
use document::text::fonts::Fonts;
use document::verify::{Fault, Means, Note, RevocationData, SignatureKind, TrustedRoots, Verdict, verify, verify_with};
use domain::SealLevel;
use domain::field::Placement;
use jiff::SignedDuration;

use lopdf::dictionary;

use crate::judges;
use crate::samples::{
    HOUSE, References, details, file, now, sign_content_with, sign_with, unsigned, unsigned_document,
};

type Named = Vec<(String, Vec<u8>)>;

/// Returns named files signed by pyHanko, and the root of all signers.
fn signed_by_pyhanko(references: References) -> (Named, TrustedRoots) {
    let (files, roots, _) = signed_with_lists(references);
    (files, roots)
}

/// Returns the files and root of `signed_by_pyhanko` and two revocation lists: one revokes before the signature was
/// made, the other after.
fn signed_with_lists(references: References) -> (Named, TrustedRoots, [Vec<u8>; 2]) {
    let (files, root, lists) = signed_as_others(&unsigned(references));
    (files, TrustedRoots::from_pem(&root).expect("the root"), lists)
}

/// Signs a file with pyHanko in every supported way. Returns the files, the root as PEM and the lists.
fn signed_as_others(plain: &[u8]) -> (Named, String, [Vec<u8>; 2]) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("plain.pdf"), plain).expect("written");
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(crate_folder.join("../../.tools/venv/bin/python"))
        .arg(crate_folder.join("tests/document/sign_as_others.py"))
        .arg(folder.path())
        .output()
        .expect("pyHanko is there (script/bootstrap --tests)");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).expect("names");
    let files = names
        .lines()
        .map(|name| {
            let file = std::fs::read(folder.path().join(format!("{name}.pdf"))).expect("the file");
            (name.to_owned(), file)
        })
        .collect();
    let root = std::fs::read_to_string(folder.path().join("root.pem")).expect("the root");
    let lists = ["before", "after"]
        .map(|name| std::fs::read(folder.path().join(format!("revoked-{name}.crl"))).expect("the list"));
    (files, root, lists)
}

/// Pages with numbers that do not fit in 32 bits.
fn with_long_numbers() -> Vec<u8> {
    let mut document = unsigned_document();
    for page in document.page_iter().collect::<Vec<_>>() {
        let page = document.get_dictionary_mut(page).expect("a page");
        // As long as the numbers that replace them.
        let corners = [0, 0, 5_952_755_740_i64, 8_418_897_640].map(lopdf::Object::Integer);
        page.set("MediaBox", corners.to_vec());
    }
    let mut pdf = file(document, References::Table);
    for (written, meant) in [(b"5952755740", b"595.275574"), (b"8418897640", b"841.889764")] {
        while let Some(at) = pdf.windows(written.len()).position(|window| window == written) {
            pdf[at..at + meant.len()].copy_from_slice(meant);
        }
    }
    pdf
}

/// A tick on the second page.
fn tick() -> Mark {
    Mark {
        page: 2,
        placement: Placement {
            x: 100_000,
            y: 100_000,
            width: 100_000,
            height: 100_000,
        },
        content: MarkContent::Check,
    }
}

/// Sealing keeps the spelling of signed objects that it rewrites, such as a page that gets a widget.
#[test]
fn earlier_signatures_are_as_good_as_before_where_numbers_are_longer_than_32_bits() {
    let (files, other_root, _) = signed_as_others(&with_long_numbers());
    let fonts = Fonts::embedded().expect("fonts");
    let folder = tempfile::tempdir().expect("a folder");
    let written = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        path
    };
    let other_root = written("other.pem", other_root.as_bytes());
    let root = written("root.pem", HOUSE.root.certificate_pem().as_bytes());
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (name, pdf) in files {
        if !["ecdsa-p256-sha256", "pkcs7-detached", "signed-twice"].contains(&name.as_str()) {
            continue;
        }
        let extended = extend::stamp(&pdf, &fonts, &[tick()]).expect("extended");
        let sealed = seal(extended, &HOUSE.key, &details(false)).expect("sealed");
        let appended = String::from_utf8_lossy(&sealed[pdf.len()..]).into_owned();
        assert!(appended.contains("[0 0 595.275574 841.889764]"), "{name}: {appended}");
        before.push(written(&format!("{name}.pdf"), &pdf));
        after.push(written(&format!("{name}-sealed.pdf"), &sealed));
    }
    assert_eq!(before.len(), 3);
    for (files, root) in [(&before, &other_root), (&after, &root)] {
        let paths: Vec<&Path> = files.iter().map(std::path::PathBuf::as_path).collect();
        for (path, mut complaints) in paths.iter().zip(judges::pyhanko(&paths, root)) {
            complaints.extend(judges::qpdf(path));
            assert_eq!(complaints, Vec::<String>::new(), "{}", path.display());
        }
    }
}

fn is_sample_of_format(name: &str) -> bool {
    !name.starts_with("weak-") && !name.starts_with("time-")
}

#[test]
fn signatures_of_every_algorithm_and_format_are_verified() {
    for references in [References::Table, References::Stream] {
        let (files, roots) = signed_by_pyhanko(references);
        assert_eq!(files.len(), 17);
        for (name, pdf) in files {
            if !is_sample_of_format(&name) {
                continue;
            }
            let verdict = verify(&pdf, &roots, now());
            let faults: Vec<String> = verdict.all_faults().map(|(_, fault)| fault.to_string()).collect();
            assert!(verdict.holds_strictly(), "{name}: {}", faults.join("\n"));
            let last = verdict.signatures.last().expect("a signature");
            assert_eq!(last.reason.as_deref(), Some("계약"), "{name}");
            assert_eq!(last.location.as_deref(), Some("서울"), "{name}");
            if name == "certified" {
                assert_eq!(last.kind, SignatureKind::Certification { level: 2 });
            }

            // They are not trusted without their root.
            let verdict = verify(&pdf, &HOUSE.roots(), now());
            assert!(!verdict.holds(), "{name}");
            assert!(
                verdict
                    .all_faults()
                    .all(|(_, fault)| matches!(fault, Fault::UntrustedSigner { .. })),
                "{name}: {:?}",
                verdict.faults
            );

            // A changed page is detected, whichever program signed.
            let mut changed = pdf;
            let at = changed.windows(4).position(|window| window == b"/Pag").expect("a page");
            changed[at + 1] = b'p';
            assert!(!verify(&changed, &roots, now()).holds(), "{name}");
        }
    }
}

/// An earlier signature stays valid after our seal, and the other program confirms it.
#[test]
fn a_file_that_another_program_signed_is_taken_and_approved_and_all_signatures_hold() {
    let (files, mut roots) = signed_by_pyhanko(References::Table);
    for root in HOUSE.roots().certificates() {
        roots.add(root.clone());
    }
    let fonts = Fonts::embedded().expect("fonts");
    let mark = tick();
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("root.pem");
    std::fs::write(&root, HOUSE.root.certificate_pem()).expect("written");
    let mut sealed_files = Vec::new();
    for (name, pdf) in files.into_iter().filter(|(name, _)| is_sample_of_format(name)) {
        let taken = inspect(&pdf, &Limits::default());
        if name == "certified" {
            assert_eq!(taken.err(), Some(Refused::CertificationForbids { level: 2 }));
            continue;
        }
        let taken = taken.unwrap_or_else(|refused| panic!("{name}: {refused}"));
        let extended = extend::stamp(&taken.pdf, &fonts, std::slice::from_ref(&mark)).expect("extended");
        let sealed = seal(&extended, &HOUSE.key, &details(false)).expect("sealed");
        assert!(sealed.starts_with(&pdf), "{name}");
        let verdict = verify(&sealed, &roots, now());
        let faults: Vec<String> = verdict.all_faults().map(|(_, fault)| fault.to_string()).collect();
        assert!(verdict.holds_strictly(), "{name}: {}", faults.join("\n"));
        let path = folder.path().join(format!("{name}.pdf"));
        std::fs::write(&path, sealed).expect("written");
        sealed_files.push(path);
    }
    let paths: Vec<&Path> = sealed_files.iter().map(std::path::PathBuf::as_path).collect();
    for (path, complaints) in paths.iter().zip(judges::pyhanko(&paths, &root)) {
        assert_eq!(complaints, Vec::<String>::new(), "{}", path.display());
    }
}

/// A signature with a broken algorithm is reported and proves nothing. Other changes are reported too.
#[test]
fn weak_algorithms_are_named() {
    let (files, roots) = signed_by_pyhanko(References::Table);
    for (name, weak) in [("weak-sha1", "SHA-1"), ("weak-rsa-1024", "RSA, 1024 bits")] {
        let (_, pdf) = files.iter().find(|(found, _)| found == name).expect("the file");
        let named = Fault::WeakAlgorithm { name: weak.to_owned() };
        let verdict = verify(pdf, &roots, now());
        let faults: Vec<&Fault> = verdict.all_faults().map(|(_, fault)| fault).collect();
        assert!(!verdict.holds());
        assert_eq!(faults, [&named], "{name}");
        let refused = inspect(pdf.clone(), &Limits::default()).err();
        let is_named = matches!(&refused, Some(Refused::WeakSignature { algorithm, .. }) if algorithm == weak);
        assert!(is_named, "{name}: {refused:?}");

        let mut changed = pdf.clone();
        let at = changed
            .windows(6)
            .position(|window| window == b"Page 1")
            .expect("a page");
        changed[at + 5] = b'9';
        let verdict = verify(&changed, &roots, now());
        assert!(
            verdict.all_faults().any(|(_, fault)| *fault == Fault::DigestMismatch),
            "{name}"
        );
    }
}

#[test]
fn a_signature_of_the_sha1_format_is_read_and_named_weak() {
    let extra = dictionary! { "SubFilter" => "adbe.pkcs7.sha1" };
    let sign = |content: &[u8]| {
        let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA1_FOR_LEGACY_USE_ONLY, content);
        document::pki::cms::sign_content(&HOUSE.key, const_oid::db::rfc5911::ID_DATA, digest.as_ref()).expect("a value")
    };
    let pdf = sign_content_with(&unsigned(References::Table), &extra, sign);
    let verdict = verify(&pdf, &HOUSE.roots(), now());
    let faults: Vec<&Fault> = verdict.all_faults().map(|(_, fault)| fault).collect();
    let weak = Fault::WeakAlgorithm {
        name: "SHA-1".to_owned(),
    };
    assert_eq!(faults, [&weak]);

    let pdf = sign_content_with(&unsigned(References::Table), &extra, |_| sign(b"something else"));
    let verdict = verify(&pdf, &HOUSE.roots(), now());
    assert!(verdict.all_faults().any(|(_, fault)| *fault == Fault::DigestMismatch));
}

/// Reads CMS in BER: indefinite lengths around the message, and the signature in pieces.
#[test]
fn a_message_in_ber_is_read() {
    let sign = |spoil: bool| {
        sign_with(
            &unsigned(References::Table),
            &dictionary! {},
            &dictionary! {},
            |digest| {
                let mut value = open(&document::pki::cms::sign(&HOUSE.key, digest).expect("a value"), 0);
                if spoil {
                    let at = value.len() - 20;
                    value[at] ^= 1;
                }
                value
            },
        )
    };
    let verdict = verify(&sign(false), &HOUSE.roots(), now());
    assert!(verdict.holds_strictly(), "{verdict:#?}");
    assert!(!verify(&sign(true), &HOUSE.roots(), now()).holds());
}

/// Re-encodes the value with indefinite lengths down to the signer, whose octet string is in two pieces.
fn open(der: &[u8], depth: usize) -> Vec<u8> {
    const SIGNER: usize = 4;
    let (tag, short) = (der[0], usize::from(der[1]));
    let head = if short < 0x80 { 2 } else { 2 + (short & 0x7f) };
    let content = &der[head..];
    let mut opened;
    if depth == SIGNER + 1 && tag == 0x04 {
        opened = vec![0x24, 0x80];
        for piece in [&content[..10], &content[10..]] {
            opened.extend([0x04, u8::try_from(piece.len()).expect("short")]);
            opened.extend(piece);
        }
    } else if (depth <= 2 && tag & 0x20 != 0) || (depth == 3 && tag == 0x31) || (depth == SIGNER && tag == 0x30) {
        opened = vec![tag, 0x80];
        let mut rest = content;
        while !rest.is_empty() {
            let length = length_of(rest);
            opened.extend(open(&rest[..length], depth + 1));
            rest = &rest[length..];
        }
    } else {
        return der.to_vec();
    }
    opened.extend([0, 0]);
    opened
}

fn length_of(der: &[u8]) -> usize {
    let short = usize::from(der[1]);
    if short < 0x80 {
        return 2 + short;
    }
    let count = short & 0x7f;
    let length = der[2..2 + count]
        .iter()
        .fold(0, |sum, octet| sum << 8 | usize::from(*octet));
    2 + count + length
}

/// Returns the verdict some days after everything was signed.
fn after(days: i64, pdf: &[u8], roots: &TrustedRoots) -> Verdict {
    verify(pdf, roots, now() + SignedDuration::from_hours(24 * days))
}

/// The signer's certificate expires after 365 days, the first authority's after 30, the second's after 3,000.
#[test]
fn a_timestamp_proves_when_a_signature_was_there_as_long_as_it_is_renewed_in_time() {
    let (files, roots) = signed_by_pyhanko(References::Table);
    let file = |name: &str| &files.iter().find(|(found, _)| found == name).expect("the file").1;

    let plain = after(1, file("ecdsa-p256-sha256"), &roots);
    let signature = plain.signatures.first().expect("a signature");
    assert_eq!((signature.level, &signature.proved_at), (Some(SealLevel::Basic), &None));
    assert!(signature.notes.contains(&Note::TimeNotProved));

    let stamped = after(1, file("time-stamped"), &roots);
    let signature = stamped.signatures.first().expect("a signature");
    assert!(stamped.holds_strictly(), "{stamped:#?}");
    assert_eq!(signature.level, Some(SealLevel::Timestamp));
    let proved = signature.proved_at.as_ref().expect("a proved time");
    assert_eq!((proved.at, proved.authority.as_str()), (now(), "First authority"));
    assert!(!signature.notes.contains(&Note::TimeNotProved));
    // After the authority's certificate expires, the timestamp proves nothing. After the signer's expires, the
    // signature is no longer accepted.
    let later = after(40, file("time-stamped"), &roots);
    assert!(later.holds() && later.signatures[0].proved_at.is_none(), "{later:#?}");
    let expired = |verdict: &Verdict| {
        verdict
            .all_faults()
            .any(|(_, fault)| matches!(fault, Fault::CertificateExpired { .. }))
    };
    let later = after(400, file("time-stamped"), &roots);
    assert!(!later.holds() && expired(&later), "{later:#?}");

    let renewed = after(400, file("time-renewed"), &roots);
    assert!(renewed.holds_strictly(), "{renewed:#?}");
    assert_eq!(
        renewed.signatures[0].proved_at.as_ref().map(|proved| proved.at),
        Some(now())
    );
    assert_eq!(renewed.signatures[1].kind, SignatureKind::DocumentTimestamp);
    let too_late = after(400, file("time-too-late"), &roots);
    let proved = too_late.signatures[0].proved_at.as_ref().expect("a proved time");
    assert!(proved.by_document_timestamp && too_late.holds(), "{too_late:#?}");
    assert!(after(2900, file("time-renewed"), &roots).holds_strictly());
    assert!(!after(3100, file("time-renewed"), &roots).holds());

    // No root vouches for the authorities here, so no time is proved.
    let stranger = verify(file("time-renewed"), &HOUSE.roots(), now());
    assert!(
        stranger
            .signatures
            .iter()
            .all(|signature| signature.proved_at.is_none())
    );

    // A timestamp of another signature does not apply to this one.
    let mut forged = file("time-stamped").clone();
    let at = forged
        .windows(6)
        .position(|window| window == b"Page 1")
        .expect("a page");
    forged[at + 5] = b'9';
    assert!(!after(1, &forged, &roots).holds());
}

#[test]
fn a_revoked_certificate_is_named_where_it_was_revoked_before_the_proved_time() {
    let (files, roots, [before, later]) = signed_with_lists(References::Table);
    let (_, pdf) = files.iter().find(|(name, _)| name == "time-revoked").expect("the file");
    let judge = |list: &[u8]| {
        let means = Means {
            roots: roots.clone(),
            revocation: RevocationData {
                lists: vec![list.to_vec()],
                responses: Vec::new(),
            },
        };
        verify_with(pdf, &means, now() + SignedDuration::from_hours(24 * 5))
    };
    let revoked = judge(&before);
    let is_named = |(_, fault): (Option<&str>, &Fault)| matches!(fault, Fault::CertificateRevoked { .. });
    assert!(!revoked.holds() && revoked.all_faults().any(is_named), "{revoked:#?}");
    let good = judge(&later);
    assert!(good.holds_strictly(), "{good:#?}");
    // Both lists are reported: one as a fault, the other as a later revocation.
    let [signature] = good.signatures.as_slice() else {
        panic!("{good:#?}")
    };
    assert!(
        signature.revocation().is_none() && signature.later_revocation().is_some(),
        "{signature:#?}"
    );
    let [signature] = revoked.signatures.as_slice() else {
        panic!("{revoked:#?}")
    };
    assert!(
        signature.revocation().is_some() && signature.later_revocation().is_none(),
        "{signature:#?}"
    );

    // A changed list, or one signed by someone else, is ignored.
    let mut spoilt = before.clone();
    let last = spoilt.len() - 1;
    spoilt[last] ^= 1;
    assert!(judge(&spoilt).holds_strictly());
    let unknown = |note: &Note| matches!(note, Note::RevocationUnknown { .. });
    assert!(judge(&spoilt).signatures[0].notes.iter().any(unknown));
}
