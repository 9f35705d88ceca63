//! Reads untrusted PDFs in child processes with minimal rights.
//!
//! No PDF engine is safe on hostile input: a file can ask for endless work, exhaust memory, or overflow the stack,
//! which ends a process in any language. So the server itself never parses untrusted bytes. The parts are:
//!
//! - The *pool* ([`Pool`], in the server) keeps some child processes warm, gives each one job at a time, and stops a
//!   child that takes too long.
//! - The *child* ([`child::main`], the same program with the argument `document-worker`) confines itself before it
//!   reads any untrusted bytes ([`confinement`]): memory, open files, file system, network and system calls, and its
//!   processor time for every job.
//! - They exchange frames over standard input and output ([`frame`], [`protocol`]).
//!
//! The pool guarantees that every call ends, at the latest after the time that the settings allow; that a child that
//! dies fails only its own job and is replaced; that a child's answers are small and are checked before they are used;
//! and that a requester with many jobs does not block the children for others ([`domain::turns`]). A call can fail
//! because the program cannot be started ([`PoolError::Failed`]), because all children are busy for too long
//! ([`PoolError::Busy`]), or because the file is refused ([`PoolError::Refused`]).

pub mod child;
pub mod confinement;
mod frame;
mod pool;
mod protocol;

pub use pool::{Pool, PoolError, PoolLoad, PoolSettings};
