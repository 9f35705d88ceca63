//! The API over real HTTP: an installation of its own for each test, on SQLite and on PostgreSQL,
//! with a clock that stands still and the outbox read as a receiver would see it.

mod accepted_uploads;
mod acting;
mod bad_input;
mod bodies;
mod bulk;
mod complete;
mod copied_links;
mod declared_bodies;
mod embedded;
mod exports;
mod field_names;
mod headers;
mod identity;
mod ignored_members;
mod links;
mod login;
mod looks;
mod onward;
mod pages;
mod people_over_time;
mod reading;
mod routes;
mod sealable;
mod sending;
mod shared_addresses;
mod shares;
mod sign_in;
mod signers_files;
mod starting;
mod support;
mod templates;
mod uploads;
mod webhooks;
mod workflow_links;
mod zones;
