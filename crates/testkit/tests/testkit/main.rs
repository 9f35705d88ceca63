//! Tests of the whole tree.

mod architecture;
mod kill;
mod troubles;
