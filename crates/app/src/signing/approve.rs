//! Approving: by a writer through his link, or by a program on his behalf.
//!
//! **What happens.** The values given are read and proved, what fills itself is filled, and the writer's turn ends. Where
//! others follow, they are asked. Where he was the last, the document is stamped, sealed and certified first, its bytes
//! are made durable, and only then does one transaction make the workflow complete: there is no moment at which all have
//! signed and the document is still pending.
//!
//! **What may fail.** A value that its kind refuses, a required field left empty, consent or access code missing (422,
//! 403); another who was faster, an ended workflow, another's turn (409 with the state that was met).

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    Actor, CompanyId, EventKind, Field, FieldValue, FileValue, LinkHolder, Outcome, Recipient, RecipientId, Requester,
    TemplateVersion, WorkflowId,
};
use store::workflow_value::StoredValue;

use crate::App;
use crate::base::caller::Caller;
use crate::base::error::{Error, Fault, FaultCode};
use crate::base::origin::Origin;
use crate::base::uploads::FileClaim;
use crate::signing::draft::Draft;
use crate::templates::foresight::stuck_after;
use crate::values::embedded_files::EmbeddedFiles;
use crate::values::value::{GivenField, NewValue, prove, self_filled, value_fault};
use crate::workflow::act::ActRequest;
use crate::workflow::transition::{Advanced, Snapshot, refused};

/// How an approval's values came.
pub(crate) enum Source<'s> {
    /// `field_list` of the API: faults name its entries.
    List(&'s [GivenField]),
    /// The signing page: faults name the fields. What is given stands over the draft, of which the page shows this
    /// revision.
    Page {
        texts: &'s BTreeMap<String, String>,
        revision: u64,
    },
}

/// The values themselves.
enum Given<'s> {
    List(&'s [GivenField]),
    Draft(Draft),
}

impl Given<'_> {
    /// The place of what nothing that came is to blame for: the field itself.
    fn place(&self, name: &str) -> String {
        match self {
            Given::List(_) => format!("field_list.{name}"),
            Given::Draft(_) => name.to_owned(),
        }
    }
}

/// The values of an approval, read.
struct ReadValues {
    written: Vec<(String, StoredValue)>,
    removed: Vec<String>,
    files: Vec<Vec<u8>>,
}

impl App {
    /// Approves on behalf of the writer whose turn it is.
    pub fn approve(
        &self,
        caller: &Caller,
        id: WorkflowId,
        request: &ActRequest,
        origin: &Origin,
    ) -> Result<Advanced, Error> {
        caller.must_send()?;
        let comment = request.comment()?;
        let actor = App::member_actor(caller, origin);
        let source = Source::List(&request.fields);
        let workflow = self.approve_as(&caller.company, id, &actor, comment.as_deref(), &source, &|snapshot| {
            request.writer(snapshot)
        })?;
        Ok(self.advanced(&workflow))
    }

    /// The approval itself; `writer` says who approves, or why he may not.
    pub(crate) fn approve_as(
        &self,
        company: &CompanyId,
        id: WorkflowId,
        actor: &Actor,
        comment: Option<&str>,
        source: &Source<'_>,
        writer: &dyn Fn(&Snapshot) -> Result<RecipientId, Error>,
    ) -> Result<domain::Workflow, Error> {
        self.decide(company, id, |snapshot| {
            let recipient_id = writer(snapshot)?;
            let workflow = &snapshot.stored.workflow;
            let recipient = workflow.check_turn(recipient_id, snapshot.at).map_err(refused)?;
            let (given, kept) = match source {
                Source::List(list) => (Given::List(list), None),
                Source::Page { texts, revision } => {
                    let read = self.draft_to_approve(snapshot, recipient, texts, *revision)?;
                    (Given::Draft(read.draft), Some(read.kept))
                }
            };
            let requester = match source {
                Source::List(_) => Requester::Company(company.clone()),
                Source::Page { .. } => Requester::Link {
                    company: company.clone(),
                    holder: LinkHolder::Signer(recipient_id),
                },
            };
            let values = self.read_values(snapshot, recipient, &given, &requester)?;
            let mut claim = FileClaim::of(company);
            self.keep_files(&mut claim, values.files.iter().map(Vec::as_slice))?;
            let mut transition = workflow.clone().approve(recipient_id, snapshot.at).map_err(refused)?;
            let written = values.written.iter().map(|(field, stored)| EventKind::ValueWritten {
                recipient: Some(recipient_id),
                field: field.clone(),
                hash: stored.value.salted_hash(&stored.salt, snapshot.stored.head.head.format),
            });
            let removed = values.removed.iter().map(|field| EventKind::ValueRemoved {
                recipient: recipient_id,
                field: field.clone(),
            });
            transition.events = written.chain(removed).chain(transition.events).collect();
            let mut after = snapshot.values.clone();
            for field in &values.removed {
                after.remove(field);
            }
            after.extend(values.written.iter().cloned());
            let snapshot = &snapshot.with_values(after);
            let workflow = transition.workflow.clone();
            let plan = if matches!(transition.outcome, Outcome::Approved { complete: true, .. }) {
                self.plan_completion(snapshot, transition, actor, comment)?
            } else {
                self.plan_transition(snapshot, transition, actor, comment)?
            };
            let plan = plan
                .writing(values.written, values.removed)
                .needing(claim)
                .finishing_draft_of(recipient_id);
            let plan = match kept {
                Some(kept) => plan.over_draft(recipient_id, kept),
                None => plan,
            };
            Ok((plan, workflow))
        })
    }

    fn read_values(
        &self,
        snapshot: &Snapshot,
        recipient: &Recipient,
        source: &Given<'_>,
        requester: &Requester,
    ) -> Result<ReadValues, Error> {
        let template = &snapshot.template.version;
        let fonts = self.fonts_of(&snapshot.stored)?;
        let language = snapshot.stored.workflow.language;
        let mut faults = Vec::new();
        let mut given: BTreeMap<String, (String, NewValue)> = BTreeMap::new();
        let mut take = |field: &Field, path: String, value: Result<NewValue, domain::ValueFault>| {
            let judged = match value {
                Ok(value) => self.judged(requester, template, field, value, &path)?,
                Err(fault) => Err(value_fault(path.clone(), field, &fault)),
            };
            let proved =
                judged.and_then(|value| prove(template, field, &value, language, &fonts, &path).map(|()| value));
            match proved {
                Ok(value) => {
                    given.insert(field.name.clone(), (path, value));
                }
                Err(fault) => faults.push(fault),
            }
            Ok::<_, Error>(())
        };
        let mut refusals = Vec::new();
        match source {
            Given::List(list) => {
                let mut seen = BTreeSet::new();
                for (index, entry) in list.iter().enumerate() {
                    let path = format!("field_list[{index}]");
                    if let Some(name) = entry.name.as_deref()
                        && !seen.insert(name)
                    {
                        refusals.push(Fault::new(format!("{path}.name"), FaultCode::Duplicate).with("name", name));
                        continue;
                    }
                    match writable(template, &snapshot.values, recipient, entry.name.as_deref(), &path) {
                        Ok(field) => {
                            let text = entry.value.as_deref().unwrap_or_default();
                            // An empty file is ignored, so that it takes nothing away.
                            if !(field.kind.is_file() && text.trim().is_empty()) {
                                take(field, format!("{path}.value"), NewValue::read(field, text))?;
                            }
                        }
                        Err(fault) => refusals.push(fault),
                    }
                }
            }
            Given::Draft(Draft {
                texts, files, drawn, ..
            }) => {
                for (name, text) in texts {
                    match writable(template, &snapshot.values, recipient, Some(name), name) {
                        Ok(field) => take(field, name.clone(), NewValue::read(field, text))?,
                        Err(fault) => refusals.push(Fault {
                            path: name.clone(),
                            ..fault
                        }),
                    }
                }
                for (name, file) in files {
                    if texts.contains_key(name) {
                        continue;
                    }
                    if let Ok(field) = writable(template, &snapshot.values, recipient, Some(name), name) {
                        take(field, name.clone(), self.of_draft(field, file)?)?;
                    }
                }
                for (name, drawn) in drawn.iter().filter(|(name, _)| !texts.contains_key(*name)) {
                    if let Ok(field) = writable(template, &snapshot.values, recipient, Some(name), name) {
                        let value = FieldValue::Drawn(drawn.clone());
                        take(field, name.clone(), Ok(NewValue::Plain(value)))?;
                    }
                }
            }
        }
        faults.extend(refusals);
        let mut known: BTreeMap<String, FieldValue> = snapshot
            .values
            .iter()
            .map(|(name, stored)| (name.clone(), stored.value.clone()))
            .collect();
        let mut removed = Vec::new();
        let mut files = Vec::new();
        let mut changed: Vec<(String, FieldValue)> = Vec::new();
        let paths: BTreeMap<String, String> = given
            .iter()
            .map(|(name, (path, _))| (name.clone(), path.clone()))
            .collect();
        for (name, (_, new)) in given {
            match new.value() {
                Some(value) => {
                    if known.get(&name) != Some(&value) {
                        changed.push((name.clone(), value.clone()));
                    }
                    known.insert(name, value);
                }
                None => {
                    if known.remove(&name).is_some() {
                        removed.push(name);
                    }
                }
            }
            if let NewValue::File { bytes, .. } = new {
                files.push(bytes);
            }
        }
        for (name, value) in self_filled(template, recipient, &snapshot.stored.company_name, &known) {
            let Some(value) = value else {
                if known.remove(&name).is_some() {
                    removed.push(name);
                }
                continue;
            };
            if known.get(&name) != Some(&value) {
                if let Some(field) = template.field(&name) {
                    let value = NewValue::Plain(value.clone());
                    if let Err(fault) = prove(template, field, &value, language, &fonts, &name) {
                        faults.push(fault);
                    }
                }
                changed.push((name.clone(), value.clone()));
                known.insert(name, value);
            }
        }
        for field in template.writer_fields(recipient.order, recipient.role.as_deref()) {
            let needed = field.required && field.kind.is_written_by_writer();
            let filled = known.get(&field.name).is_some_and(FieldValue::is_filled);
            let path = source.place(&field.name);
            if needed && !filled && !faults.iter().any(|fault| fault.path == path) {
                faults.push(Fault::new(path, FaultCode::FieldRequired).with("name", &field.name));
            }
        }
        if faults.is_empty() {
            let workflow = &snapshot.stored.workflow;
            let is_fixed = |field: &Field| is_fixed_by_sender(field, &snapshot.values);
            for stuck in stuck_after(template, workflow, recipient, &is_fixed, &known, &fonts) {
                // The longest of his numbers is the one to shorten.
                let length = |name: &&String| known.get(*name).map_or(0, |value| value.to_wire().len());
                let Some(name) = stuck.numbers.iter().max_by_key(length) else {
                    continue;
                };
                let path = paths.get(name).cloned().unwrap_or_else(|| source.place(name));
                if faults.iter().all(|fault| fault.path != path) {
                    faults.push(stuck.fault(path));
                }
            }
        }
        let embedded = EmbeddedFiles::of(template, |name| known.get(name)?.file());
        let place = |name: &str| paths.get(name).cloned().unwrap_or_else(|| source.place(name));
        faults.extend(embedded.fault(changed.iter().map(|(name, _)| name.as_str()), place));
        if !faults.is_empty() {
            return Err(Error::Unprocessable(faults));
        }
        let written = changed
            .into_iter()
            .map(|(name, value)| {
                let mut salt = vec![0; 16];
                self.random.fill(&mut salt);
                let stored = StoredValue {
                    recipient: Some(recipient.id),
                    value,
                    salt,
                    written_at: snapshot.at,
                };
                (name, stored)
            })
            .collect();
        Ok(ReadValues {
            written,
            removed,
            files,
        })
    }

    /// A file of a draft: it was judged when it came, unless an earlier version kept the picture as it was.
    fn of_draft(&self, field: &Field, file: &FileValue) -> Result<Result<NewValue, domain::ValueFault>, Error> {
        if file.pixels.is_some() || !field.kind.is_picture() {
            return Ok(Ok(NewValue::Kept(file.clone())));
        }
        let bytes = self.blobs.get(&file.hash)?;
        Ok(NewValue::file(field, Some(&file.file_name), bytes))
    }
}

/// The field, where this writer may write it.
pub(crate) fn writable<'t>(
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
    let Some(field) = template.field(name) else {
        return Err(Fault::new(path, FaultCode::UnknownField).with("name", name));
    };
    if !is_editable(field, values, recipient) {
        return Err(Fault::new(path, FaultCode::FieldNotWritable).with("name", name));
    }
    Ok(field)
}

/// Is the field this writer's, and not fixed by the sender?
pub(crate) fn is_editable(field: &Field, values: &BTreeMap<String, StoredValue>, recipient: &Recipient) -> bool {
    field.belongs_to(recipient.order, recipient.role.as_deref())
        && field.kind.is_written_by_writer()
        && !is_fixed_by_sender(field, values)
}

/// Has the sender given its value, for good?
fn is_fixed_by_sender(field: &Field, values: &BTreeMap<String, StoredValue>) -> bool {
    field.read_only && values.get(&field.name).is_some_and(|stored| stored.recipient.is_none())
}
