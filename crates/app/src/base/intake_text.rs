//! Formats intake's report on a file in the reader's language.
//!
//! The document core returns types. Each has a message of the same name, and a refusal also has a remedy.

use document::intake::{Acceptance, BrokenRule, Change, Rebuilding, RebuiltPart, Refused, Report, Verdict, Warning};
use document::pdf::Rule;
use domain::field_overlap::required_on_one_spot;
use domain::{Field, Language, PageSize};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::base::field_labels::{FieldWarning, labelled};
use crate::base::verdict_words::fault_words;

/// Describes a change in one sentence.
pub fn change(language: Language, change: &Change) -> String {
    sentence(language, "intake-change", "change", change)
}

/// Describes a warning in one sentence.
pub fn warning(language: Language, warning: &Warning) -> String {
    let parts = match warning {
        Warning::Rebuilt { parts, .. } => Some(("parts", rebuilt_parts(language, parts))),
        _ => None,
    };
    sentence_with(language, "intake-warning", "warning", warning, parts.as_slice())
}

/// Explains in one sentence why a file was refused.
pub fn reason(language: Language, reason: &Refused) -> String {
    let words = match reason {
        Refused::BrokenSignature { fault, .. } => vec![("detail", fault_words(language, fault))],
        Refused::CannotBeExtended { fault, .. } => {
            let detail = match fault {
                Some(fault) => fault_words(language, fault),
                None => i18n::text(language, "intake-detail-not-extensible", &[]),
            };
            vec![("detail", detail)]
        }
        Refused::SignedAndDamaged { broken, .. } => vec![("detail", broken_rule(language, broken))],
        Refused::SignedLaxly { deviation, offset, .. } => {
            let rule = rule_words(language, "pdf-deviation", deviation);
            vec![("detail", at_byte(language, *offset, &rule))]
        }
        Refused::Rebuilt { broken, parts, .. } => vec![
            ("detail", broken_rule(language, broken)),
            ("parts", rebuilt_parts(language, parts)),
        ],
        _ => Vec::new(),
    };
    sentence_with(language, "intake-refused", "reason", reason, &words)
}

/// Lists the parts of a damaged file that were rebuilt.
fn rebuilt_parts(language: Language, parts: &[RebuiltPart]) -> String {
    let words = |one: &RebuiltPart| {
        let (code, _) = named("part", one);
        let object = one.object.map(|object| object.to_string()).unwrap_or_default();
        let place = if one.object.is_none() && one.part == Rebuilding::Lost {
            "-somewhere"
        } else {
            ""
        };
        let key = format!("intake-part-{}{place}", code.replace('_', "-"));
        i18n::text(language, &key, &[("object", &object)])
    };
    let words: Vec<Value> = parts.iter().map(words).map(Value::from).collect();
    if words.is_empty() {
        // Every object was found intact.
        return i18n::text(language, "intake-part-references", &[]);
    }
    listed(&words)
}

/// Names the rule of the format that a file breaks, and the position.
fn broken_rule(language: Language, broken: &BrokenRule) -> String {
    let rule = match broken.rule {
        Rule::AppendedLaxly(deviation) => rule_words(language, "pdf-deviation", &deviation),
        rule => rule_words(language, "pdf-rule", &rule),
    };
    let Some(object) = broken.object else {
        return at_byte(language, broken.offset, &rule);
    };
    let (offset, object) = (broken.offset.to_string(), object.to_string());
    let arguments = [("offset", offset.as_str()), ("object", &object), ("rule", &rule)];
    i18n::text(language, "pdf-rule-in-object", &arguments)
}

fn at_byte(language: Language, offset: usize, rule: &str) -> String {
    let offset = offset.to_string();
    i18n::text(language, "pdf-rule-at-byte", &[("offset", &offset), ("rule", rule)])
}

/// Returns the text for a rule, or for a deviation from it, by its code.
fn rule_words(language: Language, prefix: &str, rule: &impl Serialize) -> String {
    let code = serde_json::to_value(rule).unwrap_or_default();
    let code = code.as_str().unwrap_or_default().replace('_', "-");
    i18n::text(language, &format!("{prefix}-{code}"), &[])
}

/// How to fix the problem.
pub fn remedy(language: Language, reason: &Refused) -> String {
    let remedy = sentence(language, "intake-remedy", "reason", reason);
    let Some(acceptance) = reason.acceptance() else {
        return remedy;
    };
    let offer = format!("intake-accept-{}", acceptance.code().replace('_', "-"));
    format!("{remedy} {}", i18n::text(language, &offer, &[]))
}

/// Returns the verdict as a heading.
pub fn verdict(language: Language, verdict: Verdict) -> String {
    let name = match verdict {
        Verdict::Taken => "taken",
        Verdict::TakenWithChanges => "taken-with-changes",
        Verdict::TakenWithWarnings => "taken-with-warnings",
        Verdict::Refused => "refused",
    };
    i18n::text(language, &format!("intake-verdict-{name}"), &[])
}

/// Returns the report's heading: the verdict and, if so, that missing appearances were drawn.
fn heading(language: Language, report: &Report) -> String {
    let is_drawn = |one: &Change| matches!(one, Change::AppearancesMade { .. });
    if report.verdict == Verdict::TakenWithChanges && report.changes.iter().any(is_drawn) {
        return i18n::text(language, "intake-verdict-taken-with-values-drawn", &[]);
    }
    verdict(language, report.verdict)
}

/// Returns the whole report as lines: the verdict and the pages, then the remarks.
pub fn lines(language: Language, report: &Report) -> Vec<String> {
    let mut lines = vec![heading(language, report)];
    if !report.pages.is_empty() {
        let count = report.pages.len().to_string();
        lines.push(i18n::text(language, "intake-pages", &[("count", &count)]));
    }
    lines.extend(remarks(language, report));
    let overlaps = required_on_one_spot(&labelled(language, &report.fields));
    lines.extend(
        overlaps
            .into_iter()
            .map(|pair| FieldWarning::of(language, pair).message),
    );
    lines
}

/// Returns the remarks besides the verdict: form fields, warnings, changes or the refusal, and the remedy.
pub fn remarks(language: Language, report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    if !report.fields.is_empty() {
        let count = report.fields.len().to_string();
        let names = labelled(language, &report.fields).into_iter();
        let names: Vec<Value> = names.map(|field| Value::from(field.shown_name())).collect();
        let arguments = [("count", count.as_str()), ("names", &listed(&names))];
        lines.push(i18n::text(language, "intake-fields", &arguments));
    }
    lines.extend(report.warnings.iter().map(|one| warning(language, one)));
    lines.extend(report.changes.iter().map(|one| change(language, one)));
    if let Some(refused) = &report.refused {
        lines.push(reason(language, refused));
        lines.push(remedy(language, refused));
    }
    lines
}

/// The report on an uploaded PDF, as the command line and the API return it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct IntakeReport {
    /// Whether the file was accepted.
    pub taken: bool,
    /// `taken`, `taken_with_changes`, `taken_with_warnings` or `refused`.
    #[schema(value_type = String, pattern = "^(taken|taken_with_changes|taken_with_warnings|refused)$")]
    pub verdict: Verdict,
    /// The displayed size of each page.
    pub pages: Vec<IntakePage>,
    /// The number of signatures that the PDF already had.
    pub signatures: u32,
    /// The fields of the PDF's form, in the format of FIELDS.json.
    #[schema(value_type = Vec<Object>)]
    pub fields: Vec<Field>,
    /// Our changes to the uploaded file. The pages look the same.
    pub changes: Vec<IntakeChange>,
    /// Warnings that the sender should read before sending the file.
    pub warnings: Vec<IntakeWarning>,
    /// The reason, if the file was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<IntakeRefusal>,
    /// The reason as a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The displayed size of a page, in points.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
pub struct IntakePage {
    /// Width in points.
    pub width: f64,
    /// Height in points.
    pub height: f64,
}

impl From<&PageSize> for IntakePage {
    fn from(size: &PageSize) -> Self {
        Self {
            width: size.width_points,
            height: size.height_points,
        }
    }
}

/// A change that we made to the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct IntakeChange {
    /// The ID, for programs.
    #[schema(example = "scripts_removed")]
    pub change: String,
    /// The number of occurrences, if they can be counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// The reason as a message.
    pub message: String,
}

/// A warning to the sender.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct IntakeWarning {
    /// The ID, for programs.
    #[schema(example = "already_signed")]
    pub warning: String,
    /// The number of occurrences, if they can be counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// The affected form fields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// Lists the parts of a damaged file that were rebuilt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub parts: Vec<RebuiltPart>,
    /// The reason as a message.
    pub message: String,
}

/// The reason why a file was refused. Its figures (`pages`, `limit`, …) are members of the same object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct IntakeRefusal {
    /// The ID, for programs.
    #[schema(example = "too_many_pages")]
    pub reason: String,
    /// The figures of the reason.
    #[serde(flatten)]
    #[schema(ignore)]
    pub figures: Map<String, Value>,
    /// The reason as a message.
    pub message: String,
    /// How to fix the problem.
    pub remedy: String,
    /// If you agree to this change of the file, send this word in the upload's `accept`. We then accept the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "without_signatures")]
    pub accept: Option<Acceptance>,
}

/// Returns the report for programs.
pub fn report(language: Language, report: &Report) -> IntakeReport {
    let refusal = report.refused.as_ref();
    let changes = report.changes.iter().map(|one| {
        let (change, figures) = named("change", one);
        IntakeChange {
            change,
            count: count(&figures),
            message: self::change(language, one),
        }
    });
    let warnings = report.warnings.iter().map(|one| {
        let (warning, figures) = named("warning", one);
        IntakeWarning {
            warning,
            count: count(&figures),
            fields: fields(&figures).map(str::to_owned).collect(),
            parts: match one {
                Warning::Rebuilt { parts, .. } => parts.clone(),
                _ => Vec::new(),
            },
            message: self::warning(language, one),
        }
    });
    IntakeReport {
        taken: refusal.is_none(),
        verdict: report.verdict,
        pages: report.pages.iter().map(IntakePage::from).collect(),
        signatures: report.signatures,
        fields: labelled(language, &report.fields),
        changes: changes.collect(),
        warnings: warnings.collect(),
        reason: refusal.map(|refused| {
            let (reason, mut figures) = named("reason", refused);
            figures.remove("fault");
            IntakeRefusal {
                reason,
                figures,
                message: self::reason(language, refused),
                remedy: remedy(language, refused),
                accept: refused.acceptance(),
            }
        }),
        message: refusal.map(|refused| self::reason(language, refused)),
    }
}

fn count(figures: &Map<String, Value>) -> Option<u32> {
    figures.get("count")?.as_u64()?.try_into().ok()
}

fn fields(figures: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let names = figures.get("fields").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str)
}

/// Joins names: all of them if there are few, otherwise only the first ones.
fn listed(names: &[Value]) -> String {
    const MOST_LISTED: usize = 10;
    let first: Vec<&str> = names.iter().take(MOST_LISTED).filter_map(Value::as_str).collect();
    let more = if names.len() > MOST_LISTED { ", …" } else { "" };
    format!("{}{more}", first.join(", "))
}

/// Returns the report as JSON.
pub fn json(language: Language, report: &Report) -> Value {
    serde_json::to_value(self::report(language, report)).unwrap_or_default()
}

/// Returns the message for a type that serialises as an object with its name under `tag`.
fn sentence(language: Language, prefix: &str, tag: &str, thing: &impl Serialize) -> String {
    sentence_with(language, prefix, tag, thing, &[])
}

/// Like `sentence`, but with some of the figures replaced by text in the reader's language.
fn sentence_with(
    language: Language,
    prefix: &str,
    tag: &str,
    thing: &impl Serialize,
    words: &[(&str, String)],
) -> String {
    let (name, figures) = named(tag, thing);
    let texts: Vec<(&String, String)> = figures
        .iter()
        .map(|(key, value)| {
            let said = words.iter().find(|(name, _)| name == key);
            let text = match value {
                _ if said.is_some() => said.map(|(_, words)| words.clone()).unwrap_or_default(),
                Value::String(text) => text.clone(),
                Value::Array(names) => listed(names),
                // People see whole points.
                Value::Number(number) if number.is_f64() => format!("{:.0}", number.as_f64().unwrap_or_default()),
                other => other.to_string(),
            };
            (key, text)
        })
        .collect();
    let arguments: Vec<(&str, &str)> = texts.iter().map(|(key, text)| (key.as_str(), text.as_str())).collect();
    i18n::text(language, &format!("{prefix}-{}", name.replace('_', "-")), &arguments)
}

/// Returns the ID, and the figures, of a type that serialises as an object with its name under `tag`.
fn named(tag: &str, thing: &impl Serialize) -> (String, Map<String, Value>) {
    let Ok(Value::Object(mut members)) = serde_json::to_value(thing) else {
        return (String::new(), Map::new());
    };
    let name = members.remove(tag);
    (
        name.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned(),
        members,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all<T: serde::de::DeserializeOwned>(tag: &str, names: &[&str]) -> Vec<T> {
        let read = |name: &&str| {
            let value = serde_json::json!({
                tag: name, "count": 7, "length": 7, "limit": 7, "pages": 7, "pixels": 7, "page": 7, "level": 2,
                "shortest": 1.0, "longest": 7.0, "field": "Seal1", "detail": "changed", "fields": ["a", "b"],
                "fault": {"fault": "digest_mismatch"}, "guessed": 7, "seconds": 7, "megabytes": 7, "lost": 7,
                "rule": "stray_entry", "offset": 7, "object": 7, "deviation": "entry_spelling", "algorithm": "SHA-1",
                "parts": [{"part": "length_guessed", "object": 7}, {"part": "no_header"}],
                "kind": "watermark", "notes": ["a"], "files": ["b"], "claims": ["c"], "filter": "X", "font": "X",
            });
            serde_json::from_value(value).unwrap_or_else(|error| panic!("{name}: {error}"))
        };
        names.iter().map(read).collect()
    }

    const CHANGES: &[&str] = &[
        "decrypted",
        "repaired",
        "page_size_assumed",
        "damage_dropped",
        "hidden_layers_removed",
        "layers_merged",
        "form_flattened",
        "annotations_merged",
        "pages_redrawn",
        "appearances_made",
        "annotations_drawn",
        "annotations_removed",
        "screen_only_printed",
        "print_alternates_removed",
        "form_fields_enlarged",
        "usage_rights_removed",
        "xfa_removed",
        "damaged_metadata_removed",
        "scripts_removed",
        "actions_removed",
        "embedded_files_removed",
        "multimedia_removed",
    ];

    const WARNINGS: &[&str] = &[
        "already_signed",
        "signatures_removed",
        "rebuilt",
        "form_kept",
        "deleted_content_gone",
        "not_compared",
        "embedded_files_kept",
        "form_fields_too_small",
        "form_values_kept",
        "form_values_not_shown",
        "notes_removed",
        "claims_removed",
        "attachments_removed",
    ];

    const REFUSALS: &[&str] = &[
        "too_large",
        "not_pdf",
        "incomplete",
        "rebuilt",
        "needs_password",
        "wrong_password",
        "unsupported_encryption",
        "signed_and_encrypted",
        "signed_and_damaged",
        "signed_laxly",
        "weak_signature",
        "signed_and_read_differently",
        "content_lost",
        "damaged_and_maybe_signed",
        "broken_signature",
        "certification_forbids",
        "lock_forbids",
        "cannot_be_extended",
        "signed_with_damaged_metadata",
        "signed_with_unusable_validation_data",
        "signed_and_active",
        "external_content",
        "dynamic_xfa",
        "no_pages",
        "too_many_pages",
        "too_many_pixels",
        "page_size",
        "hidden_content",
        "form_value_not_drawn",
        "annotation_not_drawn",
        "annotation_prints_unseen",
        "unreadable_content",
        "text_not_shown",
        "blending_not_shown",
        "signed_with_unseen",
        "signed_with_missing_font",
        "page_would_change",
        "too_demanding",
        "too_much_time",
        "too_much_memory",
    ];

    /// Returns a sample of each type, with every member that its message may use.
    fn samples() -> (Vec<Change>, Vec<Warning>, Vec<Refused>) {
        (
            all("change", CHANGES),
            all("warning", WARNINGS),
            all("reason", REFUSALS),
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
    fn what_the_verifier_says_of_a_refused_file_is_said_in_the_readers_language() {
        let refusals: Vec<Refused> = all("reason", &["broken_signature", "cannot_be_extended"]);
        for refused in refusals {
            for language in Language::ALL {
                let said = reason(language, &refused);
                assert!(
                    said.ends_with(&i18n::text(language, "verify-fault-digest", &[])),
                    "{said}"
                );
            }
            let report = report(Language::Ko, &Report::from(refused));
            let figures = report.reason.expect("refused").figures;
            assert_eq!(figures.keys().collect::<Vec<_>>(), ["detail", "field"]);
        }
    }

    /// Returns all codes of a type, taken from the error that serde reports for an unknown code.
    fn codes_of<T: serde::de::DeserializeOwned>() -> Vec<String> {
        let Err(error) = serde_json::from_value::<T>("none of them".into()) else {
            panic!("it has every code")
        };
        let all = error.to_string();
        let mut codes: Vec<String> = all.split('`').skip(3).step_by(2).map(str::to_owned).collect();
        codes.retain(|code| code != "appended_laxly");
        codes
    }

    #[test]
    fn every_rule_of_the_format_has_words_in_every_language() {
        let rules = codes_of::<Rule>().into_iter().map(|code| ("pdf-rule", code));
        let deviations = codes_of::<document::pdf::defect::DeviationKind>().into_iter();
        let all: Vec<(&str, String)> = rules.chain(deviations.map(|code| ("pdf-deviation", code))).collect();
        assert!(all.len() > 60, "{all:?}");
        for (prefix, code) in all {
            for language in Language::ALL {
                let words = rule_words(language, prefix, &code);
                assert!(!words.starts_with("pdf-"), "{language:?}: {words}");
            }
        }
    }

    #[test]
    fn all_that_was_rebuilt_has_words_in_every_language() {
        for code in codes_of::<document::intake::Rebuilding>() {
            let part = serde_json::from_value(serde_json::json!({"part": code, "object": 7})).expect("a part");
            for language in Language::ALL {
                let words = rebuilt_parts(language, &[part]);
                assert!(
                    !words.starts_with("intake-") && !words.contains('{'),
                    "{language:?}: {words}"
                );
                let warned = Warning::Rebuilt {
                    guessed: 1,
                    lost: 0,
                    parts: vec![part],
                };
                assert!(warning(language, &warned).contains(&words), "{language:?}: {words}");
            }
        }
    }

    #[test]
    fn the_rule_that_a_signed_file_breaks_is_said_in_the_readers_language() {
        let refused: Vec<Refused> = all("reason", &["signed_and_damaged", "signed_laxly"]);
        for (language, rule, deviation) in [
            (Language::En, "point to its own object", "required spaces"),
            (Language::Ko, "교차 참조 항목이 자기 객체를 가리키지", "공백과 줄바꿈"),
            (Language::Ja, "相互参照の項目が自分のオブジェクトを指して", "空白と改行"),
        ] {
            let said: Vec<String> = refused.iter().map(|one| reason(language, one)).collect();
            assert!(said[0].contains(rule) && said[1].contains(deviation), "{said:?}");
        }
        let figures = report(Language::Ko, &Report::from(refused[0].clone()));
        let figures = figures.reason.expect("refused").figures;
        assert_eq!(figures["rule"], "stray_entry");
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
                "Not accepted",
                "The file has 1200 pages. The limit is 1000.",
                "Split it into several files."
            ]
        );
        let value = json(Language::En, &report);
        assert_eq!(value["taken"], false);
        assert_eq!(value["reason"]["reason"], "too_many_pages");
        assert_eq!(value["reason"]["remedy"], "Split it into several files.");
    }
}
