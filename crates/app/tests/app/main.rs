//! The use-cases through their public face, on both databases.

extern crate countersign_app as app;

mod access;
mod certificates;
mod check;
mod drafts;
mod foresight;
mod known_addresses;
mod look;
mod mails;
mod one_time_codes;
mod people_over_time;
mod races;
mod sealing;
mod support;
mod templates;
mod uploads;
mod values;
mod workflows;
