//! Combines statements that were left for later, so that one statement adds the rows of several.

use super::session::Prepared;
use super::values::Bound;
use crate::{Statement, Value};

/// A statement that has not been sent yet.
pub(super) struct Later {
    pub(super) statement: &'static Statement,
    pub(super) parameters: Vec<Value>,
}

/// A statement as sent to the server. A statement that adds a row may add several rows at once.
pub(super) struct Batch<'left> {
    pub(super) statement: &'static Statement,
    pub(super) rows: Vec<&'left [Value]>,
}

/// Combines the rows that one statement can add at once, across transactions too. Within a transaction the order is
/// kept, so that rows exist before others refer to them.
pub(super) fn batches<'left>(transactions: &[&'left [Later]]) -> Vec<Batch<'left>> {
    let mut batches: Vec<Batch<'left>> = Vec::new();
    for left in transactions {
        let mut earliest = 0;
        for Later { statement, parameters } in *left {
            let is_alike = |batch: &Batch<'_>| batch.statement.name() == statement.name();
            // This statement may refer to the rows of earlier ones.
            let found = statement
                .adds_one_row()
                .then(|| batches.iter().skip(earliest).position(is_alike));
            if let Some(place) = found.flatten()
                && let Some(batch) = batches.get_mut(earliest + place)
            {
                batch.rows.push(parameters);
                earliest += place;
            } else {
                earliest = batches.len();
                batches.push(Batch {
                    statement,
                    rows: vec![parameters],
                });
            }
        }
    }
    batches
}

/// One statement with its parameters, ready to be sent.
pub(super) struct Ready<'left> {
    pub(super) statement: &'static Statement,
    pub(super) prepared: Prepared,
    pub(super) parameters: Vec<Bound<'left>>,
}
