//! The store on both databases: every test here runs on SQLite and on PostgreSQL.

mod backlog;
mod held_outbox;
mod history;
mod loose_files;
mod plans;
mod postgres_only;
mod probe;
mod queues;
mod schemas;
mod search_traces;
mod statements;
mod transactions;
mod upgrades;
