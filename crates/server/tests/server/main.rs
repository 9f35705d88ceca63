//! Tests of the real program, as an operator runs it.

mod accepted_uploads;
mod access;
mod audit_log;
mod backups;
mod buckets;
mod checks;
mod documents;
mod key_bench;
mod mailing;
mod memory;
mod messengers;
mod seal_keys;
mod sealing;
mod secrets;
mod serving;
mod support;
mod watching;
