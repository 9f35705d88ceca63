//! Uploads signed by pyHanko: visibly or invisibly, several times, certified, with locks and timestamps. After our
//! seal, pyHanko judges each signature as before.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use document::intake::{Limits, Refused, inspect};
use document::marks::extend;
use document::marks::stamp::{Mark, MarkContent};
use document::sealing::seal;
use document::text::fonts::Fonts;
use document::text::layout::TextStyle;
use domain::field::Placement;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use testkit::scale::Scale;

use crate::pages::{PageForm, page_file};
use crate::samples::{HOUSE, References, details, now, unsigned};

/// Options with which pyHanko signed a file.
#[derive(Debug, Deserialize)]
struct Signed {
    restriction: String,
    has_room: bool,
}

/// The result of pyHanko for a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a finding of its own")]
pub struct Judged {
    pub intact: bool,
    pub valid: bool,
    trusted: bool,
    /// Whether the later changes are allowed.
    pub allowed: bool,
}

/// Returns pyHanko's results for each signature of several files, by field name.
pub fn judged(root: &Path, at: Timestamp, files: &[&Path]) -> Vec<BTreeMap<String, Judged>> {
    let at = at.to_string();
    let mut arguments = vec![Path::new("judge"), Path::new(&at), root];
    arguments.extend(files);
    let judged = lines(&python(&arguments));
    assert_eq!(judged.len(), files.len());
    judged
}

fn python(arguments: &[&Path]) -> String {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(crate_folder.join("../../.tools/venv/bin/python"))
        .arg(crate_folder.join("tests/document/signed_uploads.py"))
        .args(arguments)
        .output()
        .expect("pyHanko is there (script/bootstrap --tests)");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("lines")
}

fn lines<T: serde::de::DeserializeOwned>(text: &str) -> Vec<T> {
    let read = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    text.lines().map(read).collect()
}

fn mark(page: u32, content: MarkContent) -> Mark {
    Mark {
        page,
        placement: Placement {
            x: 200_000,
            y: 300_000,
            width: 500_000,
            height: 100_000,
        },
        content,
    }
}

/// The signers' entries on the first and last page.
fn marks(pages: usize) -> Vec<Mark> {
    let text = MarkContent::Text {
        text: "김민준 山田太郎 1,234.56".to_owned(),
        style: TextStyle::default(),
    };
    let last = u32::try_from(pages).expect("few pages");
    vec![mark(1, text), mark(last, MarkContent::Check)]
}

#[test]
fn earlier_signatures_of_uploads_are_as_good_for_pyhanko_as_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: String| -> PathBuf { folder.path().join(name) };
    let upright = PageForm {
        media: [0, 0, 595, 842],
        ..PageForm::PLAIN
    };
    let plain = [
        unsigned(References::Table),
        unsigned(References::Stream),
        page_file(PageForm::CROPPED),
        page_file(upright),
        page_file(PageForm { rotate: 90, ..upright }),
    ];
    for (number, pdf) in plain.iter().enumerate() {
        std::fs::write(path(format!("plain-{number}.pdf")), pdf).expect("written");
    }
    let count = Scale::SignedUploads.count();
    let signed: Vec<Signed> = lines(&python(&[
        Path::new("sign"),
        folder.path(),
        Path::new(&count.to_string()),
    ]));
    let fonts = Fonts::embedded().expect("fonts");
    let (mut compared, mut refused) = (Vec::new(), BTreeMap::new());
    for (number, signed) in signed.iter().enumerate() {
        let before = path(format!("{number}.pdf"));
        let pdf = std::fs::read(&before).expect("read");
        let taken = match inspect(pdf, &Limits::default()) {
            Ok(taken) => taken,
            Err(reason) => {
                let is_right = matches!(
                    reason,
                    Refused::CertificationForbids { .. }
                        | Refused::LockForbids { .. }
                        | Refused::BrokenSignature { .. }
                );
                assert!(is_right, "{number} {signed:?}: {reason}");
                *refused
                    .entry(format!("{}: {reason}", signed.restriction))
                    .or_insert(0_u32) += 1;
                continue;
            }
        };
        assert!(signed.has_room, "{number} {signed:?} was taken");
        let stamped = extend::stamp(taken.pdf, &fonts, &marks(taken.pages.len())).expect("stamped");
        let sealed = seal(stamped, &HOUSE.key, &details(false)).expect("sealed");
        let after = path(format!("{number}-sealed.pdf"));
        std::fs::write(&after, sealed).expect("written");
        compared.push((number, before, after));
    }
    let all = compared
        .iter()
        .flat_map(|(_, before, after)| [before.as_path(), after.as_path()]);
    let day_after = now() + SignedDuration::from_hours(24);
    let judged = judged(&path("root.pem".to_owned()), day_after, &all.collect::<Vec<_>>());
    for ((number, ..), pair) in compared.iter().zip(judged.chunks(2)) {
        assert!(!pair[0].is_empty());
        for (field, before) in &pair[0] {
            assert_eq!(
                pair[1].get(field),
                Some(before),
                "{number} {:?}, {field}",
                signed[*number]
            );
        }
        // Marks are in signature fields, which lie beneath the seal.
        assert!(pair[1].len() > pair[0].len(), "{number}");
    }
    println!("{count} signed files; {} sealed; refused: {refused:#?}", compared.len());
    assert!(compared.len() * 4 >= signed.len() * 3);
}
