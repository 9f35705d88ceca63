//! Stamping, sealing and verifying beside pyHanko, which does the same with the same files in the same run.
//!
//! The file is the demo contract of two pages. Timestamps come from one authority over HTTP, for both. pyHanko does a little
//! more when it verifies (it would look at revocation, of which there is none here); both find the signature valid and
//! trusted.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use ::document::authority::{SealSubject, create_root, issue_seal_certificate};
use ::document::demo::employment_contract;
use ::document::fonts::Fonts;
use ::document::keys::{KeyKind, Signer};
use ::document::seal::{SealDetails, seal, seal_with_timestamp};
use ::document::stamp::{Mark, MarkContent, stamp};
use ::document::text_layout::TextStyle;
use ::document::timestamp::{NONCE_BYTES, TimestampError, TimestampRequest, TimestampSource};
use ::document::verify::{TrustedRoots, verify};
use domain::field::Placement;
use jiff::{Timestamp, ToSpan};
use testkit::time_stamp_authority::{Revocation, TimeStampAuthority};
use testkit::world::StandingClock;

use crate::machine::{idle_share, percentile};

/// Rounds that are measured; one more goes before.
const ROUNDS: usize = 200;

/// Prints the table's rows. What they are held against needs `.tools/venv` (`script/bootstrap --tests`).
pub fn measure(folder: &Path) {
    let at = Timestamp::now();
    let fonts = Fonts::embedded().expect("the embedded fonts");
    let root = create_root("Bench", KeyKind::EcdsaP256, at).expect("a root");
    let subject = SealSubject {
        company_name: "Bench",
        company_id: "bench",
        revocation_list: None,
    };
    let key = issue_seal_certificate(&root, &subject, KeyKind::EcdsaP256, at).expect("a certificate");
    let roots = TrustedRoots::new(root.certificates().to_vec());
    let details = SealDetails {
        reason: "Bench".to_owned(),
        name: "Bench".to_owned(),
        location: None,
        at,
        certify: true,
        mark: None,
    };
    let texts: Vec<String> = (1..=10)
        .map(|number| format!("서울특별시 종로구 세종대로 {number}번지 김민준"))
        .collect();
    let marks: Vec<Mark> = texts
        .iter()
        .zip(0..)
        .map(|(text, number)| Mark {
            page: 1,
            placement: Placement {
                x: 100_000,
                y: 80_000 * (number + 1),
                width: 600_000,
                height: 40_000,
            },
            content: MarkContent::Text {
                text: text.clone(),
                style: TextStyle {
                    size: Some(10.0),
                    ..TextStyle::default()
                },
            },
        })
        .collect();
    let plain = employment_contract(&fonts).expect("the demo contract");
    let stamped = stamp(&plain, &fonts, &marks).expect("stamped");
    let sealed = seal(&stamped, &key, &details).expect("sealed");
    assert!(
        verify(&sealed, &roots, at).holds_strictly(),
        "the bench's file does not verify"
    );

    let clock = Arc::new(StandingClock::at(at));
    let authority = TimeStampAuthority::start(clock, Revocation::None, at + (24 * 365).hours());
    let asking = Asking(authority.url());
    println!(
        "| idle share of the processors before | {:.0} % | | |",
        idle_share() * 100.0
    );
    let ours = [
        median_ms(|| drop(stamp(&plain, &fonts, &marks).expect("stamped"))),
        median_ms(|| drop(seal(&stamped, &key, &details).expect("sealed"))),
        median_ms(|| drop(seal_with_timestamp(&stamped, &key, &details, &asking).expect("sealed"))),
        median_ms(|| assert!(verify(&sealed, &roots, at).holds())),
    ];

    let files: [(&str, Vec<u8>); 8] = [
        ("tsa.url", authority.url().into_bytes()),
        ("plain.pdf", plain),
        ("stamped.pdf", stamped),
        ("sealed.pdf", sealed),
        ("key.der", key.to_pkcs8().expect("the key").to_vec()),
        ("certificate.pem", key.certificate_pem().into_bytes()),
        ("root.pem", root.certificate_pem().into_bytes()),
        ("texts.json", serde_json::to_vec(&texts).expect("JSON")),
    ];
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).expect("the peer's files are written");
    }
    let peer = pyhanko(folder);
    let names = [
        ("stamp", "stamp 10 Korean texts on the demo contract"),
        ("seal", "seal it, B-B, P-256"),
        ("seal_timestamped", "seal it, B-T, P-256"),
        ("verify", "verify it"),
    ];
    for (ours, (key, name)) in ours.into_iter().zip(names) {
        let theirs = peer.get(key).and_then(serde_json::Value::as_f64).unwrap_or(f64::NAN);
        println!(
            "| {name} | {ours:.2} ms | pyHanko {theirs:.1} ms | {:.0} times faster |",
            theirs / ours
        );
    }
}

/// Asks over HTTP, as pyHanko does.
struct Asking(String);

impl TimestampSource for Asking {
    fn timestamp(&self, digest: &[u8; 32]) -> Result<Vec<u8>, TimestampError> {
        let request = TimestampRequest::new(*digest, [1; NONCE_BYTES], None);
        let body = request.to_der()?;
        let host = self.0.trim_start_matches("http://").trim_end_matches("/tsa");
        let ask = || {
            let mut stream = TcpStream::connect(host)?;
            let head = format!(
                "POST /tsa HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/timestamp-query\r\n\
                 content-length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all(&[head.as_bytes(), &body].concat())?;
            stream.shutdown(std::net::Shutdown::Write)?;
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer)?;
            Ok(answer)
        };
        let answer: Vec<u8> = ask().map_err(|error: std::io::Error| TimestampError::Unreachable(error.to_string()))?;
        let end = answer.windows(4).position(|window| window == b"\r\n\r\n");
        request.accept(end.and_then(|end| answer.get(end + 4..)).unwrap_or_default())
    }
}

fn median_ms(mut work: impl FnMut()) -> f64 {
    work();
    let mut samples: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            work();
            started.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    percentile(&mut samples, 0.5)
}

fn pyhanko(folder: &Path) -> serde_json::Value {
    let repository = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let output = Command::new(repository.join(".tools/venv/bin/python"))
        .arg(repository.join("script/bench_pyhanko.py"))
        .arg(folder)
        .arg(repository.join("ui/node_modules/pretendard/dist/public/static/Pretendard-Regular.otf"))
        .output()
        .expect("the peer runs (script/bootstrap --tests makes its environment)");
    assert!(
        output.status.success(),
        "pyHanko: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("the peer's figures")
}
