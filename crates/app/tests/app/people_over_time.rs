//! Tests that the service names the right people, with random histories of corrections, reassignments and returns
//! compared with a simple model.
//!
//! The model knows the person in each place, and records for each action the people to be named. It uses none of the
//! service's types, so a mistake would have to be made twice to go unnoticed. Each person's name occurs nowhere else in
//! the text, so a certificate is checked by counting names.

use std::collections::{BTreeMap, BTreeSet};

use app::{ActRequest, CorrectRequest, GivenField, LinkPurpose, LinkToken, SigningKey, StartExport, StartRequest};
use domain::WorkflowId;
use serde_json::{Value, json};
use testkit::database::TestDatabase;
use testkit::scale::Scale;

use crate::certificates::{packed, text};
use crate::support::{TestApp, on_both};
use crate::world::{PIXEL, World, given, id_of, origin, texts, writer};
use model::{By, Chance, FIELDS, Model, NAME, Person, SIGNS, STEPS, Told, person, template};

mod model;

mod sql {
    store::statements! {
        pub static COLUMNS =
            sqlite "SELECT name FROM pragma_table_info('recipient') ORDER BY name",
            postgres "SELECT column_name AS name FROM information_schema.columns \
                WHERE table_schema = current_schema() AND table_name = 'recipient' ORDER BY name";
        pub static REFERENCES =
            sqlite "SELECT m.name FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f \
                WHERE m.type = 'table' AND f.\"table\" = 'recipient' ORDER BY m.name",
            postgres "SELECT c.relname AS name FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid \
                JOIN pg_class r ON r.oid = f.confrelid WHERE f.contype = 'f' AND r.relname = 'recipient' ORDER BY c.relname";
        pub static FILL = "UPDATE recipient SET mobile = '010-1111-2222', language = 'ja', comment = 'theirs', \
            access_salt = access_hash.salt, access_code = access_hash.salt, access_hint = 'hint', access_failures = 2, \
            access_at = 1, viewed_at = 1, consented_at = 1, asks_one_time_code = $2, one_time_salt = access_hash.salt, \
            one_time_code = access_hash.salt, one_time_sent_at = 1, one_time_used_at = 1, one_time_failures = 2 \
            FROM (SELECT chain_hash AS salt FROM workflow WHERE id = $1) AS access_hash WHERE workflow_id = $1";
        pub static LEFT = "SELECT mobile, language, comment, access_salt, access_code, access_hint, access_failures, access_at, \
            viewed_at, consented_at, asks_one_time_code, one_time_salt, one_time_code, one_time_sent_at, one_time_used_at, \
            one_time_failures, progressed_at FROM recipient WHERE workflow_id = $1 ORDER BY step_order LIMIT 1";
    }
}

/// A document with a random history.
struct History<'h> {
    world: &'h World<'h>,
    id: WorkflowId,
    model: Model,
    chance: Chance,
    /// The actions so far, for failure messages.
    done: Vec<String>,
}

impl<'h> History<'h> {
    fn new(world: &'h World<'h>, seed: u64) -> History<'h> {
        let people: Vec<Person> = (0..5).map(|number| person(seed, number)).collect();
        let recipients = people
            .iter()
            .zip(STEPS)
            .map(|(person, step)| writer(step, &person.name, &person.contact))
            .collect();
        let request = StartRequest {
            workflow_name: Some("people".to_owned()),
            template_id: Some(world.template),
            recipients,
            fields: vec![given("given", "sent along")],
            expiry_date: Some("2030-01-01 00:00:00".to_owned()),
            export: Some(StartExport {
                url: Some("https://hooks.example.com/in".to_owned()),
                api_type: Some("ALL".to_owned()),
                is_embed: Some(false),
                ..StartExport::default()
            }),
            ..StartRequest::default()
        };
        let id = id_of(&world.start(request));
        History {
            world,
            id,
            model: Model::new(people),
            chance: Chance(seed),
            done: Vec::new(),
        }
    }

    fn key(&self, place: usize) -> SigningKey {
        let (company, id) = (self.world.company.clone(), self.id);
        let app = self.world.app;
        let stored = app
            .store
            .read(move |tx| store::workflow::load(tx, &company, id))
            .expect("read")
            .expect("a workflow");
        let recipient = &stored.workflow.recipients[place];
        let token = LinkToken {
            purpose: LinkPurpose::Sign,
            subject: recipient.id.get(),
            version: recipient.link_version,
            expires: None,
        };
        SigningKey {
            token: token.encode(&app.vault),
            ..SigningKey::default()
        }
    }

    fn text(&mut self, what: &str) -> String {
        format!("{what} {}", self.chance.below(1_000_000))
    }

    fn comment(&mut self) -> String {
        if self.chance.one_in(3) {
            String::new()
        } else {
            self.text("said")
        }
    }

    /// Returns a new person, or the one in this place with a new name or a new contact.
    fn somebody(&mut self, place: usize, may_keep_contact: bool) -> Person {
        self.model.people += 1;
        let new = person(self.chance.0 % 1_000, self.model.people);
        let old = &self.model.places[place].person;
        match self.chance.below(4) {
            0 if may_keep_contact => Person {
                contact: old.contact.clone(),
                ..new
            },
            1 => Person {
                name: old.name.clone(),
                ..new
            },
            _ => new,
        }
    }

    /// Performs one random action, in the service and in the model.
    fn act(&mut self) {
        // Nobody is asked again more often than every ten minutes.
        self.world.app.clock.advance(601);
        self.model.told_before = self.model.told.len();
        let waiting = self.model.waiting();
        let place = waiting[self.chance.below(waiting.len())];
        match self.chance.below(20) {
            0..=1 => self.view(place),
            2 => self.draft(place),
            3..=9 => self.approve(place),
            10..=13 => self.reject(place),
            14..=16 => self.correct(),
            17..=18 => self.hand_over(place),
            _ => self.remind(),
        }
    }

    fn view(&mut self, place: usize) {
        self.done.push(format!("view {place}"));
        let key = self.key(place);
        self.world.app.record_viewed(&key, &origin()).expect("viewed");
        if !std::mem::replace(&mut self.model.places[place].viewed, true) {
            self.model.tell("viewed", By::Place(place), Some(place), None);
        }
    }

    fn draft(&mut self, place: usize) {
        let typed = self.text("typed");
        self.done.push(format!("draft {place}"));
        let key = self.key(place);
        let name = format!("text{place}");
        self.world
            .app
            .fill_in(&key, &texts(&[(&name, &typed)]))
            .expect("a draft");
        self.model.places[place].draft = Some(typed);
    }

    fn approve(&mut self, place: usize) {
        let value = self.chance.one_in(2).then(|| self.text("wrote"));
        let comment = self.comment();
        let by_link = self.chance.one_in(2);
        self.done.push(format!("approve {place} by link: {by_link}"));
        let text_field = format!("text{place}");
        let ink_field = format!("ink{place}");
        let app = self.world.app;
        if by_link {
            let key = self.key(place);
            if SIGNS[place] {
                app.give_consent(&key, "agreed", &origin()).expect("consent");
                if !std::mem::replace(&mut self.model.places[place].consented, true) {
                    self.model.tell("consented", By::Place(place), Some(place), None);
                }
                app.fill_in(&key, &texts(&[(&ink_field, PIXEL)])).expect("signed");
            }
            let typed = value.iter().map(|value| (text_field.as_str(), value.as_str()));
            let typed: Vec<_> = typed.collect();
            let comment = Some(comment.as_str()).filter(|comment| !comment.is_empty());
            app.approve_shown(&key, &texts(&typed), comment, &origin())
                .expect("approved");
        } else {
            let mut fields: Vec<GivenField> = value.iter().map(|value| given(&text_field, value)).collect();
            if SIGNS[place] {
                fields.push(given(&ink_field, PIXEL));
            }
            let request = self.on_behalf(place, fields, &comment);
            app.approve(&self.world.caller, self.id, &request, &origin())
                .expect("approved");
        }
        let by = if by_link { By::Place(place) } else { By::Sender };
        let draft = self.model.places[place].draft.clone().filter(|_| by_link);
        self.model.approve(place, by, value.or(draft).as_deref(), &comment);
    }

    fn reject(&mut self, place: usize) {
        // Declining in the first step ends the history, so it should be rare.
        if STEPS[place] == 1 && !self.chance.one_in(4) {
            return self.correct();
        }
        let comment = self.comment();
        let by_link = self.chance.one_in(2);
        self.done.push(format!("reject {place} by link: {by_link}"));
        let app = self.world.app;
        if by_link {
            let key = self.key(place);
            let comment = Some(comment.as_str()).filter(|comment| !comment.is_empty());
            app.reject_by_link(&key, comment, &origin()).expect("rejected");
        } else {
            let request = self.on_behalf(place, Vec::new(), &comment);
            app.reject(&self.world.caller, self.id, &request, &origin())
                .expect("rejected");
        }
        let by = if by_link { By::Place(place) } else { By::Sender };
        self.model.reject(place, by, &comment);
    }

    /// Corrects any signer who has not approved, whether or not it is their turn.
    fn correct(&mut self) {
        let open: Vec<usize> = (0..5).filter(|place| !self.model.places[*place].approved).collect();
        let place = open[self.chance.below(open.len())];
        let new = self.somebody(place, true);
        self.done.push(format!("correct {place} to {new:?}"));
        let request = CorrectRequest {
            name: Some(new.name.clone()),
            email: Some(new.contact.clone()),
            current_email: Some(self.model.places[place].person.contact.clone()),
            ..CorrectRequest::default()
        };
        self.world
            .app
            .correct_recipient(&self.world.caller, self.id, STEPS[place], &request, &origin())
            .expect("corrected");
        self.model.replace(place, By::Sender, "recipient_corrected", new);
    }

    fn hand_over(&mut self, place: usize) {
        let new = self.somebody(place, false);
        self.done.push(format!("hand over {place} to {new:?}"));
        let key = self.key(place);
        self.world
            .app
            .reassign_by_link(&key, &new.name, &new.contact, &origin())
            .expect("handed over");
        self.model.replace(place, By::Place(place), "handed_over", new);
    }

    fn remind(&mut self) {
        self.done.push("remind".to_owned());
        self.world
            .app
            .remind(&self.world.caller, self.id, &origin())
            .expect("reminded");
        for place in self.model.waiting() {
            self.model.tell("reminded", By::Sender, Some(place), None);
        }
    }

    fn cancel(&mut self) {
        self.done.push("cancel".to_owned());
        let at_turn = self.model.waiting()[0];
        self.world
            .app
            .cancel(&self.world.caller, self.id, &ActRequest::default(), &origin())
            .expect("cancelled");
        self.model.tell("canceled", By::Sender, None, None);
        self.model.step = None;
        self.model.status = "Canceled";
        self.model.hook("CC", at_turn, "");
    }

    fn on_behalf(&self, place: usize, fields: Vec<GivenField>, comment: &str) -> ActRequest {
        ActRequest {
            order: Some(STEPS[place]),
            email: Some(self.model.places[place].person.contact.clone()),
            fields,
            comment: Some(comment.to_owned()),
            ..ActRequest::default()
        }
    }

    /// Compares the API's view with the model.
    fn check(&self) {
        let done = &self.done;
        let view = self
            .world
            .app
            .workflow(&self.world.caller, self.id)
            .expect("the workflow");
        assert_eq!(view.status, self.model.status, "{done:#?}");
        let told: Vec<Told> = view
            .history
            .into_iter()
            .map(|entry| Told {
                event: entry.event.to_owned(),
                actor: (entry.actor_name, entry.actor_email),
                recipient: both(entry.recipient_name, entry.recipient_email),
                new: both(entry.new_name, entry.new_email),
                change: entry.change,
            })
            .collect();
        assert_eq!(told, self.model.told, "{done:#?}");
        for (step, place) in view.steps.iter().zip(&self.model.places) {
            let shown = (
                step.name.as_str(),
                step.email.as_str(),
                step.comment.as_str(),
                step.viewed,
            );
            let Person { name, contact } = &place.person;
            let expected = (name.as_str(), contact.as_str(), place.comment.as_str(), place.viewed);
            assert_eq!(shown, expected, "{done:#?}");
            assert_eq!(step.status == "approved", place.approved, "{done:#?}");
        }
        let values: Vec<(String, String)> = view
            .field_list
            .into_iter()
            .map(|value| (value.name, value.email))
            .collect();
        let expected: Vec<(String, String)> = FIELDS
            .iter()
            .filter(|(field, _)| self.model.values.contains_key(field))
            .map(|(field, place)| ((*field).to_owned(), self.model.places[*place].person.contact.clone()))
            .collect();
        assert_eq!(values, expected, "{done:#?}");
    }

    /// Compares a signer's page with the model.
    fn check_page(&self) {
        let Some(place) = self.model.waiting().first().copied() else {
            return;
        };
        let done = &self.done;
        let page = self.world.app.open_signing(&self.key(place)).expect("a page");
        let names: Vec<&str> = page.writers.iter().map(|writer| writer.name.as_str()).collect();
        let expected: Vec<&str> = self
            .model
            .places
            .iter()
            .map(|place| place.person.name.as_str())
            .collect();
        assert_eq!(names, expected, "{done:#?}");
        let mut returns = self.model.returned.iter().rev();
        let expected = returns.find(|(_, from, _)| *from >= STEPS[place]);
        let shown = page
            .returned
            .map(|returned| (returned.by, returned.from_order, returned.reason.unwrap_or_default()));
        assert_eq!(shown.as_ref(), expected, "{done:#?}");
        let text = page
            .fields
            .iter()
            .find(|view| view.field.name == format!("text{place}"))
            .expect("the field");
        let own = self.model.places[place].draft.as_ref();
        let kept = self.model.values.get(text.field.name.as_str());
        assert_eq!(text.value.as_ref(), own.or(kept), "{done:#?}");
    }

    /// Compares the webhooks with the model.
    fn check_webhooks(&self) {
        let hooks: Vec<Value> = self
            .world
            .webhooks(self.id)
            .into_iter()
            .map(|hook| {
                let values: Vec<Value> = hook["field_list"]
                    .as_array()
                    .expect("a list")
                    .iter()
                    .map(|value| json!([value["name"], value["email"]]))
                    .collect();
                json!({
                    "command": hook["command_type"], "name": hook["name"], "email": hook["email"],
                    "comment": hook["comment"], "status": hook["status"], "values": values,
                })
            })
            .collect();
        assert_eq!(hooks, self.model.hooks, "{:#?}", self.done);
    }

    /// Compares with the model how often the certificate names each person, and with which contacts.
    fn check_certificate(&self) {
        let file = self
            .world
            .app
            .certificate(&self.world.caller, self.id, &origin())
            .expect("the certificate");
        let read = packed(&text(&file.bytes));
        let mut expected = self.model.printed.clone();
        for place in &self.model.places {
            *expected.entry(place.person.name.clone()).or_default() += 1;
        }
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        let mut pairs = BTreeSet::new();
        for (at, _) in read.match_indices("Qz") {
            let name = read.get(at..at + NAME).expect("a whole name").to_owned();
            let rest = read.get(at + NAME..).unwrap_or_default();
            // A long contact may be interrupted by the text of the next column.
            if let Some((contact, _)) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'))
                && contact.starts_with('p')
                && contact.find(".example.com") == Some(contact.len() - ".example.com".len())
            {
                pairs.insert((name.clone(), contact.to_owned()));
            }
            *found.entry(name).or_default() += 1;
        }
        assert_eq!(found, expected, "{:#?}\n{read}", self.done);
        let people = self.model.told.iter().flat_map(|told| [&told.recipient, &told.new]);
        let known: BTreeSet<(String, String)> = people
            .flatten()
            .cloned()
            .map(|person| (person.name, person.contact))
            .collect();
        assert!(pairs.is_subset(&known), "{:?}", pairs.difference(&known));
    }
}

fn both(name: Option<String>, contact: Option<String>) -> Option<Person> {
    Some(Person {
        name: name?,
        contact: contact?,
    })
}

/// Runs a history for each seed, starting with this one.
fn random_histories(database: TestDatabase, first: u64) {
    let count = Scale::Histories.count() as usize;
    let app = TestApp::new(database);
    let world = World::new(&app, &template());
    let mut happened: BTreeMap<String, usize> = BTreeMap::new();
    for seed in (first..).take(count) {
        let mut history = History::new(&world, seed);
        history.check();
        for number in 0..12 {
            if history.model.step.is_none() {
                break;
            }
            history.act();
            // Checking every third action is enough, because later responses include earlier ones, except for comments
            // and views.
            if number % 3 == 0 {
                history.check();
                history.check_page();
            }
        }
        // Most documents are not complete at this point. Sealing all of them would take too long.
        while history.model.step.is_some() && seed % 4 == 0 {
            app.clock.advance(601);
            history.approve(history.model.waiting()[0]);
        }
        if history.model.step.is_some() {
            history.cancel();
        }
        history.check();
        history.check_webhooks();
        history.check_certificate();
        for told in history.model.told {
            *happened.entry(told.event).or_default() += 1;
        }
    }
    for (event, of_a_hundred) in [
        ("viewed", 30),
        ("returned", 30),
        ("recipient_corrected", 100),
        ("handed_over", 30),
        ("value_removed", 15),
        ("reminded", 30),
        ("rejected", 3),
        ("completed", 25),
    ] {
        let happened = happened.get(event).copied().unwrap_or_default();
        let least = of_a_hundred * count / 100;
        assert!(happened >= least, "{event} happened {happened} times only");
    }
    assert!(app.audit_verify().expect("a report").is_clean());
}

#[test]
fn in_random_histories_nobody_is_named_who_was_not_there_on_sqlite() {
    random_histories(TestDatabase::sqlite(), 0);
}

#[test]
fn in_random_histories_nobody_is_named_who_was_not_there_on_postgres() {
    random_histories(TestDatabase::postgres(), 100);
}

/// The columns of a recipient that belong to the place and are kept.
const PLACE: [&str; 15] = [
    "access_code",
    "access_hint",
    "access_salt",
    "asks_one_time_code",
    "company",
    "company_id",
    "id",
    "language",
    "place",
    "progress",
    "progressed_at",
    "role",
    "step_order",
    "workflow_id",
    // Increases with each change.
    "link_version",
];
/// The columns that identify the person, and are replaced.
const REPLACED: [&str; 5] = ["name", "contact", "phone", "contact_key", "mobile"];
/// The columns about the person's actions, which are cleared.
const CLEARED: [&str; 11] = [
    "access_at",
    "access_failures",
    "comment",
    "consented_at",
    "one_time_code",
    "one_time_failures",
    "one_time_salt",
    "one_time_sent_at",
    "one_time_used_at",
    "one_time_used_by",
    "viewed_at",
];

/// A new column must be added to one of these lists and, if it belongs to a person, to `RESET_ACCESS` or
/// `UPDATE_RECIPIENT`.
#[test]
fn every_column_of_a_recipient_is_the_places_or_a_persons() {
    on_both(|app| {
        let names = |statement: &'static store::Statement| -> Vec<String> {
            let rows = app.store.read(move |tx| tx.query(statement, &[])).expect("the schema");
            rows.iter().map(|row| row.get("name").expect("a name")).collect()
        };
        let mut known: Vec<&str> = [&PLACE[..], &REPLACED, &CLEARED].concat();
        known.sort_unstable();
        assert_eq!(names(&sql::COLUMNS), known);
        // Drafts are deleted with the change, their uploads become loose, and values are removed from the document.
        assert_eq!(names(&sql::REFERENCES), ["draft", "field_value", "upload"]);
    });
}

/// Columns that belong to the place are kept, and everything about the previous person is cleared.
#[test]
fn nothing_in_a_recipients_row_is_left_to_the_next_person() {
    on_both(|app| {
        let world = World::new(app, &crate::world::two_steps());
        let mut request = world.request();
        request.export = None;
        let id = id_of(&world.start(request));
        app.store
            .write(move |tx| tx.execute(&sql::FILL, store::values![id.get(), false]))
            .expect("filled");
        let right = CorrectRequest {
            name: Some("박서준".to_owned()),
            email: Some("seojun@example.com".to_owned()),
            ..CorrectRequest::default()
        };
        app.correct_recipient(&world.caller, id, 1, &right, &origin())
            .expect("corrected");
        let row = app
            .store
            .read(move |tx| tx.query_one(&sql::LEFT, store::values![id.get()]))
            .expect("a row");
        let number = |column: &str| row.get::<Option<i64>>(column).expect("a number");
        let bytes = |column: &str| row.get::<Option<Vec<u8>>>(column).expect("bytes");
        let text = |column: &str| row.get::<Option<String>>(column).expect("a text");
        assert_eq!((text("mobile"), text("comment")), (None, None));
        assert_eq!(
            (number("access_failures"), number("one_time_failures")),
            (Some(0), Some(0))
        );
        for column in [
            "access_at",
            "viewed_at",
            "consented_at",
            "one_time_sent_at",
            "one_time_used_at",
            "progressed_at",
        ] {
            assert_eq!(number(column), None, "{column}");
        }
        assert_eq!((bytes("one_time_salt"), bytes("one_time_code")), (None, None));
        // The sender's own settings for the place.
        assert!(bytes("access_salt").is_some() && bytes("access_code").is_some());
        assert_eq!(
            (text("access_hint").as_deref(), text("language").as_deref()),
            (Some("hint"), Some("ja"))
        );
    });
}

/// After a return, neither the values nor the signature of the previous person are passed on to the next one.
#[test]
fn nobody_signs_with_the_values_or_the_signature_of_the_person_before() {
    on_both(|app| {
        let world = World::new(app, &template());
        let mut history = History::new(&world, 1);
        for place in [0, 1] {
            history.approve(place);
        }
        history.reject(2);
        assert!(history.model.values.contains_key("ink0"));
        let new = person(7, 70);
        history.model.people += 1;
        let request = CorrectRequest {
            name: Some(new.name.clone()),
            email: Some(new.contact.clone()),
            current_email: Some(history.model.places[0].person.contact.clone()),
            ..CorrectRequest::default()
        };
        app.clock.advance(601);
        app.correct_recipient(&world.caller, history.id, 1, &request, &origin())
            .expect("corrected");
        history.model.replace(0, By::Sender, "recipient_corrected", new.clone());
        history.check();
        let page = app.open_signing(&history.key(0)).expect("a page");
        for view in page.fields.iter().filter(|view| view.mine) {
            assert_eq!(view.value, None, "{}", view.field.name);
        }
        let nothing = history.on_behalf(0, Vec::new(), "");
        assert_eq!(
            crate::world::faults(app.approve(&world.caller, history.id, &nothing, &origin())),
            [("field_list.ink0".to_owned(), app::FaultCode::FieldRequired)]
        );
    });
}
