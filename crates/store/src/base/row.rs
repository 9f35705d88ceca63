//! One row of an answer.

use std::sync::Arc;

use crate::{Error, FromValue, Value};

/// A row, read by column name.
#[derive(Clone, Debug)]
pub struct Row {
    statement: &'static str,
    columns: Arc<[String]>,
    values: Vec<Value>,
}

impl Row {
    pub(crate) fn new(statement: &'static str, columns: Arc<[String]>, values: Vec<Value>) -> Self {
        Row {
            statement,
            columns,
            values,
        }
    }

    /// The value of a column, as the type that the caller wants; `Option<_>` if it may be NULL.
    pub fn get<T: FromValue>(&self, column: &str) -> Result<T, Error> {
        let value = self
            .columns
            .iter()
            .position(|name| name == column)
            .and_then(|position| self.values.get(position))
            .ok_or_else(|| self.fault(column, "is not in the answer".to_owned()))?;
        T::from_value(value).map_err(|detail| self.fault(column, detail))
    }

    /// The names of its columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The value of a column of any type.
    pub fn value(&self, column: &str) -> Option<&Value> {
        let position = self.columns.iter().position(|name| name == column)?;
        self.values.get(position)
    }

    /// A column's text through a parser, for enums, JSON and words of the domain.
    pub fn parse<T, E: std::fmt::Display>(
        &self,
        column: &str,
        parser: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<T, Error> {
        let text: String = self.get(column)?;
        parser(&text).map_err(|error| self.fault(column, format!("cannot be read: {error}")))
    }

    /// The error for a column whose content the caller cannot understand.
    pub fn fault(&self, column: &str, detail: String) -> Error {
        Error::Column {
            statement: self.statement,
            column: column.to_owned(),
            detail,
        }
    }
}
