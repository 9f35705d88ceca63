//! Tests encrypted files: every revision of the standard security handler, with the user's password, the owner's
//! password, and none.

use std::process::Command;

use document::pdf::Objects as _;
use document::pdf::crypt::Access;
use document::pdf::{File, Rule};

use super::{PAGE, TRAILER, file_of, shared};

/// Encrypts a file with qpdf. `None` if qpdf is not installed.
fn encrypted(arguments: &[&str], file: &[u8]) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().expect("a folder");
    let (plain, result) = (folder.path().join("plain.pdf"), folder.path().join("encrypted.pdf"));
    std::fs::write(&plain, file).expect("it is written");
    let output = Command::new("qpdf")
        .args(arguments)
        .arg(&plain)
        .arg(&result)
        .output()
        .ok();
    let Some(output) = output else {
        eprintln!("skipped: qpdf is not installed");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(std::fs::read(result).expect("a file"))
}

fn text_of(file: &File) -> (Vec<u8>, Vec<u8>) {
    let view = file.latest();
    let page = view.pages().expect("pages")[0];
    let title = view
        .get(view.page(page).expect("a page"), b"Title")
        .expect("it is read")
        .as_str()
        .expect("a string")
        .bytes();
    (view.content(page, 1000).expect("its content"), title)
}

#[test]
fn every_revision_opens_with_both_passwords() {
    let page = PAGE[2].replace("/Contents", "/Title(\\(secret\\))/Contents");
    let plain = file_of(&[PAGE[0], PAGE[1], &page, PAGE[3]], TRAILER);
    for kind in [
        &["40", "--"][..],
        &["128", "--use-aes=n", "--"],
        &["128", "--use-aes=y", "--"],
        &["128", "--use-aes=y", "--cleartext-metadata", "--"],
        &["256", "--force-R5", "--"],
        &["256", "--"],
        &["256", "--cleartext-metadata", "--"],
    ] {
        let passwords = [
            "--allow-weak-crypto",
            "--object-streams=generate",
            "--encrypt",
            "useр€é",
            "owner",
        ];
        // `PDFDocEncoding` has no Cyrillic letters, so older revisions use Latin letters.
        let user = if kind[0] == "256" { passwords[3] } else { "usé" };
        let arguments = [&passwords[..3], &[user, "owner"], kind].concat();
        let Some(file) = encrypted(&arguments, &plain) else {
            return;
        };
        for (password, access) in [(user, Access::User), ("owner", Access::Owner)] {
            let opened = File::open(file.clone(), Some(password)).unwrap_or_else(|defect| panic!("{kind:?}: {defect}"));
            assert_eq!(opened.access(), Some(access), "{kind:?}");
            assert_eq!(
                text_of(&opened),
                (b"0 0 m 9 l".to_vec(), b"(secret)".to_vec()),
                "{kind:?}"
            );
        }
        let rule = |password| {
            File::open(file.clone(), password)
                .map(|_| ())
                .map_err(|defect| defect.rule)
        };
        assert_eq!(rule(None), Err(Rule::PasswordNeeded), "{kind:?}");
        assert_eq!(rule(Some("wrong")), Err(Rule::PasswordWrong), "{kind:?}");
    }
    let arguments = ["--encrypt", "", "owner", "256", "--"];
    let Some(file) = encrypted(&arguments, &plain) else {
        return;
    };
    for password in [None, Some("superfluous")] {
        let opened = File::open(file.clone(), password).expect("its user needs no password");
        assert_eq!(opened.access(), Some(Access::User));
    }
}

#[test]
fn unknown_handlers_are_refused_by_name() {
    for (dict, rule) in [
        ("/Filter/Adobe.PubSec/V 4", Rule::UnsupportedEncryption),
        ("/Filter/Standard/V 3/R 3", Rule::UnsupportedEncryption),
        ("/Filter/Standard/V 6/R 7", Rule::UnsupportedEncryption),
        (
            "/Filter/Standard/V 2/R 3/Length 1024/P 0/O()/U()",
            Rule::EncryptionDictionary,
        ),
        ("/Filter/Standard/V 2/R 3/P 0/O(short)/U()", Rule::EncryptionDictionary),
        ("/Filter/Standard/V 2/P 0", Rule::EncryptionDictionary),
    ] {
        let trailer = format!("<</Size 5/Root 1 0 R/Encrypt<<{dict}>>>>");
        let opened = File::open(file_of(&PAGE, &trailer), None);
        assert_eq!(opened.map(|_| ()).map_err(|defect| defect.rule), Err(rule), "{dict}");
    }
    let dangling = File::open(file_of(&PAGE, "<</Size 5/Root 1 0 R/Encrypt 9 0 R>>"), None);
    assert_eq!(
        dangling.map(|_| ()).map_err(|defect| defect.rule),
        Err(Rule::EncryptionDictionary)
    );
}

#[test]
fn files_of_others_open_with_their_passwords() {
    let Some(folder) = shared("faults", "COUNTERSIGN_FAULTS") else {
        return;
    };
    for (name, password, access) in [
        ("P_owner_password_foo_user_baz_aes128.pdf", Some("foo"), Access::Owner),
        ("P_owner_password_foo_user_baz_aes128.pdf", Some("baz"), Access::User),
        ("P_direct_encrypt_dict_not_pdf.pdf", None, Access::User),
    ] {
        let bytes = std::fs::read(folder.join(name)).expect("a file");
        let file = File::open(bytes, password).unwrap_or_else(|defect| panic!("{name}: {defect}"));
        file.read_all().unwrap_or_else(|defect| panic!("{name}: {defect}"));
        assert_eq!(file.access(), Some(access), "{name}");
        let view = file.latest();
        for page in view.pages().expect("pages") {
            view.content(page, 1 << 20)
                .unwrap_or_else(|defect| panic!("{name}: {defect}"));
        }
    }
}
