//! What makes a certificate the company's and its signers': colour and logo, and the signatures beside those who made them.

use std::collections::BTreeMap;

use document::evidence::certificate::{CardPicture, Look, PictureContent};
use domain::{FieldValue, Palette, Progress, Recipient, RecipientId, Requester, Workflow};

use crate::App;
use crate::base::error::Error;
use crate::values::value::{PictureBox, page_size};
use crate::workflow::transition::Snapshot;

/// More signatures and seals of one person than these are not repeated on the certificate.
const MOST_PICTURES: usize = 4;

impl App {
    pub(in crate::evidence) fn certificate_look(&self, snapshot: &Snapshot) -> Look {
        let style = &snapshot.party.style;
        let company = &snapshot.stored.workflow.company;
        Look {
            accent: style.accent.map(|accent| Palette::of(accent).light.accent.0),
            // A certificate does not fail for a logo that was removed a moment ago.
            logo: style.logo.and_then(|logo| self.company_logo(company, &logo.hash).ok()),
        }
    }

    /// The signatures and seals of everybody who has approved, as the document shows them.
    pub(in crate::evidence) fn signature_pictures(
        &self,
        snapshot: &Snapshot,
        workflow: &Workflow,
    ) -> Result<BTreeMap<RecipientId, Vec<CardPicture>>, Error> {
        let mut all = BTreeMap::new();
        for recipient in &workflow.recipients {
            if matches!(recipient.progress, Progress::Approved { .. }) {
                all.insert(recipient.id, self.pictures_of(snapshot, recipient)?);
            }
        }
        Ok(all)
    }

    fn pictures_of(&self, snapshot: &Snapshot, recipient: &Recipient) -> Result<Vec<CardPicture>, Error> {
        let template = &snapshot.template.version;
        let requester = Requester::Company(snapshot.stored.workflow.company.clone());
        let mut pictures: Vec<CardPicture> = Vec::new();
        for field in template.writer_fields(recipient.order, recipient.role.as_deref()) {
            let value = snapshot.values.get(&field.name).filter(|_| field.kind.is_signature());
            let (Some(stored), Some(page)) = (value, page_size(template, field)) else {
                continue;
            };
            let content = match &stored.value {
                FieldValue::Drawn(drawn) => PictureContent::Drawing(drawn.drawing.clone()),
                FieldValue::File(file) => {
                    PictureContent::File(self.stamped_picture(&requester, &PictureBox { page, field }, file)?)
                }
                _ => continue,
            };
            let is_new = pictures.iter().all(|picture| picture.content != content);
            if is_new && pictures.len() < MOST_PICTURES {
                pictures.push(CardPicture {
                    content,
                    words: field.shown_name().to_owned(),
                });
            }
        }
        Ok(pictures)
    }
}
