//! The visible mark that a company's seal can add to the pages, with the company, the document and the time.

use document::marks::stamp::{self, Mark};
use document::sealing::seal_mark::{self, SealMark};
use document::text::fonts::Fonts;
use domain::field::Placement;
use domain::{SealMark as Wanted, TemplateVersion};

use crate::App;
use crate::base::error::Error;
use crate::evidence::certificate_content::drawable;
use crate::workflow::transition::Snapshot;

/// The marks to draw: those on pages, and the one in the seal's own field.
#[derive(Default)]
pub(in crate::evidence) struct SealMarks {
    pub(crate) pages: Vec<Mark>,
    pub(crate) seal: Option<SealMark>,
}

impl App {
    /// Returns the marks for the seal that a document is about to get. There are none if the company wants none, if a
    /// page has no free corner, or if the text cannot be drawn, because a mark must never delay a seal.
    pub(in crate::evidence) fn seal_marks(&self, snapshot: &Snapshot, fonts: &Fonts) -> Result<SealMarks, Error> {
        let workflow = &snapshot.stored.workflow;
        let wanted = self.company(&workflow.company)?.seal_mark;
        let mut marks = SealMarks::default();
        if wanted == Wanted::None {
            return Ok(marks);
        }
        let language = workflow.language;
        let time = i18n::date_time(language, snapshot.at, workflow.zone);
        let company = drawable(fonts, &snapshot.party.company_name);
        let id = workflow.id.to_string();
        let arguments = [
            ("company", company.as_str()),
            ("time", time.as_str()),
            ("id", id.as_str()),
        ];
        let text = [
            i18n::text(language, "seal-mark-who", &arguments),
            i18n::text(language, "seal-mark-document", &arguments),
        ]
        .join("\n");
        let template = &snapshot.template.version;
        for (number, size) in (1..).zip(&template.pages) {
            let is_last = number == template.page_count();
            if !is_last && wanted == Wanted::LastPage {
                continue;
            }
            let taken = places_on(template, number);
            let Some(mark) = seal_mark::in_corner(number, size, &text, language, &taken) else {
                tracing::info!(workflow = %workflow.id, page = number, "the seal's mark was left out, because no corner of the page is free");
                continue;
            };
            if let Err(fault) = stamp::prove(fonts, size, &mark) {
                tracing::warn!(workflow = %workflow.id, %fault, "the seal's mark could not be drawn");
                continue;
            }
            if is_last {
                let drawn = SealMark::draw(fonts, size, &mark);
                marks.seal = Some(drawn.map_err(|error| Error::internal("drawing the seal's mark", error))?);
            } else {
                marks.pages.push(mark);
            }
        }
        Ok(marks)
    }
}

/// Returns the placements of the fields on a page.
fn places_on(template: &TemplateVersion, page: u32) -> Vec<Placement> {
    template
        .fields
        .iter()
        .filter(|field| field.page == page)
        .map(|field| field.placement)
        .collect()
}
