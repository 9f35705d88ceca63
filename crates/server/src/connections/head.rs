//! Checks the raw bytes of a request before hyper parses them (decision 29).
//!
//! hyper accepts more than RFC 9112 allows: line feeds without a carriage return, `Transfer-Encoding` together with
//! `Content-Length`, several `Host` fields or none. A proxy in front of us may read such a request differently, and
//! then the two disagree about where the next request begins (request smuggling) or about which host was meant. So the
//! bytes pass through this gate first, which knows where each head begins. Some heads are ambiguous, and hyper would
//! refuse others with a response that lacks our headers. The gate replaces all of these with a request of its own,
//! whose method selects the response ([`refused`]).
//!
//! The gate never decides what a request means: hyper gets the same bytes in the same order, or none. If the two ever
//! disagreed about a body's end, the gate would refuse the rest of the connection.

use std::str::FromStr as _;

use axum::http::uri::Authority;
use axum::http::{Method, StatusCode, Uri};

/// A longer head is refused.
pub(super) const LONGEST_HEAD: usize = 64 * 1024;
/// The maximum number of headers that hyper reads.
const MOST_HEADERS: usize = 100;
/// Replaces a refused head. A client that sends this itself is refused too.
const REFUSED: &[u8] = b"MALFORMED / HTTP/1.1\r\nConnection: close\r\n\r\n";
const REFUSED_AS_TOO_LONG: &[u8] = b"TOO-LONG / HTTP/1.1\r\nConnection: close\r\n\r\n";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed(&'static str);

const TOO_LONG: Malformed = Malformed("too long a head");

/// Returns the response to a request that the gate substituted for another.
pub(super) fn refused(method: &Method) -> Option<StatusCode> {
    match method.as_str() {
        "MALFORMED" => Some(StatusCode::BAD_REQUEST),
        "TOO-LONG" => Some(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE),
        _ => None,
    }
}

/// How the end of a body is determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Framing {
    Length(u64),
    Chunked,
}

/// The position of the next byte in the stream of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In a head. This many bytes of it were checked.
    Head(usize),
    /// In a body. This many bytes are still to come.
    Length(u64),
    Chunked(Chunk),
    /// After a refused request. hyper still has to answer it, and would take the end of the stream for a client that
    /// disconnected.
    Refused,
    /// After a malformed chunk, where the body breaks off.
    BrokenOff,
}

/// The position in a chunked body (RFC 9112, 7.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chunk {
    Size {
        size: u64,
        has_digits: bool,
    },
    Extension {
        size: u64,
    },
    SizeEnd {
        size: u64,
    },
    Data(u64),
    DataReturn,
    DataEnd,
    /// At the beginning of a line after the last chunk.
    Trailer,
    TrailerLine,
    TrailerLineEnd,
    LastEnd,
}

/// Passes bytes through to hyper.
#[derive(Debug)]
pub(super) struct Gate(Place);

impl Gate {
    pub(super) fn new() -> Gate {
        Gate(Place::Head(0))
    }

    /// True once nothing more may pass. hyper then answers the requests that did.
    pub(super) fn has_refused(&self) -> bool {
        self.0 == Place::Refused
    }

    /// Whether the stream has ended, even if more data arrives.
    pub(super) fn has_broken_off(&self) -> bool {
        self.0 == Place::BrokenOff
    }

    /// Returns how many bytes may pass unchecked, because they belong to a body of known length.
    pub(super) fn unseen(&self) -> u64 {
        match self.0 {
            Place::Length(left) => left,
            _ => 0,
        }
    }

    /// Records that this many unchecked bytes have passed.
    pub(super) fn passed(&mut self, bytes: u64) {
        if let Place::Length(left) = self.0 {
            self.0 = after_length(left.saturating_sub(bytes));
        }
    }

    /// Returns how many of the first bytes may pass now, or 0 if more must arrive first. Replaces a malformed head.
    pub(super) fn allow(&mut self, raw: &mut Vec<u8>) -> usize {
        match self.0 {
            Place::Head(looked_at) => self.allow_head(raw, looked_at),
            Place::Length(left) => {
                let bytes = usize::try_from(left).unwrap_or(usize::MAX).min(raw.len());
                self.passed(bytes as u64);
                bytes
            }
            Place::Chunked(chunk) => self.allow_chunked(raw, chunk),
            Place::Refused | Place::BrokenOff => {
                raw.clear();
                0
            }
        }
    }

    fn allow_head(&mut self, raw: &mut Vec<u8>, mut looked_at: usize) -> usize {
        // A server ignores empty lines before a request line (RFC 9112, 2.2).
        while looked_at <= 2 && raw.starts_with(b"\r\n") {
            raw.drain(..2);
            looked_at = 0;
        }
        let end = match end_of_head(raw, looked_at) {
            Ok(end) if end.unwrap_or(raw.len()) > LONGEST_HEAD => return self.refuse(raw, TOO_LONG),
            Ok(Some(end)) => end,
            Ok(None) => {
                self.0 = Place::Head(raw.len());
                return 0;
            }
            Err(malformed) => return self.refuse(raw, malformed),
        };
        match framing(raw.get(..end).unwrap_or_default()) {
            Ok(framing) => {
                self.0 = match framing {
                    Framing::Length(length) => after_length(length),
                    Framing::Chunked => Place::Chunked(Chunk::first()),
                };
                end
            }
            Err(malformed) => self.refuse(raw, malformed),
        }
    }

    fn refuse(&mut self, raw: &mut Vec<u8>, malformed: Malformed) -> usize {
        tracing::debug!(reason = malformed.0, "a malformed request was refused");
        self.0 = Place::Refused;
        raw.clear();
        raw.extend_from_slice(if malformed == TOO_LONG {
            REFUSED_AS_TOO_LONG
        } else {
            REFUSED
        });
        raw.len()
    }

    /// Checks a chunked body. A malformed chunk ends the stream, and hyper treats the body as broken off.
    fn allow_chunked(&mut self, raw: &mut Vec<u8>, mut chunk: Chunk) -> usize {
        let mut at = 0;
        while let Some(byte) = raw.get(at) {
            if let Chunk::Data(left) = chunk {
                let bytes = usize::try_from(left).unwrap_or(usize::MAX).min(raw.len() - at);
                at += bytes;
                let left = left.saturating_sub(bytes as u64);
                chunk = if left == 0 {
                    Chunk::DataReturn
                } else {
                    Chunk::Data(left)
                };
                continue;
            }
            match chunk.next(*byte) {
                Ok(Some(next)) => chunk = next,
                Ok(None) => {
                    self.0 = Place::Head(0);
                    return at + 1;
                }
                Err(Malformed(reason)) => {
                    tracing::debug!(reason, "a malformed chunk was refused");
                    self.0 = Place::BrokenOff;
                    raw.truncate(at);
                    return at;
                }
            }
            at += 1;
        }
        self.0 = Place::Chunked(chunk);
        at
    }
}

fn after_length(left: u64) -> Place {
    if left == 0 { Place::Head(0) } else { Place::Length(left) }
}

impl Chunk {
    fn first() -> Chunk {
        Chunk::Size {
            size: 0,
            has_digits: false,
        }
    }

    /// Returns the state after this byte, or `None` after the last byte of the body.
    fn next(self, byte: u8) -> Result<Option<Chunk>, Malformed> {
        let next = match (self, byte) {
            (Chunk::Size { size, .. }, _) if byte.is_ascii_hexdigit() => {
                let digit = char::from(byte).to_digit(16).unwrap_or_default();
                let size = size.checked_mul(16).and_then(|size| size.checked_add(digit.into()));
                let size = size.ok_or(Malformed("a chunk size that is too large"))?;
                Chunk::Size { size, has_digits: true }
            }
            (Chunk::Size { size, has_digits: true } | Chunk::Extension { size }, b'\r') => Chunk::SizeEnd { size },
            (Chunk::Size { size, has_digits: true }, b';' | b' ' | b'\t') => Chunk::Extension { size },
            (Chunk::Extension { size }, _) if byte != b'\n' => Chunk::Extension { size },
            (Chunk::SizeEnd { size: 0 } | Chunk::TrailerLineEnd, b'\n') => Chunk::Trailer,
            (Chunk::SizeEnd { size }, b'\n') => Chunk::Data(size),
            (Chunk::DataReturn, b'\r') => Chunk::DataEnd,
            (Chunk::DataEnd, b'\n') => Chunk::first(),
            (Chunk::Trailer, b'\r') => Chunk::LastEnd,
            (Chunk::TrailerLine, b'\r') => Chunk::TrailerLineEnd,
            (Chunk::Trailer | Chunk::TrailerLine, _) if byte != b'\n' => Chunk::TrailerLine,
            (Chunk::LastEnd, b'\n') => return Ok(None),
            _ => return Err(Malformed("a chunk that violates RFC 9112, 7.1")),
        };
        Ok(Some(next))
    }
}

/// Returns the first position after the empty line that ends a head. Refuses anything that makes lines ambiguous.
fn end_of_head(raw: &[u8], looked_at: usize) -> Result<Option<usize>, Malformed> {
    let before = |at: usize| at.checked_sub(1).and_then(|before| raw.get(before)).copied();
    for (at, byte) in raw.iter().enumerate().skip(looked_at) {
        let follows_return = before(at) == Some(b'\r');
        match byte {
            b'\n' if !follows_return => return Err(Malformed("a line feed without a carriage return")),
            b'\n' if raw.get(..=at).is_some_and(|head| head.ends_with(b"\r\n\r\n")) => return Ok(Some(at + 1)),
            b'\n' => {}
            _ if follows_return => return Err(Malformed("a carriage return without a line feed")),
            0 => return Err(Malformed("a NUL byte")),
            _ => {}
        }
    }
    Ok(None)
}

/// Returns how the end of the body is determined. The head ends with an empty line.
fn framing(head: &[u8]) -> Result<Framing, Malformed> {
    let mut lines = head
        .split(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .take_while(|line| !line.is_empty());
    let (target, is_first_version) = request_line(lines.next().unwrap_or_default())?;
    let (mut host, mut length, mut encoding) = (None, None, None);
    for (number, line) in lines.enumerate() {
        if number == MOST_HEADERS {
            return Err(TOO_LONG);
        }
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            return Err(Malformed("a header that continues on the next line"));
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (name, value) = line.split_at(colon.ok_or(Malformed("a header without a colon"))?);
        if name.is_empty() || !name.iter().all(|byte| is_token(*byte)) {
            return Err(Malformed("a header's name"));
        }
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        if value.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t') {
            return Err(Malformed("a control character in a header"));
        }
        let seen = if name.eq_ignore_ascii_case(b"host") {
            &mut host
        } else if name.eq_ignore_ascii_case(b"content-length") {
            &mut length
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            &mut encoding
        } else {
            continue;
        };
        if seen.replace(value).is_some() {
            return Err(Malformed("a second Host, Content-Length or Transfer-Encoding"));
        }
    }
    match host {
        None if is_first_version => {}
        None => return Err(Malformed("no Host")),
        Some(host) => check_host(host, target)?,
    }
    match (length, encoding) {
        (None, None) => Ok(Framing::Length(0)),
        (Some(digits), None) => content_length(digits),
        (None, Some(coding)) if coding.eq_ignore_ascii_case(b"chunked") && !is_first_version => Ok(Framing::Chunked),
        (None, Some(_)) => Err(Malformed("a Transfer-Encoding other than chunked")),
        (Some(_), Some(_)) => Err(Malformed("Transfer-Encoding beside Content-Length")),
    }
}

/// Returns the target of a request line, and whether its version is HTTP/1.0.
fn request_line(line: &[u8]) -> Result<(&[u8], bool), Malformed> {
    let parts: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    let (method, target, is_first_version) = match parts.as_slice() {
        [method, target, b"HTTP/1.1"] => (method, target, false),
        [method, target, b"HTTP/1.0"] => (method, target, true),
        _ => return Err(Malformed("the request line")),
    };
    if Method::from_bytes(method).is_err() || Uri::try_from(*target).is_err() {
        return Err(Malformed("an invalid method or target"));
    }
    Ok((target, is_first_version))
}

fn content_length(digits: &[u8]) -> Result<Framing, Malformed> {
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let length = std::str::from_utf8(digits).ok().filter(|_| is_number);
    length
        .and_then(|digits| digits.parse().ok())
        .map(Framing::Length)
        .ok_or(Malformed("an invalid Content-Length"))
}

/// A Host is `name` or `name:port`, and must match the target if that contains one (RFC 9112, 3.2).
fn check_host(host: &[u8], target: &[u8]) -> Result<(), Malformed> {
    let invalid = Malformed("an invalid Host");
    let text = std::str::from_utf8(host).map_err(|_| invalid)?;
    let host = Authority::from_str(text).map_err(|_| invalid)?;
    let written = host.port().map_or_else(
        || host.host().to_owned(),
        |port| format!("{}:{}", host.host(), port.as_str()),
    );
    if host.host().is_empty() || written != text {
        return Err(invalid);
    }
    if target.starts_with(b"/") || target == b"*" {
        return Ok(());
    }
    let target = Uri::try_from(target).map_err(|_| invalid)?;
    let usual = if target.scheme_str() == Some("https") { 443 } else { 80 };
    let named = |authority: &Authority| {
        let port = authority.port_u16().unwrap_or(usual);
        (authority.host().to_ascii_lowercase(), port)
    };
    match target.authority() {
        Some(authority) if named(authority) != named(&host) => Err(Malformed("a Host that differs from the target")),
        _ => Ok(()),
    }
}

/// Whether a byte may appear in a token (RFC 9110, 5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the bytes that pass if a stream arrives in pieces of this size.
    fn passed(stream: &[u8], piece: usize) -> Vec<u8> {
        let (mut gate, mut raw, mut passed) = (Gate::new(), Vec::new(), Vec::new());
        for piece in stream.chunks(piece) {
            raw.extend_from_slice(piece);
            loop {
                let bytes = gate.allow(&mut raw);
                if bytes == 0 {
                    break;
                }
                passed.extend(raw.drain(..bytes));
            }
        }
        passed
    }

    #[test]
    fn well_formed_requests_pass_unchanged_however_they_are_cut() {
        let stream = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n\
            POST /a?b HTTP/1.1\r\nhost: [::1]:8080\r\nContent-Length: 5\r\n\r\n\n\nx\r\n\
            PUT http://Sign.Example.com/ HTTP/1.1\r\nHost:sign.example.com:80\r\n\r\n\
            POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n\
            3;note=x\r\na\nb\r\n00\r\nTrailer: x\r\n\r\n\
            OPTIONS * HTTP/1.1\r\nHost: a:1\r\nEmpty:\r\n\r\n\
            GET / HTTP/1.0\r\n\r\n";
        for piece in 1..stream.len() {
            assert_eq!(passed(stream, piece), stream, "pieces of {piece}");
        }
        assert_eq!(passed(b"\r\n\r\nGET / HTTP/1.0\r\n\r\n", 1), b"GET / HTTP/1.0\r\n\r\n");
    }

    #[test]
    fn a_head_that_two_readers_may_read_differently_is_refused_however_it_is_cut() {
        for head in [
            "GET / HTTP/1.1\nHost: a\n\n",
            "GET / HTTP/1.1\r\nHost: a\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX: 1\rY: 2\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n",
            "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost:\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nhOST: b\r\n\r\n",
            "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a:b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n",
            "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET http://a:8080/ HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
            "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n\t2\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nnothing\r\n\r\n",
            "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / x HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.2\r\nHost: a\r\n\r\n",
            "GET /\r\n\r\n",
            "G\"T / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /a\u{1}b HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET nothing/ HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{1b}b\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \u{b}chunked\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n",
            "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
        ] {
            for piece in 1..=head.len() {
                assert_eq!(passed(head.as_bytes(), piece), REFUSED, "{head:?} in pieces of {piece}");
            }
            let behind = format!("GET / HTTP/1.1\r\nHost: a\r\n\r\n{head}GET /behind HTTP/1.0\r\n\r\n");
            let seen = passed(behind.as_bytes(), 7);
            assert_eq!(
                seen,
                [b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", REFUSED].concat(),
                "{head:?}"
            );
        }
    }

    #[test]
    fn a_malformed_chunk_ends_the_connection_before_anything_behind_it() {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
        for (chunks, passes) in [
            ("3\nabc\r\n0\r\n\r\n", "3"),
            ("3;x\nabc\r\n0\r\n\r\n", "3;x"),
            ("3\r\nabcd\r\n0\r\n\r\n", "3\r\nabc"),
            ("3\r\nabc\n0\r\n\r\n", "3\r\nabc"),
            ("0x3\r\nabc\r\n0\r\n\r\n", "0"),
            ("\r\nabc", ""),
            ("-1\r\n", ""),
            ("0\r\nA: b\n\r\n", "0\r\nA: b"),
            ("0\r\n\n", "0\r\n"),
            ("fffffffffffffffff\r\n", "ffffffffffffffff"),
        ] {
            let stream = format!("{head}{chunks}GET /behind HTTP/1.0\r\n\r\n");
            for piece in 1..stream.len() {
                let seen = passed(stream.as_bytes(), piece);
                assert_eq!(String::from_utf8_lossy(&seen), format!("{head}{passes}"), "{chunks:?}");
            }
        }
    }

    #[test]
    fn a_head_that_is_too_long_is_refused_as_such() {
        let head = [b"GET / HTTP/1.1\r\nHost: a\r\nX: ".to_vec(), vec![b'a'; LONGEST_HEAD]].concat();
        assert_eq!(passed(&head, 4096), REFUSED_AS_TOO_LONG);
        assert_eq!(passed(&head[..LONGEST_HEAD], 4096), b"");
        let ended = [&head[..], b"\r\n\r\n"].concat();
        assert_eq!(passed(&ended, ended.len()), REFUSED_AS_TOO_LONG);
        let headers = |more: usize| format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "X: 1\r\n".repeat(more));
        assert_eq!(passed(headers(100).as_bytes(), 4096), REFUSED_AS_TOO_LONG);
        assert_eq!(passed(headers(99).as_bytes(), 4096), headers(99).as_bytes());
    }
}
