//! The history certificate: who did what and when, as a PDF.
//!
//! It is generic: every text comes in translated ([`CertificateContent`]), and what this module
//! knows is how to set it: a head that says who issues it, about what, and how it stands, with the issuer's logo; sections of
//! labels with values; a card for each person, with their signatures (`card`); a table of events that breaks between pages
//! and repeats its head; notes; a QR code that leads to the verify page, with the address in letters; and files to attach
//! (the chain as JSON, so that the certificate proves itself without the server). The same content gives the same bytes.
//! Headings, lists and tables are tagged for assistive technology (`super::reading_order`); rules,
//! shades, feet and repeated heads are artifacts.
//!
//! Nothing is shrunk and nothing cut: long names wrap, hashes and addresses break anywhere, and a
//! value of many pages becomes many pages. What fails is a character that no font has, which the
//! caller refuses long before (when the name is given), and a file that cannot be attached.

mod card;
mod content;

use std::num::NonZeroU16;

use domain::language::Language;
use jiff::Timestamp;
use krilla::SerializeSettings;
use krilla::embed::{AssociationKind, EmbeddedFile, MimeType};
use krilla::metadata::{DateTime, Metadata};
use krilla::page::PageSettings;
use krilla::surface::Surface;
use krilla::tagging::{Artifact, ArtifactType, ContentTag, ListNumbering, SpanTag, TableHeaderScope, Tag, TagKind};
use thiserror::Error;

pub use self::content::{
    Attachment, Card, CardPicture, CertificateContent, Column, EventTable, Look, PictureContent, QrAddress, Section,
    State, Tone,
};
use crate::evidence::reading_order::ReadingOrder;
use crate::marks::picture_on_page::PictureOnPage;
use crate::marks::stamp::{MarkContent, MarkFault};
use crate::text::fonts::Fonts;
use crate::text::item::{A4_HEIGHT as PAGE_HEIGHT, A4_WIDTH as PAGE_WIDTH, Item};
use crate::text::layout::{self, Lines, TextFault, TextStyle};

impl Tone {
    const fn ink(self) -> [u8; 3] {
        match self {
            Self::Neutral => GREY,
            Self::Good => GOOD,
            Self::Bad => BAD,
        }
    }
}

/// Reasons why a certificate cannot be created.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CertificateError {
    /// A text cannot be drawn.
    #[error(transparent)]
    Text(#[from] TextFault),
    /// A signature or seal cannot be drawn.
    #[error(transparent)]
    Picture(#[from] MarkFault),
    /// The address is too long for a QR code.
    #[error("the verification address is too long for a QR code (at most about 2,300 characters)")]
    QrTooLong,
    /// Two attachments have the same name, or one has no valid media type.
    #[error("the attachment {0} has the same name as another, or its media type is not valid")]
    Attachment(String),
    /// The PDF could not be written.
    #[error("the certificate could not be written: {0}")]
    Writing(String),
}

// All lengths are in points.
const MARGIN: f32 = 48.0;
const COLUMN: f32 = PAGE_WIDTH - 2.0 * MARGIN;
const BOTTOM: f32 = PAGE_HEIGHT - 64.0;
const FOOT: f32 = PAGE_HEIGHT - 46.0;
const QR_SIDE: f32 = 84.0;
/// A QR code needs a margin of four modules around it.
const QUIET: f32 = 12.0;
const GAP: f32 = 12.0;
const CELL: f32 = 3.0;
const LABEL_SHARE: f32 = 0.26;

const TITLE_SIZE: f32 = 20.0;
const HEADING_SIZE: f32 = 11.5;
const TEXT_SIZE: f32 = 9.0;
const SMALL_SIZE: f32 = 8.0;

const BLACK: [u8; 3] = [24, 28, 36];
const GREY: [u8; 3] = [88, 96, 110];
const SHADE: [u8; 3] = [242, 244, 247];
const ACCENT: [u8; 3] = [25, 61, 131];
const GOOD: [u8; 3] = [22, 101, 52];
const BAD: [u8; 3] = [153, 27, 27];
/// Height of the line at the top of the first page.
const ACCENT_HEIGHT: f32 = 3.0;
/// The most space for the issuer's logo.
const LOGO_WIDTH: f32 = 160.0;
const LOGO_HEIGHT: f32 = 36.0;

/// Typesets the certificate.
pub fn render(content: &CertificateContent, fonts: &Fonts) -> Result<Vec<u8>, CertificateError> {
    let Composed { pages, order } = Composer::new(fonts, content).compose(content)?;
    let mut document = krilla::Document::new_with(SerializeSettings::default());
    let mut drawn = Vec::new();
    document.set_metadata(metadata(content));
    for attachment in &content.attachments {
        attach(&mut document, attachment, content.created)?;
    }
    let total = pages.len();
    for (page, number) in pages.iter().zip(1_usize..) {
        let failed = || CertificateError::Writing("a page has no size".to_owned());
        let settings = PageSettings::from_wh(PAGE_WIDTH, PAGE_HEIGHT).ok_or_else(failed)?;
        let mut sheet = document.start_page_with(settings);
        let mut surface = sheet.surface();
        for Placed { drawn: thing, content } in page {
            let tag = match content {
                Some(_) => ContentTag::Span(SpanTag::empty()),
                None => ContentTag::Artifact(Artifact::with_kind(ArtifactType::Layout)),
            };
            let identifier = surface.start_tagged(tag);
            match thing {
                Drawn::Item(item) => item.draw(fonts, &mut surface),
                Drawn::Picture(picture) => {
                    let no_size = || CertificateError::Writing("a picture has no size".to_owned());
                    picture.draw(fonts, &mut surface).ok_or_else(no_size)?;
                }
            }
            surface.end_tagged();
            drawn.extend(content.map(|content| (content, identifier)));
        }
        foot(fonts, content, &mut surface, number, total)?;
        surface.finish();
        sheet.finish();
    }
    document.set_tag_tree(order.tree(&drawn, content.language));
    document
        .finish()
        .map_err(|error| CertificateError::Writing(format!("{error:?}")))
}

/// An item with its position on a page.
struct Placed {
    drawn: Drawn,
    /// Number in the reading order. `None` for decoration.
    content: Option<usize>,
}

enum Drawn {
    Item(Item),
    Picture(PictureOnPage),
}

/// All pages, and their reading order.
struct Composed {
    pages: Vec<Vec<Placed>>,
    order: ReadingOrder,
}

/// The kind of cells in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cells {
    /// Column titles.
    Head,
    /// Column titles, repeated on a later page.
    RepeatedHead,
    /// Table values.
    Row,
    /// Labels, each with its value.
    Pairs,
}

/// Places items one below the other, page after page.
struct Composer<'a> {
    fonts: &'a Fonts,
    language: Language,
    accent: [u8; 3],
    pages: Vec<Vec<Placed>>,
    order: ReadingOrder,
    y: f32,
}

impl<'a> Composer<'a> {
    fn new(fonts: &'a Fonts, content: &CertificateContent) -> Self {
        Self {
            fonts,
            language: content.language,
            accent: content.look.accent.unwrap_or(ACCENT),
            pages: vec![Vec::new()],
            order: ReadingOrder::default(),
            y: MARGIN,
        }
    }

    fn compose(mut self, content: &CertificateContent) -> Result<Composed, CertificateError> {
        self.head(content)?;
        for section in &content.sections {
            self.section(section)?;
        }
        self.events(&content.events)?;
        self.y += GAP;
        for note in &content.notes {
            let lines = self.lines(note, SMALL_SIZE, false, GREY, COLUMN)?;
            self.flow(Tag::P, lines, MARGIN);
            self.y += 4.0;
        }
        Ok(Composed {
            pages: self.pages,
            order: self.order,
        })
    }

    fn lines(&self, text: &str, size: f32, bold: bool, ink: [u8; 3], width: f32) -> Result<Lines, TextFault> {
        let style = TextStyle {
            language: self.language,
            bold,
            colour: ink,
            ..TextStyle::default()
        };
        layout::in_column(self.fonts, text, &style, size, Some(width))
    }

    /// Adds decoration, which is not part of the reading order.
    fn decorate(&mut self, item: Item) {
        self.push(Placed {
            drawn: Drawn::Item(item),
            content: None,
        });
    }

    /// Adds content to an element. Without an element, the content is already in the reading order.
    fn put(&mut self, element: Option<usize>, item: Item) {
        self.put_drawn(element, Drawn::Item(item));
    }

    fn put_drawn(&mut self, element: Option<usize>, drawn: Drawn) {
        let content = element.map(|element| self.order.content(element));
        self.push(Placed { drawn, content });
    }

    /// Adds a picture with its description.
    fn place_picture(&mut self, words: &str, picture: PictureOnPage) {
        let element = self.order.element(Tag::Figure(Some(words.to_owned())));
        self.put_drawn(Some(element), Drawn::Picture(picture));
    }

    /// Adds an element that contains one item.
    fn place(&mut self, kind: impl Into<TagKind>, item: Item) {
        let element = self.order.element(kind);
        self.put(Some(element), item);
    }

    fn push(&mut self, placed: Placed) {
        if let Some(page) = self.pages.last_mut() {
            page.push(placed);
        }
    }

    fn new_page(&mut self) {
        self.pages.push(Vec::new());
        self.y = MARGIN;
    }

    /// Begins a new page unless `height` still fits on the current one.
    fn make_room(&mut self, height: f32) -> bool {
        let breaks = self.y + height > BOTTOM && self.y > MARGIN;
        if breaks {
            self.new_page();
        }
        breaks
    }

    /// Adds lines as a paragraph that may break between pages.
    fn flow(&mut self, kind: impl Into<TagKind>, lines: Lines, x: f32) {
        let element = self.order.element(kind);
        for part in lines.cut(BOTTOM - self.y, BOTTOM - MARGIN) {
            let height = part.height();
            self.make_room(height);
            let y = self.y;
            self.put(Some(element), Item::text(part, x, y));
            self.y += height;
        }
    }

    fn head(&mut self, content: &CertificateContent) -> Result<(), CertificateError> {
        self.decorate(Item::Box {
            x: MARGIN,
            y: MARGIN - 3.0 * ACCENT_HEIGHT,
            width: COLUMN,
            height: ACCENT_HEIGHT,
            colour: self.accent,
        });
        let width = match content.qr {
            Some(_) => COLUMN - QR_SIDE - GAP,
            None => COLUMN,
        };
        self.logo(content);
        let issuer = self.lines(&content.issuer, TEXT_SIZE, false, GREY, width)?;
        self.flow(Tag::P, issuer, MARGIN);
        self.y += 4.0;
        let title = self.lines(&content.title, TITLE_SIZE, true, BLACK, width)?;
        self.flow(heading_of(1), title, MARGIN);
        self.y += 6.0;
        let subtitle = self.lines(&content.subtitle, HEADING_SIZE, false, BLACK, width)?;
        self.flow(Tag::P, subtitle, MARGIN);
        self.y += 4.0;
        let ink = content.state.tone.ink();
        let state = self.lines(&content.state.text, TEXT_SIZE + 1.0, true, ink, width)?;
        self.flow(Tag::P, state, MARGIN);
        if let Some(qr) = &content.qr {
            let foot_of_code = self.code(qr)?;
            if self.pages.len() == 1 {
                self.y = self.y.max(foot_of_code);
            }
        }
        self.y += GAP;
        Ok(())
    }

    fn logo(&mut self, content: &CertificateContent) {
        let picture = content.look.logo.as_ref().and_then(|logo| {
            let words = content.issuer.clone();
            let file = MarkContent::Picture {
                bytes: logo.clone(),
                words,
            };
            // Nobody's certificate fails for a logo.
            PictureOnPage::new(self.fonts, &file, (MARGIN, self.y), (LOGO_WIDTH, LOGO_HEIGHT)).ok()
        });
        if let Some(picture) = picture {
            self.y += picture.height() + 8.0;
            self.place_picture(&content.issuer, picture);
        }
    }

    /// Draws the QR code at the right of the first page. Returns the position of its lower edge.
    fn code(&mut self, qr: &QrAddress) -> Result<f32, CertificateError> {
        let code = qrcodegen::QrCode::encode_text(&qr.address, qrcodegen::QrCodeEcc::Medium)
            .map_err(|_| CertificateError::QrTooLong)?;
        let x = PAGE_WIDTH - MARGIN - QR_SIDE;
        let caption = self.lines(&qr.caption, 6.5, false, GREY, QR_SIDE)?;
        let address = self.lines(&qr.address, 6.0, false, BLACK, QR_SIDE)?;
        let figure = Item::Qr {
            code: Box::new(code),
            x,
            y: MARGIN,
            side: QR_SIDE,
        };
        let below = MARGIN + QR_SIDE + QUIET;
        let (address_at, foot) = (below + caption.height(), below + caption.height() + address.height());
        let parts: [(TagKind, Item); 3] = [
            (Tag::Figure(Some(qr.address.clone())).into(), figure),
            (Tag::P.into(), Item::text(caption, x, below)),
            (Tag::P.into(), Item::text(address, x, address_at)),
        ];
        for (kind, item) in parts {
            let element = self.order.element(kind);
            let content = Some(self.order.content(element));
            if let Some(first) = self.pages.first_mut() {
                first.push(Placed {
                    drawn: Drawn::Item(item),
                    content,
                });
            }
        }
        Ok(foot)
    }

    fn heading(&mut self, heading: &str, room_after: f32) -> Result<(), CertificateError> {
        let lines = self.lines(heading, HEADING_SIZE, true, self.accent, COLUMN)?;
        self.y += 6.0;
        self.make_room(lines.height() + room_after);
        self.flow(heading_of(2), lines, MARGIN);
        self.y += 3.0;
        let y = self.y;
        self.decorate(Item::Rule {
            x: MARGIN,
            y,
            width: COLUMN,
        });
        Ok(())
    }

    fn section(&mut self, section: &Section) -> Result<(), CertificateError> {
        self.order.open(Tag::Section);
        self.heading(&section.heading, 40.0)?;
        self.order.open(Tag::L(ListNumbering::None));
        let widths = [COLUMN * LABEL_SHARE, COLUMN * (1.0 - LABEL_SHARE)];
        for (label, value) in &section.rows {
            let cells = vec![
                self.lines(label, TEXT_SIZE, false, GREY, widths[0] - 2.0 * CELL)?,
                self.lines(value, TEXT_SIZE, false, BLACK, widths[1] - 2.0 * CELL)?,
            ];
            self.row(Cells::Pairs, cells, &widths, None)?;
        }
        self.order.close();
        for card in &section.cards {
            self.order.open(Tag::Section);
            self.card(card)?;
            self.order.close();
        }
        self.order.close();
        self.y += GAP;
        Ok(())
    }

    fn events(&mut self, table: &EventTable) -> Result<(), CertificateError> {
        if table.columns.is_empty() {
            return Ok(());
        }
        self.heading(&table.heading, 60.0)?;
        let sum: f32 = table.columns.iter().map(|column| column.share.max(0.05)).sum();
        let widths: Vec<f32> = table
            .columns
            .iter()
            .map(|column| column.share.max(0.05) / sum * COLUMN)
            .collect();
        self.order.open(Tag::Table);
        self.table_head(Cells::Head, table, &widths)?;
        for row in &table.rows {
            let cells = widths
                .iter()
                .enumerate()
                .map(|(index, width)| {
                    let text = row.get(index).map_or("", String::as_str);
                    self.lines(text, SMALL_SIZE, false, BLACK, width - 2.0 * CELL)
                })
                .collect::<Result<Vec<_>, _>>()?;
            self.row(Cells::Row, cells, &widths, Some(table))?;
        }
        self.order.close();
        Ok(())
    }

    fn table_head(&mut self, kind: Cells, table: &EventTable, widths: &[f32]) -> Result<(), CertificateError> {
        let cells = table
            .columns
            .iter()
            .zip(widths)
            .map(|(column, width)| self.lines(&column.title, SMALL_SIZE, true, BLACK, width - 2.0 * CELL))
            .collect::<Result<Vec<_>, _>>()?;
        let height = height_of(&cells);
        let y = self.y;
        self.decorate(Item::Box {
            x: MARGIN,
            y,
            width: COLUMN,
            height,
            colour: SHADE,
        });
        self.cells(kind, cells, widths);
        self.y += height;
        Ok(())
    }

    /// Adds a row. It moves to the next page as a whole, and is split only if it is longer than a page.
    fn row(
        &mut self,
        kind: Cells,
        cells: Vec<Lines>,
        widths: &[f32],
        table: Option<&EventTable>,
    ) -> Result<(), CertificateError> {
        let (height, count) = (height_of(&cells), cells.len());
        if self.make_room(height)
            && let Some(table) = table
        {
            self.table_head(Cells::RepeatedHead, table, widths)?;
        }
        if self.y + height <= BOTTOM {
            self.cells(kind, cells, widths);
            self.y += height;
        } else {
            self.tall_row(kind, cells, widths);
        }
        let y = self.y;
        self.decorate(Item::Rule {
            x: MARGIN,
            y,
            width: widths.iter().take(count).sum(),
        });
        Ok(())
    }

    /// Returns the elements of a row's cells. `None` for cells that already exist.
    fn elements(&mut self, kind: Cells, count: usize) -> Vec<Option<usize>> {
        let column = || TagKind::from(Tag::TH(TableHeaderScope::Column));
        let mut elements = Vec::with_capacity(count);
        if matches!(kind, Cells::Head | Cells::Row) {
            self.order.open(Tag::TR);
        }
        for cell in 0..count {
            elements.push(match kind {
                Cells::RepeatedHead => None,
                Cells::Head => Some(self.order.element(column())),
                Cells::Row => Some(self.order.element(Tag::TD)),
                Cells::Pairs if cell % 2 == 0 => {
                    self.order.open(Tag::LI);
                    Some(self.order.element(Tag::Lbl))
                }
                Cells::Pairs => {
                    let value = self.order.element(Tag::LBody);
                    self.order.close();
                    Some(value)
                }
            });
        }
        if matches!(kind, Cells::Head | Cells::Row) {
            self.order.close();
        }
        elements
    }

    fn cells(&mut self, kind: Cells, cells: Vec<Lines>, widths: &[f32]) {
        let elements = self.elements(kind, cells.len());
        let mut x = MARGIN;
        let y = self.y + CELL;
        for ((lines, width), element) in cells.into_iter().zip(widths).zip(elements) {
            self.put(element, Item::text(lines, x + CELL, y));
            x += width;
        }
    }

    fn tall_row(&mut self, kind: Cells, cells: Vec<Lines>, widths: &[f32]) {
        let elements = self.elements(kind, cells.len());
        let first_room = BOTTOM - self.y - 2.0 * CELL;
        let room = BOTTOM - MARGIN - 2.0 * CELL;
        let mut columns: Vec<std::vec::IntoIter<Lines>> = cells
            .into_iter()
            .map(|lines| lines.cut(first_room, room).into_iter())
            .collect();
        let mut first = true;
        loop {
            let parts: Vec<Option<Lines>> = columns.iter_mut().map(Iterator::next).collect();
            if parts.iter().all(Option::is_none) {
                return;
            }
            if !first {
                self.new_page();
            }
            first = false;
            let height = parts.iter().flatten().map(Lines::height).fold(0.0, f32::max) + 2.0 * CELL;
            let mut x = MARGIN;
            for ((part, width), element) in parts.into_iter().zip(widths).zip(&elements) {
                if let Some(lines) = part {
                    let y = self.y + CELL;
                    self.put(*element, Item::text(lines, x + CELL, y));
                }
                x += width;
            }
            self.y += height;
        }
    }
}

/// How high a row of these cells is.
fn height_of(cells: &[Lines]) -> f32 {
    cells.iter().map(Lines::height).fold(0.0, f32::max) + 2.0 * CELL
}

/// Returns a heading tag. Levels start at 1.
fn heading_of(level: u16) -> Tag<krilla::tagging::kind::Hn> {
    Tag::Hn(NonZeroU16::new(level).unwrap_or(NonZeroU16::MIN), None)
}

fn foot(
    fonts: &Fonts,
    content: &CertificateContent,
    surface: &mut Surface<'_>,
    number: usize,
    total: usize,
) -> Result<(), CertificateError> {
    let style = TextStyle {
        language: content.language,
        colour: GREY,
        ..TextStyle::default()
    };
    surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(ArtifactType::Footer)));
    Item::Rule {
        x: MARGIN,
        y: FOOT - 6.0,
        width: COLUMN,
    }
    .draw(fonts, surface);
    let left = layout::in_column(fonts, &content.footer, &style, 7.0, Some(COLUMN - 60.0))?;
    left.draw(fonts, surface, MARGIN, FOOT);
    let right = layout::in_column(fonts, &format!("{number} / {total}"), &style, 7.0, None)?;
    right.draw(fonts, surface, PAGE_WIDTH - MARGIN - right.width(), FOOT);
    surface.end_tagged();
    Ok(())
}

fn metadata(content: &CertificateContent) -> Metadata {
    Metadata::new()
        .title(content.title.clone())
        .description(content.subtitle.clone())
        .language(content.language.locale().to_owned())
        .creator("Countersign".to_owned())
        .producer("Countersign".to_owned())
        .creation_date(date_time(content.created))
}

fn date_time(at: Timestamp) -> DateTime {
    let utc = jiff::tz::Offset::UTC.to_datetime(at);
    // The calendar keeps each part in range, and years before 0 do not occur.
    let part = |value: i8| u8::try_from(value).unwrap_or(0);
    DateTime::new(u16::try_from(utc.year()).unwrap_or(0))
        .month(part(utc.month()))
        .day(part(utc.day()))
        .hour(part(utc.hour()))
        .minute(part(utc.minute()))
        .second(part(utc.second()))
        .utc_offset_hour(0)
        .utc_offset_minute(0)
}

fn attach(document: &mut krilla::Document, attachment: &Attachment, at: Timestamp) -> Result<(), CertificateError> {
    let refused = || CertificateError::Attachment(attachment.file_name.clone());
    document
        .embed_file(EmbeddedFile {
            path: attachment.file_name.clone(),
            mime_type: Some(MimeType::new(&attachment.media_type).ok_or_else(refused)?),
            description: Some(attachment.description.clone()),
            association_kind: AssociationKind::Data,
            data: attachment.bytes.clone().into(),
            modification_date: Some(date_time(at)),
            compress: Some(true),
            location: None,
        })
        .ok_or_else(refused)
}
