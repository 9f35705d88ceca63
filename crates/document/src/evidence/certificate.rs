//! The history certificate: who did what and when, as a PDF.
//!
//! It is generic: every text comes in translated ([`CertificateContent`]), and what this module
//! knows is how to set it: a head that says who issues it, about what, and how it stands; sections of
//! labels with values; a card for each person; a table of events that breaks between pages and repeats
//! its head; notes; a QR code that leads to the verify page; and files to attach (the chain as JSON, so that the certificate proves itself without the server). The same
//! content gives the same bytes. Headings, lists and tables are tagged for assistive technology (`super::reading_order`); rules,
//! shades, feet and repeated heads are artifacts.
//!
//! Nothing is shrunk and nothing cut: long names wrap, hashes and addresses break anywhere, and a
//! value of many pages becomes many pages. What fails is a character that no font has, which the
//! caller refuses long before (when the name is given), and a file that cannot be attached.

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

use crate::evidence::reading_order::ReadingOrder;
use crate::text::fonts::Fonts;
use crate::text::item::{A4_HEIGHT as PAGE_HEIGHT, A4_WIDTH as PAGE_WIDTH, Item};
use crate::text::layout::{self, Lines, TextFault, TextStyle};

/// All texts of a certificate, translated.
#[derive(Debug, Clone, PartialEq)]
pub struct CertificateContent {
    /// Decides the shapes of Han characters, and is the language that the file declares.
    pub language: Language,
    /// Who issues it; above the title.
    pub issuer: String,
    /// At the top of the first page, and the title that the file declares.
    pub title: String,
    /// Below the title: the document's name, or a sentence about what this is.
    pub subtitle: String,
    /// The document's state, below its name.
    pub state: State,
    /// Labels and values.
    pub sections: Vec<Section>,
    pub events: EventTable,
    /// Paragraphs after the table.
    pub notes: Vec<String>,
    /// The address in the QR code next to the title.
    pub qr: Option<QrAddress>,
    /// At the foot of each page, left of the page's number.
    pub footer: String,
    /// Files that are part of the certificate.
    pub attachments: Vec<Attachment>,
    /// When it was made; the file declares it.
    pub created: Timestamp,
}

/// A heading with labels and values below, and cards after them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Section {
    pub heading: String,
    /// Label and value.
    pub rows: Vec<(String, String)>,
    /// People.
    pub cards: Vec<Card>,
}

/// The known facts about a person.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Card {
    /// The person's place in the order, shown before the name.
    pub mark: String,
    pub name: String,
    /// Their contact, below the name.
    pub contact: String,
    pub state: State,
    /// Labels and values, two side by side if they are short.
    pub rows: Vec<(String, String)>,
}

/// A state in a word or two.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct State {
    pub text: String,
    /// Decides the colour. The words are clear without it.
    pub tone: Tone,
}

/// Whether something ended well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// Still open.
    #[default]
    Neutral,
    Good,
    Bad,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct EventTable {
    /// Above the table.
    pub heading: String,
    /// The columns, from the left.
    pub columns: Vec<Column>,
    /// One row an event; cells in the order of the columns. Missing cells are empty.
    pub rows: Vec<Vec<String>>,
}

/// A column of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub title: String,
    /// Its share of the width; the shares are divided by their sum.
    pub share: f32,
}

/// An address as QR code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QrAddress {
    /// The code's content.
    pub address: String,
    /// Below the code.
    pub caption: String,
}

/// A file that is part of the certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    pub file_name: String,
    /// Its media type, as `application/json`.
    pub media_type: String,
    pub description: String,
    pub bytes: Vec<u8>,
}

impl Tone {
    const fn ink(self) -> [u8; 3] {
        match self {
            Self::Neutral => GREY,
            Self::Good => GOOD,
            Self::Bad => BAD,
        }
    }
}

/// Why there is no certificate.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CertificateError {
    /// A text cannot be drawn.
    #[error(transparent)]
    Text(#[from] TextFault),
    /// The address is too long for a QR code.
    #[error("the address is too long for a QR code (at most about 2,300 characters)")]
    QrTooLong,
    /// Two attachments have one name, or one has no valid media type.
    #[error("the attachment {0} has the same name as another, or no valid media type")]
    Attachment(String),
    /// The PDF could not be written.
    #[error("the certificate could not be written: {0}")]
    Writing(String),
}

// All in points.
const MARGIN: f32 = 48.0;
const COLUMN: f32 = PAGE_WIDTH - 2.0 * MARGIN;
const BOTTOM: f32 = PAGE_HEIGHT - 64.0;
const FOOT: f32 = PAGE_HEIGHT - 46.0;
const QR_SIDE: f32 = 84.0;
/// A QR code needs four of its modules free around it.
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
/// Of the line at the top of the first page.
const ACCENT_HEIGHT: f32 = 3.0;
/// A value with more lines uses the full width.
const MOST_HALF_LINES: usize = 1;

/// Sets the certificate.
pub fn render(content: &CertificateContent, fonts: &Fonts) -> Result<Vec<u8>, CertificateError> {
    let Composed { pages, order } = Composer::new(fonts, content.language).compose(content)?;
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
        for Placed { item, content } in page {
            let tag = match content {
                Some(_) => ContentTag::Span(SpanTag::empty()),
                None => ContentTag::Artifact(Artifact::with_kind(ArtifactType::Layout)),
            };
            let identifier = surface.start_tagged(tag);
            item.draw(fonts, &mut surface);
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

/// Something at its place on a page.
struct Placed {
    item: Item,
    /// Its number in the reading order, unless it only decorates.
    content: Option<usize>,
}

/// All pages, and the order in which they are read.
struct Composed {
    pages: Vec<Vec<Placed>>,
    order: ReadingOrder,
}

/// The cells of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cells {
    /// Titles of columns.
    Head,
    /// The head again, on the next page.
    RepeatedHead,
    /// Values of a table.
    Row,
    /// Labels, each with its value.
    Pairs,
}

/// Puts items one below the other, page after page.
struct Composer<'a> {
    fonts: &'a Fonts,
    language: Language,
    pages: Vec<Vec<Placed>>,
    order: ReadingOrder,
    y: f32,
}

impl<'a> Composer<'a> {
    fn new(fonts: &'a Fonts, language: Language) -> Self {
        Self {
            fonts,
            language,
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

    /// Adds what only decorates.
    fn decorate(&mut self, item: Item) {
        self.push(Placed { item, content: None });
    }

    /// Adds content to an element. Content without an element is already there.
    fn put(&mut self, element: Option<usize>, item: Item) {
        let content = element.map(|element| self.order.content(element));
        self.push(Placed { item, content });
    }

    /// Adds an element with one thing in it.
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

    /// Begins a new page unless `height` still fits on this one.
    fn make_room(&mut self, height: f32) -> bool {
        let breaks = self.y + height > BOTTOM && self.y > MARGIN;
        if breaks {
            self.new_page();
        }
        breaks
    }

    /// Sets lines as a paragraph that may break between pages.
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
            colour: ACCENT,
        });
        let width = match content.qr {
            Some(_) => COLUMN - QR_SIDE - GAP,
            None => COLUMN,
        };
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

    /// Draws the code at the right of the first page; returns where it ends.
    fn code(&mut self, qr: &QrAddress) -> Result<f32, CertificateError> {
        let code = qrcodegen::QrCode::encode_text(&qr.address, qrcodegen::QrCodeEcc::Medium)
            .map_err(|_| CertificateError::QrTooLong)?;
        let x = PAGE_WIDTH - MARGIN - QR_SIDE;
        let caption = self.lines(&qr.caption, 6.5, false, GREY, QR_SIDE)?;
        let foot = MARGIN + QR_SIDE + QUIET + caption.height();
        let figure = Item::Qr {
            code: Box::new(code),
            x,
            y: MARGIN,
            side: QR_SIDE,
        };
        let caption = Item::text(caption, x, MARGIN + QR_SIDE + QUIET);
        let kinds: [TagKind; 2] = [Tag::Figure(Some(qr.address.clone())).into(), Tag::P.into()];
        for (kind, item) in kinds.into_iter().zip([figure, caption]) {
            let element = self.order.element(kind);
            let content = Some(self.order.content(element));
            if let Some(first) = self.pages.first_mut() {
                first.push(Placed { item, content });
            }
        }
        Ok(foot)
    }

    fn heading(&mut self, heading: &str, room_after: f32) -> Result<(), CertificateError> {
        let lines = self.lines(heading, HEADING_SIZE, true, BLACK, COLUMN)?;
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

    /// A person: a shaded head with name and state, and the facts below it in two columns.
    fn card(&mut self, card: &Card) -> Result<(), CertificateError> {
        const STATE_SHARE: f32 = 0.42;
        let state_width = COLUMN * STATE_SHARE;
        let name_width = COLUMN - state_width;
        // The number comes first for names in any direction: the mark makes the line one from left to right (UAX #9,
        // P2), and draws nothing.
        let name = if card.mark.is_empty() {
            card.name.clone()
        } else {
            format!("\u{200e}{}  {}", card.mark, card.name)
        };
        let name = self.lines(name.trim(), TEXT_SIZE + 1.0, true, BLACK, name_width - 2.0 * CELL)?;
        let contact = self.lines(&card.contact, SMALL_SIZE, false, GREY, name_width - 2.0 * CELL)?;
        let state = self.lines(
            &card.state.text,
            TEXT_SIZE,
            true,
            card.state.tone.ink(),
            state_width - 2.0 * CELL,
        )?;
        let height = (name.height() + contact.height()).max(state.height()) + 2.0 * CELL;
        self.y += 4.0;
        // The head must not be alone at the end of a page.
        self.make_room(height + 40.0);
        let y = self.y;
        self.decorate(Item::Box {
            x: MARGIN,
            y,
            width: COLUMN,
            height,
            colour: SHADE,
        });
        let name_height = name.height();
        self.place(heading_of(3), Item::text(name, MARGIN + CELL, y + CELL));
        self.place(Tag::P, Item::text(contact, MARGIN + CELL, y + CELL + name_height));
        let x = MARGIN + COLUMN - CELL - state.width();
        self.place(Tag::P, Item::text(state, x, y + CELL));
        self.y += height;
        self.card_rows(&card.rows)
    }

    /// The facts about a person, in two columns if they are short.
    fn card_rows(&mut self, rows: &[(String, String)]) -> Result<(), CertificateError> {
        let half = [0.17, 0.33, 0.17, 0.33].map(|share| share * COLUMN);
        let whole = [0.17, 0.83].map(|share| share * COLUMN);
        let mut rows = rows.iter().peekable();
        self.order.open(Tag::L(ListNumbering::None));
        while let Some(row) = rows.next() {
            let mut cells = self.pair(row, &half)?;
            if let Some(next) = rows.peek().filter(|_| is_short(&cells)) {
                let beside = self.pair(next, &half)?;
                if is_short(&beside) {
                    rows.next();
                    cells.extend(beside);
                    self.row(Cells::Pairs, cells, &half, None)?;
                    continue;
                }
            }
            let cells = self.pair(row, &whole)?;
            self.row(Cells::Pairs, cells, &whole, None)?;
        }
        self.order.close();
        Ok(())
    }

    /// A label and its value.
    fn pair(&self, (label, value): &(String, String), widths: &[f32]) -> Result<Vec<Lines>, TextFault> {
        let width = |column: usize| widths.get(column).copied().unwrap_or_default() - 2.0 * CELL;
        Ok(vec![
            self.lines(label, SMALL_SIZE, false, GREY, width(0))?,
            self.lines(value, SMALL_SIZE, false, BLACK, width(1))?,
        ])
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
        let height = cells.iter().map(Lines::height).fold(0.0, f32::max) + 2.0 * CELL;
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

    /// One row. It moves to the next page as a whole, and is cut only if it is longer than a page.
    fn row(
        &mut self,
        kind: Cells,
        cells: Vec<Lines>,
        widths: &[f32],
        table: Option<&EventTable>,
    ) -> Result<(), CertificateError> {
        let height = cells.iter().map(Lines::height).fold(0.0, f32::max) + 2.0 * CELL;
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
            width: COLUMN,
        });
        Ok(())
    }

    /// The elements of a row's cells. None for cells that already exist.
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

/// A heading of a level from 1.
fn heading_of(level: u16) -> Tag<krilla::tagging::kind::Hn> {
    Tag::Hn(NonZeroU16::new(level).unwrap_or(NonZeroU16::MIN), None)
}

fn is_short(pair: &[Lines]) -> bool {
    pair.iter().all(|lines| lines.count() <= MOST_HALF_LINES)
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
    // The calendar keeps each part in its range, and we have no years before 0.
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
