//! `seeds FOLDER [CORPUS]`: makes the key and the first inputs of every target, where they are not there yet. What is
//! small enough of the PDF files below CORPUS is taken in as well.

use std::path::{Path, PathBuf};

use const_oid::db::rfc3161::ID_CT_TST_INFO;
use const_oid::db::rfc5280::ID_KP_TIME_STAMPING;
use countersign_fuzz::{details, now, sample, seal_key};
use document::authority::{
    CertificateRequest, SealSubject, create_root, extension, issue_certificate, issue_seal_certificate,
};
use document::demo::EMPLOYMENT_CONTRACT_FIELDS;
use document::keys::{KeyKind, PrivateKey, SealKey, Signer};
use document::seal::seal;
use document::timestamp::TimestampRequest;
use document::validation_data::{ValidationData, add_validation_data};
use document::{cms, revocation};
use jiff::ToSpan;
use x509_cert::ext::pkix::ExtendedKeyUsage;

/// A PNG of four pixels.
const PICTURE: &[u8] = &[
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0, 253, 212, 154,
    115, 0, 0, 0, 16, 73, 68, 65, 84, 120, 218, 99, 248, 207, 0, 4, 255, 25, 32, 20, 0, 27, 242, 3, 253, 62, 151, 93,
    164, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
];
/// Larger files are slow to try.
const LARGEST: u64 = 12_000;

fn main() {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let folder = arguments.next().expect("seeds FOLDER [CORPUS]");
    let corpus = arguments.next();
    // It is the folder that the targets read too.
    assert_eq!(
        countersign_fuzz::folder(),
        folder,
        "COUNTERSIGN_FUZZ names another folder"
    );
    // What the fuzzer found is sealed by the same key, so it is made once.
    if folder.join("seeds").exists() {
        return;
    }
    make_key(&folder.join("seal"));
    let put = |target: &str, name: &str, bytes: &[u8]| {
        let place = folder.join("seeds").join(target);
        std::fs::create_dir_all(&place).expect("a folder");
        std::fs::write(place.join(name), bytes).expect("a seed is written");
    };
    let sealed = seal_key();
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for (name, as_stream) in [("table", false), ("stream", true)] {
        for (form, kind) in [(false, "plain"), (true, "form")] {
            files.push((format!("{kind}-{name}"), sample(form, as_stream)));
        }
    }
    for (name, file) in files.clone() {
        put("intake", &name, &file);
        let certified = seal(&file, &sealed.key, &details(true)).expect("sealed");
        let approved = seal(&file, &sealed.key, &details(false)).expect("approved");
        put("intake", &format!("approved-{name}"), &approved);
        put("verify", &format!("approved-{name}"), &approved);
        let data = ValidationData {
            certificates: sealed.key.certificates().to_vec(),
            revocation_lists: vec![list()],
            ocsp_responses: Vec::new(),
        };
        put(
            "verify",
            &format!("long-{name}"),
            &add_validation_data(&certified, &data).expect("extended"),
        );
        put("verify", &name, &certified);
    }
    for number in 0..6_u8 {
        let mut input = vec![number; 64];
        input
            .iter_mut()
            .zip(0_u8..)
            .for_each(|(byte, place)| *byte = byte.wrapping_mul(37).wrapping_add(place));
        put("revision", &format!("operations-{number}"), &input);
    }
    let digest = [7; 32];
    put("cms", "message", &cms::sign(&sealed.key, &digest).expect("signed"));
    put("cms", "list", &list());
    put(
        "cms",
        "request",
        &TimestampRequest::new(digest, [1; 16], None)
            .to_der()
            .expect("a request"),
    );
    for (number, certificate) in sealed.key.certificates().iter().enumerate() {
        put("cms", &format!("certificate-{number}"), certificate);
    }
    let response = response(&digest);
    // The token begins behind the response's own head and its status.
    put("cms", "response", &response);
    put("cms", "token", response.get(9..).expect("a token"));
    put("fields", "contract", EMPLOYMENT_CONTRACT_FIELDS.as_bytes());
    put(
        "overlay",
        "korean",
        "\x01\x20\x20\x60\x20근로계약서 서명 3,000".as_bytes(),
    );
    put("overlay", "arabic", "\x01\x10\x10\x60\x20العربية 😀 עברית".as_bytes());
    put("overlay", "picture", &[&[0_u8, 9, 9, 90, 90][..], PICTURE].concat());
    if let Some(corpus) = corpus {
        take(&corpus, &mut |name, bytes| {
            put("intake", name, bytes);
            put("verify", name, bytes);
        });
    }
}

fn make_key(place: &Path) {
    std::fs::create_dir_all(place).expect("a folder");
    let root = create_root("Fuzz", KeyKind::EcdsaP256, now()).expect("a root");
    let subject = SealSubject {
        company_name: "Fuzz",
        company_id: "fuzz",
        revocation_list: None,
    };
    let key = issue_seal_certificate(&root, &subject, KeyKind::EcdsaP256, now()).expect("a certificate");
    let certificate = key.certificates().first().expect("its own");
    let write = |name: &str, bytes: &[u8]| std::fs::write(place.join(name), bytes).expect("it is written");
    write("key.der", &key.to_pkcs8().expect("the key"));
    write("certificate.der", certificate);
    write("root-key.der", &root.to_pkcs8().expect("the key"));
    write("root.der", root.certificates().first().expect("its own"));
}

/// The root with its key, for what it signs itself.
fn root() -> SealKey {
    let read = |name: &str| std::fs::read(countersign_fuzz::folder().join("seal").join(name)).expect("it was made");
    SealKey::new(&read("root-key.der"), vec![read("root.der")]).expect("a root")
}

fn list() -> Vec<u8> {
    revocation::issue_list(&root(), &[], 1, now() - 1.minute(), now() + 24.hours()).expect("a list")
}

/// A time-stamp response (RFC 3161, 2.4.2) to the request that the target holds.
fn response(digest: &[u8; 32]) -> Vec<u8> {
    let root = root();
    let key = PrivateKey::generate(KeyKind::EcdsaP256).expect("a key");
    let usage = extension(true, &ExtendedKeyUsage(vec![ID_KP_TIME_STAMPING])).expect("an extension");
    let request = CertificateRequest {
        common_name: "Fuzz authority",
        extensions: vec![usage],
        not_before: now() - 1.hour(),
        not_after: now() + 24.hours(),
    };
    let certificate = issue_certificate(Some(&root), &key, request).expect("a certificate");
    let authority = SealKey::from_key(key, vec![certificate]).expect("a key");
    let sha256 = [0x30, 0x0b, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1];
    let imprint = tlv(0x30, &[&sha256[..], &tlv(4, digest)].concat());
    // The nonce as a request makes it of [1; 16].
    let nonce = tlv(2, &[&[0x41_u8][..], &[1; 15]].concat());
    let info = [
        &[2_u8, 1, 1][..],
        &[6, 3, 0x2a, 3, 4],
        &imprint,
        &[2, 1, 5],
        &tlv(0x18, b"20261118014640Z"),
        &nonce,
    ]
    .concat();
    let token = cms::sign_content(&authority, ID_CT_TST_INFO, &tlv(0x30, &info)).expect("a token");
    tlv(0x30, &[&[0x30_u8, 3, 2, 1, 0][..], &token].concat())
}

fn tlv(tag: u8, value: &[u8]) -> Vec<u8> {
    let mut head = vec![tag];
    match u8::try_from(value.len()) {
        Ok(length) if length < 128 => head.push(length),
        _ => {
            head.push(0x82);
            head.extend(u16::try_from(value.len()).expect("a short value").to_be_bytes());
        }
    }
    [head, value.to_vec()].concat()
}

/// The PDF files below a folder that are small enough.
fn take(folder: &Path, put: &mut impl FnMut(&str, &[u8])) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the corpus is a folder")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            take(&path, put);
        } else if path.extension().is_some_and(|extension| extension == "pdf")
            && path.metadata().is_ok_and(|metadata| metadata.len() <= LARGEST)
        {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            put(&name, &std::fs::read(&path).expect("the file is read"));
        }
    }
}
