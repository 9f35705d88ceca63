//! Mail templates: the built-in ones and the operator's own.
//!
//! A folder (`mail.templates_folder`) may contain a subject, a text and an HTML part for each kind of mail and
//! language: `request.ko.subject`, `request.ko.txt`, `request.ko.html`. They are independent, and the built-in template
//! replaces a missing one.
//!
//! **Checks at the start.** All templates are read once, and each is rendered with two sets of sample data: with
//! everything that such a mail may contain, and with the minimum. A template that cannot be parsed, uses a variable
//! that no mail has, or fails with the samples is a [`TemplateFault`] with file and line. The server then refuses to
//! start, and `doctor` reports the fault.
//!
//! **Later failures.** A template may still fail with data that its samples did not contain. We then use the built-in
//! template, because a missing mail is worse than a plain one. The fault is logged, and stored for `doctor` until the
//! file changes.
//!
//! Templates come from the operator and are trusted. They are still limited (steps, depth, length), because an
//! accidental endless loop must not delay a transaction. HTML is escaped unless a template says otherwise.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use domain::{BlobHash, Language};
use jiff::Timestamp;
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior, Value, escape_formatter};
use serde::{Deserialize, Serialize};

use crate::App;
use crate::base::error::Error;
use crate::outbox::mail::MailKind;
use crate::outbox::mail_sample;

/// Maximum number of steps for rendering a template once.
const MOST_STEPS: u64 = 100_000;
/// Maximum nesting of macros and includes.
const DEEPEST: usize = 40;
/// Maximum length of a part of a mail, in bytes.
const LONGEST_PART: usize = 512 * 1024;
/// Maximum size of a template file, in bytes.
const LARGEST_FILE: u64 = 256 * 1024;
/// The setting that stores the faults that occurred while mails were created.
const KEPT_FAULTS: &str = "mail_template_faults";

/// Names that the template engine itself provides, and that are not variables of a mail.
const BUILT_IN_NAMES: [&str; 8] = ["range", "dict", "namespace", "debug", "loop", "self", "super", "caller"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Subject,
    Text,
    Html,
}

impl Part {
    const ALL: [Part; 3] = [Part::Subject, Part::Text, Part::Html];

    fn extension(self) -> &'static str {
        match self {
            Part::Subject => "subject",
            Part::Text => "txt",
            Part::Html => "html",
        }
    }

    fn built_in(self) -> Option<&'static str> {
        match self {
            Part::Subject => None,
            Part::Text => Some("letter.txt"),
            Part::Html => Some("letter.html"),
        }
    }
}

/// A fault in an operator's template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{}: {what}", place(file, *line))]
pub struct TemplateFault {
    /// The file's name in the folder.
    pub file: String,
    /// The line, if known.
    pub line: Option<usize>,
    /// Description of the fault, and how to fix it.
    pub what: String,
}

fn place(file: &str, line: Option<usize>) -> String {
    line.map_or_else(|| file.to_owned(), |line| format!("{file}, line {line}"))
}

/// A fault that occurred while a mail was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetFault {
    pub fault: TemplateFault,
    /// Time of the latest occurrence.
    pub at: Timestamp,
    /// The hash of the file's content, so that a fixed file is no longer reported.
    content: String,
}

/// The templates for creating mails. Cheap to share, not to clone.
pub struct MailTemplates {
    environment: Environment<'static>,
    /// Hashes of the override files, by file name.
    overrides: BTreeMap<String, String>,
    faults: Vec<TemplateFault>,
    met: Mutex<BTreeMap<String, (TemplateFault, String)>>,
}

impl std::fmt::Debug for MailTemplates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MailTemplates")
            .field("overrides", &self.overrides.keys())
            .finish_non_exhaustive()
    }
}

impl Default for MailTemplates {
    fn default() -> Self {
        MailTemplates::built_in()
    }
}

impl MailTemplates {
    /// Loads only the built-in templates.
    pub fn built_in() -> MailTemplates {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_fuel(Some(MOST_STEPS));
        environment.set_recursion_limit(DEEPEST);
        environment.set_auto_escape_callback(|name| {
            if Path::new(name).extension().is_some_and(|extension| extension == "html") {
                AutoEscape::Html
            } else {
                AutoEscape::None
            }
        });
        environment.set_formatter(|out, state, value| match value.as_str() {
            Some(text) if *state.auto_escape() == AutoEscape::Html && !value.is_safe() => {
                Ok(out.write_str(&escaped(text))?)
            }
            _ => escape_formatter(out, state, value),
        });
        for (name, text) in [
            ("letter.txt", include_str!("../../../../templates/mail/letter.txt")),
            ("letter.html", include_str!("../../../../templates/mail/letter.html")),
        ] {
            // A template that cannot be parsed would be missing. The tests render both templates for every occasion.
            if let Err(error) = environment.add_template(name, text) {
                tracing::error!(%error, name, "a built-in mail template could not be read");
            }
        }
        MailTemplates {
            environment,
            overrides: BTreeMap::new(),
            faults: Vec::new(),
            met: Mutex::default(),
        }
    }

    /// Loads the built-in templates, overridden by those of a folder. A faulty template is listed in
    /// [`MailTemplates::faults`], and the built-in one is used instead.
    pub fn with_folder(folder: &Path) -> MailTemplates {
        let mut templates = MailTemplates::built_in();
        match files(folder) {
            Ok(files) => {
                for (name, path) in files {
                    if let Err(fault) = templates.take(&name, &path) {
                        templates.environment.remove_template(&name);
                        templates.overrides.remove(&name);
                        templates.faults.push(fault);
                    }
                }
            }
            Err(error) => templates.faults.push(TemplateFault {
                file: folder.display().to_string(),
                line: None,
                what: format!("the folder cannot be read: {error}"),
            }),
        }
        templates
    }

    /// Returns the faults of the operator's templates, by file.
    pub fn faults(&self) -> &[TemplateFault] {
        &self.faults
    }

    /// Returns the operator's templates that are in use, by file.
    pub fn overrides(&self) -> impl Iterator<Item = &str> {
        self.overrides.keys().map(String::as_str)
    }

    fn take(&mut self, name: &str, path: &Path) -> Result<(), TemplateFault> {
        let wrong = |what: String| TemplateFault {
            file: name.to_owned(),
            line: None,
            what,
        };
        let Some((kind, language, part)) = parse_name(name) else {
            return Err(wrong(format!(
                "no mail has this name; templates are called KIND.LANGUAGE.PART, with KIND one of {}, LANGUAGE one of ko, en, \
                 ja, and PART one of subject, txt, html",
                MailKind::ALL.map(MailKind::word).join(", ")
            )));
        };
        let unreadable = |error: std::io::Error| wrong(format!("the file cannot be read: {error}"));
        if std::fs::metadata(path).map_err(unreadable)?.len() > LARGEST_FILE {
            return Err(wrong(format!(
                "the file has more than {LARGEST_FILE} bytes; make it shorter"
            )));
        }
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        let broken = |error: &minijinja::Error| fault(name, error);
        self.environment
            .add_template_owned(name.to_owned(), text.clone())
            .map_err(|error| broken(&error))?;
        let template = self.environment.get_template(name).map_err(|error| broken(&error))?;
        let secret = |line| {
            TemplateFault {
            line,
            ..wrong(
                "the subject must not contain the one-time code: lists of messages, logs and lock screens show subjects; put \
                 {{ code }} into the txt and html parts"
                    .to_owned(),
            )
        }
        };
        if part == Part::Subject && template.undeclared_variables(false).contains("code") {
            return Err(secret(line_with(&text, "code")));
        }
        let known = mail_sample::variable_names();
        let mut unknown: Vec<String> = template
            .undeclared_variables(false)
            .into_iter()
            .filter(|used| !known.contains(used) && !BUILT_IN_NAMES.contains(&used.as_str()))
            .collect();
        unknown.sort();
        if let Some(unknown) = unknown.first() {
            let mut known: Vec<&str> = known.iter().map(String::as_str).collect();
            known.sort_unstable();
            return Err(TemplateFault {
                line: line_with(&text, unknown),
                ..wrong(format!(
                    "there is no variable {unknown}; you can use {}",
                    known.join(", ")
                ))
            });
        }
        for values in mail_sample::values(kind, language) {
            let written = self.render_named(name, &values).map_err(|error| broken(&error))?;
            // An included template may contain the code.
            let code = values.get_attr("code").ok();
            let code = code.as_ref().and_then(Value::as_str).filter(|code| code.len() > 1);
            if part == Part::Subject && code.is_some_and(|code| written.contains(code)) {
                return Err(secret(None));
            }
        }
        let content = BlobHash::of(text.as_bytes()).to_string();
        self.overrides.insert(name.to_owned(), content);
        Ok(())
    }

    /// Renders a part of a mail with the operator's template if it works, otherwise with the built-in one. `None` for a
    /// subject without a template.
    pub(crate) fn render(
        &self,
        kind: MailKind,
        language: Language,
        part: Part,
        values: &Value,
    ) -> Result<Option<String>, Error> {
        let name = file_name(kind, language, part);
        if let Some(content) = self.overrides.get(&name) {
            match self.render_named(&name, values) {
                Ok(text) => return Ok(Some(text)),
                Err(error) => {
                    let fault = fault(&name, &error);
                    tracing::error!(%fault, "one of your mail templates failed, so the built-in one was used");
                    let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
                    met.insert(name, (fault, content.clone()));
                }
            }
        }
        part.built_in()
            .map(|name| self.render_named(name, values))
            .transpose()
            .map_err(|error| Error::internal("writing a mail", error))
    }

    fn render_named(&self, name: &str, values: &Value) -> Result<String, minijinja::Error> {
        let mut written = Bounded(Vec::new());
        let template = self.environment.get_template(name)?;
        template.render_captured_to(values.clone(), &mut written)?;
        String::from_utf8(written.0)
            .map_err(|_| minijinja::Error::new(ErrorKind::InvalidOperation, "its output is not valid UTF-8"))
    }

    fn take_met(&self) -> BTreeMap<String, (TemplateFault, String)> {
        std::mem::take(&mut *self.met.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A part of a mail while it is being rendered, with a maximum length.
struct Bounded(Vec<u8>);

impl std::io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > LONGEST_PART {
            return Err(std::io::Error::other(
                "its output is longer than a part of a mail can be",
            ));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns the files of the folder by name. Files that begin with a dot are not templates.
fn files(folder: &Path) -> std::io::Result<BTreeMap<String, PathBuf>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') {
            files.insert(name, entry.path());
        }
    }
    Ok(files)
}

fn file_name(kind: MailKind, language: Language, part: Part) -> String {
    format!("{}.{}.{}", kind.word(), language.code(), part.extension())
}

fn parse_name(name: &str) -> Option<(MailKind, Language, Part)> {
    let (rest, extension) = name.rsplit_once('.')?;
    let (kind, language) = rest.rsplit_once('.')?;
    let part = Part::ALL.into_iter().find(|part| part.extension() == extension)?;
    let language = Language::ALL.into_iter().find(|known| known.code() == language)?;
    Some((MailKind::parse(kind)?, language, part))
}

fn fault(file: &str, error: &minijinja::Error) -> TemplateFault {
    let what = match error.kind() {
        ErrorKind::OutOfFuel => format!("it takes more than {MOST_STEPS} steps; check its loops"),
        ErrorKind::UndefinedError => format!("it uses an undefined value{}", colon(error.detail())),
        kind => format!("{kind}{}", colon(error.detail())),
    };
    TemplateFault {
        file: file.to_owned(),
        line: error.line(),
        what,
    }
}

fn colon(detail: Option<&str>) -> String {
    detail.map(|detail| format!(": {detail}")).unwrap_or_default()
}

fn line_with(text: &str, word: &str) -> Option<usize> {
    text.lines().position(|line| has_word(line, word)).map(|at| at + 1)
}

fn has_word(line: &str, word: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|part| part == word)
}

/// Escapes the five special characters of HTML. The library would also escape `/`, and some mail programs do not
/// recognise links with that entity.
fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
    html
}

impl App {
    /// Stores the faults of the operator's templates that occurred while mails were created, for `doctor`. Called by a
    /// job.
    pub fn keep_template_faults(&self) -> Result<(), Error> {
        let met = self.settings.mail_templates.take_met();
        if met.is_empty() {
            return Ok(());
        }
        let now = self.now();
        self.store.write(move |tx| {
            let kept = store::setting::find(tx, KEPT_FAULTS)?.unwrap_or_default();
            let mut kept: BTreeMap<String, MetFault> = serde_json::from_slice(&kept).unwrap_or_default();
            for (file, (fault, content)) in met.clone() {
                kept.insert(
                    file,
                    MetFault {
                        fault,
                        at: now,
                        content,
                    },
                );
            }
            let text = serde_json::to_vec(&kept).map_err(|error| Error::internal("keeping template faults", error))?;
            store::setting::put(tx, KEPT_FAULTS, &text).map_err(Error::from)
        })
    }

    /// Returns the stored faults that occurred while mails were created. Faults of files that have since changed are
    /// left out.
    pub fn met_template_faults(&self) -> Result<Vec<MetFault>, Error> {
        let kept = self
            .store
            .read_one(|tx| store::setting::find(tx, KEPT_FAULTS).map_err(Error::from))?
            .unwrap_or_default();
        let kept: BTreeMap<String, MetFault> = serde_json::from_slice(&kept).unwrap_or_default();
        let now = &self.settings.mail_templates.overrides;
        Ok(kept
            .into_iter()
            .filter(|(file, met)| now.get(file) == Some(&met.content))
            .map(|(_, met)| met)
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use domain::Contact;
    use store::company::Style;

    use super::*;
    use crate::outbox::mail::{Occasion, OutgoingMail, write};
    use crate::outbox::mail_sample::{Links, notification, rich};

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    fn faults(files: &[(&str, &str)]) -> Vec<String> {
        let templates = MailTemplates::with_folder(folder(files).path());
        templates.faults().iter().map(ToString::to_string).collect()
    }

    fn written(templates: &MailTemplates, kind: MailKind, language: Language) -> OutgoingMail {
        let (style, contact) = (Style::default(), Contact::Email("a@example.com".to_owned()));
        let links = Links::below("https://sign.example.com");
        let occasion = rich(kind, language, &links, Timestamp::UNIX_EPOCH);
        write(templates, &notification(&style, &contact, language, occasion)).unwrap()
    }

    #[test]
    fn members_read_a_message_without_its_link_whatever_a_template_does_with_it() {
        let folder = folder(&[
            ("request.en.subject", "{{ sign_url }}"),
            (
                "request.en.txt",
                "{{ sign_url|urlencode }} {{ sign_url|list|join('.') }} {{ links[0].url|reverse }}",
            ),
        ]);
        let templates = MailTemplates::with_folder(folder.path());
        assert_eq!(templates.faults(), []);
        let mail = written(&templates, MailKind::Request, Language::En);
        assert!(mail.text.contains("token%3Dsample"), "{}", mail.text);
        let words = mail.for_members.unwrap();
        assert_eq!(words.subject, "[signing link]");
        assert_eq!(
            words.text,
            "%5Bsigning%20link%5D [.s.i.g.n.i.n.g. .l.i.n.k.] ]knil gningis["
        );
        for language in Language::ALL {
            for kind in [MailKind::Request, MailKind::Reminder, MailKind::Returned] {
                let mail = written(&MailTemplates::built_in(), kind, language);
                let words = mail.for_members.unwrap();
                assert!(
                    mail.text.contains("token=sample") && !words.text.contains("token="),
                    "{}",
                    words.text
                );
                let hidden = i18n::text(language, "mail-hidden-link", &[]);
                assert_eq!(mail.text.replace(&mail.links[0].url, &hidden), words.text);
            }
            // In the sample, the signer must enter a code to see the completed files.
            let completed = written(&MailTemplates::built_in(), MailKind::Completed, language);
            assert_eq!(completed.text.matches("token=").count(), 2);
            assert!(!completed.for_members.unwrap().text.contains("token="));
            for kind in [MailKind::Code, MailKind::Rejected, MailKind::Stopped] {
                assert_eq!(written(&MailTemplates::built_in(), kind, language).for_members, None);
            }
        }
    }

    #[test]
    fn an_override_stands_in_the_place_of_one_part_and_the_others_stay() {
        let folder = folder(&[
            ("request.ko.subject", "[전자계약]\n{{ document }}\r\nBcc: x@example.com"),
            (
                "request.ko.html",
                "<p>{{ sender }}</p><a href=\"{{ sign_url }}\">{{ comment }}</a>",
            ),
            ("completed.en.txt", "{{ document }}: {{ document_url }}"),
            (".request.ko.txt.swp", "an editor's own"),
        ]);
        let templates = MailTemplates::with_folder(folder.path());
        assert_eq!(templates.faults(), []);
        let built_in = MailTemplates::built_in();
        let (own, usual) = (
            written(&templates, MailKind::Request, Language::Ko),
            written(&built_in, MailKind::Request, Language::Ko),
        );
        assert_eq!(own.subject, "[전자계약] 시험용 문서 Bcc: x@example.com");
        assert_eq!(own.text, usual.text);
        assert_eq!(
            own.html.unwrap(),
            "<p>김민준</p><a href=\"https://sign.example.com/mail/sign?token=sample\">시험용 메일입니다.\n아무것도 하지 않으셔도 됩니다.</a>"
        );
        let own = written(&templates, MailKind::Completed, Language::En);
        assert_eq!(
            own.text,
            "Test document: https://sign.example.com/mail/view?token=sample-document"
        );
        for other in [Language::En, Language::Ja] {
            assert_eq!(
                written(&templates, MailKind::Request, other),
                written(&built_in, MailKind::Request, other)
            );
        }
    }

    #[test]
    fn html_is_escaped_and_text_is_not() {
        let folder = folder(&[
            ("rejected.en.html", "{{ reason }}"),
            ("rejected.en.txt", "{{ reason }}"),
        ]);
        let templates = MailTemplates::with_folder(folder.path());
        let (style, contact) = (Style::default(), Contact::Email("a@example.com".to_owned()));
        let occasion = Occasion::Rejected {
            at: Timestamp::UNIX_EPOCH,
            writer: "Eve",
            reason: "<script>\"a\" & 'b'</script>",
        };
        let mail = write(&templates, &notification(&style, &contact, Language::En, occasion)).unwrap();
        assert_eq!(
            mail.html.unwrap(),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;"
        );
        assert_eq!(mail.text, "<script>\"a\" & 'b'</script>");
    }

    #[test]
    fn faults_name_file_and_line() {
        for (name, text, expected) in [
            (
                "request.ko.txt",
                "안녕하세요\n{{ documnt }}",
                "request.ko.txt, line 2: there is no variable documnt",
            ),
            // An error in a branch that no sample reaches.
            (
                "expired.ja.html",
                "{% if false %}\n\n{{ nobody }}{% endif %}",
                "expired.ja.html, line 3: there is no",
            ),
            (
                "request.ko.txt",
                "a\nb\n{% if %}",
                "request.ko.txt, line 3: syntax error",
            ),
            (
                "request.ko.txt",
                "{{ name | no_such_filter }}",
                "request.ko.txt, line 1: unknown filter",
            ),
            // A mail without a comment has no quotation.
            (
                "request.en.html",
                "x\n{{ quote.label }}",
                "request.en.html, line 2: it uses an undefined value",
            ),
            (
                "request.en.txt",
                "{% include \"/etc/passwd\" %}",
                "request.en.txt, line 1: template not found",
            ),
            (
                "request.en.txt",
                "{% for a in range(9000) %}{% for b in range(9000) %}x{% endfor %}{% endfor %}",
                "steps",
            ),
            (
                "request.en.txt",
                "{% macro m() %}{{ m() }}{% endmacro %}\n{{ m() }}",
                "request.en.txt, line 1: ",
            ),
        ] {
            let found = faults(&[(name, text)]);
            assert!(found.len() == 1 && found[0].contains(expected), "{text}: {found:?}");
        }
    }

    #[test]
    fn a_file_whose_name_is_none_of_ours_is_a_fault_and_no_other_suffers() {
        for name in [
            "reqest.ko.txt",
            "request.kr.txt",
            "request.txt",
            "request.ko.md",
            "README.md",
            "a",
        ] {
            let found = faults(&[(name, "")]);
            assert!(
                found.len() == 1 && found[0].starts_with(name) && found[0].contains("KIND.LANGUAGE.PART"),
                "{found:?}"
            );
        }
        let missing = MailTemplates::with_folder(Path::new("/no/such/folder"));
        assert!(
            missing.faults()[0]
                .to_string()
                .contains("/no/such/folder: the folder cannot be read")
        );
        // Each fault is reported, and none affects another template.
        let folder = folder(&[
            ("request.ko.txt", "{{ a"),
            ("request.en.txt", "{{ b"),
            ("request.ja.txt", "ok"),
        ]);
        let templates = MailTemplates::with_folder(folder.path());
        assert_eq!(templates.faults().len(), 2);
        assert_eq!(templates.overrides().collect::<Vec<_>>(), ["request.ja.txt"]);
        assert_eq!(
            written(&templates, MailKind::Request, Language::Ko),
            written(&MailTemplates::built_in(), MailKind::Request, Language::Ko)
        );
    }

    /// Subjects are shown in places where a one-time code must not appear.
    #[test]
    fn no_subject_contains_the_one_time_code() {
        for text in [
            "{{ company }}: {{ code }}",
            "{% if false %}{{ code }}{% endif %}",
            "{% include 'letter.txt' %}",
            "{{ code[0] }}",
        ] {
            let found = faults(&[("code.en.subject", text)]);
            assert!(
                found.len() == 1 && found[0].contains("the subject must not contain the one-time code"),
                "{text}: {found:?}"
            );
        }
        assert!(faults(&[("code.en.subject", "{{ company }}"), ("code.en.txt", "{{ code }}")]).is_empty());
    }

    #[test]
    fn a_part_longer_than_a_mail_may_be_is_refused() {
        let text = format!("{{% for a in range(3000) %}}{}{{% endfor %}}", "x".repeat(200));
        let found = faults(&[("request.ko.txt", text.as_str())]);
        assert!(found.len() == 1 && found[0].contains("request.ko.txt"), "{found:?}");
    }

    #[test]
    fn data_that_no_sample_held_make_the_built_in_mail_and_a_fault_that_is_kept() {
        // The samples have two lines or none, but this mail has one.
        let folder = folder(&[("returned.en.txt", "{% if quote %}{{ quote.lines[1] }}{% endif %}")]);
        let templates = MailTemplates::with_folder(folder.path());
        assert_eq!(templates.faults(), []);
        let (style, contact) = (Style::default(), Contact::Email("a@example.com".to_owned()));
        let occasion = Occasion::Returned {
            writer: "Eve",
            reason: "one line",
            deadline: Timestamp::UNIX_EPOCH,
            sign_url: "https://sign.example.com/",
        };
        let notification = notification(&style, &contact, Language::En, occasion);
        let mail = write(&templates, &notification).unwrap();
        assert_eq!(mail, write(&MailTemplates::built_in(), &notification).unwrap());
        let met = templates.take_met();
        assert_eq!(met.len(), 1);
        assert_eq!(met["returned.en.txt"].0.line, Some(1));
        assert!(templates.take_met().is_empty(), "told once");
    }

    #[test]
    fn every_kind_and_part_has_a_name_of_its_own() {
        let mut names = std::collections::BTreeSet::new();
        for kind in MailKind::ALL {
            for language in Language::ALL {
                for part in Part::ALL {
                    let name = file_name(kind, language, part);
                    assert_eq!(parse_name(&name), Some((kind, language, part)));
                    names.insert(name);
                }
            }
        }
        assert_eq!(names.len(), 99);
    }
}
