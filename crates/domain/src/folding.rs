//! Folds different spellings of a text into one form for comparison.
//!
//! People type the same name in upper and lower case, in full-width letters, and with decomposed accents (as macOS
//! writes file names). All of these have one folded form: NFKC with full case folding, without invisible characters.
//! Diacritics are kept: 'uber' is not 'über'.

use unicase::UniCase;
use unicode_normalization::UnicodeNormalization;

use crate::text::is_ignorable;

/// Returns the folded form. Folding is idempotent.
pub fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    // As Unicode defines it (NFKC_Casefold), normalising may leave something to fold, and folding may leave something
    // to normalise.
    let once = normalized(&UniCase::unicode(normalized(text)).to_folded_case());
    normalized(&UniCase::unicode(once).to_folded_case())
}

fn normalized(text: &str) -> String {
    text.nfkc()
        .filter(|character| !is_ignorable(*character))
        .nfkc()
        .collect()
}

/// Returns the item with this name. If none has exactly this spelling, returns the one that has a different spelling of
/// it. `None` if there is no match, or several inexact matches.
pub fn find_named<'t, T>(
    items: impl Iterator<Item = &'t T> + Clone,
    name: &str,
    name_of: impl Fn(&'t T) -> &'t str,
) -> Option<&'t T> {
    if let Some(exact) = items.clone().find(|item| name_of(item) == name) {
        return Some(exact);
    }
    let sought = folded(name);
    let mut alike = items.filter(|item| folded(name_of(item)) == sought);
    let first = alike.next()?;
    alike.all(|other| name_of(other) == name_of(first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{find_named, folded};

    #[test]
    fn spellings_of_one_text_fold_alike() {
        for (one, other) in [
            ("Über", "über"),
            ("Über", "U\u{308}ber"),
            ("STRASSE", "straße"),
            ("ΟΔΥΣΣΕΎΣ", "οδυσσεύς"),
            ("Ｋｉｍ　１２", "kim 12"),
            ("ﾀﾅｶ", "タナカ"),
            ("ｶﾞ", "ガ"),
            ("\u{1112}\u{1161}\u{11ab}", "한"),
            ("㈱山田", "(株)山田"),
            ("辻\u{e0100}", "辻"),
            ("soft\u{ad}hyphen", "Softhyphen"),
            ("ﬁle", "FILE"),
        ] {
            assert_eq!(folded(one), folded(other), "{one} {other}");
        }
        assert_ne!(folded("uber"), folded("über"));
        assert_ne!(folded("ハ"), folded("バ"));
    }

    #[test]
    fn a_name_is_found_in_another_spelling_unless_two_names_are_spellings_of_it() {
        let names = ["Name", "name", "Salary", "salary ", "성명", "Salary"].map(str::to_owned);
        let find = |name: &str| find_named(names.iter(), name, String::as_str).map(String::as_str);
        assert_eq!(find("name"), Some("name"));
        assert_eq!(find("NAME"), None);
        assert_eq!(find("ＳＡＬＡＲＹ"), Some("Salary"));
        assert_eq!(find("\u{1109}\u{1165}\u{11bc}\u{1106}\u{1167}\u{11bc}"), Some("성명"));
        assert_eq!(find("wage"), None);
    }

    proptest! {
        #[test]
        fn folding_again_changes_nothing(text in any::<String>()) {
            let once = folded(&text);
            prop_assert_eq!(folded(&once), once);
        }
    }
}
