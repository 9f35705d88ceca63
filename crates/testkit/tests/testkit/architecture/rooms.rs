//! The rooms of a crate: its top-level modules, in a fixed order. A room uses only rooms before it.
//!
//! Reads the source: every `crate::ROOM`, on a `use` line or anywhere else, is an arrow from the room of its file. A
//! path that reaches a room through `super` counts too. Comments and string literals do not, so documentation may point
//! anywhere.
//!
//! To print the result: `cargo nextest run -p countersign-testkit rooms --no-capture`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The rooms of each crate that has some, lowest first.
const ROOMS: &[(&str, &[&str])] = &[(
    "document",
    &[
        "pdf", "text", "pages", "marks", "pki", "verify", "sealing", "evidence", "intake",
    ],
)];

/// From one room to another, with the files that use it.
type Arrows = BTreeMap<(String, String), BTreeSet<String>>;

#[test]
fn a_room_uses_only_rooms_before_it() {
    let mut faults = Vec::new();
    for (name, rooms) in ROOMS {
        let source = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .join(name)
            .join("src");
        let files = source_files(&source);
        assert!(!files.is_empty(), "{} was not read", source.display());
        let arrows = arrows(&files, rooms);
        print(name, rooms, &files, &arrows);
        faults.extend(faults_of(name, rooms, &files, &arrows));
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn an_arrow_is_found_wherever_it_is_written() {
    let rooms = ["low", "middle", "high"];
    let found = |file: &str, text: &str| -> Vec<String> {
        let files = BTreeMap::from([(file.to_owned(), text.to_owned())]);
        arrows(&files, &rooms).into_keys().map(|(_, to)| to).collect()
    };
    assert_eq!(found("low.rs", "use crate::high::Tower;"), ["high"]);
    assert_eq!(
        found("low.rs", "use crate::{\n    high::{Tower, Bell},\n    middle,\n};"),
        ["high", "middle"]
    );
    assert_eq!(
        found("low/cellar.rs", "fn f() -> crate::high::Tower { todo() }"),
        ["high"]
    );
    assert_eq!(found("low/cellar.rs", "use super::super::high::Tower;"), ["high"]);
    assert_eq!(
        found("low/cellar/shelf.rs", "use super::super::high;"),
        [""; 0],
        "a room of the shelf's own"
    );
    assert_eq!(
        found("low.rs", "/// As [`crate::high`] does.\nuse crate::low::Door;"),
        [""; 0]
    );
    assert_eq!(found("low.rs", "let text = \"crate::high\"; // crate::middle"), [""; 0]);
    assert_eq!(found("low.rs", "let quote = '\"'; use crate::high::Tower;"), ["high"]);
    assert_eq!(found("low.rs", "use crate::higher::Tower;"), [""; 0]);
}

/// What is wrong with the rooms of a crate.
fn faults_of(name: &str, rooms: &[&str], files: &BTreeMap<String, String>, arrows: &Arrows) -> Vec<String> {
    let place = |room: &str| rooms.iter().position(|known| *known == room);
    let upward = arrows
        .iter()
        .filter(|((from, to), _)| place(from) < place(to))
        .map(|((from, to), files)| {
            let files = files.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            format!("`{name}`: `{from}` must not use `{to}`, which comes after it: {files}")
        });
    let in_no_room = files
        .keys()
        .filter(|file| *file != "lib.rs" && place(room_of(file)).is_none())
        .map(|file| format!("`{name}`: {file} is in no room: add its room to ROOMS, or put it into one"));
    let empty = rooms
        .iter()
        .filter(|room| !files.keys().any(|file| room_of(file) == **room))
        .map(|room| format!("`{name}` has no room `{room}`"));
    upward.chain(in_no_room).chain(empty).collect()
}

fn print(name: &str, rooms: &[&str], files: &BTreeMap<String, String>, arrows: &Arrows) {
    println!("rooms of `{name}`, lowest first:");
    for room in rooms {
        let count = files.keys().filter(|file| room_of(file) == *room).count();
        let uses: Vec<&str> = rooms
            .iter()
            .filter(|other| arrows.contains_key(&((*room).to_owned(), (**other).to_owned())))
            .copied()
            .collect();
        println!("  {room} ({count} files) → {}", uses.join(", "));
    }
}

/// The Rust files below a folder, with their paths relative to it.
fn source_files(source: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![source.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of source") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(source).expect("it lies there").display().to_string();
                files.insert(name, std::fs::read_to_string(&path).expect("a file of source"));
            }
        }
    }
    files
}

/// The room of a file: `pdf` for `pdf.rs` and everything below `pdf/`.
fn room_of(file: &str) -> &str {
    let first = file.split('/').next().unwrap_or_default();
    first.strip_suffix(".rs").unwrap_or(first)
}

fn arrows(files: &BTreeMap<String, String>, rooms: &[&str]) -> Arrows {
    let mut arrows = Arrows::new();
    for (file, text) in files {
        let from = room_of(file);
        for to in used(&code(text), file.split('/').count()) {
            if to != from && rooms.contains(&from) && rooms.contains(&to.as_str()) {
                arrows.entry((from.to_owned(), to)).or_default().insert(file.clone());
            }
        }
    }
    arrows
}

/// The top-level modules that code names: by `crate`, or by as many `super`s as its module is deep.
fn used(code: &str, depth: usize) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    let mut rest = code;
    let mut supers = 0;
    while let Some(at) = rest.find(is_of_name) {
        if !rest[..at].is_empty() && &rest[..at] != "::" {
            supers = 0;
        }
        let begins = &rest[at..];
        let end = begins
            .find(|character: char| !is_of_name(character))
            .unwrap_or(begins.len());
        let (name, after) = begins.split_at(end);
        rest = after;
        supers = if name == "super" { supers + 1 } else { 0 };
        if let Some(path) = after.strip_prefix("::")
            && (name == "crate" || supers >= depth)
        {
            used.extend(first_names(path));
        }
    }
    used
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The names with which a path begins: one, or several in braces.
fn first_names(path: &str) -> Vec<String> {
    let name = |text: &str| {
        text.chars()
            .take_while(|character| is_of_name(*character))
            .collect::<String>()
    };
    let Some(group) = path.strip_prefix('{') else {
        return vec![name(path)];
    };
    let (mut names, mut depth, mut is_first) = (Vec::new(), 0_usize, true);
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => is_first = true,
            _ if character.is_whitespace() => {}
            _ if is_first => {
                names.push(name(&group[at..]));
                is_first = false;
            }
            _ => {}
        }
    }
    names
}

/// Rust without comments and the contents of string literals.
fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\\"'") {
            rest[1..].find('\'').map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = raw_text(rest) {
            length
        } else if character == '"' {
            text_length(rest)
        } else {
            code.push(character);
            character.len_utf8()
        };
        rest = &rest[length.min(rest.len())..];
    }
    code
}

/// The length of the raw string literal, such as `r#"…"#`, with which `rest` begins.
fn raw_text(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix('r')?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    after[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let opening = 1 + hashes + 1;
    Some(
        rest[opening..]
            .find(&end)
            .map_or(rest.len(), |at| opening + at + end.len()),
    )
}

/// The length of the quoted string literal with which `rest` begins.
fn text_length(rest: &str) -> usize {
    let mut is_escaped = false;
    for (at, character) in rest.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}
