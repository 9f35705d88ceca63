//! Each request is declared once, and from that come its description in `OpenAPI` and its reader.
//!
//! ```text
//! declare! {
//!     /// The schema's description.
//!     ExtendInput -> ExtendRequest {
//!         /// The member's description.
//!         expiry_date: String => expiry_date,
//!     }
//! }
//! ```
//!
//! The type before the arrow describes what is sent, and no value of it exists: a request is read into the type after the
//! arrow, which the use-case takes. `of Form` and `of Query` declare the parts of a form and the parameters of a query,
//! instead of the members of a JSON object. In each line, the type says what is described and how it is read
//! ([`Described`]), and the place after `=>` is where it goes. `Option` means that clients may omit it; the use-case
//! refuses one that is missing, because often only the template or the company says so. What is unusual about a line:
//!
//! - `=> place = function` reads it with this function instead;
//! - `= function` only marks it as read;
//! - with neither, the caller reads it;
//! - `#[schema(ignore)]` reads it without describing it.
//!
//! A test sends to every call whatever its description says, and something else
//! (`crates/http/tests/http/declared_bodies.rs`).

use super::form::Form;
use super::json::Members;
use crate::frame::faults::Faults;
use crate::frame::query::Query;

/// A client's input, or a part of it.
pub trait Declared {
    /// The type of the input.
    type Source<'a>;
    /// The type of the parsed request.
    type Request;

    /// Reads the whole input. Adds faults and their paths to `faults`.
    fn read(source: &Self::Source<'_>, faults: &mut Faults) -> Self::Request;
}

/// A member's type, as described in the API.
pub trait Described<Source> {
    /// The parsed type, which represents a missing or invalid member.
    type Found;

    fn read(source: &Source, name: &str, faults: &mut Faults) -> Self::Found;
}

macro_rules! described {
    ($($source:ty: $described:ty => $found:ty = $read:expr,)*) => {$(
        impl Described<$source> for $described {
            type Found = $found;

            fn read(source: &$source, name: &str, faults: &mut Faults) -> $found {
                $read(source, name, faults)
            }
        }
    )*};
}

described! {
    Members<'_>: String => Option<String> = Members::text,
    Members<'_>: bool => Option<bool> = Members::boolean,
    Members<'_>: i64 => Option<i64> = Members::integer_or_text,
    Members<'_>: Vec<String> => Option<Vec<String>> = Members::texts,
    Form: String => Option<String> = Form::text,
    Form: bool => Option<bool> = Form::boolean,
    // The use cases parse the values of a query.
    Query: String => Option<String> = said,
    Query: bool => Option<String> = said,
    Query: i64 => Option<String> = said,
    Query: u32 => Option<String> = said,
}

fn said(query: &Query, name: &str, _: &mut Faults) -> Option<String> {
    query.owned(name)
}

impl<B: for<'a> Declared<Source<'a> = Members<'a>>> Described<Members<'_>> for B {
    type Found = Option<B::Request>;

    fn read(members: &Members<'_>, name: &str, faults: &mut Faults) -> Self::Found {
        let object = members.object(name, faults)?;
        Some(<B as Declared>::read(&object, faults))
    }
}

impl<B: for<'a> Declared<Source<'a> = Members<'a>>> Described<Members<'_>> for Vec<B> {
    type Found = Vec<B::Request>;

    fn read(members: &Members<'_>, name: &str, faults: &mut Faults) -> Self::Found {
        let objects = members.objects(name, faults).unwrap_or_default();
        objects
            .iter()
            .map(|object| <B as Declared>::read(object, faults))
            .collect()
    }
}

impl<Source, T: Described<Source>> Described<Source> for Option<T> {
    type Found = T::Found;

    fn read(source: &Source, name: &str, faults: &mut Faults) -> Self::Found {
        T::read(source, name, faults)
    }
}

/// Reads the parameters of a query, as declared by `Q`.
pub fn parameters<Q: for<'a> Declared<Source<'a> = Query>>(query: &Query) -> Q::Request {
    Q::read(query, &mut Faults::default())
}

/// Reads a flag that is off unless set.
pub fn is_set(members: &Members<'_>, name: &str, faults: &mut Faults) -> bool {
    members.boolean(name, faults).unwrap_or(false)
}

/// Reads a text that counts as absent if it is empty, because programs that fill in every member send an empty text for
/// no value.
pub fn unless_empty(members: &Members<'_>, name: &str, faults: &mut Faults) -> Option<String> {
    members.text(name, faults).filter(|text| !text.trim().is_empty())
}

/// Accepts a member that we know but do not use.
pub fn unused(members: &Members<'_>, name: &str, _: &mut Faults) {
    members.has(name);
}

macro_rules! declare {
    ($(#[$about:meta])* $name:ident -> $request:ty { $($lines:tt)* }) => {
        $crate::body::declared::declare! {
            @from [$crate::body::json::Members<'a>] [#[derive(Debug, utoipa::ToSchema)]]
            $(#[$about])* $name -> $request { $($lines)* }
        }
    };
    ($(#[$about:meta])* $name:ident of Form -> $request:ty { $($lines:tt)* }) => {
        $crate::body::declared::declare! {
            @from [$crate::body::form::Form] [#[derive(Debug, utoipa::ToSchema)]]
            $(#[$about])* $name -> $request { $($lines)* }
        }
    };
    ($(#[$about:meta])* $name:ident of Query -> $request:ty { $($lines:tt)* }) => {
        $crate::body::declared::declare! {
            @from [$crate::frame::query::Query] [#[derive(Debug, utoipa::IntoParams)] #[into_params(parameter_in = Query)]]
            $(#[$about])* $name -> $request { $($lines)* }
        }
    };
    (
        @from [$($source:tt)*] [$($derive:tt)*]
        $(#[$about:meta])*
        $name:ident -> $request:ty {
            $($(#[$said:meta])* $member:ident: $described:ty $(=> $($place:tt).+)? $(= $how:path)?,)*
        }
    ) => {
        $($derive)*
        $(#[$about])*
        pub struct $name {
            $($(#[$said])* pub $member: $described,)*
        }

        impl $crate::body::declared::Declared for $name {
            type Source<'a> = $($source)*;
            type Request = $request;

            fn read(source: &Self::Source<'_>, faults: &mut $crate::frame::faults::Faults) -> Self::Request {
                let mut request = Self::Request::default();
                $($crate::body::declared::declare!(
                    @read source, faults, $member, $described, [$(request.$($place).+)?], [$($how)?]
                );)*
                request
            }
        }
    };
    (@read $source:ident, $faults:ident, $member:ident, $described:ty, [], []) => {};
    (@read $source:ident, $faults:ident, $member:ident, $described:ty, [], [$how:path]) => {
        $how($source, stringify!($member), $faults)
    };
    (@read $source:ident, $faults:ident, $member:ident, $described:ty, [$place:expr], []) => {
        $place = <$described as $crate::body::declared::Described<_>>::read($source, stringify!($member), $faults)
    };
    (@read $source:ident, $faults:ident, $member:ident, $described:ty, [$place:expr], [$how:path]) => {
        $place = $how($source, stringify!($member), $faults)
    };
}
pub(crate) use declare;
