//! What a form's fields are called if the form does not say it.

use super::*;
use crate::taking::forms::{add_form, named};

/// A page with these texts at their places, and these fields.
fn form(texts: &[(i64, i64, &str)], fields: Vec<(Dictionary, [i64; 4])>) -> Vec<u8> {
    let page = PageForm {
        media: [0, 0, 400, 420],
        ..PageForm::PLAIN
    };
    document_of(page, |document, page| {
        let drawn: Vec<String> = texts
            .iter()
            .map(|(x, y, text)| format!("BT /F1 10 Tf {x} {y} Td ({text}) Tj ET "))
            .collect();
        let contents = document.add_object(Stream::new(Dictionary::new(), drawn.concat().into_bytes()));
        page.set("Contents", contents);
        add_form(document, page, fields);
    })
}

fn button(name: &str, on: &str, flags: i64) -> Dictionary {
    let mut field = named(name, "Btn");
    field.set("Ff", flags);
    field.set("AS", "Off");
    field.set(
        "AP",
        dictionary! { "N" => dictionary! { on => Dictionary::new(), "Off" => Dictionary::new() } },
    );
    field
}

fn labels(pdf: &[u8]) -> Vec<Option<String>> {
    let taken = take(pdf).expect("taken");
    taken.fields.into_iter().map(|field| field.label).collect()
}

#[test]
fn a_field_without_a_tooltip_is_called_by_the_text_beside_it() {
    let mut with_tooltip = named("f[3]", "Tx");
    with_tooltip.set("TU", Object::string_literal("Place of birth"));
    let mut with_value = named("f[4]", "Tx");
    with_value.set("V", Object::string_literal("Seoul"));
    let pdf = form(
        &[
            (20, 375, "First name: ________"),
            (20, 345, "City"),
            (150, 345, "Postcode *"),
            (100, 322, "Your reasons"),
            (75, 255, "I agree to the terms"),
            (20, 225, "Plan"),
            (85, 225, "Small"),
            (135, 225, "Large"),
            (60, 163, "Signature of the tenant"),
        ],
        vec![
            (named("f[0]", "Tx"), [80, 370, 200, 386]),
            (named("f[1]", "Tx"), [50, 340, 140, 356]),
            (named("f[2]", "Tx"), [210, 340, 280, 356]),
            (with_tooltip, [20, 20, 100, 36]),
            (with_value, [100, 280, 250, 320]),
            (button("f[5]", "Yes", 0), [60, 252, 72, 264]),
            (button("f[6]", "S", 1 << 15), [70, 222, 82, 234]),
            (button("f[6]", "L", 1 << 15), [120, 222, 132, 234]),
            (named("f[7]", "Sig"), [60, 175, 200, 205]),
            (named("f[8]", "Tx"), [150, 60, 280, 76]),
        ],
    );
    let expected = [
        Some("First name"),
        Some("City"),
        Some("Postcode"),
        Some("Place of birth"),
        Some("Your reasons"),
        Some("I agree to the terms"),
        Some("Plan"),
        Some("Plan"),
        Some("Signature of the tenant"),
        None,
    ];
    let found = labels(&pdf);
    let found: Vec<Option<&str>> = found.iter().map(Option::as_deref).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_sentence_is_no_caption_and_neither_is_what_is_beside_another_box() {
    let sentence = "The tenant pays the rent on the first day of each month, in advance and without being asked to.";
    let pdf = form(
        &[(10, 375, sentence), (20, 345, "Name")],
        vec![
            (named("f[0]", "Tx"), [20, 350, 200, 366]),
            (named("f[1]", "Tx"), [60, 330, 120, 349]),
            (named("f[2]", "Tx"), [130, 330, 200, 349]),
        ],
    );
    assert_eq!(labels(&pdf), [None, Some("Name".to_owned()), None]);
}
