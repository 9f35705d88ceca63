//! The templates of mails: the built-in ones, and those that the operator put in their place.
//!
//! A folder (`mail.templates_dir`) may hold, for each kind of mail and language, a subject, a text and an HTML part:
//! `request.ko.subject`, `request.ko.txt`, `request.ko.html`. Each stands alone; what is not there is the built-in one.
//!
//! **When it is looked at.** All are read once, and each is rendered with sample data: with everything that such a mail may
//! hold, and with as little as it may hold. What cannot be parsed, names a variable that no mail has, or fails with the
//! samples is a [`TemplateFault`] with file and line; the server does not start then, and `doctor` tells.
//!
//! **What may fail later.** An override may still meet data that its samples did not hold. Then the mail is written with the
//! built-in template: a mail that does not arrive is worse than one that looks plain. That is logged, and kept for `doctor`
//! until the file has changed.
//!
//! Templates come from the operator, so they are trusted not to lie; they are bounded all the same (steps, depth, length),
//! since a loop that was written by mistake must not hold up a transaction. HTML is escaped where it is not said otherwise.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use domain::{BlobHash, Language};
use jiff::Timestamp;
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior, Value, escape_formatter};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::mail::MailKind;
use crate::mail_sample;
use crate::App;

/// The steps that one rendering may take.
const MOST_STEPS: u64 = 100_000;
/// How deep macros and inclusions may nest.
const DEEPEST: usize = 40;
/// The longest part of a mail, in bytes.
const LONGEST_PART: usize = 512 * 1024;
/// The largest file of a template.
const LARGEST_FILE: u64 = 256 * 1024;
/// The name under which faults that happened while mails were written are kept.
const KEPT_FAULTS: &str = "mail_template_faults";

/// What the engine itself offers: no variables of a mail.
const BUILT_IN_NAMES: [&str; 8] = ["range", "dict", "namespace", "debug", "loop", "self", "super", "caller"];

/// A part of a mail.
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

/// What is wrong with an operator's template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{}: {what}", place(file, *line))]
pub struct TemplateFault {
    /// The file, as the folder has it.
    pub file: String,
    /// The line, where one is known.
    pub line: Option<usize>,
    /// What is wrong, and what helps.
    pub what: String,
}

fn place(file: &str, line: Option<usize>) -> String {
    line.map_or_else(|| file.to_owned(), |line| format!("{file}, line {line}"))
}

/// A fault that was met while a mail was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetFault {
    /// The fault.
    pub fault: TemplateFault,
    /// When it was met last.
    pub at: Timestamp,
    /// Of the file's content, so that a mended file is not told of any more.
    content: String,
}

/// The templates that mails are written with. Cheap to share, not to clone.
pub struct MailTemplates {
    environment: Environment<'static>,
    /// Hashes of the overrides' contents, by the names of their files.
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
    /// The built-in ones alone.
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
            ("letter.txt", include_str!("../../../templates/mail/letter.txt")),
            ("letter.html", include_str!("../../../templates/mail/letter.html")),
        ] {
            // A template that does not parse is missing afterwards; the tests render both for every occasion.
            if let Err(error) = environment.add_template(name, text) {
                tracing::error!(%error, name, "a mail template cannot be read");
            }
        }
        MailTemplates {
            environment,
            overrides: BTreeMap::new(),
            faults: Vec::new(),
            met: Mutex::default(),
        }
    }

    /// The built-in ones with those of a folder over them. What is wrong there is told by [`MailTemplates::faults`], and the
    /// built-in one stays in its place.
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

    /// What is wrong with the operator's templates, by file.
    pub fn faults(&self) -> &[TemplateFault] {
        &self.faults
    }

    /// The operator's templates that are used, by file.
    pub fn overrides(&self) -> impl Iterator<Item = &str> {
        self.overrides.keys().map(String::as_str)
    }

    fn take(&mut self, name: &str, path: &Path) -> Result<(), TemplateFault> {
        let wrong = |what: String| TemplateFault {
            file: name.to_owned(),
            line: None,
            what,
        };
        let Some((kind, language, _)) = parse_name(name) else {
            return Err(wrong(format!(
                "no mail has this name; templates are called KIND.LANGUAGE.PART, with KIND one of {}, LANGUAGE one of ko, en, \
                 ja, and PART one of subject, txt, html",
                MailKind::ALL.map(MailKind::word).join(", ")
            )));
        };
        let unreadable = |error: std::io::Error| wrong(format!("it cannot be read: {error}"));
        if std::fs::metadata(path).map_err(unreadable)?.len() > LARGEST_FILE {
            return Err(wrong(format!("it has more than {LARGEST_FILE} bytes; make it shorter")));
        }
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        let broken = |error: &minijinja::Error| fault(name, error);
        self.environment
            .add_template_owned(name.to_owned(), text.clone())
            .map_err(|error| broken(&error))?;
        let template = self.environment.get_template(name).map_err(|error| broken(&error))?;
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
                line: text.lines().position(|line| has_word(line, unknown)).map(|at| at + 1),
                ..wrong(format!("there is no variable {unknown}; there are {}", known.join(", ")))
            });
        }
        for values in mail_sample::values(kind, language) {
            self.render_named(name, &values).map_err(|error| broken(&error))?;
        }
        let content = BlobHash::of(text.as_bytes()).to_string();
        self.overrides.insert(name.to_owned(), content);
        Ok(())
    }

    /// Writes a part of a mail: with the operator's template where there is one that can, else with the built-in one. `None`
    /// for a subject without an override.
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
                    tracing::error!(%fault, "a mail template of the operator failed; the built-in one was used");
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
            .map_err(|_| minijinja::Error::new(ErrorKind::InvalidOperation, "it writes what is no UTF-8"))
    }

    fn take_met(&self) -> BTreeMap<String, (TemplateFault, String)> {
        std::mem::take(&mut *self.met.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A part of a mail while it is written.
struct Bounded(Vec<u8>);

impl std::io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > LONGEST_PART {
            return Err(std::io::Error::other("it writes more than a mail may hold"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The files of the folder by their names; what begins with a dot is nobody's template.
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
    let language = Language::ALL
        .into_iter()
        .find(|known| known.code() == language)?;
    Some((MailKind::parse(kind)?, language, part))
}

fn fault(file: &str, error: &minijinja::Error) -> TemplateFault {
    let what = match error.kind() {
        ErrorKind::OutOfFuel => format!("it takes more than {MOST_STEPS} steps; look for a loop that is too long"),
        ErrorKind::UndefinedError => format!("it uses what is not there{}", colon(error.detail())),
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

fn has_word(line: &str, word: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word)
}

/// The five characters that mean something in HTML. The library's own way writes `/` as an entity as well, and not every
/// mail program finds a link in that.
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
    /// Keeps for `doctor` what went wrong with the operator's templates while mails were written; a job calls it.
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
                kept.insert(file, MetFault { fault, at: now, content });
            }
            let text = serde_json::to_vec(&kept).map_err(|error| Error::internal("keeping template faults", error))?;
            store::setting::put(tx, KEPT_FAULTS, &text).map_err(Error::from)
        })
    }

    /// What went wrong with the operator's templates while mails were written, of files that are still as they were then.
    pub fn met_template_faults(&self) -> Result<Vec<MetFault>, Error> {
        let kept = self
            .store
            .read(|tx| store::setting::find(tx, KEPT_FAULTS).map_err(Error::from))?
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
