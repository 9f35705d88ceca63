//! The real program, as an operator runs it.

mod access;
mod checks;
mod documents;
mod serving;
mod support;
