//! The first inputs of every target.

use const_oid::db::rfc3161::ID_CT_TST_INFO;
use const_oid::db::rfc5280::ID_KP_TIME_STAMPING;
use document::pki::authority::{CertificateRequest, extension, issue_certificate};
use document::pki::keys::{KeyKind, PrivateKey, SealKey, Signer};
use document::pki::timestamp::{TimestampError, TimestampSource};
use document::pki::{cms, revocation};
use document::sealing::seal;
use document::sealing::validation_data::{ValidationData, add_archive_timestamp, add_validation_data};
use jiff::ToSpan;
use x509_cert::ext::pkix::ExtendedKeyUsage;

use crate::cms::DIGEST;
use crate::materials::{details, now, sample, seal_key};

/// `FIELDS.json` of the contract that the tests send. The test kit itself is too large a dependency for a fuzzer.
const CONTRACT_FIELDS: &[u8] = include_bytes!("../../testkit/src/demo/employment_contract.json");
/// A PNG of four pixels.
const PICTURE: &[u8] = &[
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0, 253, 212, 154,
    115, 0, 0, 0, 16, 73, 68, 65, 84, 120, 218, 99, 248, 207, 0, 4, 255, 25, 32, 20, 0, 27, 242, 3, 253, 62, 151, 93,
    164, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
];

pub struct Seed {
    /// The name of its target in [`crate::TARGETS`].
    pub target: &'static str,
    /// A name that is unique within the target.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Returns the first inputs of all targets. Each reaches the code that its target tests.
pub fn seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    let mut put = |target: &'static str, name: &str, bytes: &[u8]| {
        seeds.push(Seed {
            target,
            name: name.to_owned(),
            bytes: bytes.to_vec(),
        });
    };
    for (name, file) in samples() {
        put("intake", &name, &file);
        put("reader", &name, &file);
        // The form's field has no appearance, which we only draw in unsigned files.
        if name.starts_with("form") {
            continue;
        }
        // Signed as if by others, because our own approval would lock the file.
        let stamped = add_archive_timestamp(&file, &ValidationData::default(), &Authority).expect("stamped");
        put("intake", &format!("stamped-{name}"), &stamped);
    }
    let data = ValidationData {
        certificates: seal_key().key.certificates().to_vec(),
        revocation_lists: vec![list()],
        ocsp_responses: Vec::new(),
    };
    for (name, file, certified) in sealed() {
        if certified {
            let long = add_validation_data(&file, &data).expect("extended");
            put("verify", &format!("long-{name}"), &long);
            put("reader", &format!("long-{name}"), &long);
        }
        let kind = if certified { "certified" } else { "approved" };
        put("verify", &format!("{kind}-{name}"), &file);
    }
    let token = token(&DIGEST);
    put("cms", "token", &token);
    put(
        "cms",
        "response",
        &tlv(0x30, &[&[0x30_u8, 3, 2, 1, 0][..], &token].concat()),
    );
    put("cms", "message", &cms::sign(&seal_key().key, &DIGEST).expect("signed"));
    put("cms", "list", &list());
    for (number, certificate) in seal_key().key.certificates().iter().enumerate() {
        put("cms", &format!("certificate-{number}"), certificate);
    }
    put("fields", "contract", CONTRACT_FIELDS);
    let texts = [
        ("telephone", "010-1234-5678"),
        ("mail", "kim@example.com"),
        ("number", "-1234.50"),
        ("formula", "[a] * 3 + 0.5"),
        ("date", "yyyy-MM-dd"),
    ];
    for (name, text) in texts {
        put("fields", name, text.as_bytes());
    }
    for (name, text) in [("korean", "근로계약서 서명 3,000"), ("arabic", "العربية 😀 עברית")] {
        put("overlay", name, &[&[1_u8, 8, 8, 220, 90][..], text.as_bytes()].concat());
    }
    put("overlay", "picture", &[&[0_u8, 9, 9, 90, 90][..], PICTURE].concat());
    seeds
}

/// Small files with and without a form, with cross-reference tables and with object streams.
fn samples() -> Vec<(String, Vec<u8>)> {
    [("table", false), ("stream", true)]
        .iter()
        .flat_map(|(references, as_stream)| {
            [("plain", false), ("form", true)]
                .map(|(kind, form)| (format!("{kind}-{references}"), sample(form, *as_stream)))
        })
        .collect()
}

/// Returns the samples sealed with a certification and with an approval.
pub(crate) fn sealed() -> Vec<(String, Vec<u8>, bool)> {
    let key = &seal_key().key;
    samples()
        .iter()
        .flat_map(|(name, file)| {
            [true, false].map(|certify| {
                let sealed = seal(file, key, &details(certify)).expect("a sample is sealed");
                (name.clone(), sealed, certify)
            })
        })
        .collect()
}

fn list() -> Vec<u8> {
    revocation::issue_list(&seal_key().root, &[], 1, now() - 1.minute(), now() + 24.hours()).expect("a list")
}

/// A time-stamp authority that responds immediately.
struct Authority;

impl TimestampSource for Authority {
    fn timestamp(&self, digest: &[u8; 32]) -> Result<Vec<u8>, TimestampError> {
        Ok(token(digest))
    }
}

/// Returns the token of a time-stamp response (RFC 3161, 2.4.2) to the request made by the `cms` target.
fn token(digest: &[u8; 32]) -> Vec<u8> {
    let root = &seal_key().root;
    let key = PrivateKey::generate(KeyKind::EcdsaP256).expect("a key");
    let usage = extension(true, &ExtendedKeyUsage(vec![ID_KP_TIME_STAMPING])).expect("an extension");
    let request = CertificateRequest {
        common_name: "Fuzz authority",
        extensions: vec![usage],
        not_before: now() - 1.hour(),
        not_after: now() + 24.hours(),
    };
    let certificate = issue_certificate(Some(root), &key, request).expect("a certificate");
    let authority = SealKey::from_key(key, vec![certificate]).expect("a key");
    let sha256 = [0x30, 0x0b, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1];
    let imprint = tlv(0x30, &[&sha256[..], &tlv(4, digest)].concat());
    // The nonce that a request derives from `[1; 16]`.
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
    cms::sign_content(&authority, ID_CT_TST_INFO, &tlv(0x30, &info)).expect("a token")
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
