//! The five kinds of values that both databases store.
//!
//! Times are `Integer`, in microseconds since 1970 UTC. JSON and enums are `Text`, and IDs are `Integer`. SQLite has no
//! boolean: it stores 0 and 1, and `bool` reads those.

use jiff::Timestamp;

/// A parameter of a statement, or a column of its result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// NULL, of the type that the statement expects.
    Null,
    /// BIGINT, or INTEGER if it fits.
    Integer(i64),
    /// TEXT. U+0000 is refused, because PostgreSQL cannot store it.
    Text(String),
    /// BYTEA on PostgreSQL, BLOB on SQLite.
    Blob(Vec<u8>),
    /// BOOLEAN on PostgreSQL, 0 or 1 on SQLite.
    Bool(bool),
}

impl Value {
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Value::Null => "NULL",
            Value::Integer(_) => "an integer",
            Value::Text(_) => "a text",
            Value::Blob(_) => "a blob",
            Value::Bool(_) => "a boolean",
        }
    }
}

/// Makes a slice of [`Value`]s from anything that converts into one: `values![company.as_str(), 3, None::<i64>]`.
#[macro_export]
macro_rules! values {
    ($($value:expr),* $(,)?) => {
        &[$($crate::Value::from($value)),*] as &[$crate::Value]
    };
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Integer(value)
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Self {
        Value::Integer(i64::from(value))
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Value::Integer(i64::from(value))
    }
}

impl From<u16> for Value {
    fn from(value: u16) -> Self {
        Value::Integer(i64::from(value))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Value::Text(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Value::Text(value)
    }
}

impl From<&String> for Value {
    fn from(value: &String) -> Self {
        Value::Text(value.clone())
    }
}

impl From<Vec<u8>> for Value {
    fn from(value: Vec<u8>) -> Self {
        Value::Blob(value)
    }
}

impl From<&[u8]> for Value {
    fn from(value: &[u8]) -> Self {
        Value::Blob(value.to_vec())
    }
}

impl<const N: usize> From<[u8; N]> for Value {
    fn from(value: [u8; N]) -> Self {
        Value::Blob(value.to_vec())
    }
}

impl<const N: usize> From<&[u8; N]> for Value {
    fn from(value: &[u8; N]) -> Self {
        Value::Blob(value.to_vec())
    }
}

impl From<Timestamp> for Value {
    fn from(value: Timestamp) -> Self {
        Value::Integer(value.as_microsecond())
    }
}

impl From<uuid::Uuid> for Value {
    fn from(value: uuid::Uuid) -> Self {
        Value::Text(value.to_string())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

/// Types that a column can be read as. The error says what the column contains instead.
pub trait FromValue: Sized {
    fn from_value(value: &Value) -> Result<Self, String>;
}

fn unexpected<T>(wanted: &str, value: &Value) -> Result<T, String> {
    Err(format!("contains {} instead of {wanted}", value.kind()))
}

impl FromValue for i64 {
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Integer(value) => Ok(*value),
            other => unexpected("an integer", other),
        }
    }
}

macro_rules! from_value_narrow {
    ($($kind:ty),*) => {$(
        impl FromValue for $kind {
            fn from_value(value: &Value) -> Result<Self, String> {
                let wide = i64::from_value(value)?;
                <$kind>::try_from(wide).map_err(|_| {
                    format!("contains {wide}, which is out of range for {}", stringify!($kind))
                })
            }
        }
    )*};
}

from_value_narrow!(i32, u16, u32, u64, usize);

impl FromValue for bool {
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Bool(value) => Ok(*value),
            Value::Integer(0) => Ok(false),
            Value::Integer(1) => Ok(true),
            other => unexpected("a boolean", other),
        }
    }
}

impl FromValue for String {
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(value) => Ok(value.clone()),
            other => unexpected("a text", other),
        }
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Blob(value) => Ok(value.clone()),
            other => unexpected("a blob", other),
        }
    }
}

impl<const N: usize> FromValue for [u8; N] {
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Blob(bytes) => bytes
                .as_slice()
                .try_into()
                .map_err(|_| format!("contains {} bytes instead of {N}", bytes.len())),
            other => unexpected("a blob", other),
        }
    }
}

impl FromValue for Timestamp {
    fn from_value(value: &Value) -> Result<Self, String> {
        let microseconds = i64::from_value(value)?;
        domain::time::in_calendar(microseconds)
            .ok_or_else(|| format!("contains {microseconds}, which is out of the calendar's range"))
    }
}

impl FromValue for uuid::Uuid {
    fn from_value(value: &Value) -> Result<Self, String> {
        let text = String::from_value(value)?;
        uuid::Uuid::parse_str(&text).map_err(|error| format!("contains no UUID: {error}"))
    }
}

impl FromValue for Value {
    fn from_value(value: &Value) -> Result<Self, String> {
        Ok(value.clone())
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Null => Ok(None),
            other => T::from_value(other).map(Some),
        }
    }
}
