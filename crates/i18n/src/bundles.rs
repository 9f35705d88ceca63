//! One Fluent bundle per language, built on first use.

use std::borrow::Cow;
use std::sync::LazyLock;

use domain::language::Language;
use domain::text::is_direction_control;
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};

/// (language, file, text) of every embedded file.
static FILES: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/locales.rs"));

static KOREAN: LazyLock<FluentBundle<FluentResource>> = LazyLock::new(|| bundle(Language::Ko));
static ENGLISH: LazyLock<FluentBundle<FluentResource>> = LazyLock::new(|| bundle(Language::En));
static JAPANESE: LazyLock<FluentBundle<FluentResource>> = LazyLock::new(|| bundle(Language::Ja));

fn bundle(language: Language) -> FluentBundle<FluentResource> {
    let locale = language.locale().parse().unwrap_or_default();
    let mut bundle = FluentBundle::new_concurrent(vec![locale]);
    // Direction marks around arguments would appear as boxes in a PDF and break comparisons in mails. All three
    // languages are written left to right.
    bundle.set_use_isolating(false);
    for (_, _, text) in FILES.iter().filter(|(code, ..)| *code == language.code()) {
        // A test below catches errors in a file. At run time we use the part of it that we can read.
        let resource = match FluentResource::try_new((*text).to_owned()) {
            Ok(resource) | Err((resource, _)) => resource,
        };
        bundle.add_resource_overriding(resource);
    }
    bundle
}

fn of(language: Language) -> &'static FluentBundle<FluentResource> {
    match language {
        Language::Ko => &KOREAN,
        Language::En => &ENGLISH,
        Language::Ja => &JAPANESE,
    }
}

/// A whole number becomes a number, because Fluent's plural rules need it. Everything else (names, codes with leading
/// zeros, amounts with separators) stays text.
fn argument(value: &str) -> FluentValue<'_> {
    match value.parse::<i32>() {
        Ok(number) if number.to_string() == value => FluentValue::from(number),
        _ => FluentValue::from(value),
    }
}

/// Returns the sentence for this key with its arguments filled in. An unknown key returns the key itself.
pub fn text(language: Language, key: &str, arguments: &[(&str, &str)]) -> String {
    let bundle = of(language);
    let Some(pattern) = bundle.get_message(key).and_then(|message| message.value()) else {
        return key.to_owned();
    };
    let mut given = FluentArgs::new();
    for (name, value) in arguments {
        let value = match isolated(value) {
            Cow::Borrowed(value) => argument(value),
            Cow::Owned(value) => FluentValue::from(value),
        };
        given.set(*name, value);
    }
    // A missing argument leaves its name in braces in the sentence: visible, but not a failure.
    let mut errors = Vec::new();
    bundle.format_pattern(pattern, Some(&given), &mut errors).into_owned()
}

/// Isolates right-to-left text from the sentence around it (UAX 9, 2.4). Direction controls in the text are removed,
/// because they could end the isolation.
fn isolated(value: &str) -> Cow<'_, str> {
    let turns = |c: char| {
        matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
            | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
    };
    if value.chars().any(is_direction_control) {
        let plain: String = value.chars().filter(|c| !is_direction_control(*c)).collect();
        Cow::Owned(isolated(&plain).into_owned())
    } else if value.chars().any(turns) {
        Cow::Owned(format!("\u{2068}{value}\u{2069}"))
    } else {
        Cow::Borrowed(value)
    }
}

pub fn has(language: Language, key: &str) -> bool {
    of(language)
        .get_message(key)
        .is_some_and(|message| message.value().is_some())
}

/// Returns every key of a language, in the order of the files.
pub fn keys(language: Language) -> Vec<&'static str> {
    FILES
        .iter()
        .filter(|(code, ..)| *code == language.code())
        .flat_map(|(_, _, text)| text.lines())
        .filter_map(|line| line.split_once('='))
        .map(|(key, _)| key)
        .filter(|key| key.starts_with(|first: char| first.is_ascii_alphabetic()))
        .map(str::trim_end)
        .filter(|key| {
            key.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};

    use super::*;

    /// Collects the placeholders of a pattern, including those in the branches of a selection.
    fn placeholders(pattern: &Pattern<&str>, found: &mut BTreeSet<String>) {
        for element in &pattern.elements {
            if let PatternElement::Placeable { expression } = element {
                in_expression(expression, found);
            }
        }
    }

    fn in_expression(expression: &Expression<&str>, found: &mut BTreeSet<String>) {
        match expression {
            Expression::Inline(inline) => in_inline(inline, found),
            Expression::Select { selector, variants } => {
                in_inline(selector, found);
                for variant in variants {
                    placeholders(&variant.value, found);
                }
            }
        }
    }

    fn in_inline(inline: &InlineExpression<&str>, found: &mut BTreeSet<String>) {
        match inline {
            InlineExpression::VariableReference { id } => {
                found.insert(id.name.to_owned());
            }
            InlineExpression::Placeable { expression } => in_expression(expression, found),
            InlineExpression::FunctionReference { arguments, .. } => {
                for positional in &arguments.positional {
                    in_inline(positional, found);
                }
            }
            _ => {}
        }
    }

    /// The placeholders of each key in each file.
    fn messages(language: Language) -> BTreeMap<String, BTreeMap<String, BTreeSet<String>>> {
        let mut files = BTreeMap::new();
        for (code, file, text) in FILES {
            if *code != language.code() {
                continue;
            }
            let resource = fluent_syntax::parser::parse(*text)
                .unwrap_or_else(|(_, faults)| panic!("locales/{code}/{file}: {faults:?}"));
            let entry: &mut BTreeMap<_, _> = files.entry((*file).to_owned()).or_default();
            for message in resource.body {
                if let Entry::Message(message) = message {
                    let mut found = BTreeSet::new();
                    let pattern = message
                        .value
                        .unwrap_or_else(|| panic!("{code}/{file}: {} is empty", message.id.name));
                    placeholders(&pattern, &mut found);
                    assert!(
                        entry.insert(message.id.name.to_owned(), found).is_none(),
                        "{code}/{file}: {} stands there twice",
                        message.id.name
                    );
                }
            }
        }
        files
    }

    #[test]
    fn the_languages_have_the_same_keys_with_the_same_placeholders() {
        let english = messages(Language::En);
        assert!(!english.is_empty());
        for language in [Language::Ko, Language::Ja] {
            let other = messages(language);
            let files = |of: &BTreeMap<String, _>| of.keys().cloned().collect::<Vec<_>>();
            assert_eq!(files(&english), files(&other), "files of {language:?}");
            for (file, keys) in &english {
                for (key, expected) in keys {
                    assert_eq!(
                        other[file].get(key),
                        Some(expected),
                        "{}/{file}: {key}",
                        language.code()
                    );
                }
                for key in other[file].keys() {
                    assert!(keys.contains_key(key), "en/{file} lacks {key}");
                }
            }
        }
    }

    #[test]
    fn no_key_stands_in_two_files() {
        let mut seen = BTreeMap::new();
        for (file, keys) in messages(Language::En) {
            for key in keys.into_keys() {
                if let Some(first) = seen.insert(key.clone(), file.clone()) {
                    panic!("{key} stands in {first} and in {file}");
                }
            }
        }
    }

    #[test]
    fn every_key_that_is_listed_is_found() {
        for language in Language::ALL {
            let expected: BTreeSet<String> = messages(language).into_values().flat_map(BTreeMap::into_keys).collect();
            let listed: BTreeSet<String> = keys(language).into_iter().map(str::to_owned).collect();
            assert_eq!(listed, expected);
            for key in keys(language) {
                assert!(has(language, key), "{key}");
            }
        }
    }

    #[test]
    fn an_unknown_key_comes_back_as_itself() {
        assert_eq!(text(Language::Ja, "no-such-key", &[]), "no-such-key");
        assert!(!has(Language::Ja, "no-such-key"));
    }

    #[test]
    fn what_is_written_from_right_to_left_turns_nothing_beside_it() {
        let put_in = |name| text(Language::En, "sign-for", &[("name", name)]);
        assert!(
            put_in("דנה 12").contains("\u{2068}דנה 12\u{2069}"),
            "{}",
            put_in("דנה 12")
        );
        assert_eq!(put_in("a\u{202e}b\u{2069}"), put_in("ab"));
    }

    #[test]
    fn arguments_are_put_in_without_marks_and_numbers_choose_the_plural() {
        let one = text(Language::En, "sign-tries-left", &[("count", "1")]);
        let two = text(Language::En, "sign-tries-left", &[("count", "2")]);
        assert_eq!(one, "1 try left.");
        assert_eq!(two, "2 tries left.");
        assert_eq!(
            text(Language::Ko, "sign-tries-left", &[("count", "2")]),
            "2번 더 시도할 수 있습니다."
        );
    }

    #[test]
    fn only_plain_whole_numbers_become_numbers() {
        for value in ["007", "+3", "1,000", "2.50", "김", ""] {
            assert!(matches!(argument(value), FluentValue::String(_)), "{value}");
        }
        assert!(matches!(argument("12"), FluentValue::Number(_)));
    }
}
