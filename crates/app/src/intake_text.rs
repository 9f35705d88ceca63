//! What intake says of a file, in the reader's words.
//!
//! The document core answers with types; each has a sentence of the same name, and a refusal a remedy
//! beside it.

use document::intake::{Change, Refused, Report, Verdict, Warning};
use domain::Language;
use serde::Serialize;
use serde_json::Value;

/// One change as a sentence.
pub fn change(language: Language, change: &Change) -> String {
    sentence(language, "intake-change", "change", change)
}

/// One warning as a sentence.
pub fn warning(language: Language, warning: &Warning) -> String {
    sentence(language, "intake-warning", "warning", warning)
}

/// Why a file was refused, as a sentence.
pub fn reason(language: Language, reason: &Refused) -> String {
    sentence(language, "intake-refused", "reason", reason)
}

/// What its sender can do.
pub fn remedy(language: Language, reason: &Refused) -> String {
    sentence(language, "intake-remedy", "reason", reason)
}

/// The verdict as a heading.
pub fn verdict(language: Language, verdict: Verdict) -> String {
    let name = match verdict {
        Verdict::Taken => "taken",
        Verdict::TakenWithChanges => "taken-with-changes",
        Verdict::TakenWithWarnings => "taken-with-warnings",
        Verdict::Refused => "refused",
    };
    i18n::text(language, &format!("intake-verdict-{name}"), &[])
}

/// The whole report as lines: the verdict and the pages, then what there is to remark.
pub fn lines(language: Language, report: &Report) -> Vec<String> {
    let mut lines = vec![verdict(language, report.verdict)];
    if !report.pages.is_empty() {
        let count = report.pages.len().to_string();
        lines.push(i18n::text(language, "intake-pages", &[("count", &count)]));
    }
    lines.extend(remarks(language, report));
    lines
}

/// What there is to remark besides the verdict: the form's fields, what was warned of, changed or refused, then the remedy.
pub fn remarks(language: Language, report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    if !report.fields.is_empty() {
        let count = report.fields.len().to_string();
        lines.push(i18n::text(language, "intake-fields", &[("count", &count)]));
    }
    lines.extend(report.warnings.iter().map(|one| warning(language, one)));
    lines.extend(report.changes.iter().map(|one| change(language, one)));
    if let Some(refused) = &report.refused {
        lines.push(reason(language, refused));
        lines.push(remedy(language, refused));
    }
    lines
}

/// The report for programs: the types, each with its sentence.
pub fn json(language: Language, report: &Report) -> Value {
    fn with_message<T: Serialize>(thing: &T, message: String) -> Value {
        let mut value = serde_json::to_value(thing).unwrap_or_default();
        if let Value::Object(members) = &mut value {
            members.insert("message".to_owned(), Value::from(message));
        }
        value
    }
    let changes = report
        .changes
        .iter()
        .map(|one| with_message(one, change(language, one)));
    let warnings = report
        .warnings
        .iter()
        .map(|one| with_message(one, warning(language, one)));
    let pages = report
        .pages
        .iter()
        .map(|page| serde_json::json!({"width": page.width_points, "height": page.height_points}));
    let mut value = serde_json::json!({
        "taken": report.refused.is_none(),
        "verdict": report.verdict,
        "pages": pages.collect::<Vec<_>>(),
        "signatures": report.signatures,
        "fields": report.fields,
        "changes": changes.collect::<Vec<_>>(),
        "warnings": warnings.collect::<Vec<_>>(),
    });
    if let (Some(refused), Value::Object(members)) = (&report.refused, &mut value) {
        let message = reason(language, refused);
        let mut described = with_message(refused, message.clone());
        if let Value::Object(described) = &mut described {
            described.insert("remedy".to_owned(), Value::from(remedy(language, refused)));
        }
        members.insert("reason".to_owned(), described);
        members.insert("message".to_owned(), Value::from(message));
    }
    value
}

/// The sentence of a type that serialises as an object with its name under `tag`.
fn sentence(language: Language, prefix: &str, tag: &str, thing: &impl Serialize) -> String {
    let Ok(Value::Object(members)) = serde_json::to_value(thing) else {
        return prefix.to_owned();
    };
    let name = members
        .get(tag)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .replace('_', "-");
    let texts: Vec<(&String, String)> = members
        .iter()
        .filter(|(key, _)| *key != tag)
        .map(|(key, value)| {
            // Points are whole to people.
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Number(number) if number.is_f64() => format!("{:.0}", number.as_f64().unwrap_or_default()),
                other => other.to_string(),
            };
            (key, text)
        })
        .collect();
    let arguments: Vec<(&str, &str)> = texts.iter().map(|(key, text)| (key.as_str(), text.as_str())).collect();
    i18n::text(language, &format!("{prefix}-{name}"), &arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all<T: serde::de::DeserializeOwned>(tag: &str, names: &[&str]) -> Vec<T> {
        let read = |name: &&str| {
            let value = serde_json::json!({
                tag: name, "count": 7, "length": 7, "limit": 7, "pages": 7, "pixels": 7, "page": 7, "level": 2,
                "shortest": 1.0, "longest": 7.0, "field": "Seal1", "detail": "changed",
            });
            serde_json::from_value(value).unwrap_or_else(|error| panic!("{name}: {error}"))
        };
        names.iter().map(read).collect()
    }

    /// One of each, with every member that a sentence may name.
    fn samples() -> (Vec<Change>, Vec<Warning>, Vec<Refused>) {
        let changes = [
            "decrypted",
            "repaired",
            "page_size_assumed",
            "damage_dropped",
            "hidden_layers_removed",
            "layers_merged",
            "form_flattened",
            "appearances_made",
            "usage_rights_removed",
            "xfa_removed",
            "damaged_metadata_removed",
            "scripts_removed",
            "actions_removed",
            "embedded_files_removed",
            "multimedia_removed",
        ];
        let warnings = [
            "already_signed",
            "deleted_content_gone",
            "not_compared",
            "embedded_files_kept",
        ];
        let refusals = [
            "too_large",
            "not_pdf",
            "needs_password",
            "wrong_password",
            "unsupported_encryption",
            "signed_and_encrypted",
            "signed_and_damaged",
            "broken_signature",
            "certification_forbids",
            "lock_forbids",
            "cannot_be_extended",
            "signed_with_damaged_metadata",
            "signed_and_active",
            "dynamic_xfa",
            "no_pages",
            "too_many_pages",
            "too_many_pixels",
            "page_size",
            "hidden_content",
            "page_would_change",
            "too_demanding",
        ];
        (
            all("change", &changes),
            all("warning", &warnings),
            all("reason", &refusals),
        )
    }

    #[test]
    fn everything_that_intake_says_has_words_in_every_language() {
        let (changes, warnings, refusals) = samples();
        for language in Language::ALL {
            let mut said = Vec::new();
            said.extend(changes.iter().map(|one| change(language, one)));
            said.extend(warnings.iter().map(|one| warning(language, one)));
            said.extend(refusals.iter().map(|one| reason(language, one)));
            said.extend(refusals.iter().map(|one| remedy(language, one)));
            for text in said {
                assert!(
                    !text.starts_with("intake-") && !text.contains('{'),
                    "{language:?}: {text}"
                );
            }
        }
    }

    #[test]
    fn a_refusal_names_reason_and_remedy() {
        let report = Report::from(Refused::TooManyPages {
            pages: 1200,
            limit: 1000,
        });
        assert_eq!(
            lines(Language::En, &report),
            [
                "Not taken",
                "The file has 1200 pages; at most 1000 are taken.",
                "Divide it into several files."
            ]
        );
        let value = json(Language::En, &report);
        assert_eq!(value["taken"], false);
        assert_eq!(value["reason"]["reason"], "too_many_pages");
        assert_eq!(value["reason"]["remedy"], "Divide it into several files.");
    }
}
