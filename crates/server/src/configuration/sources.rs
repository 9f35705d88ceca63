//! The settings that the operator wrote, and their source: the file or environment variables.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use figment::error::Kind;
use figment::value::{Dict, Map, Value};
use figment::{Metadata, Profile, Provider};

use super::fault::without_values;

/// The settings that the operator wrote, and their source.
#[derive(Debug, Clone, Default)]
pub(super) struct Sources {
    pub(super) file: Option<PathBuf>,
    /// Settings in the file, such as `webhook.ports`.
    pub(super) in_file: BTreeSet<String>,
    /// Settings in the environment, with the names of their variables.
    pub(super) variables: BTreeMap<String, String>,
}

impl Sources {
    /// Names a setting as the operator wrote it: the variable, or the key with its file. A default is named by its key
    /// alone.
    pub(super) fn named(&self, setting: &str) -> String {
        if let Some(variable) = self.variables.get(setting) {
            return variable.clone();
        }
        match &self.file {
            Some(file) if self.in_file.contains(setting) => format!("{}: {setting}", file.display()),
            _ => setting.to_owned(),
        }
    }

    /// Like [`Self::named`], but for an unknown name. It may be a section, so everything written under it is named.
    fn named_under(&self, name: &str) -> String {
        let under = |written: &str| written == name || written.starts_with(&format!("{name}."));
        let variables: Vec<&str> = self
            .variables
            .iter()
            .filter(|(written, _)| under(written))
            .map(|(_, variable)| variable.as_str())
            .collect();
        match &self.file {
            Some(file) if variables.is_empty() => format!("{}: {name}", file.display()),
            _ => variables.join(", "),
        }
    }

    /// Describes what is wrong with one setting.
    pub(super) fn describe(&self, error: &figment::Error) -> String {
        let path = error.path.join(".");
        let within = |key: &str| match error.path.last() {
            Some(last) if last == key => path.clone(),
            Some(_) => format!("{path}.{key}"),
            None => key.to_owned(),
        };
        match &error.kind {
            Kind::UnknownField(key, known) => {
                let known = known.join(", ");
                let key = within(key);
                let named = self.named_under(&key);
                match key.rsplit_once('.') {
                    Some((section, _)) => format!("{named} is not a setting; [{section}] has {known}"),
                    None => format!("{named} is not a section; the sections are {known}"),
                }
            }
            Kind::MissingField(key) => {
                let key = within(key);
                let variable = format!("COUNTERSIGN_{}", key.replace('.', "__").to_ascii_uppercase());
                match &self.file {
                    Some(file) => format!("{key} is missing: set it in {} or as {variable}", file.display()),
                    None => format!("{key} is missing: set it in the configuration file or as {variable}"),
                }
            }
            // A list entry is named by its list and the type of its value.
            kind => {
                let mut setting = path.as_str();
                while let Some((list, last)) = setting.rsplit_once('.')
                    && last.bytes().all(|byte| byte.is_ascii_digit())
                {
                    setting = list;
                }
                format!("{}: {}", self.named(setting), without_values(kind))
            }
        }
    }
}

/// Collects the keys of a table and its subtables, joined with dots.
pub(super) fn keys(table: &Dict, above: &str, found: &mut BTreeSet<String>) {
    for (key, value) in table {
        let key = if above.is_empty() {
            key.clone()
        } else {
            format!("{above}.{key}")
        };
        match value {
            Value::Dict(_, inner) => keys(inner, &key, found),
            _ => {
                found.insert(key);
            }
        }
    }
}

/// `COUNTERSIGN_SECTION__KEY` as a source of settings.
pub(super) struct Variables {
    settings: Dict,
    /// Settings with the names of their variables.
    pub(super) names: BTreeMap<String, String>,
}

impl Variables {
    pub(super) fn of(variables: impl Iterator<Item = (String, String)>) -> Variables {
        let (mut settings, mut names) = (Dict::new(), BTreeMap::new());
        for (variable, value) in variables {
            let Some(name) = variable.strip_prefix("COUNTERSIGN_") else {
                continue;
            };
            if name.contains("__") {
                let path: Vec<String> = name.to_ascii_lowercase().split("__").map(str::to_owned).collect();
                let parsed = if is_text(&path) {
                    Value::from(value)
                } else {
                    parse(&value)
                };
                put(&mut settings, &path, parsed);
                names.insert(path.join("."), variable);
            }
        }
        Variables { settings, names }
    }
}

fn put(settings: &mut Dict, path: &[String], value: Value) {
    match path {
        [] => {}
        [key] => {
            settings.insert(key.clone(), value);
        }
        [section, rest @ ..] => {
            let entry = settings
                .entry(section.clone())
                .or_insert_with(|| Value::from(Dict::new()));
            if let Value::Dict(_, inner) = entry {
                put(inner, rest, value);
            }
        }
    }
}

/// Whether a setting is always text. For example, a password of digits is not a number.
fn is_text(path: &[String]) -> bool {
    match path {
        [section, _, rest @ ..] if section == "messenger" => match rest {
            [key] => !matches!(
                key.as_str(),
                "order" | "countries" | "allow_private" | "needs_template" | "needs_id"
            ),
            [table, key] => table != "answer" || key == "success_at",
            _ => false,
        },
        [.., key] => [
            "url",
            "proxy",
            "password",
            "user",
            "host",
            "from",
            "filter",
            "pin",
            "policy",
            "authorization",
            "location",
            "endpoint",
            "region",
            "access_key",
            "secret_key",
            "kms_key",
        ]
        .iter()
        .any(|word| key.ends_with(word)),
        [] => false,
    }
}

/// Parses a value as TOML would: `true`, `7`, `[8080, 8443]`, otherwise text.
fn parse(value: &str) -> Value {
    value
        .parse()
        .unwrap_or_else(|_: std::convert::Infallible| Value::from(value))
}

impl Provider for Variables {
    fn metadata(&self) -> Metadata {
        Metadata::named("environment variables")
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        Ok(Map::from([(Profile::Default, self.settings.clone())]))
    }
}
