//! Which names of fields mean something to people.
//!
//! The fields of a PDF's form often have names for programs: `topmostSubform[0].Page1[0].f1_02[0]`, `Text1`,
//! `employeeName`. A signer reads a label instead.

/// Whether a name is written for people: words, without the marks of paths and identifiers.
pub fn is_for_people(name: &str) -> bool {
    let is_mark = |character: char| matches!(character, '[' | ']' | '#' | '_' | '/' | '\\' | '{' | '}');
    let joined = |before: char, after: char| {
        (before == '.' && !after.is_whitespace())
            || (before.is_lowercase() && after.is_uppercase())
            || (before.is_ascii_alphabetic() && after.is_ascii_digit())
    };
    let mut neighbours = name.chars().zip(name.chars().skip(1));
    name.chars().any(char::is_alphabetic)
        && !name.chars().any(is_mark)
        && !neighbours.any(|(before, after)| joined(before, after))
        && !is_kind_with_page(name)
}

/// Whether it is a path to a field, as XFA writes it (`form[0].name[0]`).
pub fn is_path(name: &str) -> bool {
    name.split('[').skip(1).any(|part| {
        part.split_once(']')
            .is_some_and(|(index, _)| !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

/// What intake calls a field without a name: its kind and its page.
fn is_kind_with_page(name: &str) -> bool {
    let mut words = name.split(' ');
    let is = |word: Option<&str>, is_part: fn(&u8) -> bool| {
        word.is_some_and(|word| !word.is_empty() && word.bytes().all(|byte| is_part(&byte)))
    };
    is(words.next(), u8::is_ascii_lowercase) && is(words.next(), u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_for_people_are_words_and_names_for_programs_are_not() {
        for name in [
            "Name",
            "Date of birth",
            "성명",
            "氏名（漢字）",
            "Step 2",
            "E-mail",
            "No. of days",
        ] {
            assert!(is_for_people(name), "{name}");
        }
        let of_programs = [
            "topmostSubform[0].Page1[0].f1_02[0]",
            "form1.name",
            "Text1",
            "employeeName",
            "date_2",
            "text 1",
            "check 2 (2)",
            "17",
            "",
        ];
        for name in of_programs {
            assert!(!is_for_people(name), "{name}");
        }
    }

    #[test]
    fn only_a_number_in_brackets_makes_a_path() {
        assert!(is_path("topmostSubform[0].name[0]") && is_path("a[12]"));
        assert!(!is_path("employee_name") && !is_path("Amount [EUR]") && !is_path("a[]"));
    }
}
