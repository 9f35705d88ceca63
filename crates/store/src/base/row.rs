//! One row of a result.

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

    /// Returns the value of a column as the type that the caller wants. Use `Option<_>` if it may be NULL.
    pub fn get<T: FromValue>(&self, column: &str) -> Result<T, Error> {
        let value = self
            .columns
            .iter()
            .position(|name| name == column)
            .and_then(|position| self.values.get(position))
            .ok_or_else(|| self.fault(column, "is not in the result".to_owned()))?;
        T::from_value(value).map_err(|detail| self.fault(column, detail))
    }

    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Returns the value of a column of any type.
    pub fn value(&self, column: &str) -> Option<&Value> {
        let position = self.columns.iter().position(|name| name == column)?;
        self.values.get(position)
    }

    /// Parses a column's text, for enums, JSON and types of the domain.
    pub fn parse<T, E: std::fmt::Display>(
        &self,
        column: &str,
        parser: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<T, Error> {
        let text: String = self.get(column)?;
        parser(&text).map_err(|error| self.fault(column, format!("cannot be read: {error}")))
    }

    /// Returns the error for a column whose content the caller cannot interpret.
    pub fn fault(&self, column: &str, detail: String) -> Error {
        Error::Column {
            statement: self.statement,
            column: column.to_owned(),
            detail,
        }
    }
}
