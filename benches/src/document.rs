//! Measures stamping, sealing and verifying, compared with pyHanko on the same files in the same run.
//!
//! The file is the demo contract of two pages. Both programs fetch timestamps from one authority over HTTP. pyHanko
//! does a little more when it verifies: it would check revocation, but these certificates have no revocation data. Both
//! find the signature valid and trusted. They take turns, and are compared by real time and by processor time. Only
//! real time includes the authority's own work.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use ::document::marks::stamp::{Mark, MarkContent, stamp};
use ::document::pki::authority::{SealSubject, create_root, issue_seal_certificate};
use ::document::pki::keys::{KeyKind, Signer};
use ::document::pki::timestamp::{NONCE_BYTES, TimestampError, TimestampRequest, TimestampSource};
use ::document::sealing::{SealDetails, seal, seal_with_timestamp};
use ::document::text::fonts::Fonts;
use ::document::text::layout::TextStyle;
use ::document::verify::{TrustedRoots, verify};
use domain::field::Placement;
use jiff::{Timestamp, ToSpan};
use testkit::demo::employment_contract;
use testkit::time_stamp_authority::{Revocation, TimeStampAuthority};
use testkit::world::StandingClock;

use crate::machine::{Stopwatch, Took, idle_share};
use crate::peer::{Peer, repository};

const ROUNDS: usize = 40;
/// Our runs per round, for each single run of the peer.
const TURN: usize = 5;

/// Prints the table's rows. The peer needs `.tools/venv` (`script/bootstrap --tests`). The function is long because all
/// rows share the files that it creates first.
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
        is_test: false,
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
    let files: [(&str, Vec<u8>); 8] = [
        ("tsa.url", authority.url().into_bytes()),
        ("plain.pdf", plain.clone()),
        ("stamped.pdf", stamped.clone()),
        ("sealed.pdf", sealed.clone()),
        ("key.der", key.to_pkcs8().expect("the key").to_vec()),
        ("certificate.pem", key.certificate_pem().into_bytes()),
        ("root.pem", root.certificate_pem().into_bytes()),
        ("texts.json", serde_json::to_vec(&texts).expect("JSON")),
    ];
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).expect("the peer's files are written");
    }
    let font = repository().join("ui/node_modules/pretendard/dist/public/static/Pretendard-Regular.otf");
    let mut peer = Peer::start("pyHanko", "bench_pyhanko.py", &[folder.to_owned(), font]);
    println!(
        "| idle share of the processors before | {:.0} % | | |",
        idle_share() * 100.0
    );
    let figures: [Figure<'_>; 4] = [
        Figure {
            name: "stamp 10 Korean texts on the demo contract",
            peer: "stamp",
            rounds: 4,
            least: 40,
            work: &|| drop(stamp(&plain, &fonts, &marks).expect("stamped")),
        },
        Figure {
            name: "seal it, B-B, P-256",
            peer: "seal",
            rounds: ROUNDS,
            least: 30,
            work: &|| drop(seal(&stamped, &key, &details).expect("sealed")),
        },
        Figure {
            name: "seal it, B-T, P-256",
            peer: "seal_timestamped",
            rounds: ROUNDS,
            least: 20,
            work: &|| drop(seal_with_timestamp(&stamped, &key, &details, &asking).expect("sealed")),
        },
        Figure {
            name: "verify it",
            peer: "verify",
            rounds: ROUNDS,
            least: 20,
            work: &|| assert!(verify(&sealed, &roots, at).holds()),
        },
    ];
    for figure in figures {
        figure.print(&mut peer);
    }
}

struct Figure<'a> {
    name: &'a str,
    peer: &'a str,
    rounds: usize,
    least: u32,
    work: &'a dyn Fn(),
}

impl Figure<'_> {
    /// Takes turns with the peer. Each runs once as a warm-up before it is measured.
    fn print(&self, peer: &mut Peer) {
        (self.work)();
        peer.work(self.peer);
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..self.rounds {
            for _ in 0..TURN {
                let watch = Stopwatch::start();
                (self.work)();
                ours.push(watch.took());
            }
            theirs.push(peer.work(self.peer));
        }
        let (ours, theirs) = (Took::median(&ours), Took::median(&theirs));
        println!(
            "| {} | {:.3} ms, {:.3} in the processor | pyHanko {:.1} ms, {:.1} in the processor | {:.0} times faster, {:.0} in \
             the processor (at least {}) |",
            self.name,
            ours.wall,
            ours.processor,
            theirs.wall,
            theirs.processor,
            theirs.wall / ours.wall,
            theirs.processor / ours.processor,
            self.least
        );
    }
}

/// Requests timestamps over HTTP, as pyHanko does.
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
