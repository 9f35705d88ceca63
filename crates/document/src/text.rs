//! Text: from characters to glyphs at their places.
//!
//! [`fonts`] holds the fonts that the program carries, [`layout`] shapes a text and breaks it into the lines of a box or a
//! column, and [`item`] is what pages of our own (the history certificate) are made of. [`stand_ins`] are the fonts for text of
//! uploads whose font is not in the file. Nothing else here knows of the files that the text is drawn into.
//!
//! May use `pdf`; so far it has no need to.

pub mod fonts;
pub mod item;
pub mod layout;
pub mod sound_font;
pub mod stand_ins;
