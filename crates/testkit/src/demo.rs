//! Sample contracts with two signers: a Korean employment contract and an English non-disclosure agreement.
//!
//! The texts are ours and not legal advice. The boxes are drawn from the positions in the fields file, so drawing and
//! fields always match.

mod employment_contract;
mod non_disclosure_agreement;

use document::pdf::geometry::displayed_box;
use document::text::fonts::Fonts;
use document::text::item::{A4_HEIGHT, A4_WIDTH, Item};
use document::text::layout::{self, TextFault, TextStyle};
use domain::field::{Alignment, Field, FieldKind};
use domain::fields_file;
use domain::language::Language;
use domain::template::PageSize;
use krilla::SerializeSettings;
use krilla::metadata::Metadata;
use krilla::page::PageSettings;
use thiserror::Error;

/// FIELDS.json of the Korean employment contract.
pub const EMPLOYMENT_CONTRACT_FIELDS: &str = include_str!("demo/employment_contract.json");
/// FIELDS.json of the English non-disclosure agreement.
pub const NON_DISCLOSURE_AGREEMENT_FIELDS: &str = include_str!("demo/non_disclosure_agreement.json");

/// A contract could not be drawn, which is a bug in the build.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DemoError {
    #[error(transparent)]
    Text(#[from] TextFault),
    #[error("the contract's fields file is wrong: {0}")]
    Fields(String),
    #[error("the contract could not be written: {0}")]
    Writing(String),
}

const MARGIN: f32 = 62.0;
const COLUMN: f32 = A4_WIDTH - 2.0 * MARGIN;
const BLACK: [u8; 3] = [20, 20, 24];
const GREY: [u8; 3] = [104, 108, 118];
const SHADE: [u8; 3] = [244, 246, 250];

struct Contract {
    language: Language,
    title: &'static str,
    preamble: &'static str,
    /// Heading and text of each article.
    articles: &'static [(&'static str, &'static str)],
    /// The number of articles on the first page. The others are on the second.
    on_first_page: usize,
    /// Name and declaration of each step's signer.
    parties: [(&'static str, &'static str); 2],
    /// The text next to the check box.
    checked: &'static str,
    /// The text under a seal.
    sealed: &'static str,
    /// The text under a signature.
    signed: &'static str,
    fields: &'static str,
}

/// Draws the Korean employment contract: two pages of A4, always the same bytes.
pub fn employment_contract(fonts: &Fonts) -> Result<Vec<u8>, DemoError> {
    employment_contract::CONTRACT.drawn(fonts)
}

/// Draws the English non-disclosure agreement: two pages of A4, always the same bytes.
pub fn non_disclosure_agreement(fonts: &Fonts) -> Result<Vec<u8>, DemoError> {
    non_disclosure_agreement::CONTRACT.drawn(fonts)
}

impl Contract {
    fn drawn(&self, fonts: &Fonts) -> Result<Vec<u8>, DemoError> {
        let fields = fields_file::parse(self.fields.as_bytes(), Some(2), domain::Region::Kr).map_err(|faults| {
            DemoError::Fields(faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        })?;
        let (first, second) = self.articles.split_at(self.on_first_page.min(self.articles.len()));
        let mut page = self.page(fonts);
        page.text(self.title, 24.0, true, BLACK, Alignment::Center)?;
        page.y += 16.0;
        page.text(self.preamble, 11.0, false, BLACK, Alignment::Left)?;
        page.y += 10.0;
        page.articles(first)?;
        let first_page = page.numbered(1)?;

        let mut page = self.page(fonts);
        page.articles(second)?;
        page.forms(&fields.fields)?;
        let second_page = page.numbered(2)?;
        self.written(fonts, &[first_page, second_page])
    }

    fn page<'a>(&'a self, fonts: &'a Fonts) -> Page<'a> {
        Page {
            contract: self,
            fonts,
            items: Vec::new(),
            y: 58.0,
        }
    }

    fn written(&self, fonts: &Fonts, pages: &[Vec<Item>]) -> Result<Vec<u8>, DemoError> {
        let mut document = krilla::Document::new_with(SerializeSettings {
            enable_tagging: false,
            ..SerializeSettings::default()
        });
        document.set_metadata(
            Metadata::new()
                .title(self.title.to_owned())
                .language(self.language.locale().to_owned())
                .producer("Countersign".to_owned()),
        );
        for items in pages {
            let settings = PageSettings::from_wh(A4_WIDTH, A4_HEIGHT)
                .ok_or_else(|| DemoError::Writing("the page has no size".to_owned()))?;
            let mut page = document.start_page_with(settings);
            let mut surface = page.surface();
            for item in items {
                item.draw(fonts, &mut surface);
            }
            surface.finish();
            page.finish();
        }
        document
            .finish()
            .map_err(|error| DemoError::Writing(format!("{error:?}")))
    }
}

struct Page<'a> {
    contract: &'a Contract,
    fonts: &'a Fonts,
    items: Vec<Item>,
    y: f32,
}

impl Page<'_> {
    fn text(
        &mut self,
        text: &str,
        size: f32,
        bold: bool,
        colour: [u8; 3],
        alignment: Alignment,
    ) -> Result<(), DemoError> {
        let y = self.y;
        self.y += self.place(text, (MARGIN, y, COLUMN), size, (bold, colour, alignment))?;
        Ok(())
    }

    fn place(
        &mut self,
        text: &str,
        (x, y, width): (f32, f32, f32),
        size: f32,
        (bold, colour, alignment): (bool, [u8; 3], Alignment),
    ) -> Result<f32, DemoError> {
        let style = TextStyle {
            size: Some(size),
            alignment,
            language: self.contract.language,
            bold,
            colour,
            ..TextStyle::default()
        };
        let lines = layout::in_column(self.fonts, text, &style, size, Some(width))?;
        let height = lines.height();
        self.items.push(Item::text(lines, x, y));
        Ok(height)
    }

    fn articles(&mut self, articles: &[(&str, &str)]) -> Result<(), DemoError> {
        for (heading, text) in articles {
            self.y += 13.0;
            self.text(heading, 12.0, true, BLACK, Alignment::Left)?;
            self.y += 3.0;
            self.text(text, 11.0, false, BLACK, Alignment::Left)?;
        }
        Ok(())
    }

    /// Draws the two signers' parts, with a shaded box for each field.
    fn forms(&mut self, fields: &[Field]) -> Result<(), DemoError> {
        for (step, (title, note)) in (1..).zip(self.contract.parties) {
            let own: Vec<&Field> = fields.iter().filter(|field| field.step == step).collect();
            let top = own.iter().map(|field| shown(field).1).fold(A4_HEIGHT, f32::min);
            self.items.push(Item::Rule {
                x: MARGIN,
                y: top - 40.0,
                width: COLUMN,
            });
            self.place(title, (MARGIN, top - 32.0, 120.0), 12.0, (true, BLACK, Alignment::Left))?;
            self.place(
                note,
                (MARGIN + 120.0, top - 30.0, COLUMN - 120.0),
                9.0,
                (false, GREY, Alignment::Right),
            )?;
            for field in own {
                self.field(field)?;
            }
        }
        Ok(())
    }

    fn field(&mut self, field: &Field) -> Result<(), DemoError> {
        let (x, y, width, height) = shown(field);
        self.items.push(Item::Box {
            x,
            y,
            width,
            height,
            colour: SHADE,
        });
        let label = match field.kind {
            FieldKind::Check => self.contract.checked,
            FieldKind::Seal => self.contract.sealed,
            FieldKind::Signature => self.contract.signed,
            _ => field.shown_name(),
        };
        let (place, alignment) = match field.kind {
            FieldKind::Check => ((x + width + 8.0, y + 1.5, COLUMN), Alignment::Left),
            FieldKind::Seal | FieldKind::Signature => ((x, y + height + 2.0, width), Alignment::Center),
            _ => ((MARGIN, y + 6.0, x - MARGIN - 8.0), Alignment::Left),
        };
        let colour = if field.kind.is_picture() { GREY } else { BLACK };
        self.place(label, place, 10.0, (false, colour, alignment))?;
        Ok(())
    }

    fn numbered(mut self, number: u32) -> Result<Vec<Item>, DemoError> {
        let place = (MARGIN, A4_HEIGHT - 44.0, COLUMN);
        self.place(
            &format!("{} — {number} / 2", self.contract.title),
            place,
            8.0,
            (false, GREY, Alignment::Center),
        )?;
        Ok(self.items)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "lengths on an A4 page")]
fn shown(field: &Field) -> (f32, f32, f32, f32) {
    let size = PageSize {
        width_points: f64::from(A4_WIDTH),
        height_points: f64::from(A4_HEIGHT),
    };
    let place = displayed_box(&size, &field.placement);
    (place.x as f32, place.y as f32, place.width as f32, place.height as f32)
}
