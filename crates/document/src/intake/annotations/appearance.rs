//! The existing appearance of an annotation (ISO 32000-2, 12.5.5), or its absence.

use super::super::content;
use super::super::look::Look;
use crate::pdf::geometry::Rectangle;
use crate::pdf::{Dict, Name, Object, Ref, Stream};

/// Maximum size of an appearance that is searched for content. A larger one counts as visible.
const LARGEST: usize = 1 << 20;

/// The appearance that is drawn for an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Appearance {
    /// A stream that every viewer draws.
    Sound(Ref),
    /// A stream without `BBox`. Some viewers draw it from the corner of the rectangle, others do not draw it.
    WithoutBox(Ref),
    /// There are appearances for states, but none (or an empty one) for the current state.
    NoneForState,
    /// There is no appearance, or it cannot be drawn.
    None,
}

impl Appearance {
    pub(super) fn of(objects: &impl Look, annotation: &Dict) -> Self {
        let Some(normal) = objects.dict_in(annotation, b"AP").and_then(|looks| looks.get(b"N")) else {
            return Self::None;
        };
        match objects.follow(normal) {
            Object::Stream(stream) => Self::of_stream(objects, last(objects, normal), stream),
            Object::Dict(states) => {
                let Some(state) = objects.name_in(annotation, b"AS") else {
                    return Self::NoneForState;
                };
                Self::of_state(objects, states, &state)
            }
            _ => Self::None,
        }
    }

    /// Returns the appearance for a state. If there is none, viewers show that of `Off`.
    fn of_state(objects: &impl Look, states: &Dict, state: &[u8]) -> Self {
        let look = |state: &[u8]| {
            let entry = states.get(state)?;
            let stream = objects.follow(entry).as_stream()?;
            Some(Self::of_stream(objects, last(objects, entry), stream))
        };
        look(state)
            .or_else(|| look(b"Off").filter(|_| !states.has(state)))
            .unwrap_or(Self::NoneForState)
    }

    fn of_stream(objects: &impl Look, at: Option<Ref>, stream: &Stream) -> Self {
        let Some(at) = at else { return Self::None };
        match objects.value_in(&stream.dict, b"BBox") {
            None | Some(Object::Null) => Self::WithoutBox(at),
            Some(_) => match objects.rectangle_in(&stream.dict, b"BBox") {
                Some(area) if area.has_area() => Self::Sound(at),
                _ => Self::None,
            },
        }
    }

    /// Returns the stream that viewers draw.
    pub(super) fn stream(self) -> Option<Ref> {
        match self {
            Self::Sound(at) | Self::WithoutBox(at) => Some(at),
            Self::NoneForState | Self::None => None,
        }
    }
}

/// Returns the last reference in a chain of references.
fn last(objects: &impl Look, object: &Object) -> Option<Ref> {
    let mut at = object.as_ref()?;
    for _ in 0..16 {
        match objects.at(at) {
            Object::Ref(next) => at = *next,
            _ => return Some(at),
        }
    }
    None
}

/// Returns whether an appearance paints anything.
pub(super) fn paints(objects: &impl Look, look: Ref) -> bool {
    let Object::Stream(stream) = objects.at(look) else {
        return false;
    };
    let Ok(decoded) = objects.decode(stream, LARGEST) else {
        return true;
    };
    content::instructions(&decoded.bytes).iter().any(|one| {
        matches!(
            one.word(&decoded.bytes),
            b"Tj"
                | b"TJ"
                | b"'"
                | b"\""
                | b"Do"
                | b"BI"
                | b"sh"
                | b"f"
                | b"F"
                | b"f*"
                | b"S"
                | b"s"
                | b"B"
                | b"B*"
                | b"b"
                | b"b*"
        )
    })
}

/// Returns the same appearance with the box that viewers assume if there is none.
pub(super) fn with_box(objects: &impl Look, look: Ref, annotation: &Dict) -> Option<Stream> {
    let area = objects.rectangle_in(annotation, b"Rect").filter(Rectangle::has_area)?;
    let mut stream = objects.at(look).as_stream()?.clone();
    let whole = Rectangle {
        left: 0.0,
        bottom: 0.0,
        right: area.width(),
        top: area.height(),
    };
    stream.dict.set(b"BBox", super::canvas::corners(&whole));
    stream.dict.set(b"Type", Name::new(b"XObject"));
    stream.dict.set(b"Subtype", Name::new(b"Form"));
    Some(stream)
}
