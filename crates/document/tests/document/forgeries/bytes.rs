use super::*;

#[test]
fn a_changed_byte_is_a_digest_that_does_not_fit() {
    let mut pdf = sealed(References::Table);
    let at = find(&pdf, b"Page 1");
    pdf[at + 5] = b'9';
    assert_names(&pdf, |fault| *fault == Fault::DigestMismatch);
}

#[test]
fn junk_after_the_end_is_named() {
    for junk in [&b"% a comment\n"[..], b"<html></html>", &[0; 2000]] {
        let mut pdf = sealed(References::Table);
        pdf.extend_from_slice(junk);
        assert_names(&pdf, |fault| {
            matches!(fault, Fault::NotCoveredToEnd { .. } | Fault::Unreadable { .. })
        });
    }
}

#[test]
fn the_file_cut_back_to_before_the_seal_is_no_sealed_file() {
    let before = unsigned(References::Table);
    let sealed = sealed(References::Table);
    assert_names(&sealed[..before.len()], |fault| *fault == Fault::NoSignature);
}

#[test]
fn a_file_without_signature_is_no_sealed_file() {
    assert_names(&unsigned(References::Table), |fault| *fault == Fault::NoSignature);
}

#[test]
fn a_swapped_byte_range_is_named() {
    let pdf = with_byte_range(sealed(References::Table), |old| {
        format!("{} {} {} {}", old[2], old[3], old[0], old[1])
    });
    assert_names(&pdf, |fault| matches!(fault, Fault::ByteRange { .. }));
}

#[test]
fn a_byte_range_that_does_not_begin_at_the_beginning_is_named() {
    let pdf = with_byte_range(sealed(References::Table), |old| {
        let first: usize = old[1].parse().expect("a number");
        format!("9 {} {} {}", first - 9, old[2], old[3])
    });
    assert_names(
        &pdf,
        |fault| matches!(fault, Fault::ByteRange { reason } if reason.contains("begin")),
    );
}

#[test]
fn a_byte_range_of_six_numbers_is_named() {
    let pdf = with_byte_range(sealed(References::Table), |old| {
        format!("0 9 9 {} {} 9", old[1].len(), old[2])
    });
    assert_names(
        &pdf,
        |fault| matches!(fault, Fault::ByteRange { reason } if reason.contains("two pairs")),
    );
}

#[test]
fn a_nulled_byte_range_is_named() {
    let pdf = with_byte_range(sealed(References::Table), |_| "0 0 0 0".to_owned());
    assert_names(&pdf, |fault| matches!(fault, Fault::ByteRange { .. }));
}

#[test]
fn a_byte_range_beyond_the_end_is_named() {
    let pdf = with_byte_range(sealed(References::Table), |old| {
        format!("{} {} {} 9999999999", old[0], old[1], old[2])
    });
    assert_names(
        &pdf,
        |fault| matches!(fault, Fault::ByteRange { reason } if reason.contains("end")),
    );
}

#[test]
fn a_byte_range_that_ends_early_is_named() {
    let pdf = with_byte_range(sealed(References::Table), |old| {
        let last: usize = old[3].parse().expect("a number");
        format!("{} {} {} {}", old[0], old[1], old[2], last - 20)
    });
    assert_names(&pdf, |fault| *fault == Fault::DigestMismatch);
}

#[test]
fn a_wider_gap_is_named() {
    let pdf = sealed(References::Table);
    let (gap, length) = (gap(&pdf), pdf.len());
    let pdf = with_byte_range(pdf, |_| {
        format!("0 {} {} {}", gap.start, gap.end + 10, length - gap.end - 10)
    });
    assert_names(&pdf, |fault| *fault == Fault::GapIsNotValue);
}

#[test]
fn a_nulled_gap_is_named() {
    let mut pdf = sealed(References::Table);
    let gap = gap(&pdf);
    pdf[gap.start + 1..gap.end - 1].fill(b'0');
    assert_names(&pdf, |fault| matches!(fault, Fault::UnreadableValue { .. }));
}

#[test]
fn something_hidden_in_the_padding_is_named() {
    let mut pdf = sealed(References::Table);
    let gap = gap(&pdf);
    pdf[gap.end - 3..gap.end - 1].copy_from_slice(b"41");
    assert_names(&pdf, |fault| matches!(fault, Fault::UnreadableValue { .. }));
}

#[test]
fn a_value_from_another_file_is_named() {
    let other = seal(unsigned(References::Stream), &HOUSE.key, &details(true)).expect("sealed");
    let mut pdf = sealed(References::Table);
    let (from, to) = (gap(&other), gap(&pdf));
    pdf[to].copy_from_slice(&other[from]);
    assert_names(&pdf, |fault| *fault == Fault::DigestMismatch);
}

/// Signature wrapping: the signed bytes surround new content, and a new dictionary leaves that content out of the byte
/// range.
#[test]
fn wrapped_bytes_are_named() {
    let pdf = sealed(References::Table);
    let gap = gap(&pdf);
    let document = Document::load_mem(&pdf).expect("readable");
    let signature = document
        .objects
        .iter()
        .find(|(_, object)| object.as_dict().is_ok_and(|signature| signature.has(b"ByteRange")))
        .map(|(id, _)| *id)
        .expect("the signature");
    let evil = append(&pdf, |document, writer| {
        writer.replace(
            content_of_first_page(document),
            Stream::new(Dictionary::new(), b"q Q".to_vec()),
        );
        let wrapped = writer.edit_dictionary(signature).expect("the signature");
        let tail = i64::try_from(pdf.len() - gap.end).expect("a number");
        wrapped.set(
            "ByteRange",
            vec![
                0.into(),
                i64::try_from(gap.start).expect("a number").into(),
                9_999_999_i64.into(),
                tail.into(),
            ],
        );
    });
    // The signed end is repeated, and the new range points to it.
    let mut forged = evil.clone();
    let start = forged.len();
    forged.extend_from_slice(&pdf[gap.end..]);
    let at = find_last(&forged, b"9999999 ");
    forged[at..at + 7].copy_from_slice(format!("{start:07}").as_bytes());
    assert_names(&forged, |fault| {
        matches!(fault, Fault::GapIsNotValue | Fault::NotCoveredToEnd { .. })
    });
}

#[test]
fn encryption_added_later_is_named() {
    let pdf = sealed(References::Table);
    let mut forged = append(&pdf, |_, writer| {
        writer.add(dictionary! { "Filter" => "Standard", "V" => 1, "R" => 2, "P" => -4 });
    });
    let at = find_last(&forged, b"/Root");
    forged.splice(at..at, b"/Encrypt 1 0 R".iter().copied());
    assert_names(&forged, |fault| {
        matches!(fault, Fault::Encrypted | Fault::Unreadable { .. })
    });
}
