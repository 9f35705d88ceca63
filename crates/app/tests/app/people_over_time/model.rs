//! The model: the person in each place, and the people that each action must name.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::world::field;

/// A template with two signers, one, and two again. The first and the last one sign. A field of the third place is
/// filled in by the sender.
pub fn template() -> Value {
    let role = |role: &str| json!({"role": role});
    let signs = |role: &str| json!({"role": role, "required": true});
    json!({"name": "people", "on_reject": "return", "hand_over": true, "steps": [
        {"order": 1, "role": "a"}, {"order": 1, "role": "b"}, {"order": 2}, {"order": 3, "role": "d"}, {"order": 3, "role": "e"},
    ], "fields": [
        field("ink0", "signature", 1, 1, 1, &signs("a")),
        field("text0", "text", 1, 1, 2, &role("a")),
        field("text1", "text", 1, 1, 3, &role("b")),
        field("text2", "text", 2, 1, 4, &json!({})),
        field("given", "text", 2, 1, 5, &json!({})),
        field("text3", "text", 3, 1, 6, &role("d")),
        field("text4", "text", 3, 1, 7, &role("e")),
        field("ink4", "signature", 3, 1, 8, &signs("e")),
    ]})
}

pub const STEPS: [u32; 5] = [1, 1, 2, 3, 3];
pub const SIGNS: [bool; 5] = [true, false, false, false, true];
/// The fields in the order of webhooks, each with its place.
pub const FIELDS: [(&str, usize); 8] = [
    ("ink0", 0),
    ("text0", 0),
    ("text1", 1),
    ("text2", 2),
    ("given", 2),
    ("text3", 3),
    ("text4", 4),
    ("ink4", 4),
];

/// Random numbers that are the same for the same seed (splitmix64).
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).expect("small")
    }

    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Person {
    pub name: String,
    pub contact: String,
}

/// A place, and the data of the person in it.
#[derive(Debug, Clone)]
pub struct Place {
    pub person: Person,
    pub approved: bool,
    pub viewed: bool,
    pub consented: bool,
    pub comment: String,
    pub draft: Option<String>,
}

/// The expected content of an entry in the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub event: String,
    pub actor: (String, String),
    pub recipient: Option<Person>,
    pub new: Option<Person>,
    pub change: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Place(usize),
    Sender,
    Service,
}

/// The state of the model.
pub struct Model {
    pub places: Vec<Place>,
    pub step: Option<u32>,
    pub status: &'static str,
    /// The value of each field.
    pub values: BTreeMap<&'static str, String>,
    pub told: Vec<Told>,
    /// How many were told before the present act.
    pub told_before: usize,
    pub hooks: Vec<Value>,
    /// The last return: person, step and reason.
    pub returned: Vec<(String, u32, String)>,
    /// Number of times that each name is on the certificate, except those of the current people.
    pub printed: BTreeMap<String, usize>,
    pub people: u32,
}

pub const SENDER: &str = "owner@example.com";

impl Model {
    pub fn new(people: Vec<Person>) -> Model {
        let places = people
            .into_iter()
            .map(|person| Place {
                person,
                approved: false,
                viewed: false,
                consented: false,
                comment: String::new(),
                draft: None,
            })
            .collect();
        let mut model = Model {
            places,
            step: Some(1),
            status: "Playing",
            values: BTreeMap::from([("given", "sent along".to_owned())]),
            told: Vec::new(),
            told_before: 0,
            hooks: Vec::new(),
            returned: Vec::new(),
            printed: BTreeMap::new(),
            people: 5,
        };
        model.tell("started", By::Sender, None, None);
        model.tell("value_written", By::Sender, None, None);
        model.ask();
        model
    }

    pub fn tell(&mut self, event: &str, by: By, about: Option<usize>, new: Option<&Person>) {
        let person = |place: usize| self.places[place].person.clone();
        let actor = match by {
            By::Place(place) => (person(place).name, person(place).contact),
            By::Sender => (SENDER.to_owned(), SENDER.to_owned()),
            By::Service => (String::new(), String::new()),
        };
        let recipient = about.map(person);
        let mut printed = Vec::new();
        // Values, and the approval after them, are one row.
        let joins = (event.starts_with("value_") || event == "approved")
            && self.told.len() > self.told_before
            && self
                .told
                .last()
                .is_some_and(|last| last.event.starts_with("value_") && last.actor == actor);
        if matches!(by, By::Place(_)) && !joins {
            printed.push(actor.0.clone());
        }
        match (&recipient, new) {
            (Some(old), Some(new)) if old.name == new.name => printed.extend([old.name.clone(), old.name.clone()]),
            // The change itself, and the previous person next to the current one.
            (Some(old), Some(new)) => printed.extend([old.name.clone(), new.name.clone(), old.name.clone()]),
            (Some(old), None) if !matches!(by, By::Place(_)) && !event.starts_with("value_") => {
                printed.push(old.name.clone());
            }
            _ => {}
        }
        for name in printed {
            *self.printed.entry(name).or_default() += 1;
        }
        let change = recipient.as_ref().zip(new).map(|(old, new)| match () {
            () if old.name == new.name => format!("{} ({} → {})", old.name, old.contact, new.contact),
            () if old.contact == new.contact => format!("{} → {} ({})", old.name, new.name, old.contact),
            () => format!("{} → {} ({} → {})", old.name, new.name, old.contact, new.contact),
        });
        self.told.push(Told {
            event: event.to_owned(),
            actor,
            recipient,
            new: new.cloned(),
            change,
        });
    }

    pub fn waiting(&self) -> Vec<usize> {
        (0..5)
            .filter(|place| Some(STEPS[*place]) == self.step && !self.places[*place].approved)
            .collect()
    }

    pub fn ask(&mut self) {
        for place in self.waiting() {
            self.tell("request_sent", By::Service, Some(place), None);
        }
    }

    pub fn hook(&mut self, command: &str, place: usize, comment: &str) {
        let person = &self.places[place].person;
        let values: Vec<Value> = FIELDS
            .iter()
            .filter(|(field, _)| self.values.contains_key(field))
            .map(|(field, place)| json!([field, self.places[*place].person.contact]))
            .collect();
        self.hooks.push(json!({
            "command": command, "name": person.name, "email": person.contact, "comment": comment, "status": self.status,
            "values": values,
        }));
    }

    pub fn write(&mut self, place: usize, by: By, field: &'static str, value: &str) {
        if self.values.get(field).map(String::as_str) != Some(value) {
            self.values.insert(field, value.to_owned());
            self.tell("value_written", by, Some(place), None);
        }
    }

    pub fn approve(&mut self, place: usize, by: By, text: Option<&str>, comment: &str) {
        // Sorted by field name.
        if SIGNS[place] {
            self.write(place, by, ["ink0", "", "", "", "ink4"][place], "signed");
        }
        if let Some(text) = text {
            self.write(place, by, ["text0", "text1", "text2", "text3", "text4"][place], text);
        }
        self.tell("approved", by, Some(place), None);
        self.places[place].approved = true;
        comment.clone_into(&mut self.places[place].comment);
        self.places[place].draft = None;
        if self.waiting().is_empty() {
            self.step = self.step.map(|step| step + 1).filter(|step| *step <= 3);
            if self.step.is_some() {
                self.ask();
            } else {
                self.status = "Complete";
                self.tell("completed", By::Service, None, None);
                self.tell("certified", By::Service, None, None);
            }
        }
        self.hook("CF", place, comment);
    }

    pub fn reject(&mut self, place: usize, by: By, comment: &str) {
        let step = STEPS[place];
        let ends = step == 1;
        self.tell(if ends { "rejected" } else { "returned" }, by, Some(place), None);
        comment.clone_into(&mut self.places[place].comment);
        self.places[place].draft = None;
        if ends {
            self.step = None;
            self.status = "Rejected";
        } else {
            let name = self.places[place].person.name.clone();
            self.returned.push((name, step, comment.to_owned()));
            self.step = Some(step - 1);
            for (reset, of) in self.places.iter_mut().zip(STEPS) {
                if of == step || of == step - 1 {
                    (reset.approved, reset.viewed, reset.consented) = (false, false, false);
                }
            }
            self.ask();
            for (other, ink) in [(0, "ink0"), (4, "ink4")] {
                if STEPS[other] == step && self.values.remove(ink).is_some() {
                    self.tell("value_removed", by, Some(other), None);
                }
            }
        }
        self.hook("RT", place, comment);
    }

    pub fn replace(&mut self, place: usize, by: By, event: &str, new: Person) {
        let own: Vec<&str> = FIELDS
            .iter()
            .filter(|(field, owner)| *owner == place && *field != "given")
            .map(|(field, _)| *field)
            .collect();
        for field in own {
            if self.values.remove(field).is_some() {
                self.tell("value_removed", by, Some(place), None);
            }
        }
        self.tell(event, by, Some(place), Some(&new));
        self.places[place] = Place {
            person: new,
            approved: false,
            viewed: false,
            consented: false,
            comment: String::new(),
            draft: None,
        };
        if Some(STEPS[place]) == self.step {
            self.tell("request_sent", By::Service, Some(place), None);
        }
    }
}

/// Length of all names.
pub const NAME: usize = 8;

pub fn person(salt: u64, number: u32) -> Person {
    Person {
        name: format!("Qz{:03}{number:03}", salt % 1_000),
        contact: format!("p{number}@{salt}.example.com"),
    }
}
