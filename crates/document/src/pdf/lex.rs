//! Splits bytes into tokens (ISO 32000-2, 7.2). Every token is a slice of the input, so its spelling and position are
//! preserved.

use super::defect::{PdfDefect, Rule, defect};

/// Keywords of a file's structure. A program that searches a damaged file would also find them in a comment.
const STRUCTURE_WORDS: [&[u8]; 4] = [b"xref", b"obj", b"trailer", b"%EOF"];

/// Returns whether a byte is white space (7.2.3, Table 1).
pub fn is_white(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 12 | b'\r' | b' ')
}

/// Returns whether a byte ends a token and begins another (7.2.3, Table 2).
pub fn is_delimiter(byte: u8) -> bool {
    matches!(
        byte,
        b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%'
    )
}

/// Returns whether a byte is neither white space nor a delimiter.
pub fn is_regular(byte: u8) -> bool {
    !is_white(byte) && !is_delimiter(byte)
}

/// Returns the number of bytes at the start that satisfy `is_part`.
pub(crate) fn run(bytes: &[u8], is_part: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !is_part(*byte)).unwrap_or(bytes.len())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    /// A number in its original spelling (7.3.3).
    Number(&'a [u8]),
    /// A name in its original spelling, without its slash (7.3.5).
    Name(&'a [u8]),
    /// A string in its original spelling, with its parentheses or angle brackets (7.3.4).
    Str(&'a [u8]),
    /// Any other run of regular characters.
    Word(&'a [u8]),
    /// `[`
    ArrayStart,
    /// `]`
    ArrayEnd,
    /// `<<`
    DictStart,
    /// `>>`
    DictEnd,
    /// The end of the input.
    End,
}

/// Reads tokens forward from a position. Never recurses, and reads each byte a constant number of times.
#[derive(Debug, Clone, Copy)]
pub struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    start: usize,
    word_in_comment: Option<usize>,
}

impl<'a> Lexer<'a> {
    /// Starts at a byte position. Never reads beyond the end of `bytes`.
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Self {
            bytes,
            at,
            start: at,
            word_in_comment: None,
        }
    }

    /// Returns the start of the next token, or of the white space before it.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns the start of the last token.
    pub fn start(&self) -> usize {
        self.start
    }

    /// Continues at another position.
    pub fn seek(&mut self, at: usize) {
        self.at = at;
    }

    /// Returns the position of a skipped comment that contains a keyword of the file's structure.
    pub fn word_in_comment(&self) -> Option<usize> {
        self.word_in_comment
    }

    /// Returns the unread rest.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Skips this text if it is next.
    pub fn take(&mut self, text: &[u8]) -> bool {
        let is_next = self.rest().starts_with(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    /// Skips white space and returns its length.
    pub fn white(&mut self) -> usize {
        let length = run(self.rest(), is_white);
        self.at += length;
        length
    }

    /// Skips white space and comments (7.2.4).
    pub fn space(&mut self) {
        loop {
            self.white();
            if self.rest().first() != Some(&b'%') {
                return;
            }
            let length = run(self.rest(), |byte| !matches!(byte, b'\r' | b'\n'));
            let comment = self.rest().get(..length).unwrap_or_default();
            if STRUCTURE_WORDS
                .iter()
                .any(|word| comment.windows(word.len()).any(|part| part == *word))
            {
                self.word_in_comment.get_or_insert(self.at);
            }
            self.at += length;
        }
    }

    /// Reads all digits that follow.
    pub fn digits(&mut self) -> &'a [u8] {
        self.advance(run(self.rest(), |byte| byte.is_ascii_digit()))
    }

    fn advance(&mut self, length: usize) -> &'a [u8] {
        let taken = self.rest().get(..length).unwrap_or_default();
        self.at += taken.len();
        taken
    }

    /// Reads the next token.
    pub fn token(&mut self) -> Result<Token<'a>, PdfDefect> {
        self.space();
        self.start = self.at;
        Ok(match self.rest() {
            [] => Token::End,
            [b'<', b'<', ..] => self.punctuation(2, Token::DictStart),
            [b'>', b'>', ..] => self.punctuation(2, Token::DictEnd),
            [b'[', ..] => self.punctuation(1, Token::ArrayStart),
            [b']', ..] => self.punctuation(1, Token::ArrayEnd),
            [b'<', ..] => self.hexadecimal()?,
            [b'(', ..] => self.literal()?,
            [b'/', ..] => self.name()?,
            [byte, ..] if is_delimiter(*byte) => return defect(self.at, Rule::UnexpectedToken),
            _ => self.word()?,
        })
    }

    fn punctuation(&mut self, length: usize, token: Token<'a>) -> Token<'a> {
        self.at += length;
        token
    }

    /// 7.3.4.3.
    fn hexadecimal(&mut self) -> Result<Token<'a>, PdfDefect> {
        let inner = self.rest().get(1..).unwrap_or_default();
        let length = run(inner, |byte| byte.is_ascii_hexdigit() || is_white(byte));
        match inner.get(length) {
            Some(b'>') => Ok(Token::Str(self.advance(length + 2))),
            Some(_) => defect(self.at + 1 + length, Rule::HexDigit),
            None => defect(self.at, Rule::UnexpectedEnd),
        }
    }

    /// Reads a literal string. Parentheses inside are balanced or escaped (7.3.4.2).
    fn literal(&mut self) -> Result<Token<'a>, PdfDefect> {
        let mut open = 0_usize;
        let mut is_escaped = false;
        for (index, byte) in self.rest().iter().enumerate() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'(' => open += 1,
                b')' => open = open.saturating_sub(1),
                _ => {}
            }
            if open == 0 {
                return Ok(Token::Str(self.advance(index + 1)));
            }
        }
        defect(self.at, Rule::UnexpectedEnd)
    }

    /// 7.3.5.
    fn name(&mut self) -> Result<Token<'a>, PdfDefect> {
        let length = run(self.rest().get(1..).unwrap_or_default(), is_regular);
        let spelling = self
            .rest()
            .get(1..)
            .and_then(|rest| rest.get(..length))
            .unwrap_or_default();
        let mut unread = spelling;
        while let Some(place) = unread.iter().position(|byte| *byte == b'#') {
            match unread.get(place + 1..) {
                Some([b'0', b'0', ..]) => return defect(self.at, Rule::NameEscape),
                Some([high, low, rest @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => unread = rest,
                _ => return defect(self.at, Rule::NameEscape),
            }
        }
        self.at += 1 + length;
        Ok(Token::Name(spelling))
    }

    fn word(&mut self) -> Result<Token<'a>, PdfDefect> {
        let word = self.advance(run(self.rest(), is_regular));
        if !matches!(word.first(), Some(b'0'..=b'9' | b'+' | b'-' | b'.')) {
            return Ok(Token::Word(word));
        }
        if is_number(word) {
            Ok(Token::Number(word))
        } else {
            defect(self.start, Rule::MalformedNumber)
        }
    }
}

/// Returns whether a word is a number: a sign, digits, and one point among them (7.3.3).
pub(crate) fn is_number(word: &[u8]) -> bool {
    let unsigned = match word {
        [b'+' | b'-', rest @ ..] => rest,
        all => all,
    };
    let (whole, rest) = unsigned.split_at(run(unsigned, |byte| byte.is_ascii_digit()));
    let fraction = rest.strip_prefix(b".").unwrap_or(rest);
    fraction.iter().all(u8::is_ascii_digit) && whole.len() + fraction.len() > 0
}

/// Parses an integer without a sign.
pub(crate) fn whole<T: std::str::FromStr>(digits: &[u8]) -> Option<T> {
    let is_plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    is_plain.then(|| std::str::from_utf8(digits).ok()?.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &[u8]) -> Result<Vec<Token<'_>>, PdfDefect> {
        let mut lexer = Lexer::new(text, 0);
        let mut tokens = Vec::new();
        loop {
            match lexer.token()? {
                Token::End => return Ok(tokens),
                token => tokens.push(token),
            }
        }
    }

    #[test]
    fn tokens_keep_their_spelling() {
        use Token::{ArrayEnd, ArrayStart, DictEnd, DictStart, Name, Number, Str, Word};
        let read = tokens(b"<</A#20b +.5/C[(a(b)\\)c)<4 1>595.275574]>>true%x\rnull").expect("tokens");
        assert_eq!(
            read,
            [
                DictStart,
                Name(b"A#20b"),
                Number(b"+.5"),
                Name(b"C"),
                ArrayStart,
                Str(b"(a(b)\\)c)"),
                Str(b"<4 1>"),
                Number(b"595.275574"),
                ArrayEnd,
                DictEnd,
                Word(b"true"),
                Word(b"null"),
            ]
        );
    }

    #[test]
    fn what_programs_read_differently_is_refused() {
        for (text, rule) in [
            (&b"--5"[..], Rule::MalformedNumber),
            (b"1.2.3", Rule::MalformedNumber),
            (b".", Rule::MalformedNumber),
            (b"4-3", Rule::MalformedNumber),
            (b"/A#", Rule::NameEscape),
            (b"/A#0", Rule::NameEscape),
            (b"/A#00", Rule::NameEscape),
            (b"/A#zz", Rule::NameEscape),
            (b"<4x>", Rule::HexDigit),
            (b"<41", Rule::UnexpectedEnd),
            (b"(a(b)", Rule::UnexpectedEnd),
            (b"(a\\)", Rule::UnexpectedEnd),
            (b")", Rule::UnexpectedToken),
            (b">", Rule::UnexpectedToken),
            (b"{", Rule::UnexpectedToken),
        ] {
            assert_eq!(
                tokens(text).map_err(|defect| defect.rule),
                Err(rule),
                "{}",
                text.escape_ascii()
            );
        }
    }

    #[test]
    fn a_comment_that_a_searching_program_would_read_is_remembered() {
        let mut lexer = Lexer::new(b" % plain\n 1 % 5 0 obj\n 2", 0);
        assert_eq!(lexer.token(), Ok(Token::Number(b"1")));
        assert_eq!(lexer.word_in_comment(), None);
        assert_eq!(lexer.token(), Ok(Token::Number(b"2")));
        assert_eq!(lexer.word_in_comment(), Some(12));
    }
}
