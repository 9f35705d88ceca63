//! Keys, certificates, and what is signed with them: all that a seal needs and that is nothing of PDF.
//!
//! [`keys`] are what companies seal with, [`authority`] issues their certificates, [`cms`] makes and reads signed messages
//! (`ber` those of careless signers), [`timestamp`] asks time-stamp authorities and reads what they answer, and [`revocation`]
//! makes lists, asks others for theirs and reads both. `certificates` and [`algorithms`] say whether a signature is of a
//! certificate's key; whether anybody trusts that certificate is a question of `verify`.
//!
//! May use the rooms above, and uses none of them: bytes in, bytes out, without a document anywhere.

pub mod algorithms;
pub mod authority;
pub(crate) mod ber;
pub(crate) mod certificates;
pub mod cms;
pub mod keys;
pub mod revocation;
pub mod timestamp;
