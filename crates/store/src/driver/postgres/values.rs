//! Converts values to and from the driver's types.

use std::sync::Arc;

use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, private::BytesMut};

use super::faults::described;
use crate::{Error, Row, Statement, Value};

pub(super) fn bound(parameters: &[Value]) -> Vec<Bound<'_>> {
    parameters.iter().map(Bound).collect()
}

pub(super) fn references<'bound>(bound: &'bound [Bound<'bound>]) -> Vec<&'bound (dyn ToSql + Sync)> {
    bound.iter().map(|value| value as _).collect()
}

pub(super) fn rows(
    statement: &'static Statement,
    columns: &Arc<[String]>,
    found: &[tokio_postgres::Row],
) -> Result<Vec<Row>, Error> {
    found
        .iter()
        .map(|row| {
            let values = columns
                .iter()
                .enumerate()
                .map(|(position, column)| {
                    row.try_get::<_, Held>(position)
                        .map(|held| held.0)
                        .map_err(|error| Error::Column {
                            statement: statement.name(),
                            column: column.clone(),
                            detail: described(&error),
                        })
                })
                .collect::<Result<Vec<Value>, Error>>()?;
            Ok(Row::new(statement.name(), Arc::clone(columns), values))
        })
        .collect()
}

type Fault = Box<dyn std::error::Error + Sync + Send>;

#[derive(Debug)]
pub(super) struct Bound<'value>(pub(super) &'value Value);

impl Bound<'_> {
    /// Checks that the value fits the type the statement expects. The error says why not.
    pub(super) fn fits(&self, kind: &Type) -> Result<(), String> {
        let fits = match self.0 {
            Value::Null => true,
            Value::Integer(value) => match *kind {
                Type::INT8 => true,
                Type::INT4 => i32::try_from(*value).is_ok(),
                Type::INT2 => i16::try_from(*value).is_ok(),
                _ => false,
            },
            Value::Text(_) => matches!(*kind, Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::UNKNOWN),
            Value::Blob(_) => *kind == Type::BYTEA,
            Value::Bool(_) => *kind == Type::BOOL,
        };
        if fits {
            return Ok(());
        }
        Err(format!("the statement expects {kind}, but got {}", self.0.kind()))
    }
}

impl ToSql for Bound<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Fault> {
        match (self.0, kind) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Integer(value), &Type::INT8) => value.to_sql(kind, out),
            (Value::Integer(value), &Type::INT4) => i32::try_from(*value)?.to_sql(kind, out),
            (Value::Integer(value), &Type::INT2) => i16::try_from(*value)?.to_sql(kind, out),
            (Value::Text(value), &(Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::UNKNOWN)) => {
                value.to_sql(kind, out)
            }
            (Value::Blob(value), &Type::BYTEA) => value.to_sql(kind, out),
            (Value::Bool(value), &Type::BOOL) => value.to_sql(kind, out),
            (value, kind) => Err(format!("the statement expects {kind}, but got {}", value.kind()).into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn to_sql_checked(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Fault> {
        self.to_sql(kind, out)
    }
}

struct Held(Value);

impl<'row> FromSql<'row> for Held {
    fn from_sql(kind: &Type, raw: &'row [u8]) -> Result<Self, Fault> {
        Ok(Held(match *kind {
            Type::INT8 => Value::Integer(i64::from_sql(kind, raw)?),
            Type::INT4 => Value::Integer(i32::from_sql(kind, raw)?.into()),
            Type::INT2 => Value::Integer(i16::from_sql(kind, raw)?.into()),
            Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::UNKNOWN => {
                Value::Text(String::from_sql(kind, raw)?)
            }
            Type::BYTEA => Value::Blob(raw.to_vec()),
            Type::BOOL => Value::Bool(bool::from_sql(kind, raw)?),
            ref other => {
                return Err(format!(
                    "has the type {other}, which the store does not support; cast it in the statement"
                )
                .into());
            }
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Fault> {
        Ok(Held(Value::Null))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}
