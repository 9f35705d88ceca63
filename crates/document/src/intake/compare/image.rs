//! Identifies an image independently of object numbers and compression.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use hayro::hayro_syntax::object::{Dict, Object, ObjectIdentifier, Stream};

/// Maximum nesting depth of an image's parts, and of their number. A colour space has about ten.
const DEEPEST: u32 = 12;
const MOST_PARTS: u32 = 100_000;
/// Entries to ignore: those that describe a stream's encoding, because decoded data is compared, and those that do not
/// affect how the image is drawn.
const NOT_DRAWN: [&[u8]; 12] = [
    b"Length",
    b"Filter",
    b"F",
    b"DecodeParms",
    b"DP",
    b"DL",
    b"Alternates",
    b"ID",
    b"Metadata",
    b"Name",
    b"OPI",
    b"StructParent",
];

/// Identities of the images seen so far in a file.
#[derive(Default)]
pub(super) struct Images(HashMap<ObjectIdentifier, Option<u64>>);

impl Images {
    /// Returns a digest of an image. `None` if it has too many parts.
    pub(super) fn identity(&mut self, image: &Stream<'_>) -> Option<u64> {
        // An inline image is not an object.
        let id = image.dict().obj_id();
        if let Some(known) = id.and_then(|id| self.0.get(&id)) {
            return *known;
        }
        let mut digest = Digest {
            hasher: DefaultHasher::new(),
            left: MOST_PARTS,
        };
        let identity = digest.stream(image, 0).map(|()| digest.hasher.finish());
        if let Some(id) = id {
            self.0.insert(id, identity);
        }
        identity
    }
}

struct Digest {
    hasher: DefaultHasher,
    left: u32,
}

impl Digest {
    fn object(&mut self, object: &Object<'_>, depth: u32) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        if depth > DEEPEST {
            return None;
        }
        let hasher = &mut self.hasher;
        match object {
            Object::Null(_) => "null".hash(hasher),
            Object::Boolean(truth) => truth.hash(hasher),
            // Hash the number exactly as it is drawn.
            Object::Number(number) => number.as_f32().to_bits().hash(hasher),
            Object::String(string) => string.as_bytes().hash(hasher),
            Object::Name(name) => name.as_ref().hash(hasher),
            Object::Array(array) => {
                "array".hash(hasher);
                for item in array.iter::<Object<'_>>() {
                    self.object(&item, depth + 1)?;
                }
                "end".hash(&mut self.hasher);
            }
            Object::Dict(dictionary) => self.dictionary(dictionary, &[], depth)?,
            Object::Stream(stream) => self.stream(stream, depth)?,
        }
        Some(())
    }

    fn dictionary(&mut self, dictionary: &Dict<'_>, except: &[&[u8]], depth: u32) -> Option<()> {
        let mut keys: Vec<_> = dictionary.keys().collect();
        keys.sort_unstable_by(|one, other| one.as_ref().cmp(other.as_ref()));
        for key in keys {
            if !except.contains(&key.as_ref()) {
                key.as_ref().hash(&mut self.hasher);
                if let Some(value) = dictionary.get::<Object<'_>>(key.as_ref()) {
                    self.object(&value, depth + 1)?;
                }
            }
        }
        "end".hash(&mut self.hasher);
        Some(())
    }

    fn stream(&mut self, stream: &Stream<'_>, depth: u32) -> Option<()> {
        self.dictionary(stream.dict(), &NOT_DRAWN, depth)?;
        if let Ok(data) = stream.decoded_data() {
            data.as_ref().hash(&mut self.hasher);
            return Some(());
        }
        // JPEG and similar data is hashed as stored.
        stream.raw_data().as_ref().hash(&mut self.hasher);
        format!("{:?}", stream.filters()).hash(&mut self.hasher);
        for key in [&b"DecodeParms"[..], b"DP"] {
            if let Some(parameters) = stream.dict().get::<Object<'_>>(key) {
                self.object(&parameters, depth + 1)?;
            }
        }
        Some(())
    }
}
