//! Each body is declared once, and from that come its schema in `OpenAPI` and its reader.
//!
//! ```text
//! request_body! {
//!     /// The schema's description.
//!     ExtendInput -> ExtendRequest {
//!         /// The member's description.
//!         expiry_date: String => expiry_date,
//!     }
//! }
//! ```
//!
//! The type before the arrow describes what is sent, and no value of it exists: a body is read into the type after the
//! arrow, which the use-case takes. In each line, the type says what is described and how it is read ([`Described`]), and
//! the place after `=>` is where it goes. `Option` means that clients may omit it; the use-case refuses one that is
//! missing, because often only the template or the company says so. What is unusual about a line:
//!
//! - `=> place = function` reads the member with this function instead;
//! - `= function` only marks it as read;
//! - with neither, the caller reads the member;
//! - `#[schema(ignore)]` reads it without describing it.
//!
//! A test sends to every call whatever its description says, and something else
//! (`crates/http/tests/http/declared_bodies.rs`).

use super::json::Members;
use crate::frame::faults::Faults;

/// An object that a client sends.
pub trait Body {
    /// What it is read into.
    type Request;

    /// Reads the members. Whatever is wrong with them goes into `faults`, with their paths.
    fn read(members: &Members<'_>, faults: &mut Faults) -> Self::Request;
}

/// The type of a member, as it is described.
pub trait Described {
    /// What it is read into; it says when the member is missing or wrong.
    type Found;

    fn read(members: &Members<'_>, name: &str, faults: &mut Faults) -> Self::Found;
}

impl Described for String {
    type Found = Option<String>;

    fn read(members: &Members<'_>, name: &str, faults: &mut Faults) -> Self::Found {
        members.text(name, faults)
    }
}

impl Described for bool {
    type Found = Option<bool>;

    fn read(members: &Members<'_>, name: &str, faults: &mut Faults) -> Self::Found {
        members.boolean(name, faults)
    }
}

impl Described for i64 {
    type Found = Option<i64>;

    fn read(members: &Members<'_>, name: &str, faults: &mut Faults) -> Self::Found {
        members.integer_or_text(name, faults)
    }
}

impl Described for Vec<String> {
    type Found = Option<Vec<String>>;

    fn read(members: &Members<'_>, name: &str, faults: &mut Faults) -> Self::Found {
        members.texts(name, faults)
    }
}

impl<B: Body> Described for B {
    type Found = Option<B::Request>;

    fn read(members: &Members<'_>, name: &str, faults: &mut Faults) -> Self::Found {
        let object = members.object(name, faults)?;
        Some(<B as Body>::read(&object, faults))
    }
}

impl<B: Body> Described for Vec<B> {
    type Found = Vec<B::Request>;

    fn read(members: &Members<'_>, name: &str, faults: &mut Faults) -> Self::Found {
        let objects = members.objects(name, faults).unwrap_or_default();
        objects.iter().map(|object| <B as Body>::read(object, faults)).collect()
    }
}

impl<T: Described> Described for Option<T> {
    type Found = T::Found;

    fn read(members: &Members<'_>, name: &str, faults: &mut Faults) -> Self::Found {
        T::read(members, name, faults)
    }
}

/// A switch, which is off unless it is set.
pub fn is_set(members: &Members<'_>, name: &str, faults: &mut Faults) -> bool {
    members.boolean(name, faults).unwrap_or(false)
}

/// A text that counts as absent if it is empty: programs that fill in every member send one if they have nothing to say.
pub fn unless_empty(members: &Members<'_>, name: &str, faults: &mut Faults) -> Option<String> {
    members.text(name, faults).filter(|text| !text.trim().is_empty())
}

/// A member that we know and do not use.
pub fn unused(members: &Members<'_>, name: &str, _: &mut Faults) {
    members.has(name);
}

macro_rules! request_body {
    (
        $(#[$about:meta])*
        $name:ident -> $request:ty {
            $($(#[$said:meta])* $member:ident: $described:ty $(=> $($place:tt).+)? $(= $how:path)?,)*
        }
    ) => {
        #[derive(Debug, utoipa::ToSchema)]
        $(#[$about])*
        pub struct $name {
            $($(#[$said])* pub $member: $described,)*
        }

        impl $crate::body::declared::Body for $name {
            type Request = $request;

            fn read(
                members: &$crate::body::json::Members<'_>,
                faults: &mut $crate::frame::faults::Faults,
            ) -> Self::Request {
                let mut request = Self::Request::default();
                $($crate::body::declared::request_body!(
                    @read members, faults, $member, $described, [$(request.$($place).+)?], [$($how)?]
                );)*
                request
            }
        }
    };
    (@read $members:ident, $faults:ident, $member:ident, $described:ty, [], []) => {};
    (@read $members:ident, $faults:ident, $member:ident, $described:ty, [], [$how:path]) => {
        $how($members, stringify!($member), $faults)
    };
    (@read $members:ident, $faults:ident, $member:ident, $described:ty, [$place:expr], []) => {
        $place = <$described as $crate::body::declared::Described>::read($members, stringify!($member), $faults)
    };
    (@read $members:ident, $faults:ident, $member:ident, $described:ty, [$place:expr], [$how:path]) => {
        $place = $how($members, stringify!($member), $faults)
    };
}
pub(crate) use request_body;
