//! A revision as the verifier reads it.

use std::collections::BTreeSet;

use crate::pdf::{Dict, File, Number, Object, Objects as _, PdfDefect, Ref, Rule, Stream, View};

/// A revision in which every object can be read and every reference resolves. Null therefore always means missing (ISO
/// 32000-2, 7.3.7 and 7.3.10).
#[derive(Debug, Clone)]
pub(crate) struct Reading<'f> {
    view: View<'f>,
    pages: Vec<Ref>,
}

impl<'f> Reading<'f> {
    pub(crate) fn of(view: View<'f>) -> Result<Self, PdfDefect> {
        for (reference, object) in view.objects() {
            object?;
            view.resolve(&Object::Ref(reference))?;
        }
        // An unreadable change to a page tree counts as a change to an object that must not change.
        let pages = view.pages().unwrap_or_default();
        Ok(Self { view, pages })
    }

    /// The pages, in order.
    pub(super) fn pages(&self) -> &[Ref] {
        &self.pages
    }

    pub(super) fn view(&self) -> View<'f> {
        self.view
    }

    pub(super) fn trailer(&self, key: &[u8]) -> Option<&'f Object> {
        self.view.trailer().ok()?.get(key)
    }

    pub(super) fn catalog(&self) -> Option<&'f Dict> {
        self.view.catalog().ok()
    }

    /// Returns the form dictionary (12.7.3).
    pub(super) fn form(&self) -> Option<&'f Dict> {
        self.dict(self.catalog()?, b"AcroForm")
    }

    pub(super) fn has(&self, reference: Ref) -> bool {
        self.view.has(reference)
    }

    pub(super) fn object(&self, reference: Ref) -> &'f Object {
        self.view.object(reference).unwrap_or(&Object::Null)
    }

    pub(super) fn objects(&self) -> impl Iterator<Item = (Ref, &'f Object)> {
        self.view.objects().filter_map(|(id, object)| Some((id, object.ok()?)))
    }

    pub(super) fn resolve<'o>(&self, object: &'o Object) -> &'o Object
    where
        'f: 'o,
    {
        self.view.resolve(object).unwrap_or(&Object::Null)
    }

    /// Returns the resolved value of a key, or null if it is missing.
    pub(super) fn get<'o>(&self, dict: &'o Dict, key: &[u8]) -> &'o Object
    where
        'f: 'o,
    {
        dict.get(key).map_or(&Object::Null, |value| self.resolve(value))
    }

    /// Returns a dictionary, direct or by reference, but not the dictionary of a stream.
    pub(super) fn as_dict<'o>(&self, object: &'o Object) -> Option<&'o Dict>
    where
        'f: 'o,
    {
        match self.resolve(object) {
            Object::Dict(dict) => Some(dict),
            _ => None,
        }
    }

    pub(super) fn dict<'o>(&self, dict: &'o Dict, key: &[u8]) -> Option<&'o Dict>
    where
        'f: 'o,
    {
        self.as_dict(dict.get(key)?)
    }

    pub(super) fn array<'o>(&self, dict: &'o Dict, key: &[u8]) -> Option<&'o [Object]>
    where
        'f: 'o,
    {
        self.get(dict, key).as_array()
    }

    /// Returns the decoded name stored under a key.
    pub(super) fn name(&self, dict: &Dict, key: &[u8]) -> Option<Vec<u8>> {
        self.get(dict, key).as_name().map(|name| name.bytes().into_owned())
    }

    pub(super) fn has_name(&self, dict: &Dict, key: &[u8], name: &[u8]) -> bool {
        self.get(dict, key).is_name(name)
    }

    pub(super) fn text(&self, dict: &Dict, key: &[u8]) -> Option<String> {
        self.get(dict, key).as_str().map(crate::pdf::Str::text)
    }

    /// Returns a flag word, or 0 if there is none.
    pub(super) fn flags(&self, dict: &Dict, key: &[u8]) -> i64 {
        self.get(dict, key).as_i64().unwrap_or(0)
    }

    /// Returns the decoded data of a stream, at most `limit` bytes.
    pub(super) fn plain(&self, stream: &Stream, limit: usize) -> Result<Vec<u8>, PdfDefect> {
        let decoded = self.view.decode(stream, limit)?;
        let rule = if !decoded.left.is_empty() {
            Rule::UnknownFilter
        } else if decoded.bytes.len() > limit {
            Rule::TooLarge
        } else {
            return Ok(decoded.bytes);
        };
        Err(PdfDefect::new(0, rule))
    }

    /// Whether an object of this revision means the same as another object of the same file.
    pub(super) fn is_same(&self, own: &Object, other: &Object) -> bool {
        let has_same_data = match (own, other) {
            (Object::Stream(own), Object::Stream(other)) => {
                own.data == other.data
                    || matches!((self.view.raw(own), self.view.raw(other)), (Ok(own), Ok(other)) if own == other)
            }
            _ => true,
        };
        mean_same(own, other) && has_same_data
    }
}

/// Reads a file with every object it has ever contained.
pub(super) fn read(file: &File) -> Result<Reading<'_>, PdfDefect> {
    file.read_all()?;
    Reading::of(file.latest())
}

/// Whether two values mean the same. Programs that change one entry often respell the others. Does not compare the data
/// of streams.
pub(super) fn mean_same(one: &Object, other: &Object) -> bool {
    match (one, other) {
        (Object::Number(one), Object::Number(other)) => one == other || are_equal(one, other),
        (Object::Name(one), Object::Name(other)) => one == other || one.bytes() == other.bytes(),
        (Object::Str(one), Object::Str(other)) => one == other || one.bytes() == other.bytes(),
        (Object::Array(one), Object::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| mean_same(one, other))
        }
        (Object::Dict(one), Object::Dict(other)) => have_same_entries(one, other),
        (Object::Stream(one), Object::Stream(other)) => have_same_entries(&one.dict, &other.dict),
        (one, other) => one == other,
    }
}

/// Compares integers by value, and other numbers after rounding as programs with 32-bit numbers do.
fn are_equal(one: &Number, other: &Number) -> bool {
    let short = |number: &Number| -> Option<f32> { std::str::from_utf8(number.spelling()).ok()?.parse().ok() };
    match (one.as_i64(), other.as_i64()) {
        (None, None) => short(one).is_some_and(|own| short(other).is_some_and(|other| own.total_cmp(&other).is_eq())),
        (one, other) => one == other,
    }
}

fn have_same_entries(one: &Dict, other: &Dict) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .all(|(key, value)| other.get(&key.bytes()).is_some_and(|other| mean_same(value, other)))
}

/// Returns the decoded names of all keys whose values differ in meaning between two dictionaries.
pub(super) fn changed_keys(before: &Dict, after: &Dict) -> BTreeSet<Vec<u8>> {
    let keys = before
        .iter()
        .chain(after.iter())
        .map(|(key, _)| key.bytes().into_owned());
    keys.filter(|key| !are_same(before.get(key), after.get(key))).collect()
}

/// Whether two optional values are both missing or mean the same.
pub(super) fn are_same(one: Option<&Object>, other: Option<&Object>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => mean_same(one, other),
        (one, other) => one.is_none() && other.is_none(),
    }
}
