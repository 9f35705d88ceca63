//! The real program, as an operator runs it.

mod access;
mod checks;
mod documents;
mod messengers;
mod sealing;
mod serving;
mod support;
