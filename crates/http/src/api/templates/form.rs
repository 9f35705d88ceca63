//! The form for creating a template from a PDF and its fields: `POST /api/v3/templates` and `PUT
//! /api/v3/templates/{id}`.

use std::collections::BTreeSet;

use app::{Error, Fault, FaultCode, TemplateFields};
use axum::body::Bytes;
use axum::extract::Request;
use document::intake::{Acceptance, Wishes};

use crate::body::declared::{Declared, declare};
use crate::body::form::Form;
use crate::body::multipart::Part;
use crate::frame::faults::Faults;

/// Maximum size of `FIELDS.json`. A file with the maximum number of fields is smaller.
pub(in crate::api) const LARGEST_FIELDS: u64 = 4 * 1024 * 1024;
/// The value of `form_fields`.
const IMPORT: &str = "import";

declare! {
    /// A PDF with its fields.
    #[schema(example = json!({
        "file": "(the PDF)",
        "fields": "{\"name\": \"Contract\", \"steps\": [{\"order\": 1}], \"fields\": [{\"name\": \"sign\", \"kind\": \"signature\", \"step\": 1, \"page\": 1, \"x\": 100000, \"y\": 800000, \"width\": 300000, \"height\": 60000, \"required\": true}]}"
    }))]
    TemplateForm of Form -> Given {
        /// The PDF. If a new version omits it, the template keeps its PDF.
        #[schema(value_type = Option<String>, format = Binary, content_media_type = "application/pdf")]
        file: Option<Vec<u8>> => file = file,
        /// FIELDS.json (name, steps, fields, `on_reject`), as a text or a file. Required unless you send `form_fields`.
        /// A box that is too small for its kind is refused (`field-too-small`, with the smallest `width` and `height`
        /// in the message). In points, text needs 10 × 7.5, checks and radio choices 5 × 5, and signatures, initials,
        /// seals and images 10 × 10.
        #[schema(content_media_type = "application/json")]
        fields: Option<String> => fields = content,
        /// `import`: the fields of the PDF's own form become fields of the template, and their values become its
        /// defaults. An entry of `fields` without `page` then changes the form field with its `name` (`{"name":
        /// "salary", "step": 2, "role": "employee"}`). An entry with `page` is an additional field. Fields too small to
        /// be filled in get larger boxes. Fields too small to be seen, and fields whose value is not supported, are
        /// left out. `intake` in the response names them.
        #[schema(pattern = "^import$")]
        form_fields: Option<String> => is_import = is_import,
        /// With `form_fields`: the template's name, if `fields` does not set one. Default: the file's name.
        #[schema(max_length = 128)]
        name: Option<String> => name,
        /// The password that opens the PDF, if it has one. We keep neither the password nor the encryption.
        password: Option<String> => wishes.password,
        /// Changes to the PDF that you accept to prevent a refusal, as words separated by commas. `rebuilt`: a damaged
        /// PDF as we rebuilt it. `without_signatures`: if the PDF is signed and cannot be accepted with its signatures,
        /// a copy without them. The error of a refused PDF names the word that helps in `accept`.
        #[schema(example = "without_signatures")]
        accept: Option<String> => wishes.accepts = acceptances,
    }
}

/// The parsed form.
#[derive(Debug, Default)]
pub struct Given {
    pub(in crate::api) file: Option<Part>,
    pub(in crate::api) fields: Option<Bytes>,
    pub(in crate::api) is_import: bool,
    pub(in crate::api) name: Option<String>,
    pub(in crate::api) wishes: Wishes,
}

impl Given {
    /// Reads the form. `needs_file` is set if there is no PDF yet.
    pub(in crate::api) async fn read(request: Request, largest_document: u64, needs_file: bool) -> Result<Self, Error> {
        let form = Form::read(request, largest_document.saturating_add(LARGEST_FIELDS)).await?;
        Self::of::<TemplateForm>(&form, needs_file)
    }

    pub(in crate::api) fn of<F>(form: &Form, needs_file: bool) -> Result<Self, Error>
    where
        F: for<'a> Declared<Source<'a> = Form, Request = Given>,
    {
        let mut faults = Faults::default();
        for fault in form.unread() {
            faults.add(fault);
        }
        let given = F::read(form, &mut faults);
        if given.file.is_none() && (needs_file || given.is_import) {
            faults.add(Fault::new("file", FaultCode::Required));
        }
        if given.fields.is_none() && !given.is_import {
            faults.add(Fault::new("fields", FaultCode::Required));
        }
        faults.check()?;
        Ok(given)
    }

    pub(in crate::api) fn pdf(&self) -> Option<&[u8]> {
        self.file.as_ref().map(|file| file.bytes.as_ref())
    }

    /// Returns the name for the result: its own name, or else the file's.
    fn name(&self) -> &str {
        let name = self.name.as_deref().filter(|name| !name.is_empty());
        let file = self.file.as_ref().and_then(|file| file.file_name.as_deref());
        let stem = file.map(|name| name.strip_suffix(".pdf").unwrap_or(name));
        name.or(stem).unwrap_or_default()
    }

    /// Returns the source of the fields.
    pub(in crate::api) fn fields(&self) -> TemplateFields<'_> {
        let file = self.fields.as_deref();
        if self.is_import {
            TemplateFields::Form {
                name: self.name(),
                file,
            }
        } else {
            TemplateFields::File(file.unwrap_or_default())
        }
    }

    /// Adjusts the paths of faults about `FIELDS.json` as a whole or about its name, so that they name the part
    /// containing it. The form also has a `name`, which applies if the fields come from a PDF form.
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

/// Returns a non-empty file.
pub(in crate::api) fn file(form: &Form, name: &str, _: &mut Faults) -> Option<Part> {
    form.last(name).filter(|part| !part.bytes.is_empty()).cloned()
}

/// Returns the content of a part, whether it was sent as a file or as text.
pub(in crate::api) fn content(form: &Form, name: &str, _: &mut Faults) -> Option<Bytes> {
    form.part(name).cloned()
}

pub(in crate::api) fn is_import(form: &Form, name: &str, faults: &mut Faults) -> bool {
    match form.text(name, faults).as_deref() {
        Some(IMPORT) => return true,
        Some("") | None => {}
        Some(_) => faults.add(Fault::new(name, FaultCode::NotAllowed).with("allowed", IMPORT)),
    }
    false
}

/// Parses the words for changes that a sender accepts.
pub(in crate::api) fn acceptances(form: &Form, name: &str, faults: &mut Faults) -> BTreeSet<Acceptance> {
    let words = form.text(name, faults).unwrap_or_default();
    let words = words.split(',').map(str::trim).filter(|word| !word.is_empty());
    let known = |word: &str| Acceptance::ALL.into_iter().find(|known| known.code() == word);
    let read: Option<BTreeSet<Acceptance>> = words.map(known).collect();
    read.unwrap_or_else(|| {
        let allowed = Acceptance::ALL.map(Acceptance::code).join(", ");
        faults.add(Fault::new(name, FaultCode::NotAllowed).with("allowed", allowed));
        BTreeSet::new()
    })
}
