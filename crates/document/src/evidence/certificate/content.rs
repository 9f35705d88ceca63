//! What a certificate says, in the reader's language.

use domain::drawing::Drawing;
use domain::language::Language;
use jiff::Timestamp;

/// All texts of a certificate, translated.
#[derive(Debug, Clone, PartialEq)]
pub struct CertificateContent {
    /// Decides the shapes of Han characters, and is the language that the file declares.
    pub language: Language,
    /// Who issues it; above the title.
    pub issuer: String,
    /// How the issuer's papers look.
    pub look: Look,
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

/// The issuer's colour and logo.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Look {
    /// The colour of headings, readable on white. `None`: ours.
    pub accent: Option<[u8; 3]>,
    /// A PNG or JPEG. One that cannot be drawn is left out.
    pub logo: Option<Vec<u8>>,
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
    /// The person's signatures and seals.
    pub pictures: Vec<CardPicture>,
}

/// A signature or seal as it is in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardPicture {
    pub content: PictureContent,
    /// What people call it; below it, and read aloud.
    pub words: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PictureContent {
    /// A PNG or JPEG.
    File(Vec<u8>),
    /// Drawn from its description.
    Drawing(Drawing),
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
    /// Below the code, above the address in letters.
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
