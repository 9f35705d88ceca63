//! The form that makes a template from a PDF and its fields: `POST /api/v3/templates` and `PUT /api/v3/templates/{id}`.

use std::collections::BTreeSet;

use app::{Error, Fault, FaultCode, TemplateFields};
use axum::body::Bytes;
use axum::extract::Request;
use document::intake::{Acceptance, Wishes};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::body::form::Form;
use crate::frame::faults::Faults;

/// A FIELDS.json with as many fields as it may have is smaller.
pub(in crate::api) const LARGEST_FIELDS: u64 = 4 * 1024 * 1024;
/// The value of `form_fields`.
const IMPORT: &str = "import";

/// A PDF with its fields.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(example = json!({
    "file": "(the PDF)",
    "fields": "{\"name\": \"Contract\", \"steps\": [{\"order\": 1}], \"fields\": [{\"name\": \"sign\", \"kind\": \"signature\", \"step\": 1, \"page\": 1, \"x\": 100000, \"y\": 800000, \"width\": 300000, \"height\": 60000, \"required\": true}]}"
}))]
pub struct TemplateForm {
    /// The PDF. If a new version omits it, the template keeps its PDF.
    #[schema(value_type = Option<String>, format = Binary, content_media_type = "application/pdf")]
    pub file: Option<Vec<u8>>,
    /// FIELDS.json (name, steps, fields, `on_reject`), as a text or a file. Required unless you send `form_fields`. A
    /// box that is too small for its kind is refused (`field-too-small`, with the smallest `width` and `height` in the
    /// message). In points, text needs 10 × 7.5, checks and radio choices 5 × 5, and signatures, initials, seals and
    /// pictures 10 × 10.
    #[schema(content_media_type = "application/json")]
    pub fields: Option<String>,
    /// `import`: the fields of the PDF's own form become fields of the template, and their values its defaults. An
    /// entry of `fields` without `page` then changes the form's field of its `name` (`{"name": "salary", "step": 2,
    /// "role": "employee"}`); one with `page` is an additional field. Fields too small to be filled in get larger
    /// boxes. Fields too small to be seen, and those with a value that no field can have, are left out; `intake` in the
    /// response names them.
    #[schema(pattern = "^import$")]
    pub form_fields: Option<String>,
    /// With `form_fields`: the template's name, if `fields` does not set one. Default: the file's name.
    #[schema(max_length = 128)]
    pub name: Option<String>,
    /// The password that opens the PDF, if it has one. We keep neither the password nor the encryption.
    pub password: Option<String>,
    /// What you accept so that the PDF is not refused, as words separated by commas. `rebuilt`: a damaged PDF as we
    /// rebuilt it. `without_signatures`: if the PDF is signed and cannot be accepted with its signatures, a copy
    /// without them. The error of a refused PDF names the word that helps in `accept`.
    #[schema(example = "without_signatures")]
    pub accept: Option<String>,
}

/// The same, parsed.
#[derive(Debug, Default)]
pub(in crate::api) struct Given {
    pub(in crate::api) file: Option<Bytes>,
    fields: Option<Bytes>,
    is_import: bool,
    name: String,
    pub(in crate::api) wishes: Wishes,
}

impl Given {
    /// Reads the form. `needs_file` if there is no PDF yet.
    pub(in crate::api) async fn read(request: Request, largest_document: u64, needs_file: bool) -> Result<Self, Error> {
        let form = Form::read(request, largest_document.saturating_add(LARGEST_FIELDS)).await?;
        Self::of(&form, needs_file)
    }

    pub(in crate::api) fn of(form: &Form, needs_file: bool) -> Result<Self, Error> {
        let mut faults = Faults::default();
        for fault in form.unread() {
            faults.add(fault);
        }
        let mut given = Self::default();
        let (mut name, mut file_name) = (None, None);
        // As everywhere, the last of two members with the same name counts.
        for part in form.parts() {
            let mut text = |name: &str| {
                let text = std::str::from_utf8(&part.bytes).ok();
                if text.is_none() {
                    faults.add(Fault::new(name, FaultCode::WrongType).with("expected", "text"));
                }
                faults.text(name, text?)
            };
            match part.name.as_str() {
                "file" => {
                    file_name.clone_from(&part.file_name);
                    given.file = Some(part.bytes.clone()).filter(|bytes| !bytes.is_empty());
                }
                "fields" => given.fields = Some(part.bytes.clone()).filter(|bytes| !bytes.is_empty()),
                "name" => name = text("name"),
                "password" => given.wishes.password = text("password"),
                "accept" => {
                    let words = text("accept").unwrap_or_default();
                    given.wishes.accepts = acceptances(&words, &mut faults);
                }
                "form_fields" => match text("form_fields").as_deref() {
                    Some(IMPORT) => given.is_import = true,
                    Some("") | None => {}
                    Some(_) => faults.add(Fault::new("form_fields", FaultCode::NotAllowed).with("allowed", IMPORT)),
                },
                _ => {}
            }
        }
        if given.file.is_none() && (needs_file || given.is_import) {
            faults.add(Fault::new("file", FaultCode::Required));
        }
        if given.fields.is_none() && !given.is_import {
            faults.add(Fault::new("fields", FaultCode::Required));
        }
        faults.check()?;
        let stem = file_name
            .as_deref()
            .map(|name| name.strip_suffix(".pdf").unwrap_or(name));
        given.name = name
            .filter(|name| !name.is_empty())
            .or(stem.map(str::to_owned))
            .unwrap_or_default();
        Ok(given)
    }

    /// The source of the fields.
    pub(in crate::api) fn fields(&self) -> TemplateFields<'_> {
        let file = self.fields.as_deref();
        if self.is_import {
            TemplateFields::Form { name: &self.name, file }
        } else {
            TemplateFields::File(file.unwrap_or_default())
        }
    }

    /// Names the part that contains FIELDS.json in faults about it as a whole or about its name: the form has a `name`
    /// too, which applies if the fields come from a form.
    pub(in crate::api) fn told(&self, error: Error) -> Error {
        let Error::Unprocessable(mut faults) = error else {
            return error;
        };
        for fault in &mut faults {
            match fault.path.as_str() {
                "" => fault.path.push_str("fields"),
                "name" if !self.is_import => fault.path.insert_str(0, "fields."),
                _ => {}
            }
        }
        Error::Unprocessable(faults)
    }
}

/// What a sender accepts, by word.
fn acceptances(words: &str, faults: &mut Faults) -> BTreeSet<Acceptance> {
    let words = words.split(',').map(str::trim).filter(|word| !word.is_empty());
    let known = |word: &str| Acceptance::ALL.into_iter().find(|known| known.code() == word);
    let read: Option<BTreeSet<Acceptance>> = words.map(known).collect();
    read.unwrap_or_else(|| {
        let allowed = Acceptance::ALL.map(Acceptance::code).join(", ");
        faults.add(Fault::new("accept", FaultCode::NotAllowed).with("allowed", allowed));
        BTreeSet::new()
    })
}
