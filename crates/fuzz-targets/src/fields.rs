//! Treats any bytes as `FIELDS.json`, and any text as a value, a contact, a number, a formula and a date pattern.
//! Parsed input must survive being written and parsed again.

use domain::Region;
use domain::contact::Contact;
use domain::date_pattern::DatePattern;
use domain::fields_file::parse;
use domain::formula::Formula;
use domain::number::Decimal;
use domain::value::FieldValue;

/// Comments that signers might write.
const VALUES: [&str; 8] = [
    "",
    "true",
    "김민준",
    "2026-11-28",
    "-1,234.50",
    "010-1234-5678",
    "kim@example.com",
    "0",
];

/// Parses any bytes as `FIELDS.json` and as values of fields. True if they are valid.
pub fn fields(data: &[u8]) -> bool {
    let mut reached = false;
    if let Ok(file) = parse(data, Some(3), Region::Kr) {
        reached = true;
        let again = parse(data, Some(3), Region::Kr).expect("the same again");
        assert_eq!(again, file);
        for field in &file.fields {
            for text in VALUES {
                let Ok(value) = FieldValue::parse(field, text) else {
                    continue;
                };
                let again = FieldValue::parse(field, &value.to_wire());
                assert_eq!(again.as_ref(), Ok(&value), "{field:?} reads {text:?} back");
                let _ = value.shown(field);
            }
        }
    }
    let Ok(text) = std::str::from_utf8(data) else {
        return reached;
    };
    for region in [Region::Kr, Region::Jp] {
        if let Ok(contact) = Contact::parse(text, region) {
            reached = true;
            let written = contact.to_string();
            let again = Contact::parse(&written, region).expect("what is written is read");
            assert!(again.is_same(&contact), "{text:?} is written as {written:?}");
        }
    }
    if let Some(number) = Decimal::parse(text) {
        reached = true;
        let again = Decimal::parse(&number.to_string()).expect("what is written is read");
        assert_eq!(again.exact(), number.exact());
    }
    if let Ok(formula) = Formula::parse(text) {
        reached = true;
        let _ = formula.evaluate(|_| Decimal::parse("3"));
    }
    if let Some(pattern) = DatePattern::parse(text) {
        reached = true;
        let _ = pattern.format(jiff::civil::date(2026, 11, 28));
    }
    reached
}
