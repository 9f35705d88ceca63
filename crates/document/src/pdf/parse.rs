//! Parses tokens into objects (ISO 32000-2, 7.3), accepting only forms that every program reads alike.

use std::ops::Range;

use super::defect::{Deviation, DeviationKind, PdfDefect, Rule, defect};
use super::lex::{Lexer, Token, is_regular, is_white, run, whole};
use super::object::{Dict, Name, Number, Object, Ref, Str, Stream, StreamData};

/// Maximum nesting of arrays and dictionaries.
pub const MAX_DEPTH: usize = 128;

/// A numbered object in a file (7.3.10).
#[derive(Debug, Clone)]
pub struct Indirect {
    pub id: Ref,
    pub object: Object,
    /// Range of the object, from its number to `endobj`.
    pub span: Range<usize>,
    /// The accepted deviations.
    pub deviations: Vec<Deviation>,
}

/// Reads the object at the current position, and nothing after it.
pub fn value(lexer: &mut Lexer<'_>) -> Result<Object, PdfDefect> {
    let token = lexer.token()?;
    value_from(lexer, token, 0)
}

fn value_from(lexer: &mut Lexer<'_>, token: Token<'_>, depth: usize) -> Result<Object, PdfDefect> {
    let start = lexer.start();
    if depth > MAX_DEPTH {
        return defect(start, Rule::TooDeep);
    }
    Ok(match token {
        Token::Number(spelling) => match rest_of_reference(lexer, spelling)? {
            Some(reference) => Object::Ref(reference),
            None => Object::Number(Number::spelled(spelling)),
        },
        Token::Name(spelling) => Object::Name(Name::spelled(spelling)),
        Token::Str(spelling) => Object::Str(Str::spelled(spelling)),
        Token::Word(b"null") => Object::Null,
        Token::Word(b"true") => Object::Bool(true),
        Token::Word(b"false") => Object::Bool(false),
        Token::Word(_) => return defect(start, Rule::UnknownWord),
        Token::ArrayStart => {
            let mut items = Vec::new();
            loop {
                match lexer.token()? {
                    Token::ArrayEnd => break Object::Array(items),
                    token => items.push(value_from(lexer, token, depth + 1)?),
                }
            }
        }
        Token::DictStart => Object::Dict(dict_from(lexer, depth)?),
        Token::ArrayEnd | Token::DictEnd => return defect(start, Rule::UnexpectedToken),
        Token::End => return defect(start, Rule::UnexpectedEnd),
    })
}

/// Reads a dictionary after its `<<`.
fn dict_from(lexer: &mut Lexer<'_>, depth: usize) -> Result<Dict, PdfDefect> {
    let mut dict = Dict::new();
    loop {
        let token = lexer.token()?;
        let start = lexer.start();
        let key = match token {
            Token::DictEnd => return Ok(dict),
            Token::Name(spelling) => Name::spelled(spelling),
            Token::End => return defect(start, Rule::UnexpectedEnd),
            _ => return defect(start, Rule::KeyNotName),
        };
        let token = lexer.token()?;
        let value = value_from(lexer, token, depth + 1)?;
        if !dict.add(key, value) {
            return defect(start, Rule::DuplicateKey);
        }
    }
}

/// Reads the generation and the `R` after a number (7.3.10), if they follow.
fn rest_of_reference(lexer: &mut Lexer<'_>, number: &[u8]) -> Result<Option<Ref>, PdfDefect> {
    if !number.iter().all(u8::is_ascii_digit) {
        return Ok(None);
    }
    let mut ahead = *lexer;
    ahead.space();
    let generation = ahead.digits();
    if generation.is_empty() {
        return Ok(None);
    }
    ahead.space();
    if !ahead.take(b"R") || ahead.rest().first().is_some_and(|byte| is_regular(*byte)) {
        return Ok(None);
    }
    let (Some(number), Some(generation)) = (whole(number), whole(generation)) else {
        return defect(lexer.start(), Rule::ReferenceRange);
    };
    *lexer = ahead;
    Ok(Some(Ref::new(number, generation)))
}

/// Reads the number and generation before an object. Returns these and the start of the object itself.
pub fn header(bytes: &[u8], at: usize) -> Option<(Ref, usize)> {
    let mut lexer = Lexer::new(bytes, at);
    let number = whole(lexer.digits())?;
    let generation = (lexer.white() > 0).then(|| whole(lexer.digits()))??;
    let is_header =
        lexer.white() > 0 && lexer.take(b"obj") && lexer.rest().first().is_none_or(|byte| !is_regular(*byte));
    is_header.then(|| (Ref::new(number, generation), lexer.at()))
}

/// Reads the numbered object that begins exactly at `at`. `length` returns the length of a stream for its dictionary.
/// Bytes after the end of `bytes` are never read.
pub fn indirect(
    bytes: &[u8],
    at: usize,
    length: impl FnOnce(&Dict) -> Result<usize, PdfDefect>,
) -> Result<Indirect, PdfDefect> {
    let Some((id, body)) = header(bytes, at) else {
        return defect(at, Rule::StrayEntry);
    };
    body_of(bytes, id, at..body, length).map_err(|defect| defect.within(id))
}

fn body_of(
    bytes: &[u8],
    id: Ref,
    header: Range<usize>,
    length: impl FnOnce(&Dict) -> Result<usize, PdfDefect>,
) -> Result<Indirect, PdfDefect> {
    let mut lexer = Lexer::new(bytes, header.end);
    let mut deviations = Vec::new();
    let object = value(&mut lexer)?;
    let mut next = lexer.token()?;
    let object = match object {
        Object::Dict(dict) if next == Token::Word(b"stream") => {
            let length = length(&dict)?;
            let (span, padding) = stream_span(&mut lexer, length)?;
            deviations.extend(padding);
            next = lexer.token()?;
            let data = StreamData::InFile { object: id, span };
            Object::Stream(Stream { dict, data })
        }
        object => object,
    };
    match next {
        Token::Word(b"endobj") => {}
        Token::End => return defect(lexer.start(), Rule::UnexpectedEnd),
        _ => return defect(lexer.start(), Rule::MissingEndobj),
    }
    deviations.extend(lexer.word_in_comment().map(|offset| Deviation {
        offset,
        kind: DeviationKind::WordInComment,
    }));
    Ok(Indirect {
        id,
        object,
        span: header.start..lexer.at(),
        deviations,
    })
}

/// Returns the range of a stream whose keyword has just been read (7.3.8.1). `endstream` must follow after the stated
/// length.
fn stream_span(lexer: &mut Lexer<'_>, length: usize) -> Result<(Range<usize>, Option<Deviation>), PdfDefect> {
    if !lexer.take(b"\r\n") && !lexer.take(b"\n") {
        return defect(lexer.at(), Rule::StreamStart);
    }
    let start = lexer.at();
    if lexer.rest().len() < length {
        return defect(start, Rule::StreamEnd);
    }
    let end = start + length;
    lexer.seek(end);
    let padding = run(lexer.rest(), is_white);
    let is_line_end = matches!(lexer.rest().get(..padding), Some(b"" | b"\n" | b"\r" | b"\r\n"));
    lexer.seek(end + padding);
    if !lexer.take(b"endstream") || lexer.rest().first().is_some_and(|byte| is_regular(*byte)) {
        return defect(end, Rule::StreamEnd);
    }
    let deviation = (!is_line_end).then_some(Deviation {
        offset: end,
        kind: DeviationKind::SpaceBeforeEndstream,
    });
    Ok((start..end, deviation))
}

/// Returns the range of the value at the end of a path of keys through nested dictionaries. The first dictionary is the
/// object that begins at `at`.
pub fn span_of(bytes: &[u8], at: usize, path: &[&[u8]]) -> Option<Range<usize>> {
    let (_, at) = header(bytes, at)?;
    let mut span = at..bytes.len();
    for key in path {
        span = span_in_dict(bytes.get(..span.end)?, span.start, key)?;
    }
    Some(span)
}

fn span_in_dict(bytes: &[u8], at: usize, wanted: &[u8]) -> Option<Range<usize>> {
    let mut lexer = Lexer::new(bytes, at);
    if lexer.token().ok()? != Token::DictStart {
        return None;
    }
    while let Token::Name(key) = lexer.token().ok()? {
        lexer.space();
        let start = lexer.at();
        value(&mut lexer).ok()?;
        if Name::spelled(key).is(wanted) {
            return Some(start..lexer.at());
        }
    }
    None
}

/// Returns the length of a stream if its dictionary contains the length directly.
pub fn direct_length(dict: &Dict, at: usize) -> Result<usize, PdfDefect> {
    match dict.get(b"Length").and_then(Object::as_usize) {
        Some(length) => Ok(length),
        None => defect(at, Rule::StreamLength),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Result<Object, Rule> {
        let mut lexer = Lexer::new(text, 0);
        let object = value(&mut lexer).map_err(|defect| defect.rule)?;
        lexer.space();
        assert!(lexer.rest().is_empty(), "all is read");
        Ok(object)
    }

    fn whole_object(text: &[u8]) -> Result<Indirect, Rule> {
        indirect(text, 0, |dict| direct_length(dict, 0)).map_err(|defect| defect.rule)
    }

    #[test]
    fn numbers_and_references_are_told_apart() {
        let number = |spelling: &[u8]| Object::Number(Number::spelled(spelling));
        let expected = vec![
            number(b"1"),
            Object::Ref(Ref::new(2, 0)),
            number(b"3"),
            number(b"04"),
            Object::Ref(Ref::new(5, 6)),
            number(b"7"),
            number(b"0"),
        ];
        assert_eq!(read(b"[1 2 0 R 3 04 5%\n6 R 7 0]"), Ok(Object::Array(expected)));
        assert_eq!(read(b"[99999999999 0 R]"), Err(Rule::ReferenceRange));
        assert_eq!(read(b"[1 70000 R]"), Err(Rule::ReferenceRange));
        assert_eq!(read(b"[1 0 Rx]"), Err(Rule::UnknownWord));
    }

    #[test]
    fn dictionaries_keep_their_keys_once() {
        assert_eq!(read(b"<</A 1/B 2/A 3>>"), Err(Rule::DuplicateKey));
        assert_eq!(read(b"<</A 1/#41 3>>"), Err(Rule::DuplicateKey));
        assert_eq!(read(b"<</A 1 2>>"), Err(Rule::KeyNotName));
        assert_eq!(read(b"<</A>>"), Err(Rule::UnexpectedToken));
        assert_eq!(read(b"<</A 1"), Err(Rule::UnexpectedEnd));
    }

    #[test]
    fn nesting_has_a_bound() {
        let nested = |depth: usize| [b"[".repeat(depth), b"]".repeat(depth)].concat();
        assert!(read(&nested(MAX_DEPTH)).is_ok());
        assert_eq!(read(&nested(MAX_DEPTH + 2)), Err(Rule::TooDeep));
        assert_eq!(read(&b"<</A".repeat(1_000_000)), Err(Rule::TooDeep));
    }

    #[test]
    fn streams_end_where_their_length_says() {
        for (text, span) in [
            (&b"1 0 obj<</Length 3>>stream\nabc\nendstream endobj"[..], 27..30),
            (b"1 0 obj<</Length 3>>stream\r\nabcendstream\nendobj", 28..31),
            (b"1 0 obj<</Length 3>>stream\r\nab\n\r\nendstream\nendobj", 28..31),
        ] {
            let read = whole_object(text).expect("a stream");
            let Object::Stream(stream) = read.object else {
                panic!("no stream")
            };
            let object = Ref::new(1, 0);
            assert_eq!(stream.data, StreamData::InFile { object, span });
            assert_eq!((read.span, read.deviations), (0..text.len(), vec![]));
        }
        for (text, rule) in [
            (
                &b"1 0 obj<</Length 2>>stream\nabc\nendstream endobj"[..],
                Rule::StreamEnd,
            ),
            (b"1 0 obj<</Length 9>>stream\nabc\nendstream endobj", Rule::StreamEnd),
            (b"1 0 obj<</Length 99>>stream\nabc\nendstream endobj", Rule::StreamEnd),
            (
                b"1 0 obj<</Length -1>>stream\nabc\nendstream endobj",
                Rule::StreamLength,
            ),
            (b"1 0 obj<<>>stream\nabc\nendstream endobj", Rule::StreamLength),
            (b"1 0 obj<</Length 3>>stream\rabc\nendstream endobj", Rule::StreamStart),
            (b"1 0 obj<</Length 3>>stream \nabc\nendstream endobj", Rule::StreamStart),
            (b"1 0 obj<</Length 3>>stream\nabc\nendstream", Rule::UnexpectedEnd),
            (b"1 0 obj 5 2 0 obj", Rule::MissingEndobj),
            (b"1 0 obj", Rule::UnexpectedEnd),
            (b"1 0 objx", Rule::StrayEntry),
            (b"1 obj", Rule::StrayEntry),
        ] {
            assert_eq!(whole_object(text).map(|_| ()), Err(rule), "{}", text.escape_ascii());
        }
        let padded = whole_object(b"1 0 obj<</Length 3>>stream\nabc \n\nendstream endobj").expect("a stream");
        assert_eq!(padded.deviations[0].kind, DeviationKind::SpaceBeforeEndstream);
    }
}
