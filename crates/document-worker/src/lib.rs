//! Reads strangers' PDFs in child processes that can do little else.
//!
//! No PDF engine is safe on hostile input: a file can ask for endless work, exhaust memory, or overflow the stack,
//! which ends a process in any language. So the server itself never parses a stranger's bytes. Actors:
//!
//! - the *pool* ([`Pool`], in the server) keeps some child processes warm, gives each one job at a time, and stops one
//!   that takes too long;
//! - the *child* ([`child::main`], the same program with the argument `document-worker`) confines itself before it sees
//!   any of a stranger's bytes ([`confinement`]): memory, open files, file system, network and system calls, and its
//!   processor time for every job;
//! - they exchange frames over standard input and output ([`frame`], [`protocol`]).
//!
//! The pool guarantees that every call ends, at the latest after the time that the settings allow; that a child that
//! dies takes only its own job with it and is replaced; that a child's answers are small and are checked before they
//! are used; and that a requester with many jobs does not block the children for others ([`domain::turns`]). A call can
//! fail because the program cannot be started ([`PoolError::Failed`]), all children are busy for too long
//! ([`PoolError::Busy`]), or the file is refused ([`PoolError::Refused`]).

pub mod child;
pub mod confinement;
mod frame;
mod pool;
mod protocol;

pub use pool::{Pool, PoolError, PoolLoad, PoolSettings};
