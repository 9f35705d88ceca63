//! A person on the certificate: who they are, what they did, and their signature beside it.

use krilla::tagging::{ListNumbering, Tag};

use super::content::{Card, CardPicture, PictureContent};
use super::{
    BLACK, BOTTOM, CELL, COLUMN, Cells, CertificateError, Composer, GREY, MARGIN, SHADE, SMALL_SIZE, TEXT_SIZE,
    heading_of, height_of,
};
use crate::marks::picture_on_page::PictureOnPage;
use crate::marks::stamp::MarkContent;
use crate::text::item::Item;
use crate::text::layout::{Lines, TextFault};

/// A value with more lines uses the full width.
const MOST_HALF_LINES: usize = 1;
const STATE_SHARE: f32 = 0.42;
/// The most space for a signature.
const PICTURE_WIDTH: f32 = 124.0;
const PICTURE_HEIGHT: f32 = 48.0;
const PICTURE_GAP: f32 = 6.0;

/// The shaded head of a card.
struct CardHead {
    name: Lines,
    contact: Lines,
    state: Lines,
    height: f32,
}

/// A row of facts.
struct Facts {
    cells: Vec<Lines>,
    widths: Vec<f32>,
}

/// A signature with what people call it.
struct Pictured {
    picture: PictureOnPage,
    words: String,
    caption: Lines,
}

impl Composer<'_> {
    /// A person: a shaded head with name and state, below it the facts in two columns, and signatures to the right of these.
    /// It stays on one page if it fits there.
    pub(super) fn card(&mut self, card: &Card) -> Result<(), CertificateError> {
        let head = self.card_head(card)?;
        let facts_width = if card.pictures.is_empty() {
            COLUMN
        } else {
            COLUMN - PICTURE_WIDTH - 3.0 * CELL
        };
        let facts = self.facts(&card.rows, facts_width)?;
        let pictures = self.pictured(&card.pictures)?;
        let facts_height: f32 = facts.iter().map(|facts| height_of(&facts.cells)).sum();
        let pictures_height: f32 = pictures.iter().map(Pictured::height).sum();
        self.y += 4.0;
        let whole = head.height + facts_height.max(pictures_height);
        let fits_a_page = whole <= BOTTOM - MARGIN;
        // A head must not be alone at the end of a page, and a signature stays with it.
        self.make_room(if fits_a_page {
            whole
        } else {
            head.height + pictures_height.max(40.0)
        });
        self.draw_head(head);
        let (page, top) = (self.pages.len(), self.y);
        let below = self.draw_pictures(pictures, top);
        self.order.open(Tag::L(ListNumbering::None));
        for Facts { cells, widths } in facts {
            self.row(Cells::Pairs, cells, &widths, None)?;
        }
        self.order.close();
        if self.pages.len() == page {
            self.y = self.y.max(below);
        }
        Ok(())
    }

    fn card_head(&self, card: &Card) -> Result<CardHead, CertificateError> {
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
        let ink = card.state.tone.ink();
        let state = self.lines(&card.state.text, TEXT_SIZE, true, ink, state_width - 2.0 * CELL)?;
        let height = (name.height() + contact.height()).max(state.height()) + 2.0 * CELL;
        Ok(CardHead {
            name,
            contact,
            state,
            height,
        })
    }

    fn draw_head(&mut self, head: CardHead) {
        let y = self.y;
        self.decorate(Item::Box {
            x: MARGIN,
            y,
            width: COLUMN,
            height: head.height,
            colour: SHADE,
        });
        let name_height = head.name.height();
        self.place(heading_of(3), Item::text(head.name, MARGIN + CELL, y + CELL));
        self.place(Tag::P, Item::text(head.contact, MARGIN + CELL, y + CELL + name_height));
        let x = MARGIN + COLUMN - CELL - head.state.width();
        self.place(Tag::P, Item::text(head.state, x, y + CELL));
        self.y += head.height;
    }

    fn pictured(&self, pictures: &[CardPicture]) -> Result<Vec<Pictured>, CertificateError> {
        let mut ready = Vec::with_capacity(pictures.len());
        for CardPicture { content, words } in pictures {
            let content = match content {
                PictureContent::File(bytes) => MarkContent::Picture {
                    bytes: bytes.clone(),
                    words: words.clone(),
                },
                PictureContent::Drawing(drawing) => MarkContent::Drawing(drawing.clone()),
            };
            ready.push(Pictured {
                picture: PictureOnPage::new(self.fonts, &content, (0.0, 0.0), (PICTURE_WIDTH, PICTURE_HEIGHT))?,
                words: words.clone(),
                caption: self.lines(words, SMALL_SIZE, false, GREY, PICTURE_WIDTH)?,
            });
        }
        Ok(ready)
    }

    /// Draws signatures one below the other; returns where they end.
    fn draw_pictures(&mut self, pictures: Vec<Pictured>, top: f32) -> f32 {
        let x = MARGIN + COLUMN - CELL - PICTURE_WIDTH;
        let mut y = top;
        for Pictured {
            picture,
            words,
            caption,
        } in pictures
        {
            y += PICTURE_GAP;
            let below = y + picture.height() + 2.0;
            self.place_picture(&words, picture.at(x, y));
            y = below + caption.height();
            self.place(Tag::P, Item::text(caption, x, below));
        }
        y
    }

    /// The facts about a person, two in a row if they are short.
    fn facts(&self, rows: &[(String, String)], width: f32) -> Result<Vec<Facts>, TextFault> {
        // Values stand below each other, whether one is in a row or two.
        let label = (0.17 * width).max(0.14 * COLUMN);
        let half = [label, width / 2.0 - label, label, width / 2.0 - label];
        let whole = [label, width - label];
        let mut rows = rows.iter().peekable();
        let mut facts = Vec::new();
        while let Some(row) = rows.next() {
            let mut cells = self.pair(row, &half)?;
            if let Some(next) = rows.peek().filter(|_| is_short(&cells)) {
                let beside = self.pair(next, &half)?;
                if is_short(&beside) {
                    rows.next();
                    cells.extend(beside);
                    facts.push(Facts {
                        cells,
                        widths: half.to_vec(),
                    });
                    continue;
                }
            }
            facts.push(Facts {
                cells: self.pair(row, &whole)?,
                widths: whole.to_vec(),
            });
        }
        Ok(facts)
    }

    /// A label and its value.
    fn pair(&self, (label, value): &(String, String), widths: &[f32]) -> Result<Vec<Lines>, TextFault> {
        let width = |column: usize| widths.get(column).copied().unwrap_or_default() - 2.0 * CELL;
        Ok(vec![
            self.lines(label, SMALL_SIZE, false, GREY, width(0))?,
            self.lines(value, SMALL_SIZE, false, BLACK, width(1))?,
        ])
    }
}

impl Pictured {
    fn height(&self) -> f32 {
        PICTURE_GAP + self.picture.height() + 2.0 + self.caption.height()
    }
}

fn is_short(pair: &[Lines]) -> bool {
    pair.iter().all(|lines| lines.count() <= MOST_HALF_LINES)
}
