//! Signatures and signature stamps that we draw, for the signature dialog.
//!
//! The signer types a name and sees it in every handwriting, or as every suitable stamp. Their choice is stored as a
//! description ([`domain::drawing`]) in their draft, and picture files are created from it on request. The code that
//! stamps also draws the choices, so people sign what they saw.

use std::collections::BTreeMap;

use document::marks::drawing::{DrawingFault, Figure, figure, has_all};
use domain::{Drawing, DrawnValue, Field, FieldValue, Hand, Language, Seal};

use crate::App;
use crate::base::error::{Error, Fault, FaultCode, Subject};
use crate::links::link_token::LinkPurpose;
use crate::signing::draft::{DraftSeen, Held, SavedDraft};
use crate::signing::files::FileContent;
use crate::signing::session::SigningKey;
use crate::values::value::{NewValue, drawing_fault, prove, safe_file_name, text_value_fault, value_fault};

/// The drawing that the signer wants to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// A name in each handwriting.
    Typed {
        /// The name to write.
        text: String,
    },
    PersonSeal {
        /// The person's name.
        name: String,
    },
    CompanySeal {
        /// The company's name.
        name: String,
        /// The text in the middle of a double ring. If blank, the usual text.
        title: String,
    },
}

/// One of the drawings to choose from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub drawing: Drawing,
    /// The drawing (SVG), or the reason why it cannot be drawn.
    pub look: Result<String, Fault>,
}

impl App {
    /// Returns the drawings that a signer can choose from. Available to anyone who can see the document.
    pub fn drawing_choices(&self, key: &SigningKey, wish: &Wish, language: Language) -> Result<Vec<Choice>, Error> {
        self.may_see(key)?;
        let drawings = drawings(wish, language).map_err(|fault| Error::Unprocessable(vec![fault]))?;
        let choice = |drawing: Drawing| {
            let look = figure(&drawing).map(|figure| figure.svg());
            Choice {
                look: look.map_err(|fault| drawing_fault(path(wish), &fault)),
                drawing,
            }
        };
        // If there is no handwriting for a script, all choices look the same, so one of them is enough.
        let mut choices: Vec<Choice> = Vec::new();
        for choice in drawings.into_iter().map(choice) {
            if choice.look.is_err() || choices.iter().all(|known| known.look != choice.look) {
                choices.push(choice);
            }
        }
        Ok(choices)
    }

    fn may_see(&self, key: &SigningKey) -> Result<(), Error> {
        let token = self.outgoing.addresses.read(&key.token);
        if token.is_some_and(|token| token.purpose == LinkPurpose::Preview) {
            self.preview_content(&key.token).map(drop)
        } else {
            self.open_for_reading(key).map(drop)
        }
    }

    /// Stores a drawing in the draft, in place of the field's value.
    pub fn take_drawing(
        &self,
        key: &SigningKey,
        seen: &DraftSeen,
        field: &str,
        drawing: Drawing,
    ) -> Result<SavedDraft, Error> {
        let (session, recipient) = self.open_for_writing(key)?;
        let workflow = &session.snapshot.stored.workflow;
        let refuse = |fault| Error::Unprocessable(vec![fault]);
        let found = session.own_field(&recipient, field)?;
        if !found.kind.is_signature() {
            return Err(Error::fault(field, FaultCode::FieldNotWritable));
        }
        let drawing = drawing
            .checked()
            .map_err(|fault| refuse(value_fault(field.to_owned(), found, &fault)))?;
        let drawn = drawn_value(found, drawing);
        let value = NewValue::Plain(FieldValue::Drawn(drawn.clone()));
        prove(
            session.template(),
            found,
            &value,
            workflow.language,
            &*self.fonts_of(&session.snapshot.stored)?,
            field,
        )
        .map_err(refuse)?;
        let changed = BTreeMap::from([(field.to_owned(), Held::Drawn(drawn))]);
        self.write_draft(key, &session, &recipient, seen, &changed)
    }

    /// Returns the file of a field's value for programs. A drawing is returned as a picture (PNG).
    pub(crate) fn file_of(&self, value: Option<&FieldValue>) -> Result<FileContent, Error> {
        self.file_with(value, |figure| Ok(("image/png", figure.png()?)))
    }

    /// Returns the value for display. A drawing is returned as outlines (SVG).
    pub(in crate::signing) fn shown_file_of(&self, value: Option<&FieldValue>) -> Result<FileContent, Error> {
        self.file_with(value, |figure| Ok(("image/svg+xml", figure.svg().into_bytes())))
    }

    fn file_with(
        &self,
        value: Option<&FieldValue>,
        show: impl FnOnce(Figure) -> Result<(&'static str, Vec<u8>), DrawingFault>,
    ) -> Result<FileContent, Error> {
        match value {
            Some(FieldValue::File(file)) => Ok(FileContent {
                file_name: file.file_name.clone(),
                media_type: file.media_type.clone(),
                bytes: self.blobs.get(&file.hash)?,
            }),
            Some(FieldValue::Drawn(drawn)) => {
                let (media_type, bytes) = figure(&drawn.drawing)
                    .and_then(show)
                    .map_err(|fault| Error::internal("drawing a signature", fault))?;
                Ok(FileContent {
                    file_name: drawn.file_name.clone(),
                    media_type: media_type.to_owned(),
                    bytes,
                })
            }
            _ => Err(Error::NotFound(Subject::File)),
        }
    }
}

/// Returns the member of the request to which a fault of the name refers.
fn path(wish: &Wish) -> &'static str {
    match wish {
        Wish::Typed { .. } => "text",
        Wish::PersonSeal { .. } | Wish::CompanySeal { .. } => "name",
    }
}

fn drawings(wish: &Wish, language: Language) -> Result<Vec<Drawing>, Fault> {
    // A seal drops blanks, including line breaks, so they are refused first, as in every other name.
    let given = match wish {
        Wish::Typed { text } => [("text", text.as_str()), ("text", "")],
        Wish::PersonSeal { name } => [("name", name.as_str()), ("name", "")],
        Wish::CompanySeal { name, title } => [("name", name.as_str()), ("title", title.as_str())],
    };
    for (path, text) in given {
        domain::text::line(text, usize::MAX).map_err(|refused| crate::base::text::fault(path, refused))?;
    }
    let all = match wish {
        Wish::Typed { text } => {
            let typed = |hand| Drawing::Typed {
                text: text.clone(),
                hand,
            };
            // A handwriting that borrows letters from another looks the same as that one.
            let hands = Hand::in_order_for(text);
            let knowing: Vec<Hand> = hands.into_iter().filter(|hand| has_all(*hand, text)).collect();
            let offered = if knowing.is_empty() { hands.to_vec() } else { knowing };
            offered.into_iter().map(typed).collect()
        }
        Wish::PersonSeal { name } => seals(Seal::of_person(name)),
        Wish::CompanySeal { name, title } => seals(Seal::of_company(name, title, language)),
    };
    all.into_iter()
        .map(|drawing: Drawing| drawing.checked())
        .collect::<Result<_, _>>()
        .map_err(|fault| text_value_fault(path(wish).to_owned(), &fault))
}

fn seals(seals: Vec<Seal>) -> Vec<Drawing> {
    seals.into_iter().map(Drawing::Seal).collect()
}

fn drawn_value(field: &Field, drawing: Drawing) -> DrawnValue {
    DrawnValue {
        file_name: safe_file_name(&format!("{}.png", field.name), &field.name),
        drawing,
    }
}
