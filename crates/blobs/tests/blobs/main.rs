//! Tests the guarantees of the file store, on a local folder.
#![expect(
    clippy::disallowed_methods,
    reason = "files that no row needs are among what is tested"
)]

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use blobs::{Blobs, Error, Removal};
use domain::BlobHash;
use tempfile::TempDir;

fn open() -> (TempDir, Blobs) {
    let folder = tempfile::tempdir().unwrap();
    let blobs = Blobs::local(folder.path().join("blobs")).unwrap();
    (folder, blobs)
}

fn file(folder: &TempDir, hash: &BlobHash) -> PathBuf {
    let name = hash.to_string();
    folder.path().join("blobs").join(&name[..2]).join(&name)
}

#[test]
fn what_is_put_comes_back_under_its_hash() {
    let (folder, blobs) = open();
    for bytes in [&b""[..], b"one", &vec![7; 3_000_000]] {
        let hash = blobs.put(bytes).unwrap();
        assert_eq!(hash, BlobHash::of(bytes));
        assert!(blobs.get(&hash).unwrap() == bytes);
        assert!(blobs.exists(&hash).unwrap());
        assert!(file(&folder, &hash).is_file());
    }
    let again = Blobs::local(folder.path().join("blobs")).unwrap();
    assert_eq!(again.get(&BlobHash::of(b"one")).unwrap(), b"one");
}

#[test]
fn the_same_bytes_twice_are_one_file() {
    let (_folder, blobs) = open();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| blobs.put(b"same").unwrap());
        }
    });
    assert_eq!(blobs.list().unwrap().len(), 1);
    assert_eq!(blobs.get(&BlobHash::of(b"same")).unwrap(), b"same");
}

#[test]
fn an_absent_file_is_named() {
    let (_folder, blobs) = open();
    let absent = BlobHash::of(b"never put");
    assert!(!blobs.exists(&absent).unwrap());
    assert!(matches!(blobs.get(&absent), Err(Error::Missing(hash)) if hash == absent));
    blobs.delete(&absent).unwrap();
}

#[test]
fn a_damaged_file_is_never_answered_and_a_put_mends_it() {
    let (folder, blobs) = open();
    let hash = blobs.put(b"contract").unwrap();
    std::fs::write(file(&folder, &hash), b"contrast").unwrap();
    assert!(matches!(blobs.get(&hash), Err(Error::Damaged(found)) if found == hash));
    blobs.put(b"contract").unwrap();
    assert_eq!(blobs.get(&hash).unwrap(), b"contract");
}

#[test]
fn a_listing_holds_our_files_and_no_others() {
    let (folder, blobs) = open();
    let one = blobs.put(b"one").unwrap();
    let other = blobs.put(b"other").unwrap();
    std::fs::write(folder.path().join("blobs/notes.txt"), b"a stranger's").unwrap();
    std::fs::write(folder.path().join("blobs").join(one.to_string()), b"in the wrong place").unwrap();
    let mut listed = blobs.list().unwrap();
    listed.sort_by_key(|file| file.length);
    assert_eq!(
        listed.iter().map(|file| (file.hash, file.length)).collect::<Vec<_>>(),
        [(one, 3), (other, 5)]
    );
    blobs.delete(&one).unwrap();
    assert_eq!(blobs.list().unwrap().len(), 1);
    assert!(!blobs.exists(&one).unwrap());
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let occupied = folder.path().join("occupied");
    std::fs::write(&occupied, b"").unwrap();
    let error = Blobs::local(Path::new(&occupied).join("blobs")).unwrap_err();
    assert!(matches!(error, Error::Open { .. }), "{error:?}");
}

#[test]
fn a_file_that_was_put_again_is_not_old() {
    let (_folder, blobs) = open();
    let hash = blobs.put(b"put twice").unwrap();
    let long_ago = SystemTime::now() - Duration::from_hours(1);
    assert_eq!(blobs.delete_if_older(&hash, long_ago).unwrap(), Removal::Young);
    assert!(blobs.exists(&hash).unwrap());
    assert_eq!(
        blobs.delete_if_older(&hash, SystemTime::now()).unwrap(),
        Removal::Removed
    );
    assert!(!blobs.exists(&hash).unwrap());
    assert_eq!(
        blobs.delete_if_older(&hash, SystemTime::now()).unwrap(),
        Removal::Absent
    );
}

#[test]
fn a_file_that_is_put_while_it_is_removed_is_there_afterwards() {
    let (folder, blobs) = open();
    let bytes = b"put by one, removed by another";
    let hash = blobs.put(bytes).unwrap();
    let an_hour = Duration::from_hours(1);
    for round in 0..200 {
        let old = std::fs::File::options().write(true).open(file(&folder, &hash)).unwrap();
        old.set_modified(SystemTime::now() - 2 * an_hour).unwrap();
        let limit = SystemTime::now() - an_hour;
        std::thread::scope(|scope| {
            let putting = scope.spawn(|| blobs.put(bytes).unwrap());
            for _ in 0..3 {
                blobs.delete_if_older(&hash, limit).unwrap();
            }
            putting.join().unwrap();
        });
        assert_eq!(blobs.get(&hash).unwrap(), bytes, "round {round}");
    }
    assert_eq!(blobs.list().unwrap().len(), 1);
}

#[test]
fn what_a_killed_put_has_left_is_swept_once_it_is_old() {
    let (folder, blobs) = open();
    let hash = blobs.put(b"sound").unwrap();
    let beside = |end: &str| {
        let mut name = file(&folder, &hash).into_os_string();
        name.push(end);
        PathBuf::from(name)
    };
    for end in ["#1", "#27", "#x", "#", ".bak"] {
        std::fs::write(beside(end), b"half").unwrap();
    }
    assert_eq!(
        blobs
            .sweep_unfinished(SystemTime::now() - Duration::from_hours(1))
            .unwrap(),
        0
    );
    assert!(beside("#1").exists());
    assert_eq!(blobs.sweep_unfinished(SystemTime::now()).unwrap(), 2);
    assert!(!beside("#1").exists() && !beside("#27").exists());
    // Files that are not ours are kept, and so is the stored file.
    assert!(beside("#x").exists() && beside("#").exists() && beside(".bak").exists());
    assert_eq!(blobs.get(&hash).unwrap(), b"sound");
}
