//! Reads content streams (ISO 32000-2, 7.8.2) far enough to separate instructions, and cleans up their final state.
//!
//! A page whose content restores the graphics state once too often, or leaves a save, a text object, a path or marked
//! content open, draws correctly. But everything drawn after it, such as our marks, would be misplaced, clipped or
//! hidden. [`balance`] makes such content end in the state in which it began. It blanks superfluous operators, which
//! viewers skip, adds missing ones, and cuts off everything after the last operator, which has no effect.
//!
//! That is correct only if every reader finds the same instructions, which [`is_plain`] checks. It accepts only input
//! that the grammar clearly allows, and no inline images, because readers detect the end of their data in different
//! ways.

use std::ops::Range;

/// Maximum nesting of arrays and dictionaries within operands.
const DEEPEST: u32 = 64;

/// An operator with its operands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Instruction {
    /// Range from the first operand to the operator, or to the end of an inline image.
    pub(super) whole: Range<usize>,
    /// Range of the operator. For an inline image, that of `BI`.
    pub(super) operator: Range<usize>,
    /// The operands at the top level that are names, without their slash.
    pub(super) names: Vec<Range<usize>>,
}

impl Instruction {
    /// Returns the operator.
    pub(super) fn word<'c>(&self, content: &'c [u8]) -> &'c [u8] {
        content.get(self.operator.clone()).unwrap_or_default()
    }
}

/// Returns all instructions in order. Bytes after the last operator are no instruction.
pub(super) fn instructions(content: &[u8]) -> Vec<Instruction> {
    let mut reader = Reader { content, at: 0 };
    let mut found = Vec::new();
    let mut start = None;
    let mut names = Vec::new();
    let mut depth = 0_u32;
    while let Some((token, range)) = reader.next() {
        let first = *start.get_or_insert(range.start);
        match token {
            Token::Open => depth = depth.saturating_add(1).min(DEEPEST),
            Token::Close => depth = depth.saturating_sub(1),
            Token::Name if depth == 0 => names.push(range.start + 1..range.end),
            Token::Name | Token::Value => {}
            // In an array or dictionary, only true, false and null are words.
            Token::Word if depth > 0 => {}
            Token::Word => {
                let is_value = matches!(content.get(range.clone()), Some(b"true" | b"false" | b"null"));
                if is_value {
                    continue;
                }
                let end = if content.get(range.clone()) == Some(b"BI") {
                    match reader.inline_image() {
                        Some(end) => end,
                        None => break,
                    }
                } else {
                    range.end
                };
                found.push(Instruction {
                    whole: first..end,
                    operator: range,
                    names: std::mem::take(&mut names),
                });
                start = None;
            }
        }
    }
    found
}

/// An inline image (8.9.7).
pub(super) struct InlineImage<'c> {
    /// The keys and values.
    pub(super) entries: &'c [u8],
    /// The data, up to the white space before the first `EI` that looks like its end.
    pub(super) data: &'c [u8],
    /// The content from the start of the data.
    pub(super) rest: &'c [u8],
}

/// Returns the inline images in a content stream.
pub(super) fn inline_images(content: &[u8]) -> Vec<InlineImage<'_>> {
    // Most content streams contain no inline image.
    if !content.windows(2).any(|pair| pair == b"BI") {
        return Vec::new();
    }
    let image = |instruction: &Instruction| {
        let at = instruction.operator.end;
        let mut reader = Reader { content, at };
        let entries = reader.inline_entries()?;
        let end = instruction.whole.end.checked_sub(b" EI".len())?;
        Some(InlineImage {
            entries: content.get(entries)?,
            data: content.get(reader.at..end)?,
            rest: content.get(reader.at..)?,
        })
    };
    let all = instructions(content);
    let images = all.iter().filter(|instruction| instruction.word(content) == b"BI");
    images.filter_map(image).collect()
}

/// The operators of content streams (Table 50), except those of inline images.
const OPERATORS: [&[u8]; 70] = [
    b"b", b"B", b"b*", b"B*", b"BDC", b"BMC", b"BT", b"BX", b"c", b"cm", b"CS", b"cs", b"d", b"d0", b"d1", b"Do",
    b"DP", b"EMC", b"ET", b"EX", b"f", b"F", b"f*", b"G", b"g", b"gs", b"h", b"i", b"j", b"J", b"K", b"k", b"l", b"m",
    b"M", b"MP", b"n", b"q", b"Q", b"re", b"RG", b"rg", b"ri", b"s", b"S", b"SC", b"sc", b"SCN", b"scn", b"sh", b"T*",
    b"Tc", b"Td", b"TD", b"Tf", b"Tj", b"TJ", b"TL", b"Tm", b"Tr", b"Ts", b"Tw", b"Tz", b"v", b"w", b"W", b"W*", b"y",
    b"'", b"\"",
];

/// Returns whether every reader finds the same instructions in the content.
pub(super) fn is_plain(content: &[u8]) -> bool {
    let mut reader = Reader { content, at: 0 };
    let mut open: Vec<&[u8]> = Vec::new();
    while let Some((token, range)) = reader.next() {
        let text = content.get(range).unwrap_or_default();
        let is_plain = match token {
            Token::Open => {
                open.push(text);
                u32::try_from(open.len()).is_ok_and(|depth| depth <= DEEPEST)
            }
            Token::Close => matches!((open.pop(), text), (Some(b"["), b"]") | (Some(b"<<"), b">>")),
            Token::Name => text.iter().all(u8::is_ascii_graphic),
            Token::Value => match text {
                [b'(', ..] => true,
                [b'<', digits @ .., b'>'] => digits.iter().all(|digit| digit.is_ascii_hexdigit() || is_space(*digit)),
                number => is_number(number),
            },
            Token::Word if matches!(text, b"true" | b"false" | b"null") => true,
            Token::Word => open.is_empty() && OPERATORS.contains(&text),
        };
        if !is_plain {
            return false;
        }
    }
    // After an array that is never closed, readers disagree.
    open.is_empty() && reader.at >= content.len()
}

/// Returns whether a token is a PDF integer or real number (7.3.3).
fn is_number(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    let mut parts = digits.split(|byte| *byte == b'.');
    let (whole, fraction) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let is_digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    parts.next().is_none() && is_digits(whole) && is_digits(fraction) && !(whole.is_empty() && fraction.is_empty())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Open,
    Close,
    Name,
    Value,
    Word,
}

struct Reader<'c> {
    content: &'c [u8],
    at: usize,
}

fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 12 | b'\r' | b' ')
}

fn is_delimiter(byte: u8) -> bool {
    matches!(
        byte,
        b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%'
    )
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.content.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<(Token, Range<usize>)> {
        loop {
            match self.peek(0)? {
                byte if is_space(byte) => self.at += 1,
                b'%' => {
                    while self.peek(0).is_some_and(|byte| byte != b'\n' && byte != b'\r') {
                        self.at += 1;
                    }
                }
                _ => break,
            }
        }
        let start = self.at;
        let token = match (self.peek(0)?, self.peek(1)) {
            (b'(', _) => {
                self.string()?;
                Token::Value
            }
            (b'<', Some(b'<')) => {
                self.at += 2;
                Token::Open
            }
            (b'>', Some(b'>')) => {
                self.at += 2;
                Token::Close
            }
            (b'<', _) => {
                while self.peek(0)? != b'>' {
                    self.at += 1;
                }
                self.at += 1;
                Token::Value
            }
            (b'[', _) => {
                self.at += 1;
                Token::Open
            }
            (b']', _) => {
                self.at += 1;
                Token::Close
            }
            (b'/', _) => {
                self.at += 1;
                self.regular();
                Token::Name
            }
            (b')' | b'>' | b'{' | b'}', _) => {
                self.at += 1;
                Token::Value
            }
            (first, _) => {
                self.regular();
                if first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.') {
                    Token::Value
                } else {
                    Token::Word
                }
            }
        };
        Some((token, start..self.at))
    }

    fn regular(&mut self) {
        while self.peek(0).is_some_and(|byte| !is_space(byte) && !is_delimiter(byte)) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> Option<()> {
        let mut open = 0_u32;
        loop {
            match self.peek(0)? {
                b'\\' => self.at += 1,
                b'(' => open = open.saturating_add(1),
                b')' => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        self.at += 1;
                        return Some(());
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Reads the entries of an inline image after `BI`, and returns their range. The data follows.
    fn inline_entries(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        loop {
            let (token, range) = self.next()?;
            if token == Token::Word && self.content.get(range.clone()) == Some(b"ID") {
                // One white-space character separates the data.
                self.at += 1;
                return Some(start..range.start);
            }
        }
    }

    /// Reads to the end of an inline image after `BI`, and returns its position.
    fn inline_image(&mut self) -> Option<usize> {
        self.inline_entries()?;
        loop {
            let rest = self.content.get(self.at..)?;
            let place = rest.windows(2).position(|pair| pair == b"EI")?;
            let start = self.at + place;
            self.at = start + 2;
            let before = start.checked_sub(1).and_then(|at| self.content.get(at)).copied();
            let is_apart =
                before.is_some_and(is_space) && self.peek(0).is_none_or(|byte| is_space(byte) || byte == b'Q');
            // If `EI` occurs inside the data, more data follows.
            let is_text = self
                .content
                .get(self.at..)
                .unwrap_or_default()
                .iter()
                .take(12)
                .all(|byte| byte.is_ascii_graphic() || (is_space(*byte) && *byte != 0));
            if is_apart && is_text {
                return Some(self.at);
            }
        }
    }
}

/// Returns content that restores its initial state. `None` if it already does.
pub(super) fn balance(content: &[u8]) -> Option<Vec<u8>> {
    let all = instructions(content);
    let (mut saves, mut marks) = (0_usize, 0_usize);
    let (mut in_text, mut in_path) = (false, false);
    let mut blanked = Vec::new();
    for instruction in &all {
        match instruction.word(content) {
            b"q" => saves += 1,
            b"Q" if saves == 0 => blanked.push(instruction.operator.clone()),
            b"Q" => saves -= 1,
            b"BMC" | b"BDC" => marks += 1,
            b"EMC" if marks == 0 => blanked.push(instruction.operator.clone()),
            b"EMC" => marks -= 1,
            b"BT" => in_text = true,
            b"ET" => in_text = false,
            b"m" | b"re" => in_path = true,
            b"S" | b"s" | b"f" | b"F" | b"f*" | b"B" | b"B*" | b"b" | b"b*" | b"n" => in_path = false,
            _ => {}
        }
    }
    let end = all.last().map_or(0, |last| last.whole.end);
    // This also removes half a token: an open string would swallow everything drawn after it.
    let rest = content.get(end..).unwrap_or_default();
    let has_rest = rest.iter().any(|byte| !is_space(*byte));
    if blanked.is_empty() && saves == 0 && marks == 0 && !in_text && !in_path && !has_rest {
        return None;
    }
    let mut settled = content.get(..end).unwrap_or_default().to_vec();
    for range in blanked {
        if let Some(operator) = settled.get_mut(range) {
            operator.fill(b' ');
        }
    }
    let mut close = |word: &[u8], times: usize| {
        for _ in 0..times {
            settled.push(b'\n');
            settled.extend_from_slice(word);
        }
    };
    close(b"n", usize::from(in_path));
    close(b"ET", usize::from(in_text));
    close(b"EMC", marks);
    close(b"Q", saves);
    Some(settled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(content: &[u8]) -> Vec<String> {
        instructions(content)
            .iter()
            .map(|instruction| String::from_utf8_lossy(instruction.word(content)).into_owned())
            .collect()
    }

    #[test]
    fn strings_comments_dictionaries_and_inline_images_hide_no_operators() {
        let content = b"q (Q \\) Q) Tj % Q\n<51> Tj /OC << /Q [ (EMC) /Q ] >> BDC \
            BI /W 1 /H 1 ID Q EI\x01 Q EI Q EMC\n";
        assert_eq!(words(content), ["q", "Tj", "Tj", "BDC", "BI", "Q", "EMC"]);
        assert_eq!(balance(content), None);
    }

    #[test]
    fn content_ends_in_the_state_in_which_it_began() {
        for (content, settled) in [
            (&b"Q 0 0 9 9 re f"[..], &b"  0 0 9 9 re f"[..]),
            (b"q 2 0 0 2 0 0 cm", b"q 2 0 0 2 0 0 cm\nQ"),
            (b"/OC /M BDC BT (x) Tj", b"/OC /M BDC BT (x) Tj\nET\nEMC"),
            (b"0 0 m 9 9 l", b"0 0 m 9 9 l\nn"),
            (b"EMC q Q /Z#00Z << not closed", b"    q Q"),
        ] {
            assert_eq!(
                balance(content).map(|settled| String::from_utf8_lossy(&settled).into_owned()),
                Some(String::from_utf8_lossy(settled).into_owned())
            );
            assert_eq!(balance(settled), None);
        }
    }
}
