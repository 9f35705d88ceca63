//! Strangers' PDFs are read here, in child processes that can do little else.
//!
//! No PDF engine is safe on hostile input: a file can ask for endless work, exhaust memory, or
//! overflow the stack, which ends a process whatever language it is written in. So the server never
//! parses a stranger's bytes itself. Actors:
//!
//! - the *pool* ([`Pool`], in the server) keeps some child processes warm, gives each one job at a
//!   time, and stops the one that takes too long;
//! - the *child* ([`child::main`], the same program with the argument `document-worker`) confines
//!   itself before it sees a stranger's byte ([`confinement`]): memory, open files, file system,
//!   network and system calls; and its time in the processor at every job;
//! - they speak frames over standard input and output ([`frame`], [`protocol`]).
//!
//! What the pool guarantees: every call ends, at the latest after the time that the settings allow; a
//! child that dies takes only its own job with it, and another takes its place; what a child answers
//! is small and is checked before anybody believes it; whoever asks for much takes the children from nobody else
//! ([`domain::turns`]). What may fail: the program cannot be started
//! ([`PoolError::Failed`]), all children are at work for too long ([`PoolError::Busy`]), the file is
//! refused ([`PoolError::Refused`]).
#![deny(missing_docs)]

pub mod child;
pub mod confinement;
mod frame;
mod pool;
mod protocol;

pub use pool::{Pool, PoolError, PoolSettings};
