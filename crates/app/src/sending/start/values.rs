//! Reads the values of a start, and checks that they can be stamped, including values calculated from them.

use std::collections::{BTreeMap, BTreeSet};

use domain::{Field, FieldKind, FileValue, Requester, TemplateVersion};
use store::workflow_value::StoredValue;

use super::read::StartReader;
use crate::base::error::{Error, Fault, FaultCode};
use crate::templates::foresight::stuck_from_start;
use crate::values::embedded_files::EmbeddedFiles;
use crate::values::value::{GivenField, NewValue, prove, value_fault};

/// Field values in stored form, and their files.
type StoredValues = (Vec<(String, StoredValue)>, Vec<Vec<u8>>);

impl StartReader<'_> {
    /// Reads the sender's values and the template's defaults.
    pub(super) fn values(&mut self, given: &[GivenField], template: Option<&TemplateVersion>) -> StoredValues {
        let Some(template) = template else {
            return StoredValues::default();
        };
        let mut values = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for (index, entry) in given.iter().enumerate() {
            let path = format!("field_list[{index}]");
            let Some(field) = self.given_field(template, entry, &path, &mut seen) else {
                continue;
            };
            match self.given_value(template, field, entry, &format!("{path}.value")) {
                Ok(Some(value)) => {
                    values.insert(field.name.clone(), value);
                }
                Ok(None) => {}
                // After one failure the other values are not tried.
                Err(failure) => {
                    self.failure = Some(failure);
                    return StoredValues::default();
                }
            }
        }
        self.add_defaults(template, &seen, &mut values);
        self.check_embedded(template, given, &values);
        self.stored(template, values)
    }

    /// Returns the field that an entry of the request names, if the sender may fill it in.
    fn given_field<'t>(
        &mut self,
        template: &'t TemplateVersion,
        entry: &GivenField,
        path: &str,
        seen: &mut BTreeSet<String>,
    ) -> Option<&'t Field> {
        let path = format!("{path}.name");
        let Some(name) = entry.name.as_deref() else {
            self.fault(Fault::new(path, FaultCode::Required));
            return None;
        };
        let code = match template.field_called(name) {
            None => FaultCode::UnknownField,
            Some(field) if !seen.insert(field.name.clone()) => FaultCode::Duplicate,
            Some(field) if field.is_fixed_text() => FaultCode::FieldNotWritable,
            Some(field) => return Some(field),
        };
        self.fault(Fault::new(path, code).with("name", name));
        None
    }

    /// Reads the value of an entry. `None` if it is empty or has a fault. An error means an internal failure.
    fn given_value(
        &mut self,
        template: &TemplateVersion,
        field: &Field,
        entry: &GivenField,
        path: &str,
    ) -> Result<Option<NewValue>, Error> {
        let fault = match NewValue::of_entry(field, entry) {
            Err(fault) => value_fault(path.to_owned(), field, &fault),
            Ok(NewValue::Nothing) => return Ok(None),
            Ok(value) => match self.proved(template, field, value, path)? {
                Ok(value) => return Ok(Some(value)),
                Err(fault) => fault,
            },
        };
        self.fault(fault);
        Ok(None)
    }

    fn add_defaults(
        &mut self,
        template: &TemplateVersion,
        seen: &BTreeSet<String>,
        values: &mut BTreeMap<String, NewValue>,
    ) {
        for field in template.named_fields() {
            let default = template
                .fields
                .iter()
                .filter(|other| other.name == field.name)
                .find_map(|other| other.default.as_deref());
            let Some(default) = default.filter(|_| !seen.contains(&field.name)) else {
                continue;
            };
            // The import already accepted this default, so refusing it now would be an internal error.
            if let Ok(value @ NewValue::Plain(_)) = NewValue::read(field, default) {
                if let Err(fault) = prove(template, field, &value, self.language, &self.fonts, "template_id") {
                    self.fault(fault);
                }
                values.insert(field.name.clone(), value);
            }
        }
    }

    fn check_embedded(
        &mut self,
        template: &TemplateVersion,
        given: &[GivenField],
        values: &BTreeMap<String, NewValue>,
    ) {
        let files: BTreeMap<&str, FileValue> = values
            .iter()
            .filter_map(|(name, value)| Some((name.as_str(), value.value()?.file()?.clone())))
            .collect();
        let embedded = EmbeddedFiles::of(template, |name| files.get(name));
        let path_of = |name: &str| {
            let is_called = |called: &str| template.field_called(called).is_some_and(|field| field.name == name);
            let index = given
                .iter()
                .position(|entry| entry.name.as_deref().is_some_and(is_called));
            format!("field_list[{}].value", index.unwrap_or_default())
        };
        if let Some(fault) = embedded.fault(files.keys().copied(), path_of) {
            self.fault(fault);
        }
    }

    fn stored(&mut self, template: &TemplateVersion, mut values: BTreeMap<String, NewValue>) -> StoredValues {
        let (mut stored, mut files) = StoredValues::default();
        for field in template.named_fields() {
            let Some(new) = values.remove(&field.name) else {
                if field.kind == FieldKind::Label && field.required {
                    let fault = Fault::new(format!("field_list.{}", field.name), FaultCode::FieldRequired);
                    self.fault(fault.with("name", &field.name));
                }
                continue;
            };
            let Some(value) = new.value() else { continue };
            let mut salt = vec![0; 16];
            self.app.random.fill(&mut salt);
            let value = StoredValue {
                recipient: None,
                value,
                salt,
                written_at: self.now,
            };
            stored.push((field.name.clone(), value));
            if let NewValue::File { bytes, .. } = new {
                files.push(bytes);
            }
        }
        (stored, files)
    }

    /// Returns a value in stored form, or its fault.
    fn proved(
        &self,
        template: &TemplateVersion,
        field: &Field,
        value: NewValue,
        path: &str,
    ) -> Result<Result<NewValue, Fault>, Error> {
        let requester = Requester::Company(self.caller.company.clone());
        let judged = self.app.judged(&requester, template, field, value, path)?;
        Ok(judged.and_then(|value| prove(template, field, &value, self.language, &self.fonts, path).map(|()| value)))
    }

    /// Checks that the template's own texts, and values calculated from the start's numbers, can be stamped.
    pub(super) fn foresee(
        &mut self,
        template: &TemplateVersion,
        given: &[GivenField],
        values: &[(String, StoredValue)],
    ) {
        // A version that was just created was already checked in every language, and has no ID yet for caching the
        // result.
        if !self.is_one_off {
            for fault in self.app.unstampable(template, self.language, &self.fonts) {
                self.fault(fault);
            }
        }
        for stuck in stuck_from_start(template, values, self.language, &self.fonts) {
            let is_input = |entry: &GivenField| entry.name.as_ref().is_some_and(|name| stuck.numbers.contains(name));
            let path = given.iter().position(is_input).map_or_else(
                || "template_id".to_owned(),
                |index| format!("field_list[{index}].value"),
            );
            self.fault(stuck.fault(path));
        }
    }
}
