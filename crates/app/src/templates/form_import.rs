//! Imports the fields of a PDF's own form as those of a template.
//!
//! A form defines where its fields are and what they contain, but neither steps nor roles. FIELDS.json adds these: an
//! entry without a position (no `page`) overrides members of the form's field with its name, and an entry with a
//! position is an additional field, such as a signature. Without FIELDS.json all fields belong to one signer.

use domain::Field;
use domain::fields_file::without_mark;
use serde_json::{Map, Value, json};

use crate::base::error::{Error, Fault, FaultCode};

/// The combined fields of form and file, in the format of FIELDS.json.
pub(in crate::templates) struct Laid {
    /// The combined file as input for `domain::fields_file`.
    pub(crate) file: Value,
    /// The place where each field was defined: in the file or in the form.
    origins: Vec<String>,
}

impl Laid {
    /// Converts a path in the combined file to one that the sender knows.
    pub(crate) fn place(&self, path: &str) -> String {
        let placed = || {
            let (index, rest) = path.strip_prefix("fields[")?.split_once(']')?;
            let origin = self.origins.get(index.parse::<usize>().ok()?)?;
            Some(format!("{origin}{rest}"))
        };
        placed().unwrap_or_else(|| path.to_owned())
    }
}

fn not_json(error: &serde_json::Error) -> Error {
    let fault = Fault::new("", FaultCode::FieldsNotJson).with("line", error.line());
    Error::Unprocessable(vec![fault.with("column", error.column())])
}

fn wrong_type(path: &str, expected: &str) -> Error {
    Error::Unprocessable(vec![Fault::new(path, FaultCode::WrongType).with("expected", expected)])
}

/// Combines `file` with the fields of a form. `name` is the template's name if the file sets none.
pub(in crate::templates) fn lay(form: &[Field], name: &str, file: Option<&[u8]>) -> Result<Laid, Error> {
    let given: Value = match file {
        None => json!({}),
        Some(bytes) => serde_json::from_slice(without_mark(bytes)).map_err(|error| not_json(&error))?,
    };
    let Value::Object(mut given) = given else {
        return Err(wrong_type("", "object"));
    };
    let is_missing = |given: &Map<String, Value>, member: &str| given.get(member).is_none_or(Value::is_null);
    if is_missing(&given, "name") {
        given.insert("name".to_owned(), Value::from(name));
    }
    if is_missing(&given, "steps") {
        given.insert("steps".to_owned(), json!([{"order": 1}]));
    }
    let entries = match given.remove("fields") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(entries)) => entries,
        Some(_) => return Err(wrong_type("fields", "array")),
    };
    let mut fields = Vec::with_capacity(form.len());
    let mut origins: Vec<String> = form.iter().map(|field| format!("form_fields.{}", field.name)).collect();
    for field in form {
        fields.push(serde_json::to_value(field).map_err(|error| Error::internal("reading a form's fields", error))?);
    }
    let (mut faults, mut besides) = (Vec::new(), Vec::new());
    for (index, entry) in entries.into_iter().enumerate() {
        let path = format!("fields[{index}]");
        match entry {
            Value::Object(members) if is_missing(&members, "page") => {
                let named = members.get("name").and_then(Value::as_str).unwrap_or_default();
                let mut is_known = false;
                for ((field, value), origin) in form.iter().zip(&mut fields).zip(&mut origins) {
                    if let Value::Object(own) = value
                        && field.name == named
                    {
                        // A member that is `null` counts as missing.
                        let said = members.iter().filter(|(_, value)| !value.is_null());
                        own.extend(said.map(|(member, value)| (member.clone(), value.clone())));
                        origin.clone_from(&path);
                        is_known = true;
                    }
                }
                if !is_known {
                    faults.push(Fault::new(format!("{path}.name"), FaultCode::UnknownFormField));
                }
            }
            other => besides.push((path, other)),
        }
    }
    if !faults.is_empty() {
        return Err(Error::Unprocessable(faults));
    }
    for (path, field) in besides {
        origins.push(path);
        fields.push(field);
    }
    given.insert("fields".to_owned(), Value::from(fields));
    Ok(Laid {
        file: Value::Object(given),
        origins,
    })
}
