//! Reads the values of an approval, and checks that they can be stamped, including values calculated from them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use document::text::fonts::Fonts;
use domain::{Field, FieldValue, FileValue, Recipient, Requester, TemplateVersion, ValueFault};
use store::workflow_value::StoredValue;

use crate::App;
use crate::base::error::{Error, Fault, FaultCode};
use crate::signing::draft::Draft;
use crate::templates::foresight::stuck_after;
use crate::values::embedded_files::EmbeddedFiles;
use crate::values::value::{GivenField, NewValue, prove, self_filled, value_fault};
use crate::workflow::transition::Snapshot;

/// The values of an approval.
pub(in crate::signing) enum Given<'s> {
    List(&'s [GivenField]),
    Draft(Draft),
}

impl Given<'_> {
    /// Returns the path of a fault that no entered value caused: the field itself.
    fn place(&self, name: &str) -> String {
        match self {
            Given::List(_) => format!("field_list.{name}"),
            Given::Draft(_) => name.to_owned(),
        }
    }
}

/// The values of an approval after reading.
pub(in crate::signing) struct ReadValues {
    pub(in crate::signing) written: Vec<(String, StoredValue)>,
    pub(in crate::signing) removed: Vec<String>,
    pub(in crate::signing) files: Vec<Vec<u8>>,
}

/// Reads the values of one approval.
struct Reading<'a> {
    app: &'a App,
    snapshot: &'a Snapshot,
    recipient: &'a Recipient,
    requester: &'a Requester,
    source: &'a Given<'a>,
    fonts: Arc<Fonts>,
    faults: Vec<Fault>,
    /// Each entered value with its path in the request.
    given: BTreeMap<String, (String, NewValue)>,
    /// The values of the document after the approval.
    known: BTreeMap<String, FieldValue>,
    changed: Vec<(String, FieldValue)>,
    removed: Vec<String>,
    files: Vec<Vec<u8>>,
    /// The paths of the entered values.
    paths: BTreeMap<String, String>,
}

impl App {
    pub(in crate::signing) fn read_values(
        &self,
        snapshot: &Snapshot,
        recipient: &Recipient,
        source: &Given<'_>,
        requester: &Requester,
    ) -> Result<ReadValues, Error> {
        let known = snapshot.values.iter();
        let mut reading = Reading {
            app: self,
            snapshot,
            recipient,
            requester,
            source,
            fonts: self.fonts_of(&snapshot.stored)?,
            faults: Vec::new(),
            given: BTreeMap::new(),
            known: known
                .map(|(name, stored)| (name.clone(), stored.value.clone()))
                .collect(),
            changed: Vec::new(),
            removed: Vec::new(),
            files: Vec::new(),
            paths: BTreeMap::new(),
        };
        let refusals = match source {
            Given::List(list) => reading.take_list(list)?,
            Given::Draft(draft) => reading.take_draft(draft)?,
        };
        reading.faults.extend(refusals);
        reading.change();
        reading.fill_in();
        reading.miss_required();
        if reading.faults.is_empty() {
            reading.foresee();
        }
        reading.check_embedded();
        reading.finish()
    }
}

impl<'a> Reading<'a> {
    fn template(&self) -> &'a TemplateVersion {
        &self.snapshot.template.version
    }

    /// Adds the entries of a list. Returns the faults of entries whose field cannot be filled in.
    fn take_list(&mut self, list: &[GivenField]) -> Result<Vec<Fault>, Error> {
        let mut refusals = Vec::new();
        let mut seen = BTreeSet::new();
        for (index, entry) in list.iter().enumerate() {
            let path = format!("field_list[{index}]");
            if let Some(name) = entry.name.as_deref()
                && !seen.insert(self.template().field_called(name).map_or(name, |field| &field.name))
            {
                refusals.push(Fault::new(format!("{path}.name"), FaultCode::Duplicate).with("name", name));
                continue;
            }
            match self.writable(entry.name.as_deref(), &path) {
                Ok(field) => {
                    let text = entry.value.as_deref().unwrap_or_default();
                    // An empty file is ignored, so it removes nothing.
                    if !(field.kind.is_file() && text.trim().is_empty()) {
                        self.take(field, format!("{path}.value"), NewValue::of_entry(field, entry))?;
                    }
                }
                Err(fault) => refusals.push(fault),
            }
        }
        Ok(refusals)
    }

    /// Adds the entries of a draft. A text replaces a file or drawing in the same field.
    fn take_draft(&mut self, draft: &Draft) -> Result<Vec<Fault>, Error> {
        let mut refusals = Vec::new();
        for (name, text) in &draft.texts {
            match self.writable(Some(name), name) {
                Ok(field) => self.take(field, name.clone(), NewValue::read(field, text))?,
                Err(fault) => refusals.push(Fault {
                    path: name.clone(),
                    ..fault
                }),
            }
        }
        for (name, file) in draft.files.iter().filter(|(name, _)| !draft.texts.contains_key(*name)) {
            if let Ok(field) = self.writable(Some(name), name) {
                let value = self.app.of_draft(field, file)?;
                self.take(field, name.clone(), value)?;
            }
        }
        for (name, drawn) in draft.drawn.iter().filter(|(name, _)| !draft.texts.contains_key(*name)) {
            if let Ok(field) = self.writable(Some(name), name) {
                let value = NewValue::Plain(FieldValue::Drawn(drawn.clone()));
                self.take(field, name.clone(), Ok(value))?;
            }
        }
        Ok(refusals)
    }

    fn writable(&self, name: Option<&str>, path: &str) -> Result<&'a Field, Fault> {
        writable(self.template(), &self.snapshot.values, self.recipient, name, path)
    }

    fn take(&mut self, field: &Field, path: String, value: Result<NewValue, ValueFault>) -> Result<(), Error> {
        let judged = match value {
            Ok(value) => self.app.judged(self.requester, self.template(), field, value, &path)?,
            Err(fault) => Err(value_fault(path.clone(), field, &fault)),
        };
        match judged.and_then(|value| self.prove(field, &value, &path).map(|()| value)) {
            Ok(value) => {
                self.given.insert(field.name.clone(), (path, value));
            }
            Err(fault) => self.faults.push(fault),
        }
        Ok(())
    }

    fn prove(&self, field: &Field, value: &NewValue, path: &str) -> Result<(), Fault> {
        let language = self.snapshot.stored.workflow.language;
        prove(self.template(), field, value, language, &self.fonts, path)
    }

    /// Adds the entered values to the document.
    fn change(&mut self) {
        for (name, (path, new)) in std::mem::take(&mut self.given) {
            self.paths.insert(name.clone(), path);
            match new.value() {
                Some(value) => self.set(name, value),
                None => self.remove(name),
            }
            if let NewValue::File { bytes, .. } = new {
                self.files.push(bytes);
            }
        }
    }

    fn set(&mut self, name: String, value: FieldValue) {
        if self.known.get(&name) != Some(&value) {
            self.changed.push((name.clone(), value.clone()));
            self.known.insert(name, value);
        }
    }

    fn remove(&mut self, name: String) {
        if self.known.remove(&name).is_some() {
            self.removed.push(name);
        }
    }

    /// Fills in automatic fields.
    fn fill_in(&mut self) {
        let signer = self.snapshot.signer_now(self.recipient);
        for (name, value) in self_filled(self.template(), signer, &self.known) {
            let Some(value) = value else {
                self.remove(name);
                continue;
            };
            if self.known.get(&name) == Some(&value) {
                continue;
            }
            if let Some(field) = self.template().field(&name)
                && let Err(fault) = self.prove(field, &NewValue::Plain(value.clone()), &name)
            {
                self.faults.push(fault);
            }
            self.set(name, value);
        }
    }

    fn miss_required(&mut self) {
        let (order, role) = (self.recipient.order, self.recipient.role.as_deref());
        for field in self.template().writer_fields(order, role) {
            let needed = field.required && field.kind.is_written_by_writer();
            let filled = self.known.get(&field.name).is_some_and(FieldValue::is_filled);
            let path = self.source.place(&field.name);
            if needed && !filled && !self.faults.iter().any(|fault| fault.path == path) {
                self.faults
                    .push(Fault::new(path, FaultCode::FieldRequired).with("name", &field.name));
            }
        }
    }

    /// Refuses numbers whose result in a later calculation would not fit into its box.
    fn foresee(&mut self) {
        let snapshot = self.snapshot;
        let is_fixed = |field: &Field| is_fixed_by_sender(field, &snapshot.values);
        let workflow = &snapshot.stored.workflow;
        let stuck = stuck_after(
            self.template(),
            workflow,
            self.recipient,
            &is_fixed,
            &self.known,
            &self.fonts,
        );
        for stuck in stuck {
            // The number with the most digits is the one to shorten.
            let length = |name: &&String| self.known.get(*name).map_or(0, |value| value.to_wire().len());
            let Some(name) = stuck.numbers.iter().max_by_key(length) else {
                continue;
            };
            let path = self.place(name);
            if self.faults.iter().all(|fault| fault.path != path) {
                self.faults.push(stuck.fault(path));
            }
        }
    }

    fn place(&self, name: &str) -> String {
        let given = self.paths.get(name).cloned();
        given.unwrap_or_else(|| self.source.place(name))
    }

    fn check_embedded(&mut self) {
        let embedded = EmbeddedFiles::of(self.template(), |name| self.known.get(name)?.file());
        let changed = self.changed.iter().map(|(name, _)| name.as_str());
        let fault = embedded.fault(changed, |name: &str| self.place(name));
        self.faults.extend(fault);
    }

    fn finish(self) -> Result<ReadValues, Error> {
        if !self.faults.is_empty() {
            return Err(Error::Unprocessable(self.faults));
        }
        let stored = |(name, value)| {
            let mut salt = vec![0; 16];
            self.app.random.fill(&mut salt);
            let stored = StoredValue {
                recipient: Some(self.recipient.id),
                value,
                salt,
                written_at: self.snapshot.at,
            };
            (name, stored)
        };
        Ok(ReadValues {
            written: self.changed.into_iter().map(stored).collect(),
            removed: self.removed,
            files: self.files,
        })
    }
}

impl App {
    /// Reads a file of a draft. It was checked on upload, unless an earlier version stored the picture unchanged.
    fn of_draft(&self, field: &Field, file: &FileValue) -> Result<Result<NewValue, ValueFault>, Error> {
        if file.pixels.is_some() || !field.kind.is_picture() {
            return Ok(Ok(NewValue::Kept(file.clone())));
        }
        let bytes = self.blobs.get(&file.hash)?;
        Ok(NewValue::file(field, Some(&file.file_name), bytes))
    }
}

/// Returns the field, if this recipient may fill it in.
pub(in crate::signing) fn writable<'t>(
    template: &'t TemplateVersion,
    values: &BTreeMap<String, StoredValue>,
    recipient: &Recipient,
    name: Option<&str>,
    path: &str,
) -> Result<&'t Field, Fault> {
    let path = format!("{path}.name");
    let Some(name) = name else {
        return Err(Fault::new(path, FaultCode::Required));
    };
    let Some(field) = template.field_called(name) else {
        return Err(Fault::new(path, FaultCode::UnknownField).with("name", name));
    };
    if !is_editable(field, values, recipient) {
        return Err(Fault::new(path, FaultCode::FieldNotWritable).with("name", name));
    }
    Ok(field)
}

/// Whether the field is the recipient's and was not fixed by the sender.
pub(in crate::signing) fn is_editable(
    field: &Field,
    values: &BTreeMap<String, StoredValue>,
    recipient: &Recipient,
) -> bool {
    field.belongs_to(recipient.order, recipient.role.as_deref())
        && field.kind.is_written_by_writer()
        && !is_fixed_by_sender(field, values)
}

/// Whether the sender has filled in the field and signers cannot change it.
fn is_fixed_by_sender(field: &Field, values: &BTreeMap<String, StoredValue>) -> bool {
    field.read_only && values.get(&field.name).is_some_and(|stored| stored.recipient.is_none())
}
