//! Tests of the whole tree.

mod architecture;
mod bulk;
mod kill;
mod nodes;
mod troubles;
