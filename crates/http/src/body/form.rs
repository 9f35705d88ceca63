//! Forms with files for the API: the parts of [`multipart`] by name.

use app::{Error, Fault, FaultCode};
use axum::body::Bytes;
use axum::extract::Request;
use axum::http::HeaderMap;
use sha2::{Digest, Sha256};

use super::ignored_members::Unread;
use super::json::JsonBody;
use super::multipart::{self, Part};
use crate::frame::faults::Faults;

#[derive(Debug)]
pub struct Form {
    parts: Vec<Part>,
    unread: Unread,
}

impl Form {
    /// Whether the headers declare this kind of form.
    pub fn is_said_by(headers: &HeaderMap) -> bool {
        multipart::media_type(headers) == "multipart/form-data"
    }

    /// Reads a form, like [`multipart::read`].
    pub async fn read(request: Request, limit: u64) -> Result<Form, Error> {
        let unread = Unread::of(request.extensions());
        let parts = multipart::read(request, limit).await?;
        Ok(Form { parts, unread })
    }

    /// Returns a non-empty part. The last of several with the same name counts.
    pub fn part(&self, name: &str) -> Option<&Bytes> {
        self.last(name)
            .map(|part| &part.bytes)
            .filter(|bytes| !bytes.is_empty())
    }

    /// Returns a part, even an empty one. The last of several with the same name counts.
    pub fn last(&self, name: &str) -> Option<&Part> {
        self.parts.iter().rev().find(|part| part.name == name)
    }

    /// Like [`Form::part`], but moves the part out instead of copying it.
    pub fn take_part(&mut self, name: &str) -> Option<Bytes> {
        let found = self.parts.iter_mut().rev().find(|part| part.name == name)?;
        Some(std::mem::take(&mut found.bytes)).filter(|bytes| !bytes.is_empty())
    }

    /// Returns a required part that contains JSON.
    pub fn json(&self, name: &str) -> Result<JsonBody, Error> {
        let text = self
            .part(name)
            .cloned()
            .ok_or_else(|| Error::fault(name, FaultCode::Required))?;
        let body =
            JsonBody::parse(text, self.unread.clone()).map_err(|_| Error::fault(name, FaultCode::NotJsonText))?;
        if let Err(Error::Unprocessable(faults)) = body.check_object() {
            let path = name.to_owned();
            let named = faults.into_iter().map(|fault| Fault {
                path: path.clone(),
                ..fault
            });
            return Err(Error::Unprocessable(named.collect()));
        }
        Ok(body)
    }

    /// Returns the ignored parts as faults, if the client requests strict handling.
    pub fn unread(&self) -> Vec<Fault> {
        self.unread.faults()
    }

    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns a text, even an empty one.
    pub fn text(&self, name: &str, faults: &mut Faults) -> Option<String> {
        let part = self.last(name)?;
        let Ok(text) = std::str::from_utf8(&part.bytes) else {
            faults.add(Fault::new(name, FaultCode::WrongType).with("expected", "text"));
            return None;
        };
        faults.text(name, text)
    }

    /// Reads a boolean part.
    pub fn boolean(&self, name: &str, faults: &mut Faults) -> Option<bool> {
        let content = String::from_utf8_lossy(self.part(name)?).into_owned();
        boolean(name, &content, faults)
    }

    /// Identifies a repeated form by its parts only, because a client that repeats a request may choose another
    /// boundary.
    pub fn fingerprint(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        for part in &self.parts {
            for text in [part.name.as_bytes(), &part.bytes] {
                hash.update((text.len() as u64).to_be_bytes());
                hash.update(text);
            }
        }
        hash.finalize().into()
    }
}

/// Parses yes or no, as written in forms and queries. Any other word is a fault named `name`.
pub fn boolean(name: &str, text: &str, faults: &mut Faults) -> Option<bool> {
    let is_one_of = |words: [&str; 5]| words.iter().any(|word| text.trim().eq_ignore_ascii_case(word));
    if is_one_of(["true", "1", "yes", "y", "on"]) {
        Some(true)
    } else if is_one_of(["false", "0", "no", "n", "off"]) {
        Some(false)
    } else {
        faults.add(Fault::new(name, FaultCode::WrongType).with("expected", "boolean"));
        None
    }
}
