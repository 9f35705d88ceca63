//! Filters of streams that are not images (ISO 32000-2, 7.4), with limited output.

use flate2::{Decompress, FlushDecompress, Status};
use weezl::{BitOrder, LzwStatus, decode::Decoder};

use super::defect::{PdfDefect, Rule};
use super::lex::is_white;
use super::object::{Dict, Object, digit};

/// Maximum number of filters on one stream.
const MAX_STEPS: usize = 16;
/// Output is produced in pieces of this length.
const PIECE: usize = 64 * 1024;
/// Maximum length of a predictor's row.
const MAX_ROW: usize = 1 << 26;

/// The filters of a stream's data, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Name of the filter.
    pub name: Vec<u8>,
    predictor: Predictor,
    early_change: bool,
    /// For the filter `Crypt`: the name of the crypt filter (7.4.10).
    pub(super) crypt: Option<Vec<u8>>,
}

/// 7.4.4.4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Predictor {
    kind: usize,
    colors: usize,
    bits: usize,
    columns: usize,
}

/// The decoded data of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    pub bytes: Vec<u8>,
    /// The image filters, which were not applied: `DCTDecode`, `JPXDecode`, `CCITTFaxDecode`, `JBIG2Decode`.
    pub left: Vec<Step>,
}

/// Returns the filters of a stream, with their parameters. `resolve` follows references.
pub fn steps<'a>(
    dict: &'a Dict,
    resolve: impl Fn(&'a Object) -> Result<&'a Object, PdfDefect>,
) -> Result<Vec<Step>, PdfDefect> {
    const MALFORMED: PdfDefect = PdfDefect {
        offset: 0,
        object: None,
        rule: Rule::FilterParameters,
    };
    let list = |key: &[u8]| -> Result<Vec<&'a Object>, PdfDefect> {
        match dict.get(key).map(&resolve).transpose()? {
            None | Some(Object::Null) => Ok(Vec::new()),
            Some(Object::Array(items)) if items.len() > MAX_STEPS => Err(MALFORMED),
            Some(Object::Array(items)) => items.iter().map(&resolve).collect(),
            Some(one) => Ok(vec![one]),
        }
    };
    let parameters = list(b"DecodeParms")?;
    let names = list(b"Filter")?;
    if parameters.len() > names.len() && !names.is_empty() {
        return Err(MALFORMED);
    }
    let step = |(place, name): (usize, &Object)| {
        let name = name.as_name().ok_or(MALFORMED)?.bytes().into_owned();
        let parameters = match parameters.get(place) {
            None | Some(Object::Null) => None,
            Some(Object::Dict(parameters)) => Some(parameters),
            Some(_) => return Err(MALFORMED),
        };
        let parameter = |key: &[u8]| parameters.and_then(|dict| dict.get(key)).map(&resolve).transpose();
        let number = |key: &[u8], default: usize| match parameter(key)? {
            None | Some(Object::Null) => Ok(default),
            Some(value) => value.as_usize().ok_or(MALFORMED),
        };
        Ok(Step {
            predictor: Predictor {
                kind: number(b"Predictor", 1)?,
                colors: number(b"Colors", 1)?,
                bits: number(b"BitsPerComponent", 8)?,
                columns: number(b"Columns", 1)?,
            },
            early_change: number(b"EarlyChange", 1)? != 0,
            crypt: (name == b"Crypt")
                .then(|| {
                    Ok(parameter(b"Name")?
                        .and_then(Object::as_name)
                        .map(|name| name.bytes().into_owned()))
                })
                .transpose()?
                .map(|name| name.unwrap_or_else(|| b"Identity".to_vec())),
            name,
        })
    };
    names.into_iter().enumerate().map(step).collect()
}

/// Decodes a stream of the file's structure. Its filters are in its dictionary, and none is for images.
pub(super) fn decode_direct(dict: &Dict, raw: &[u8], limit: usize) -> Result<Vec<u8>, Rule> {
    let direct = |object| match object {
        &Object::Ref(_) => Err(PdfDefect::new(0, Rule::FilterParameters)),
        other => Ok(other),
    };
    let steps = steps(dict, direct).map_err(|defect| defect.rule)?;
    let decoded = decode(steps, raw, limit)?;
    if decoded.left.is_empty() {
        Ok(decoded.bytes)
    } else {
        Err(Rule::UnknownFilter)
    }
}

/// Decodes data up to the first image filter.
pub fn decode(steps: Vec<Step>, raw: &[u8], limit: usize) -> Result<Decoded, Rule> {
    let mut bytes = None;
    let mut steps = steps.into_iter();
    while let Some(step) = steps.next() {
        let input = bytes.as_deref().unwrap_or(raw);
        let output = match step.name.as_slice() {
            b"FlateDecode" | b"Fl" => unpredicted(flate(input, limit)?, step.predictor)?,
            b"LZWDecode" | b"LZW" => unpredicted(lzw(input, step.early_change, limit)?, step.predictor)?,
            b"ASCIIHexDecode" | b"AHx" => ascii_hex(input)?,
            b"ASCII85Decode" | b"A85" => ascii85(input, limit)?,
            b"RunLengthDecode" | b"RL" => run_length(input, limit)?,
            // Already applied by decryption.
            b"Crypt" => continue,
            b"DCTDecode" | b"DCT" | b"JPXDecode" | b"CCITTFaxDecode" | b"CCF" | b"JBIG2Decode" => {
                let left = std::iter::once(step).chain(steps).collect();
                let bytes = bytes.unwrap_or_else(|| raw.to_vec());
                return Ok(Decoded { bytes, left });
            }
            _ => return Err(Rule::UnknownFilter),
        };
        bytes = Some(output);
    }
    let bytes = bytes.unwrap_or_else(|| raw.to_vec());
    if bytes.len() > limit {
        return Err(Rule::TooLarge);
    }
    Ok(Decoded {
        bytes,
        left: Vec::new(),
    })
}

/// Decodes data up to the position where decoding fails, because viewers show that part.
pub fn decode_beginning(steps: Vec<Step>, raw: &[u8], limit: usize) -> Vec<u8> {
    let mut bytes = raw.to_vec();
    for step in steps {
        let decoded = if matches!(step.name.as_slice(), b"FlateDecode" | b"Fl") {
            // The two bytes of the header are ignored.
            let mut output = Vec::new();
            let _ = inflate(bytes.get(2..).unwrap_or_default(), limit, &mut output);
            unpredicted(output, step.predictor)
        } else {
            decode(vec![step], &bytes, limit).map(|decoded| decoded.bytes)
        };
        match decoded {
            Ok(decoded) => bytes = decoded,
            Err(_) => return Vec::new(),
        }
    }
    bytes
}

/// Decodes zlib data (7.4.4, RFC 1950). Like in all viewers, the checksum is ignored. Truncated data is refused.
fn flate(input: &[u8], limit: usize) -> Result<Vec<u8>, Rule> {
    let [method, flags, data @ ..] = input else {
        return Err(Rule::FilterData);
    };
    let check = u16::from_be_bytes([*method, *flags]);
    if method & 15 != 8 || check % 31 != 0 || flags & 32 != 0 {
        return Err(Rule::FilterData);
    }
    let mut output = Vec::new();
    inflate(data, limit, &mut output).map(|()| output)
}

/// Inflates data (RFC 1951) into `output`, which contains the data before an error.
fn inflate(data: &[u8], limit: usize, output: &mut Vec<u8>) -> Result<(), Rule> {
    let mut inflate = Decompress::new(false);
    loop {
        let consumed = usize::try_from(inflate.total_in()).map_err(|_| Rule::TooLarge)?;
        let unread = data.get(consumed..).unwrap_or_default();
        let before = output.len();
        output.reserve(PIECE.min(limit.saturating_sub(before)).max(1));
        let status = inflate
            .decompress_vec(unread, output, FlushDecompress::None)
            .map_err(|_| Rule::FilterData)?;
        if output.len() > limit {
            return Err(Rule::TooLarge);
        }
        let stands_still = output.len() == before && inflate.total_in() == consumed as u64;
        match status {
            Status::StreamEnd => return Ok(()),
            _ if stands_still => return Err(Rule::FilterData),
            _ => {}
        }
    }
}

/// 7.4.4.
fn lzw(input: &[u8], early_change: bool, limit: usize) -> Result<Vec<u8>, Rule> {
    let mut decoder = if early_change {
        Decoder::with_tiff_size_switch(BitOrder::Msb, 8)
    } else {
        Decoder::new(BitOrder::Msb, 8)
    };
    let mut output = Vec::new();
    let mut piece = vec![0; PIECE];
    let mut unread = input;
    loop {
        let step = decoder.decode_bytes(unread, &mut piece);
        output.extend_from_slice(piece.get(..step.consumed_out).unwrap_or_default());
        if output.len() > limit {
            return Err(Rule::TooLarge);
        }
        unread = unread.get(step.consumed_in..).unwrap_or_default();
        match step.status {
            Ok(LzwStatus::Done) => return Ok(output),
            Ok(LzwStatus::Ok) => {}
            // Some writers omit the end-of-data code. All complete codes have been read.
            Ok(LzwStatus::NoProgress) if unread.is_empty() => return Ok(output),
            _ => return Err(Rule::FilterData),
        }
    }
}

/// 7.4.2.
fn ascii_hex(input: &[u8]) -> Result<Vec<u8>, Rule> {
    let end = input.iter().position(|byte| *byte == b'>').unwrap_or(input.len());
    let digits: Vec<u8> = input
        .iter()
        .take(end)
        .filter(|byte| !is_white(**byte))
        .copied()
        .collect();
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return Err(Rule::FilterData);
    }
    let value = |pair: &[u8]| match pair {
        [high, low] => digit(*high) << 4 | digit(*low),
        [high, ..] => digit(*high) << 4,
        [] => 0,
    };
    Ok(digits.chunks(2).map(value).collect())
}

/// 7.4.3.
fn ascii85(input: &[u8], limit: usize) -> Result<Vec<u8>, Rule> {
    let input = input.strip_prefix(b"<~").unwrap_or(input);
    let end = input.iter().position(|byte| *byte == b'~').unwrap_or(input.len());
    let mut output = Vec::new();
    let mut group: Vec<u8> = Vec::with_capacity(5);
    for byte in input.iter().take(end).filter(|byte| !is_white(**byte)) {
        match byte {
            b'z' if group.is_empty() => output.extend([0; 4]),
            b'!'..=b'u' => group.push(byte - b'!'),
            _ => return Err(Rule::FilterData),
        }
        if group.len() == 5 {
            output.extend(base85(&group)?);
            group.clear();
        }
        if output.len() > limit {
            return Err(Rule::TooLarge);
        }
    }
    let kept = match group.len() {
        0 => return Ok(output),
        1 => return Err(Rule::FilterData),
        length => length - 1,
    };
    group.resize(5, 84);
    output.extend(base85(&group)?.iter().take(kept));
    Ok(output)
}

fn base85(group: &[u8]) -> Result<[u8; 4], Rule> {
    group
        .iter()
        .try_fold(0_u32, |value, digit| {
            value.checked_mul(85)?.checked_add(u32::from(*digit))
        })
        .map(u32::to_be_bytes)
        .ok_or(Rule::FilterData)
}

/// 7.4.5.
fn run_length(input: &[u8], limit: usize) -> Result<Vec<u8>, Rule> {
    let mut output = Vec::new();
    let mut unread = input;
    loop {
        unread = match unread {
            // 128 marks the end of the data. Some writers omit it.
            [] | [128, ..] => return Ok(output),
            [length @ 0..128, rest @ ..] => {
                let (copied, rest) = rest
                    .split_at_checked(usize::from(*length) + 1)
                    .ok_or(Rule::FilterData)?;
                output.extend_from_slice(copied);
                rest
            }
            [length, byte, rest @ ..] => {
                output.extend(std::iter::repeat_n(*byte, 257 - usize::from(*length)));
                rest
            }
            [_] => return Err(Rule::FilterData),
        };
        if output.len() > limit {
            return Err(Rule::TooLarge);
        }
    }
}

/// 7.4.4.4.
fn unpredicted(mut data: Vec<u8>, predictor: Predictor) -> Result<Vec<u8>, Rule> {
    if predictor.kind == 1 {
        return Ok(data);
    }
    let Predictor {
        colors, bits, columns, ..
    } = predictor;
    if !(1..=64).contains(&colors) || ![1, 2, 4, 8, 16].contains(&bits) || columns == 0 {
        return Err(Rule::FilterParameters);
    }
    let row_bits = columns.checked_mul(colors * bits).ok_or(Rule::FilterParameters)?;
    let row = row_bits.div_ceil(8);
    if row > MAX_ROW {
        return Err(Rule::FilterParameters);
    }
    let pixel = (colors * bits).div_ceil(8);
    match predictor.kind {
        2 => {
            for row in data.chunks_mut(row) {
                tiff(row, colors, bits);
            }
            Ok(data)
        }
        10..=15 => png(&data, row, pixel),
        _ => Err(Rule::FilterParameters),
    }
}

/// Reverses TIFF predictor 2: each component is the difference from that of the pixel before.
fn tiff(row: &mut [u8], colors: usize, bits: usize) {
    match bits {
        8 => {
            for place in colors..row.len() {
                let left = row.get(place - colors).copied().unwrap_or(0);
                if let Some(byte) = row.get_mut(place) {
                    *byte = byte.wrapping_add(left);
                }
            }
        }
        16 => {
            let mut before = vec![0_u16; colors];
            for (place, pair) in row.chunks_exact_mut(2).enumerate() {
                let (Some(left), [high, low]) = (before.get_mut(place % colors), pair) else {
                    continue;
                };
                *left = left.wrapping_add(u16::from_be_bytes([*high, *low]));
                [*high, *low] = left.to_be_bytes();
            }
        }
        _ => {
            let mask = (1_u8 << bits) - 1;
            let mut before = vec![0_u8; colors];
            let per_byte = 8 / bits;
            for (place, byte) in row.iter_mut().enumerate() {
                for part in 0..per_byte {
                    let shift = 8 - bits * (part + 1);
                    let Some(left) = before.get_mut((place * per_byte + part) % colors) else {
                        continue;
                    };
                    *left = left.wrapping_add(*byte >> shift) & mask;
                    *byte = *byte & !(mask << shift) | *left << shift;
                }
            }
        }
    }
}

/// Reverses PNG filters, one for each row (ISO/IEC 15948, 9).
fn png(data: &[u8], row: usize, pixel: usize) -> Result<Vec<u8>, Rule> {
    let mut output: Vec<u8> = Vec::with_capacity(data.len());
    let mut above = vec![0_u8; row];
    let mut current = vec![0_u8; row];
    for coded in data.chunks(row + 1) {
        let [kind, coded @ ..] = coded else { break };
        for (place, byte) in coded.iter().enumerate() {
            let at = |line: &[u8], place: Option<usize>| place.and_then(|place| line.get(place).copied()).unwrap_or(0);
            let before = place.checked_sub(pixel);
            let (left, up, corner) = (at(&current, before), at(&above, Some(place)), at(&above, before));
            let predicted = match kind {
                0 => 0,
                1 => left,
                2 => up,
                3 => left.midpoint(up),
                4 => paeth(left, up, corner),
                _ => return Err(Rule::FilterData),
            };
            if let Some(target) = current.get_mut(place) {
                *target = byte.wrapping_add(predicted);
            }
        }
        output.extend_from_slice(current.get(..coded.len()).unwrap_or_default());
        std::mem::swap(&mut above, &mut current);
    }
    Ok(output)
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let distance = |value: u8| (i16::from(left) + i16::from(up) - i16::from(corner) - i16::from(value)).abs();
    if distance(left) <= distance(up) && distance(left) <= distance(corner) {
        left
    } else if distance(up) <= distance(corner) {
        up
    } else {
        corner
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::pdf::lex::Lexer;
    use crate::pdf::parse;

    fn decoded(dict: &str, raw: &[u8]) -> Result<Vec<u8>, Rule> {
        let Ok(Object::Dict(dict)) = parse::value(&mut Lexer::new(dict.as_bytes(), 0)) else {
            panic!("no dictionary")
        };
        decode_direct(&dict, raw, 1000)
    }

    fn deflated(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    }

    #[test]
    fn every_filter_decodes() {
        let lzw = [0x80, 0x0B, 0x60, 0x50, 0x22, 0x0C, 0x0C, 0x85, 0x01];
        for (dict, raw, expected) in [
            ("<</Filter/ASCIIHexDecode>>", &b"48 65\n6C6>junk"[..], &b"Hel`"[..]),
            ("<</Filter/ASCII85Decode>>", b"87cURDZ~>", b"Hello"),
            ("<</Filter/ASCII85Decode>>", b"z!!~>", &[0, 0, 0, 0, 0]),
            (
                "<</Filter/RunLengthDecode>>",
                &[1, b'a', b'b', 254, b'c', 128, 9],
                b"abccc",
            ),
            // 7.4.4.2, EXAMPLE 1.
            ("<</Filter/LZWDecode>>", &lzw, &[45, 45, 45, 45, 45, 65, 45, 45, 45, 66]),
            ("<</Filter/FlateDecode>>", &deflated(b"Hello"), b"Hello"),
            ("<</Filter[/ASCIIHexDecode/RunLengthDecode]>>", b"FE61 80>", b"aaa"),
            ("<</Filter[]>>", b"raw", b"raw"),
            ("<<>>", b"raw", b"raw"),
        ] {
            assert_eq!(decoded(dict, raw), Ok(expected.to_vec()), "{dict}");
        }
    }

    #[test]
    fn predictors_are_undone() {
        let png = [[1, 1, 1, 1], [2, 1, 1, 1], [3, 1, 1, 1], [4, 1, 1, 1], [0, 7, 8, 9]].concat();
        let with = |parameters: &str, data: &[u8]| {
            decoded(
                &format!("<</Filter/FlateDecode/DecodeParms<<{parameters}>>>>"),
                &deflated(data),
            )
        };
        let expected = [[1, 2, 3], [2, 3, 4], [2, 3, 4], [3, 4, 5], [7, 8, 9]].concat();
        assert_eq!(with("/Predictor 12/Columns 3", &png), Ok(expected));
        assert_eq!(
            with("/Predictor 2/Columns 3", &[1, 1, 1, 5, 1, 1]),
            Ok(vec![1, 2, 3, 5, 6, 7])
        );
        assert_eq!(
            with("/Predictor 2/Columns 2/BitsPerComponent 16", &[0, 255, 0, 1]),
            Ok(vec![0, 255, 1, 0])
        );
        assert_eq!(
            with(
                "/Predictor 2/Columns 4/BitsPerComponent 4/Colors 2",
                &[0x12, 0x11, 0x11, 0x11]
            ),
            Ok(vec![0x12, 0x23, 0x34, 0x45])
        );
        assert_eq!(with("/Predictor 15/Columns 3", &[9, 1, 1, 1]), Err(Rule::FilterData));
        for parameters in [
            "/Predictor 3",
            "/Predictor 12/Columns 0",
            "/Predictor 12/Colors 99",
            "/Predictor 12/Columns -1",
        ] {
            assert_eq!(with(parameters, &png), Err(Rule::FilterParameters), "{parameters}");
        }
    }

    #[test]
    fn damaged_and_excessive_data_is_refused() {
        let whole = deflated(&[7; 900]);
        for (dict, raw, rule) in [
            ("<</Filter/FlateDecode>>", &whole[..8], Rule::FilterData),
            ("<</Filter/FlateDecode>>", b"x", Rule::FilterData),
            ("<</Filter/FlateDecode>>", b"text", Rule::FilterData),
            ("<</Filter/FlateDecode>>", &deflated(&[7; 1001]), Rule::TooLarge),
            ("<</Filter/RunLengthDecode>>", &[129; 200], Rule::TooLarge),
            ("<</Filter/RunLengthDecode>>", &[5, 1], Rule::FilterData),
            ("<</Filter/ASCIIHexDecode>>", b"4x>", Rule::FilterData),
            ("<</Filter/ASCII85Decode>>", b"uuuuu~>", Rule::FilterData),
            ("<</Filter/ASCII85Decode>>", b"zzzzzzzz!~>", Rule::FilterData),
            ("<</Filter/Unheard>>", b"", Rule::UnknownFilter),
            ("<</Filter/DCTDecode>>", b"", Rule::UnknownFilter),
            ("<</Filter 5>>", b"", Rule::FilterParameters),
            ("<</Filter 5 0 R>>", b"", Rule::FilterParameters),
            ("<</Filter/FlateDecode/DecodeParms 5>>", b"", Rule::FilterParameters),
        ] {
            assert_eq!(decoded(dict, raw), Err(rule), "{dict}");
        }
    }

    #[test]
    fn images_stay_as_they_are() {
        let dict = b"<</Filter[/ASCIIHexDecode/DCTDecode]>>";
        let Ok(Object::Dict(dict)) = parse::value(&mut Lexer::new(dict, 0)) else {
            panic!("no dictionary")
        };
        let decoded = decode(steps(&dict, Ok).expect("filters"), b"4142>", 10).expect("decoded");
        assert_eq!(decoded.bytes, b"AB");
        assert_eq!(
            decoded.left.iter().map(|step| step.name.as_slice()).collect::<Vec<_>>(),
            [b"DCTDecode"]
        );
    }
}
