//! Compares every object of a file as read by qpdf with our own reading.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use document::pdf::{Dict, File, Object, Ref, View};
use serde_json::Value;

use super::shared;

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut waiting = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            if entry.path().is_dir() {
                waiting.push(entry.path());
            } else if entry.path().extension().is_some_and(|end| end == "pdf") {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    files
}

fn qpdf(arguments: &[&str], path: &Path) -> Option<Vec<u8>> {
    let output = Command::new("qpdf").args(arguments).arg(path).output().ok()?;
    output.status.success().then_some(output.stdout)
}

/// Passwords of corpus files, taken from their names or from their authors' tests.
fn password(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    [("owner_password_foo", "foo"), ("P_direct_encrypt", "")]
        .into_iter()
        .find_map(|(part, password)| name.contains(part).then_some(password))
}

/// Returns qpdf's JSON for every object of a file, by name. `None` if qpdf reports a problem with the file.
fn told(path: &Path) -> Option<serde_json::Map<String, Value>> {
    let password = format!("--password={}", password(path).unwrap_or(""));
    qpdf(&[&password, "--check"], path)?;
    let arguments = [
        &password,
        "--json=2",
        "--json-key=qpdf",
        "--json-stream-data=inline",
        "--decode-level=none",
    ];
    let json: Value = serde_json::from_slice(&qpdf(&arguments, path)?).ok()?;
    json["qpdf"][1].as_object().cloned()
}

/// Returns the first difference between our objects and qpdf's.
fn difference(file: &File, told: &serde_json::Map<String, Value>) -> Option<String> {
    let view = file.latest();
    for (key, theirs) in told {
        let Some(name) = key.strip_prefix("obj:").and_then(|name| name.strip_suffix(" R")) else {
            continue;
        };
        let (number, generation) = name.split_once(' ').expect("a reference");
        let id = Ref::new(number.parse().expect("a number"), generation.parse().expect("a number"));
        if is_superseded(view, id) {
            continue;
        }
        // A cross-reference stream may lack an entry for itself, but qpdf lists it.
        if !view.has(id) && theirs["stream"]["dict"]["/Type"] == "/XRef" {
            continue;
        }
        let ours = match view.object(id) {
            Ok(ours) => ours,
            Err(defect) => return Some(format!("{key}: {defect}")),
        };
        if !is_same_object(view, ours, theirs) {
            return Some(format!("{key}: {ours:?} against {theirs}"));
        }
    }
    let known = |id: Ref| told.contains_key(&format!("obj:{id} R"));
    // The JSON of qpdf omits objects that only form the structure of the file.
    let is_structure = |object: &Object| {
        object
            .as_dict()
            .is_some_and(|dict| dict.is_type(b"XRef") || dict.is_type(b"ObjStm"))
    };
    view.objects().find_map(|(id, object)| match object {
        Err(defect) => Some(format!("{id}: {defect}")),
        Ok(object) if !known(id) && !is_structure(object) && *object != Object::Null => {
            Some(format!("{id} is unknown to qpdf: {object:?}"))
        }
        Ok(_) => None,
    })
}

/// Objects of an earlier generation, which 7.5.4 treats as deleted, are kept by qpdf.
fn is_superseded(view: View<'_>, id: Ref) -> bool {
    let is_newer = |other: Ref| other.number == id.number && other.generation > id.generation;
    !view.has(id) && view.objects().any(|(other, _)| is_newer(other))
}

fn is_same_object(view: View<'_>, ours: &Object, theirs: &Value) -> bool {
    match ours {
        Object::Stream(stream) => {
            let theirs = &theirs["stream"];
            let raw = view.raw(stream).expect("its data");
            let data = theirs["data"].as_str().and_then(from_base64);
            data.as_deref() == Some(&*raw) && is_same_dict(view, &stream.dict, &theirs["dict"])
        }
        other => theirs.get("value").is_some_and(|theirs| is_same(view, other, theirs)),
    }
}

fn is_same_dict(view: View<'_>, ours: &Dict, theirs: &Value) -> bool {
    let Some(theirs) = theirs.as_object() else { return false };
    // An entry that is null counts as missing (7.3.7), and so does a dangling reference (7.3.10).
    let is_null = |value: &Object| match value {
        Object::Ref(reference) => !view.has(*reference) && !is_superseded(view, *reference),
        other => *other == Object::Null,
    };
    // Decryption by qpdf changes the lengths.
    let ours: Vec<_> = ours
        .iter()
        .filter(|(key, value)| !is_null(value) && !key.is(b"Length"))
        .collect();
    let count = theirs
        .iter()
        .filter(|(key, value)| !value.is_null() && *key != "/Length")
        .count();
    ours.len() == count
        && ours.iter().all(|(key, value)| {
            let key = format!("/{}", name_text(&key.bytes()));
            theirs.get(&key).is_some_and(|theirs| is_same(view, value, theirs))
        })
}

/// Spells the non-UTF-8 bytes of a name as qpdf's JSON does.
fn name_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn is_same(view: View<'_>, ours: &Object, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Object::Null, Value::Null) => true,
        (Object::Bool(ours), Value::Bool(theirs)) => ours == theirs,
        (Object::Number(ours), Value::Number(theirs)) => {
            let theirs: f64 = theirs.to_string().parse().expect("a number");
            (ours.as_f64() - theirs).abs() <= theirs.abs() * 1e-12
        }
        (Object::Ref(ours), Value::String(theirs)) => format!("{ours} R") == *theirs,
        (Object::Name(ours), Value::String(theirs)) => format!("/{}", name_text(&ours.bytes())) == *theirs,
        (Object::Str(ours), Value::String(theirs)) => is_same_string(&ours.bytes(), theirs),
        (Object::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len()
                && ours
                    .iter()
                    .zip(theirs)
                    .all(|(ours, theirs)| is_same(view, ours, theirs))
        }
        (Object::Dict(ours), theirs) => is_same_dict(view, ours, theirs),
        _ => false,
    }
}

/// Compares a string with qpdf's form: `b:` and hexadecimal digits, or `u:` and text.
fn is_same_string(ours: &[u8], theirs: &str) -> bool {
    if let Some(digits) = theirs.strip_prefix("b:") {
        return hex::decode(digits).is_ok_and(|theirs| theirs == ours);
    }
    let Some(theirs) = theirs.strip_prefix("u:") else {
        return false;
    };
    let utf16 = |pair: fn([u8; 2]) -> u16, bytes: &[u8]| {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|unit| pair([unit[0], unit[1]])).collect();
        String::from_utf16(&units).ok()
    };
    let text = match ours {
        [0xFE, 0xFF, rest @ ..] => utf16(u16::from_be_bytes, rest),
        [0xFF, 0xFE, rest @ ..] => utf16(u16::from_le_bytes, rest),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8(rest.to_vec()).ok(),
        _ => Some(ours.iter().map(|byte| pdf_doc_character(*byte)).collect()),
    };
    text.as_deref() == Some(theirs)
}

/// Decodes a `PDFDocEncoding` byte (D.2).
fn pdf_doc_character(byte: u8) -> char {
    const LOW: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
    const HIGH: [char; 33] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ', 'ﬂ', 'Ł',
        'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{fffd}', '€',
    ];
    match byte {
        0x18..=0x1f => LOW[usize::from(byte - 0x18)],
        0x80..=0xa0 => HIGH[usize::from(byte - 0x80)],
        other => char::from(other),
    }
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(u32::from(byte - b'A')),
        b'a'..=b'z' => Some(u32::from(byte - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(byte - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for group in digits.chunks(4) {
        let mut bits = 0;
        for place in 0..4 {
            bits = bits << 6 | group.get(place).map_or(Some(0), |byte| value(*byte))?;
        }
        bytes.extend(bits.to_be_bytes().iter().skip(1).take(group.len() - 1));
    }
    Some(bytes)
}

#[test]
fn every_object_of_a_clean_file_is_what_qpdf_reads() {
    let Some(folder) = shared("corpus", "COUNTERSIGN_CORPUS") else {
        return;
    };
    if Command::new("qpdf").arg("--version").output().is_err() {
        eprintln!("skipped: qpdf is not installed");
        return;
    }
    let (mut clean, mut equal) = (0, 0);
    let mut refused: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let mut deviating: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let mut different = Vec::new();
    for path in files_below(&folder) {
        let Some(told) = told(&path) else { continue };
        clean += 1;
        let bytes = std::fs::read(&path).expect("a file");
        let file = match File::open(bytes, password(&path)).and_then(|file| file.read_all().map(|()| file)) {
            Ok(file) => file,
            Err(defect) => {
                println!("refused {}: {defect}", path.display());
                let rule = defect.rule;
                refused.entry(format!("{rule:?}")).or_default().push(path);
                continue;
            }
        };
        for deviation in file.deviations() {
            deviating
                .entry(format!("{:?}", deviation.kind))
                .or_default()
                .push(path.clone());
        }
        match difference(&file, &told) {
            None => equal += 1,
            Some(difference) => different.push(format!("{}: {difference}", path.display())),
        }
    }
    println!("{clean} clean files, {equal} equal");
    for (what, list) in [("refused", &refused), ("deviating", &deviating)] {
        for (rule, mut paths) in list.clone() {
            paths.dedup();
            println!("{what} {rule}: {}, as {}", paths.len(), paths[0].display());
        }
    }
    for difference in &different {
        println!("different: {}", difference.chars().take(1500).collect::<String>());
    }
    assert!(different.is_empty(), "{} files differ", different.len());
}
