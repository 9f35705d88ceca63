//! The rooms of a crate: its top-level modules, in a fixed order. A room only uses rooms before it.
//!
//! Reads the source: every `crate::ROOM`, on a `use` line or anywhere else, is an arrow from the room of its file. A
//! path that reaches a room through `super` counts too, and so does a name that `lib.rs` re-exports from a room. If
//! several rooms add methods to one type of `lib.rs` (`App`), a call of such a method on `self`, or on a variable named
//! like the type, is an arrow to the room that defines the method. Comments and string literals do not count, so
//! documentation may refer to any room.
//!
//! To print the result: `cargo nextest run -p countersign-testkit rooms --no-capture`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The rooms of each crate that has some, lowest first.
const ROOMS: &[(&str, &[&str])] = &[
    (
        "document",
        &[
            "pdf", "text", "pages", "marks", "pki", "verify", "sealing", "evidence", "intake",
        ],
    ),
    (
        "app",
        &[
            "base",
            "links",
            "values",
            "templates",
            "sealing",
            "companies",
            "outbox",
            "workflow",
            "evidence",
            "signing",
            "sending",
            "upkeep",
        ],
    ),
    (
        "http",
        &["frame", "body", "html", "admission", "api", "pages", "router"],
    ),
    (
        "store",
        &[
            "base",
            "sql",
            "driver",
            "companies",
            "chain",
            "files",
            "starts",
            "workflows",
            "outbox",
            "evidence",
        ],
    ),
];

/// From one room to another, with the files that contain the use.
type Arrows = BTreeMap<(String, String), BTreeSet<String>>;

#[test]
fn a_room_uses_only_rooms_before_it() {
    let mut faults = Vec::new();
    for (name, rooms) in ROOMS {
        let files = files_of(name);
        let arrows = arrows(&files, rooms);
        print(name, rooms, &files, &arrows);
        faults.extend(faults_of(name, rooms, &files, &arrows));
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn a_line_that_leads_to_a_later_room_is_a_fault() {
    for (name, rooms) in ROOMS {
        let (lowest, highest) = (rooms[0], rooms[rooms.len() - 1]);
        let mut files = files_of(name);
        let file = files
            .keys()
            .find(|file| room_of(file) == lowest)
            .expect("a file")
            .clone();
        let added = format!("\nuse crate::{highest}::Added;\n");
        files.entry(file.clone()).or_default().push_str(&added);
        let faults = faults_of(name, rooms, &files, &arrows(&files, rooms));
        assert_eq!(
            faults,
            [format!(
                "`{name}`: `{lowest}` must not use `{highest}`, which comes after it: {file}"
            )]
        );
    }
}

#[test]
fn a_method_of_a_shared_type_and_a_re_exported_name_are_arrows() {
    let rooms = ["low", "high"];
    let found = |text: &str| -> Vec<String> {
        let files = [
            (
                "lib.rs",
                "pub use high::tower::{Tower, Bell as Ring};\npub struct House;\n",
            ),
            ("low.rs", text),
            (
                "high/tower.rs",
                "impl House {\n    pub fn climb(&self) {}\n\n    const fn up() {}\n}\n",
            ),
        ];
        let files = files.map(|(file, text)| (file.to_owned(), text.to_owned())).into();
        arrows(&files, &rooms).into_keys().map(|(_, to)| to).collect()
    };
    assert_eq!(found("use crate::{House, Ring};"), ["high"]);
    assert_eq!(found("use crate::House;"), [""; 0]);
    assert_eq!(
        found("impl House {\n    fn f(&self) {\n        self\n            .climb();\n    }\n}\n"),
        ["high"]
    );
    assert_eq!(found("fn f(house: &House) { house.climb() }"), ["high"]);
    assert_eq!(
        found("impl House {\n    fn f() {\n        House::up();\n    }\n}\n"),
        ["high"]
    );
    assert_eq!(
        found("impl Door {\n    fn f(&self) {\n        self.climb();\n    }\n}\n"),
        [""; 0],
        "a method of the door's own"
    );
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

/// Describes violations of the room order in a crate.
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

/// Returns the source files of one of our crates.
pub(super) fn files_of(name: &str) -> BTreeMap<String, String> {
    let source = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .join(name)
        .join("src");
    let files = source_files(&source);
    assert!(!files.is_empty(), "{} was not read", source.display());
    files
}

/// Returns the Rust files below a folder, with their relative paths.
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

/// Returns the room of a file: `pdf` for `pdf.rs` and everything below `pdf/`.
fn room_of(file: &str) -> &str {
    let first = file.split('/').next().unwrap_or_default();
    first.strip_suffix(".rs").unwrap_or(first)
}

fn arrows(files: &BTreeMap<String, String>, rooms: &[&str]) -> Arrows {
    let root = files.get("lib.rs").map(|text| code(text)).unwrap_or_default();
    let re_exported = re_exported(&root);
    let shared = Shared::of(&root, files);
    let mut arrows = Arrows::new();
    for (file, text) in files {
        let (from, code) = (room_of(file), code(text));
        let named = used(&code, file.split('/').count())
            .into_iter()
            .map(|name| re_exported.get(&name).cloned().unwrap_or(name));
        for to in named.chain(shared.called(&code)) {
            if to != from && rooms.contains(&from) && rooms.contains(&to.as_str()) {
                arrows.entry((from.to_owned(), to)).or_default().insert(file.clone());
            }
        }
    }
    arrows
}

/// Returns the top-level modules that code names, either by `crate` or by as many `super`s as its module is deep.
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

/// Returns the names that `lib.rs` re-exports, each with its module.
fn re_exported(root: &str) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for statement in root.split(';').filter_map(|text| text.trim().strip_prefix("pub use ")) {
        let Some((from, paths)) = statement.split_once("::") else {
            continue;
        };
        for path in paths.split(['{', '}', ',']).map(str::trim) {
            let name = path.rsplit([' ', ':']).next().unwrap_or_default();
            if !name.is_empty() {
                names.insert(name.to_owned(), from.to_owned());
            }
        }
    }
    names
}

/// The types of `lib.rs`, and the methods that rooms add to them.
struct Shared {
    types: Vec<String>,
    /// Each method with its room.
    methods: BTreeMap<String, String>,
}

impl Shared {
    fn of(root: &str, files: &BTreeMap<String, String>) -> Shared {
        let types: Vec<String> = root
            .lines()
            .filter_map(|line| line.strip_prefix("pub struct "))
            .map(|rest| rest.chars().take_while(|character| is_of_name(*character)).collect())
            .collect();
        let mut methods = BTreeMap::new();
        for (file, text) in files {
            for block in impls(&code(text), &types) {
                let names = block
                    .lines()
                    .filter(|line| line.starts_with("    ") && !line.starts_with("     "))
                    .filter_map(|line| line.split_once("fn "))
                    .map(|(_, rest)| rest.chars().take_while(|character| is_of_name(*character)).collect());
                methods.extend(names.map(|name: String| (name, room_of(file).to_owned())));
            }
        }
        Shared { types, methods }
    }

    /// Returns the rooms whose methods the code calls.
    fn called(&self, code: &str) -> BTreeSet<String> {
        let mut called = BTreeSet::new();
        for name in &self.types {
            self.called_on(&name.to_lowercase(), ".", code, &mut called);
            self.called_on(name, "::", code, &mut called);
        }
        for block in impls(code, &self.types) {
            self.called_on("self", ".", &block, &mut called);
            self.called_on("Self", "::", &block, &mut called);
        }
        called
    }

    fn called_on(&self, receiver: &str, joint: &str, code: &str, called: &mut BTreeSet<String>) {
        for (at, _) in code.match_indices(receiver) {
            let Some(path) = code[at + receiver.len()..].trim_start().strip_prefix(joint) else {
                continue;
            };
            let method: String = path.chars().take_while(|character| is_of_name(*character)).collect();
            if !code[..at].ends_with(is_of_name) && path[method.len()..].starts_with(['(', ':']) {
                called.extend(self.methods.get(&method).cloned());
            }
        }
    }
}

/// Returns the bodies of the `impl` blocks of these types, as rustfmt writes them.
pub(super) fn impls(code: &str, types: &[String]) -> Vec<String> {
    let (mut blocks, mut block) = (Vec::new(), None);
    for line in code.lines() {
        let header = line.strip_prefix("impl ").and_then(|rest| rest.strip_suffix(" {"));
        if header.is_some_and(|header| types.iter().any(|name| name == header)) {
            block = Some(String::new());
        } else if line == "}" {
            blocks.extend(block.take());
        } else if let Some(block) = &mut block {
            block.push_str(line);
            block.push('\n');
        }
    }
    blocks
}

pub(super) fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Returns the names at the start of a path: one, or several in braces.
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

/// Returns Rust code without comments and the contents of string literals.
pub(super) fn code(text: &str) -> String {
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

/// Returns the length of the raw string literal, such as `r#"…"#`, at the start of `rest`.
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

/// Returns the length of the quoted string literal at the start of `rest`.
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
