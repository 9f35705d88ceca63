//! Defects of a file, with their location.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::object::Ref;

/// A violated rule. Reading stops there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PdfDefect {
    /// Position in bytes from the file's header.
    pub offset: usize,
    /// The object, if known.
    pub object: Option<Ref>,
    pub rule: Rule,
}

impl PdfDefect {
    /// Creates a defect at a byte position.
    pub fn new(offset: usize, rule: Rule) -> Self {
        Self {
            offset,
            object: None,
            rule,
        }
    }

    /// Adds the object to the defect.
    #[must_use]
    pub fn within(mut self, object: Ref) -> Self {
        self.object.get_or_insert(object);
        self
    }
}

impl fmt::Display for PdfDefect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "byte {}", self.offset)?;
        if let Some(object) = self.object {
            write!(formatter, ", object {object}")?;
        }
        write!(formatter, ": {}", self.rule)
    }
}

impl std::error::Error for PdfDefect {}

/// The rules of ISO 32000-2 that the reader enforces. These codes have messages in the users' languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    // Syntax (7.2, 7.3)
    /// 7.3.
    #[error("the file ends within an object")]
    UnexpectedEnd,
    /// 7.3.
    #[error("no object begins here")]
    UnexpectedToken,
    /// 7.3.
    #[error("this word is not an object")]
    UnknownWord,
    /// 7.3.3.
    #[error("this is not a number")]
    MalformedNumber,
    /// 7.3.5.
    #[error("# in a name needs two hexadecimal digits other than 00")]
    NameEscape,
    /// 7.3.4.3.
    #[error("a hexadecimal string contains something other than digits")]
    HexDigit,
    /// 7.3.6, 7.3.7.
    #[error("objects are nested too deeply")]
    TooDeep,
    /// 7.3.7.
    #[error("a dictionary contains a key twice")]
    DuplicateKey,
    /// 7.3.7.
    #[error("a key of a dictionary is not a name")]
    KeyNotName,
    /// 7.3.10.
    #[error("a reference is out of range")]
    ReferenceRange,
    /// 7.3.10.
    #[error("references form a loop")]
    ReferenceChain,
    /// 7.3.10.
    #[error("an object does not end with endobj")]
    MissingEndobj,
    /// 7.3.8.1.
    #[error("the keyword stream is not followed by a line end")]
    StreamStart,
    /// 7.3.8.2.
    #[error("a stream's /Length is missing or is not a length")]
    StreamLength,
    /// 7.3.8.2.
    #[error("a stream's /Length was changed, but the stream was not")]
    LengthRedefined,
    /// 7.3.8.1.
    #[error("endstream is not where the stream's /Length says")]
    StreamEnd,
    /// 7.5.4.
    #[error("an object extends into the next one")]
    Overlap,

    // Structure (7.5)
    /// 7.5.2.
    #[error("the file does not begin with %PDF-")]
    NoHeader,
    /// 7.5.5.
    #[error("startxref is missing at the end of the file")]
    NoStart,
    /// 7.5.5.
    #[error("startxref or /Prev does not point at a cross-reference section")]
    NoSection,
    /// 7.5.4.
    #[error("the cross-reference table is malformed")]
    Table,
    /// 7.5.4.
    #[error("a section lists an object twice")]
    ListedTwice,
    /// 7.5.4.
    #[error("object 0 is in use")]
    ObjectZero,
    /// 7.5.5.
    #[error("the trailer dictionary is missing")]
    NoTrailer,
    /// 7.5.5.
    #[error("/Prev is not an offset")]
    Previous,
    /// 7.5.5.
    #[error("cross-reference sections form a loop")]
    SectionLoop,
    /// 7.5.6, F.
    #[error("/Prev points forward, although the file is not linearised")]
    ForwardPrevious,
    /// 7.5.8.
    #[error("the cross-reference stream is malformed")]
    CrossReferenceStream,
    /// 7.5.8.4.
    #[error("/XRefStm does not lead to a cross-reference stream")]
    Hybrid,
    /// 7.5.4.
    #[error("a cross-reference entry does not point at its own object")]
    StrayEntry,
    /// 7.5.8.3.
    #[error("a cross-reference entry does not point at its own place in an object stream")]
    StrayCompressedEntry,
    /// 7.5.7.
    #[error("the object stream is malformed")]
    ObjectStream,
    /// 7.5.5.
    #[error("/Root does not lead to the document catalog")]
    NoCatalog,

    // Structure of appended parts of a signed file (7.5.6)
    /// 7.5.6.
    #[error("the appended revision is not a single section followed by startxref and %%EOF")]
    AppendedSection,
    /// 7.5.6.
    #[error("/Prev of the appended revision does not lead to the section before it")]
    AppendedPrevious,
    /// 7.5.6.
    #[error("the appended revision has a different /Root")]
    AppendedRoot,
    /// 7.5.5.
    #[error("/Size of the appended revision does not match its objects")]
    AppendedSize,
    /// 7.5.4.
    #[error("the appended revision reuses an object number that was freed")]
    AppendedAgain,
    /// 7.5.8.4.
    #[error("the hidden part of the appended revision replaces an object")]
    AppendedHybrid,
    /// 7.5.7.
    #[error("an object stream in the appended revision contains an object that the revision does not list")]
    AppendedMember,
    /// 7.5.6.
    #[error("the appended revision contains bytes that belong to no listed object")]
    AppendedBytes,
    /// 7.5.6: some deviations are not accepted in appended parts.
    #[error("{0}")]
    AppendedLaxly(DeviationKind),
    /// 7.7.3.2.
    #[error("the page tree is malformed")]
    PageTree,
    /// 7.8.2.
    #[error("the content of a page cannot be decoded")]
    Content,

    // Encryption (7.6)
    /// 7.6.2.
    #[error("the encryption dictionary is malformed")]
    EncryptionDictionary,
    /// 7.6.2.
    #[error("this kind of encryption is not supported")]
    UnsupportedEncryption,
    /// 7.6.4.
    #[error("the file needs a password")]
    PasswordNeeded,
    /// 7.6.4.
    #[error("the password is wrong")]
    PasswordWrong,
    /// 7.6.3.
    #[error("encrypted data is malformed")]
    Ciphertext,

    // Filters (7.4)
    /// 7.4.1.
    #[error("this filter is not supported")]
    UnknownFilter,
    /// 7.4.1.
    #[error("the filters of a stream or their parameters are malformed")]
    FilterParameters,
    /// 7.4.
    #[error("the data of a stream cannot be decoded")]
    FilterData,
    /// Annex C.
    #[error("decoded data exceeds the limit")]
    TooLarge,
}

/// A deviation found in files of real writers. We read it in one defined way and report it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deviation {
    /// Position in bytes from the file's header.
    pub offset: usize,
    pub kind: DeviationKind,
}

/// The deviations that the reader accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum DeviationKind {
    /// 7.5.2: offsets count from the header, or from the file's first byte.
    #[error("bytes precede the header")]
    HeaderNotAtStart,
    /// 7.5.5.
    #[error("%%EOF is missing at the end of the file")]
    NoEndMark,
    /// 7.5.5.
    #[error("bytes other than white space follow the last %%EOF")]
    BytesAfterEnd,
    /// 7.5.4: an entry has exactly 20 bytes.
    #[error("entries of the cross-reference table do not have the prescribed spaces and line ends")]
    EntrySpelling,
    /// 7.5.4.
    #[error("white space precedes the cross-reference section")]
    SpaceBeforeSection,
    /// 7.5.4: the first subsection begins with object 1, but lists object 0.
    #[error("the first subsection of the cross-reference table is off by one")]
    FirstSubsectionOffByOne,
    /// 7.5.4.
    #[error("an offset in the cross-reference table points at white space before an object's number")]
    SpaceBeforeObject,
    /// 7.5.4: no object can be at offset 0. The number is read as free.
    #[error("an in-use entry points at the first byte of the file")]
    EntryAtZero,
    /// 7.5.5.
    #[error("/Size is not greater than the highest object number")]
    SizeTooSmall,
    /// 7.3.8.1.
    #[error("endstream is preceded by more than a line end")]
    SpaceBeforeEndstream,
    /// 7.2.4: a program that searches the file interprets the comment as structure.
    #[error("a comment within an object contains a keyword of the file's structure")]
    WordInComment,
}

/// Returns a defect at a byte position, as an error.
pub(crate) fn defect<T>(offset: usize, rule: Rule) -> Result<T, PdfDefect> {
    Err(PdfDefect::new(offset, rule))
}
