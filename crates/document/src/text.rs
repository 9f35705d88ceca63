//! Text: from characters to positioned glyphs.
//!
//! [`fonts`] contains the built-in fonts, [`layout`] shapes a text and breaks it into the lines of a box or a column,
//! and [`item`] defines the parts of our own pages (the history certificate). [`stand_ins`] are the substitute fonts
//! for uploads with fonts that are not embedded. The other modules do not depend on the files into which the text is
//! drawn.
//!
//! May use `pdf`, but does not need to so far.

pub mod fonts;
pub mod item;
pub mod layout;
pub mod sound_font;
pub mod stand_ins;
