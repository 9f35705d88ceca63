//! Checks whether a damaged file is certainly unsigned.
//!
//! If the cross-references do not lead to their objects, programs read different documents from the same file. Our
//! reader may find no signature although another program shows one, and rewriting the file would silently remove the
//! signature. So the check uses the bytes, not their interpretation: every signature contains a byte range (ISO
//! 32000-2, 12.8.1), and every certification a permission. Neither name may occur anywhere in the file or in an object
//! stream, even in unreferenced ones. Data that cannot be searched proves nothing.

use std::io::Read;

use flate2::read::ZlibDecoder;

/// Part of every signature and certification.
const BYTE_RANGE: &[u8] = b"ByteRange";
const CERTIFICATION: &[u8] = b"DocMDP";
/// Marks a signature that grants usage rights, added by the maker of a viewer. It signs no document (12.8.2.3).
const USAGE_RIGHTS: [&[u8]; 2] = [b"UR3", b"UR"];
/// The type name of an object stream.
const OBJECT_STREAM: &[u8] = b"ObjStm";
const STREAM: &[u8] = b"stream";
/// Maximum decompressed size of one object stream.
const MAX_OBJECT_STREAM: u64 = 64 * 1024 * 1024;

/// Returns whether these bytes certainly contain no signature. Object streams of an encrypted file cannot be searched.
pub(super) fn is_certain(pdf: &[u8], is_encrypted: bool) -> bool {
    is_clear(pdf) && (!has(pdf, OBJECT_STREAM) || (!is_encrypted && are_object_streams_clear(pdf)))
}

/// Returns whether these bytes, as far as they can be searched, contain no signature or certification.
fn is_clear(bytes: &[u8]) -> bool {
    names(bytes).all(|(at, name)| match name.as_slice() {
        BYTE_RANGE => grants_rights(bytes, at),
        CERTIFICATION => false,
        _ => true,
    })
}

/// Returns whether the object around a position grants usage rights.
fn grants_rights(bytes: &[u8], at: usize) -> bool {
    let (before, after) = bytes.split_at_checked(at).unwrap_or_default();
    let start = before
        .windows(5)
        .rposition(|window| window == b" obj\n" || window == b" obj\r" || window == b" obj<");
    let end = after.windows(6).position(|window| window == b"endobj");
    let (Some(start), Some(end)) = (start, end) else {
        return false;
    };
    let object = bytes.get(start..at + end).unwrap_or_default();
    has(object, b"TransformMethod") && USAGE_RIGHTS.iter().any(|right| has(object, right))
}

fn has(bytes: &[u8], wanted: &[u8]) -> bool {
    names(bytes).any(|(_, name)| name == wanted)
}

/// Returns all names in the bytes (7.3.5) with their positions, up to the length of the longest name needed here.
fn names(bytes: &[u8]) -> impl Iterator<Item = (usize, Vec<u8>)> {
    const LONGEST: usize = 16;
    let starts = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    starts.map(move |(at, _)| {
        let mut name = Vec::with_capacity(LONGEST);
        let mut rest = bytes.get(at + 1..).unwrap_or_default();
        while let [byte, more @ ..] = rest
            && name.len() < LONGEST
        {
            let digit = |digit: &u8| {
                char::from(*digit)
                    .to_digit(16)
                    .and_then(|digit| u8::try_from(digit).ok())
            };
            let escaped = match more {
                [high, low, ..] if *byte == b'#' => digit(high).zip(digit(low)),
                _ => None,
            };
            match escaped {
                Some((high, low)) => name.push(high << 4 | low),
                None if is_regular(*byte) => name.push(*byte),
                None => break,
            }
            rest = more.get(if escaped.is_some() { 2 } else { 0 }..).unwrap_or_default();
        }
        (at, name)
    })
}

fn is_regular(byte: u8) -> bool {
    !b"\0\t\n\x0C\r ()<>[]{}/%".contains(&byte)
}

/// Returns whether every object stream in the file is readable and contains no signature.
fn are_object_streams_clear(pdf: &[u8]) -> bool {
    let mut dictionary_start = 0;
    pdf.windows(STREAM.len())
        .enumerate()
        .filter(|(at, window)| *window == STREAM && !pdf.get(..*at).unwrap_or_default().ends_with(b"end"))
        .all(|(at, _)| {
            let before = pdf.get(dictionary_start..at).unwrap_or_default();
            dictionary_start = at;
            let dictionary = before
                .windows(3)
                .rposition(|window| window == b"obj")
                .and_then(|object| before.get(object..))
                .unwrap_or(before);
            let content = pdf.get(at + STREAM.len()..).unwrap_or_default();
            !has(dictionary, OBJECT_STREAM) || is_object_stream_clear(dictionary, content)
        })
}

/// Returns whether an object stream is readable and contains no signature. `content` is the data after its keyword.
fn is_object_stream_clear(dictionary: &[u8], content: &[u8]) -> bool {
    let says = |keys: &[&[u8]]| keys.iter().any(|key| has(dictionary, key));
    if says(&[b"DecodeParms", b"DP", b"F", b"Crypt"]) {
        return false;
    }
    if !says(&[b"Filter"]) {
        // The content was searched together with the rest of the file.
        return true;
    }
    let filters = || names(dictionary).filter(|(_, name)| name.ends_with(b"Decode"));
    let is_deflated = filters().count() == 1 && filters().all(|(_, name)| name == b"FlateDecode");
    let content = content
        .strip_prefix(b"\r\n")
        .or_else(|| content.strip_prefix(b"\n"))
        .or_else(|| content.strip_prefix(b"\r"));
    let Some(content) = content.filter(|_| is_deflated) else {
        return false;
    };
    let mut objects = Vec::new();
    let read = ZlibDecoder::new(content)
        .take(MAX_OBJECT_STREAM)
        .read_to_end(&mut objects);
    let is_whole = read.is_ok_and(|length| u64::try_from(length).is_ok_and(|length| length < MAX_OBJECT_STREAM));
    is_whole && is_clear(&objects)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    fn object_stream(entries: &str, content: &[u8]) -> Vec<u8> {
        let head = format!("7 0 obj\n<</Type/ObjStm/N 1/First 4{entries}>>\nstream\n");
        [head.as_bytes(), content, b"\nendstream\nendobj\n"].concat()
    }

    fn deflated(content: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).expect("written");
        encoder.finish().expect("deflated")
    }

    #[test]
    fn a_signature_is_found_however_its_name_is_written_and_wherever_it_stands() {
        let signature = b"8 0 <</ByteRange[0 1 2 3]>>";
        assert!(is_certain(b"1 0 obj\n<</Type/Catalog>>\nendobj\n", false));
        assert!(!is_certain(b"1 0 obj\n<</Byte#52ange[0 1 2 3]>>\nendobj\n", false));
        assert!(!is_certain(b"1 0 obj\n<</Perms<</DocMDP 3 0 R>>>>\nendobj\n", false));
        assert!(!is_certain(&object_stream("", signature), false));
        assert!(!is_certain(
            &object_stream("/Filter/FlateDecode", &deflated(signature)),
            false
        ));
        assert!(!is_certain(
            &object_stream("/Filter/Fl#61teDecode", &deflated(signature)),
            false
        ));
        let harmless = deflated(b"8 0 <</Type/Catalog>>");
        assert!(is_certain(&object_stream("/Filter/FlateDecode", &harmless), false));
        assert!(is_certain(&object_stream("/Filter [ /FlateDecode ]", &harmless), false));
    }

    #[test]
    fn usage_rights_are_no_signature() {
        let object = |method: &str| {
            format!("3 0 obj\n<</ByteRange[0 1 2 3]/Reference[<</TransformMethod/{method}>>]>>\nendobj\n").into_bytes()
        };
        assert!(is_certain(&object("UR3"), false) && is_certain(&object("UR"), false));
        assert!(!is_certain(&object("FieldMDP"), false));
        assert!(!is_certain(&[object("UR3"), object("FieldMDP")].concat(), false));
    }

    #[test]
    fn what_cannot_be_looked_through_proves_nothing() {
        let harmless = deflated(b"8 0 <</Type/Catalog>>");
        assert!(!is_certain(&object_stream("/Filter/FlateDecode", &harmless), true));
        let cut = &harmless[..harmless.len() / 2];
        for (entries, content) in [
            ("/Filter/FlateDecode", cut),
            ("/Filter[/ASCII85Decode/FlateDecode]", &harmless),
            ("/Filter[/FlateDecode/FlateDecode]", &harmless),
            ("/Filter/LZWDecode", &harmless),
            ("/Filter 9 0 R", &harmless),
            ("/Filter/FlateDecode/DecodeParms<</Predictor 12>>", &harmless),
        ] {
            assert!(!is_certain(&object_stream(entries, content), false), "{entries}");
        }
    }
}
