//! What the file store promises, in a bucket: what is acknowledged is there, whatever happens to requests and answers.
#![expect(
    clippy::disallowed_methods,
    reason = "files that no row needs are among what is tested"
)]

use std::time::{Duration, SystemTime};

use blobs::{Blobs, BucketSettings, Encryption, Error, Patience, Removal};
use delivery::{BucketConnector, Egress};
use domain::{BlobHash, Secret};
use hyper::Method;
use testkit::bucket::{BucketServer, FAULTS, Fault, KEY, SECRET};

const PREFIX: &str = "one/files";
/// Longer than a request to this machine takes, and shorter than people wait.
const WITHIN: Duration = Duration::from_millis(700);

fn settings(server: &BucketServer) -> BucketSettings {
    BucketSettings {
        url: server.url(PREFIX),
        endpoint: Some(server.endpoint().to_owned()),
        allow_http: true,
        region: Some("eu-central-1".to_owned()),
        access_key: Some((KEY.to_owned(), Secret::new(SECRET))),
        encryption: None,
        cache: 1_000_000,
        patience: Patience {
            retries: 1,
            total: Duration::from_secs(20),
        },
    }
}

fn open(settings: &BucketSettings) -> Blobs {
    Blobs::in_bucket(settings, BucketConnector::new(Egress::direct(), WITHIN)).expect("a bucket")
}

fn bucket() -> (BucketServer, Blobs) {
    let server = BucketServer::start();
    let blobs = open(&settings(&server));
    (server, blobs)
}

fn key(hash: &BlobHash) -> String {
    let name = hash.to_string();
    format!("{PREFIX}/{}/{name}", &name[..2])
}

fn is_away<T>(answer: &Result<T, Error>) -> bool {
    answer.as_ref().is_err_and(Error::is_temporary)
}

/// A moment that every file written before is older than: services keep seconds or less.
fn later() -> SystemTime {
    SystemTime::now() + Duration::from_secs(2)
}

#[test]
fn what_is_put_into_a_bucket_comes_back_under_its_hash() {
    let (server, blobs) = bucket();
    for bytes in [&b""[..], b"one", &vec![7; 3_000_000]] {
        let hash = blobs.put(bytes).expect("a file");
        assert_eq!(hash, BlobHash::of(bytes));
        assert!(blobs.get(&hash).expect("its content") == bytes);
        assert!(blobs.exists(&hash).expect("an answer"));
        assert!(std::fs::read(server.file(&key(&hash))).expect("an object") == bytes);
    }
    let absent = BlobHash::of(b"never put");
    assert!(!blobs.exists(&absent).expect("an answer"));
    assert!(matches!(blobs.get(&absent), Err(Error::Missing(hash)) if hash == absent));
    blobs.delete(&absent).expect("it is not there anyway");
    assert_eq!(blobs.list().expect("a list").len(), 3);
}

#[test]
fn a_new_file_costs_three_requests() {
    let (server, blobs) = bucket();
    server.requests();
    blobs.put(b"counted").expect("a file");
    let methods: Vec<String> = server.requests().iter().map(|(method, _)| method.to_string()).collect();
    assert_eq!(methods, ["PUT", "HEAD", "HEAD"]);
}

#[test]
fn more_files_than_one_answer_of_the_service_names_are_listed() {
    let (_server, blobs) = bucket();
    std::thread::scope(|scope| {
        for part in 0..8_u32 {
            let blobs = &blobs;
            scope.spawn(move || {
                for number in 0..130_u32 {
                    blobs.put(&(part * 1000 + number).to_be_bytes()).expect("a file");
                }
            });
        }
    });
    assert_eq!(blobs.list().expect("a list").len(), 8 * 130);
}

#[test]
fn named_files_are_written_once_and_listed_apart() {
    let (_server, blobs) = bucket();
    assert!(blobs.put_named("checkpoints/acme/0001", b"first").expect("written"));
    assert!(!blobs.put_named("checkpoints/acme/0001", b"second").expect("refused"));
    let found = blobs.get_named("checkpoints/acme/0001").expect("an answer");
    assert_eq!(found.as_deref(), Some(&b"first"[..]));
    assert_eq!(blobs.get_named("checkpoints/acme/0002").expect("an answer"), None);
    blobs
        .put_named("checkpoints/acme/segments/ab", b"part")
        .expect("written");
    let listed = blobs.list_named("checkpoints/acme").expect("a list");
    assert_eq!(listed, (vec!["0001".to_owned()], vec!["segments".to_owned()]));
    assert_eq!(blobs.list().expect("a list"), []);
    blobs.delete_named("checkpoints/acme/0001").expect("removed");
    assert_eq!(blobs.get_named("checkpoints/acme/0001").expect("an answer"), None);
}

#[test]
fn a_named_file_whose_answer_was_lost_counts_as_written() {
    let (server, blobs) = bucket();
    server.break_some(Fault::AnswerLost, 1, |method, _| method == "PUT");
    assert!(blobs.put_named("checkpoints/acme/0001", b"first").expect("written"));
    assert!(server.is_healed());
}

#[test]
fn what_a_fault_does_not_outlast_is_done_all_the_same() {
    let (server, blobs) = bucket();
    let known = blobs.put(b"known").expect("a file");
    for fault in FAULTS {
        if matches!(fault, Fault::Refused) {
            continue;
        }
        server.break_some(fault, 1, |method, _| method == "GET");
        assert_eq!(blobs.get(&known).expect("it was repeated"), b"known", "{fault:?}");
        assert!(server.is_healed(), "{fault:?}");
        // A service that got other bytes than we signed refuses them, and asks for no repetition.
        if fault == Fault::WrongBytes {
            continue;
        }
        let bytes = format!("put through {fault:?}");
        server.break_some(fault, 1, |method, _| method == "PUT");
        let hash = blobs.put(bytes.as_bytes()).expect("it was repeated");
        assert_eq!(blobs.get(&hash).expect("it is there"), bytes.as_bytes(), "{fault:?}");
        assert!(server.is_healed(), "{fault:?}");
    }
}

#[test]
fn nothing_is_acknowledged_while_a_fault_lasts_and_nothing_is_lost_by_it() {
    let (server, blobs) = bucket();
    let known = blobs.put(b"known").expect("a file");
    for fault in FAULTS {
        let bytes = format!("put through {fault:?}");
        let hash = BlobHash::of(bytes.as_bytes());
        server.break_all(fault);
        let put = blobs.put(bytes.as_bytes());
        assert!(is_away(&put), "{fault:?}: not acknowledged");
        let got = blobs.get(&known);
        match fault {
            Fault::WrongBytes => assert!(matches!(got, Err(Error::Damaged(_))), "{fault:?}: {got:?}"),
            _ => assert!(is_away(&got), "{fault:?}"),
        }
        if fault != Fault::WrongBytes && fault != Fault::Cut {
            assert!(is_away(&blobs.exists(&known)), "{fault:?}");
            assert!(is_away(&blobs.delete_if_older(&known, later())), "{fault:?}");
            assert!(is_away(&blobs.probe()), "{fault:?}");
        }
        server.heal();
        assert_eq!(blobs.get(&known).expect("it is there"), b"known", "{fault:?}");
        match blobs.get(&hash) {
            Ok(found) => assert_eq!(found, bytes.as_bytes(), "{fault:?}"),
            Err(error) => assert!(matches!(error, Error::Missing(_)), "{fault:?}: {error}"),
        }
        blobs.put(bytes.as_bytes()).expect("the same again");
        assert_eq!(blobs.get(&hash).expect("it is there"), bytes.as_bytes(), "{fault:?}");
    }
}

#[test]
fn damage_in_the_bucket_is_never_answered_and_a_put_mends_it() {
    let (server, blobs) = bucket();
    let hash = blobs.put(b"contract").expect("a file");
    std::fs::write(server.file(&key(&hash)), b"contrast").expect("damaged");
    assert!(matches!(blobs.get(&hash), Err(Error::Damaged(found)) if found == hash));
    blobs.put(b"contract").expect("put again");
    assert_eq!(blobs.get(&hash).expect("its content"), b"contract");
}

#[test]
fn a_bucket_that_is_gone_does_not_pass_for_lost_files() {
    let (server, blobs) = bucket();
    let hash = blobs.put(b"contract").expect("a file");
    std::fs::remove_dir_all(server.file("")).expect("the bucket is removed");
    assert!(is_away(&blobs.get(&hash)));
    assert!(is_away(&blobs.exists(&hash)));
    assert!(is_away(&blobs.delete_if_older(&hash, later())));
    assert!(is_away(&blobs.get_named("checkpoints/acme/0001")));
    assert!(is_away(&blobs.list()));
}

#[test]
fn old_files_are_removed_from_a_bucket_and_young_ones_stay() {
    let (server, blobs) = bucket();
    let hash = blobs.put(b"put twice").expect("a file");
    let long_ago = SystemTime::now() - Duration::from_hours(1);
    assert_eq!(
        blobs.delete_if_older(&hash, long_ago).expect("an answer"),
        Removal::Young
    );
    assert!(blobs.exists(&hash).expect("an answer"));
    assert_eq!(
        blobs.delete_if_older(&hash, later()).expect("an answer"),
        Removal::Removed
    );
    assert!(!blobs.exists(&hash).expect("an answer"));
    assert_eq!(
        blobs.delete_if_older(&hash, later()).expect("an answer"),
        Removal::Absent
    );
    let marks = server.file(&format!("{PREFIX}/removing"));
    assert!(std::fs::read_dir(marks).is_ok_and(|mut marks| marks.next().is_none()));
}

/// The file is put when the request to remove it has already been sent.
#[test]
fn a_put_that_meets_a_removal_is_acknowledged_only_with_the_file_there() {
    let (server, blobs) = bucket();
    let bytes = b"put by one, removed by another";
    let hash = blobs.put(bytes).expect("a file");
    let (putting, done) = std::sync::mpsc::channel();
    let other = blobs.clone();
    // It looks for the mark again and again.
    server.before_removal(Method::HEAD, "/removing/", move || {
        let put = std::thread::spawn(move || other.put(bytes));
        putting.send(put).expect("it is awaited");
    });
    assert_eq!(
        blobs.delete_if_older(&hash, later()).expect("an answer"),
        Removal::Removed
    );
    let put = done.recv().expect("it was begun").join().expect("it ended");
    put.expect("it waits until the file is removed, and puts it again");
    assert_eq!(blobs.get(&hash).expect("it is there"), bytes);
}

/// A removal whose outcome nobody knows may still happen.
#[test]
fn a_file_whose_removal_is_in_doubt_is_not_acknowledged() {
    let (server, blobs) = bucket();
    let hash = blobs.put(b"in doubt").expect("a file");
    server.break_some(Fault::Slow, 1, |method, path| {
        method == "DELETE" && !path.contains("/removing/")
    });
    assert!(is_away(&blobs.delete_if_older(&hash, later())));
    assert!(matches!(blobs.put(b"in doubt"), Err(Error::Removing(found)) if found == hash));
    assert_eq!(
        blobs.delete_if_older(&hash, later()).expect("an answer"),
        Removal::Young
    );
    // The mark counts until no request can arrive any more.
    assert_eq!(blobs.sweep_unfinished(later()).expect("an answer"), 0);
    let mark = server.file(&format!("{PREFIX}/removing/{hash}"));
    let old = std::fs::File::options().write(true).open(&mark).expect("a mark");
    old.set_modified(SystemTime::now() - Duration::from_hours(1))
        .expect("an old mark");
    blobs.put(b"in doubt").expect("it is over");
    assert_eq!(blobs.sweep_unfinished(later()).expect("an answer"), 1);
    assert!(!mark.exists());
}

#[test]
fn files_that_are_read_often_are_read_once() {
    let (server, blobs) = bucket();
    let hash = blobs.put(b"a picture of a page").expect("a file");
    server.requests();
    for _ in 0..3 {
        assert_eq!(&*blobs.get_often(&hash).expect("its content"), b"a picture of a page");
    }
    assert_eq!(server.requests().len(), 1);
    blobs.delete_if_older(&hash, later()).expect("removed");
    assert!(matches!(blobs.get_often(&hash), Err(Error::Missing(_))));
}

#[test]
fn a_link_from_a_folder_becomes_a_file_of_the_bucket() {
    let (_server, blobs) = bucket();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("file");
    std::fs::write(&path, b"of a backup").expect("a file");
    let hash = BlobHash::of(b"of a backup");
    blobs.link(&hash, &path).expect("it is put");
    assert_eq!(blobs.get(&hash).expect("its content"), b"of a backup");
}

#[test]
fn a_probe_leaves_nothing_and_asks_seldom() {
    let (server, blobs) = bucket();
    server.requests();
    for _ in 0..5 {
        blobs.probe().expect("the bucket works");
    }
    assert_eq!(server.requests().len(), 2);
    assert_eq!(blobs.list().expect("a list"), []);
}

#[test]
fn a_wrong_key_is_refused_by_the_service() {
    let server = BucketServer::start();
    let wrong = BucketSettings {
        access_key: Some((KEY.to_owned(), Secret::new("another-secret"))),
        ..settings(&server)
    };
    let fault = open(&wrong).put(b"contract").expect_err("a wrong signature");
    assert!(fault.is_temporary(), "{fault}");
    assert!(!format!("{fault} {fault:?}").contains("another-secret"));
}

#[test]
fn plain_http_needs_the_operators_word() {
    let server = BucketServer::start();
    let secure = BucketSettings {
        allow_http: false,
        ..settings(&server)
    };
    let fault = open(&secure).put(b"contract").expect_err("no encryption");
    assert!(fault.to_string().contains("files.allow_http"), "{fault}");
    assert_eq!(server.requests(), []);
}

#[test]
fn the_service_is_asked_to_encrypt_as_the_settings_say() {
    for (encryption, expected) in [
        (Encryption::Own, vec!["AES256"]),
        (Encryption::Kms(None), vec!["aws:kms"]),
        (Encryption::Kms(Some("key-1".to_owned())), vec!["aws:kms", "key-1"]),
    ] {
        let server = BucketServer::start();
        let encrypted = BucketSettings {
            encryption: Some(encryption),
            ..settings(&server)
        };
        let blobs = open(&encrypted);
        let hash = blobs.put(b"contract").expect("a file");
        assert_eq!(blobs.get(&hash).expect("its content"), b"contract");
        assert_eq!(server.encryption(), expected);
    }
}
