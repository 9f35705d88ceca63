//! Converts a file name to ASCII, for programs that read only the plain `filename` of a `Content-Disposition`. The name
//! must stay recognisable.

const FIRST_SYLLABLE: u32 = 0xAC00;
const MEDIALS: u32 = 21;
const FINALS: u32 = 28;

/// The Revised Romanization of each letter.
const INITIAL: [&str; 19] = [
    "g", "kk", "n", "d", "tt", "r", "m", "b", "pp", "s", "ss", "", "j", "jj", "ch", "k", "t", "p", "h",
];
const MEDIAL: [&str; 21] = [
    "a", "ae", "ya", "yae", "eo", "e", "yeo", "ye", "o", "wa", "wae", "oe", "yo", "u", "wo", "we", "wi", "yu", "eu",
    "ui", "i",
];
const FINAL: [&str; 28] = [
    "", "k", "k", "k", "n", "n", "n", "t", "l", "k", "m", "l", "l", "l", "p", "l", "m", "p", "p", "t", "t", "ng", "t",
    "t", "k", "t", "p", "t",
];

/// Converts `근로계약서 (1).pdf` to `geunrogyeyakseo (1).pdf`. Other letters become an underscore. If nothing readable
/// remains, the file is called `document`.
pub fn plain_name(name: &str) -> String {
    let mut plain = String::new();
    for c in name.chars() {
        if let Some(letters) = romanized(c) {
            plain.push_str(&letters.concat());
        } else if c == ' ' || (c.is_ascii_graphic() && !matches!(c, '"' | '%' | '/' | '\\')) {
            plain.push(c);
        } else if !plain.ends_with('_') {
            plain.push('_');
        }
    }
    let stem_ends = plain.rfind('.').unwrap_or(plain.len());
    let (stem, extension) = plain.split_at(stem_ends);
    if stem.chars().any(|c| c.is_ascii_alphanumeric()) {
        plain
    } else {
        format!("document{extension}")
    }
}

fn romanized(c: char) -> Option<[&'static str; 3]> {
    let index = u32::from(c).checked_sub(FIRST_SYLLABLE)?;
    let part = |parts: &'static [&'static str], index: u32| parts.get(usize::try_from(index).ok()?).copied();
    Some([
        part(&INITIAL, index / (MEDIALS * FINALS))?,
        part(&MEDIAL, index / FINALS % MEDIALS)?,
        part(&FINAL, index % FINALS)?,
    ])
}

#[cfg(test)]
mod tests {
    use super::plain_name;

    #[test]
    fn a_plain_name_can_be_read() {
        for (name, plain) in [
            ("report.pdf", "report.pdf"),
            ("근로계약서 (1).pdf", "geunrogyeyakseo (1).pdf"),
            ("값 닭 힣.pdf", "gap dak hit.pdf"),
            ("雇用契約書.pdf", "document.pdf"),
            ("契約 2026.pdf", "_ 2026.pdf"),
            ("Über.pdf", "_ber.pdf"),
            ("契約", "document"),
            ("", "document"),
            ("a\"b\r\nX: y/../c%d.pdf", "a_b_X: y_.._c_d.pdf"),
        ] {
            assert_eq!(plain_name(name), plain, "{name}");
        }
    }
}
