//! Files as answers: whole, in part (RFC 9110, 14), or only their size (`HEAD`).
//!
//! A client that lost its connection continues with `Range` and `If-Range`. A finished file may get another timestamp in the
//! meantime, so its `ETag` is a hash of its bytes: then `If-Range` does not match, and the client gets all of the new file.

use std::convert::Infallible;
use std::ops::RangeInclusive;

use axum::body::Bytes;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::BlobHash;

use super::problem::Failure;
use super::security_headers;

/// What a request wants of a file.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Nothing but the head of the answer. That is no download.
    pub is_head: bool,
    range: Option<String>,
    if_range: Option<String>,
}

/// A file to answer with.
#[derive(Debug)]
pub struct Download {
    pub bytes: Vec<u8>,
    pub media_type: HeaderValue,
    /// How the browser saves it. `None`: it is shown.
    pub disposition: Option<HeaderValue>,
}

impl<S: Sync> FromRequestParts<S> for Wanted {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.method, &parts.headers))
    }
}

impl Wanted {
    fn of(method: &Method, headers: &HeaderMap) -> Self {
        let text = |name: HeaderName| {
            headers
                .get(name)
                .and_then(|value| value.to_str().ok())
                .map(str::to_owned)
        };
        Self {
            is_head: *method == Method::HEAD,
            // Only a GET has parts.
            range: text(header::RANGE).filter(|_| *method == Method::GET),
            if_range: text(header::IF_RANGE),
        }
    }

    /// The answer: the whole file, the part that was asked for, or 416.
    pub fn answer(&self, file: Download) -> Response {
        let bytes = Bytes::from(file.bytes);
        let tag = format!("\"{}\"", BlobHash::of(&bytes));
        let is_same = self.if_range.as_ref().is_none_or(|known| *known == tag);
        let part = self
            .range
            .as_deref()
            .filter(|_| is_same)
            .map(|range| part(range, bytes.len()));
        let mut response = match part {
            None | Some(Part::Whole) => bytes.into_response(),
            Some(Part::Of(range)) => {
                let says = format!("bytes {}-{}/{}", range.start(), range.end(), bytes.len());
                let mut response = bytes.slice(range).into_response();
                *response.status_mut() = StatusCode::PARTIAL_CONTENT;
                insert(response.headers_mut(), header::CONTENT_RANGE, &says);
                response
            }
            Some(Part::OutOfReach) => {
                let mut response = Failure::RangeNotSatisfiable.into_response();
                let says = format!("bytes */{}", bytes.len());
                insert(response.headers_mut(), header::CONTENT_RANGE, &says);
                return response;
            }
        };
        let headers = response.headers_mut();
        security_headers::private(headers);
        headers.insert(header::CONTENT_TYPE, file.media_type);
        if let Some(disposition) = file.disposition {
            headers.insert(header::CONTENT_DISPOSITION, disposition);
        }
        headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        insert(headers, header::ETAG, &tag);
        response
    }
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// The range cannot be read, or has several parts: it is ignored, as the standard allows.
    Whole,
    Of(RangeInclusive<usize>),
    /// No byte of the file is in the range.
    OutOfReach,
}

/// The part of a file of this length that a `Range` means.
fn part(range: &str, length: usize) -> Part {
    let read = || {
        let (unit, range) = range.split_once('=')?;
        let (first, last) = range.trim().split_once('-')?;
        let number = |text: &str| match text {
            "" => Some(None),
            digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok().map(Some),
            _ => None,
        };
        let ends: (Option<usize>, Option<usize>) = (number(first)?, number(last)?);
        unit.trim().eq_ignore_ascii_case("bytes").then_some(ends)
    };
    let end = length.saturating_sub(1);
    match read() {
        Some((Some(first), Some(last))) if last < first => Part::Whole,
        Some((Some(first), _)) if first >= length => Part::OutOfReach,
        Some((Some(first), last)) => Part::Of(first..=last.unwrap_or(end).min(end)),
        Some((None, Some(last))) if last == 0 || length == 0 => Part::OutOfReach,
        Some((None, Some(last))) => Part::Of(length.saturating_sub(last)..=end),
        Some((None, None)) | None => Part::Whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_read_as_the_standard_says() {
        for (range, expected) in [
            ("bytes=0-0", Part::Of(0..=0)),
            ("bytes=2-4", Part::Of(2..=4)),
            ("Bytes = 2-4", Part::Of(2..=4)),
            ("bytes=7-", Part::Of(7..=9)),
            ("bytes=7-99", Part::Of(7..=9)),
            ("bytes=-3", Part::Of(7..=9)),
            ("bytes=-99", Part::Of(0..=9)),
            ("bytes=10-", Part::OutOfReach),
            ("bytes=-0", Part::OutOfReach),
            ("bytes=4-2", Part::Whole),
            ("bytes=0-1,3-4", Part::Whole),
            ("bytes=-", Part::Whole),
            ("bytes=a-b", Part::Whole),
            ("bytes=+1-2", Part::Whole),
            ("bytes=99999999999999999999-", Part::Whole),
            ("rows=0-1", Part::Whole),
            ("", Part::Whole),
        ] {
            assert_eq!(part(range, 10), expected, "{range}");
        }
        assert_eq!(part("bytes=0-", 0), Part::OutOfReach);
        assert_eq!(part("bytes=-5", 0), Part::OutOfReach);
    }
}
