//! A person's contact: an e-mail address or a telephone number.
//!
//! Telephone numbers are parsed with the `phonenumber` crate, which contains the numbering plans of Google's
//! libphonenumber. National numbers belong to the company's region, and all others start with a plus. We store the
//! international form (ITU-T E.164). A number must only be *possible*, which means a valid calling code and length. New
//! number ranges are assigned every month, so slightly outdated data must not refuse a person's new number.

use std::fmt;

use phonenumber::{Mode, PhoneNumber, Type, country, metadata::DATABASE};
use serde::{Deserialize, Serialize};

use crate::number::of_usual_width;
use crate::text::is_ignorable;

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Contact {
    /// An e-mail address as entered, without surrounding whitespace.
    Email(String),
    Phone {
        /// The number as entered, without surrounding whitespace. This is the form we return.
        given: String,
        /// International form: `+821012345678`.
        number: String,
    },
}

/// The text is neither an e-mail address nor a telephone number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an e-mail address or phone number")]
pub struct ContactFault;

/// The country whose national telephone numbers are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Region {
    #[default]
    Kr,
    Jp,
    Us,
}

impl Region {
    /// Parses a two-letter country code.
    pub fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_uppercase().as_str() {
            "KR" => Some(Self::Kr),
            "JP" => Some(Self::Jp),
            "US" => Some(Self::Us),
            _ => None,
        }
    }

    /// Returns the two-letter country code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Kr => "KR",
            Self::Jp => "JP",
            Self::Us => "US",
        }
    }

    const fn plan(self) -> country::Id {
        match self {
            Self::Kr => country::Id::KR,
            Self::Jp => country::Id::JP,
            Self::Us => country::Id::US,
        }
    }

    /// Whether digits without a plus can be a national number. In countries whose national numbers start with zero, a
    /// number without the zero is local or mistyped.
    fn begins_national(self, digits: &str) -> bool {
        match self {
            Self::Kr | Self::Jp => digits.starts_with('0'),
            Self::Us => true,
        }
    }
}

impl Contact {
    /// Parses an address or a number. National numbers belong to the region.
    pub fn parse(text: &str, region: Region) -> Result<Self, ContactFault> {
        // Pasted text may contain whitespace, including invisible characters.
        let text = text.trim_matches(|c: char| c.is_whitespace() || is_ignorable(c));
        if text.contains('@') {
            return if is_email(text) {
                Ok(Self::Email(text.to_owned()))
            } else {
                Err(ContactFault)
            };
        }
        let number = phone_number(text, region).ok_or(ContactFault)?;
        Ok(Self::Phone {
            given: text.to_owned(),
            number,
        })
    }

    /// Returns the text as entered, as written in the API's `email` properties.
    pub fn as_given(&self) -> &str {
        match self {
            Self::Email(address) => address,
            Self::Phone { given, .. } => given,
        }
    }

    /// Returns the e-mail address, if it is one.
    pub fn email(&self) -> Option<&str> {
        match self {
            Self::Email(address) => Some(address),
            Self::Phone { .. } => None,
        }
    }

    /// Returns the international number, if it is one.
    pub fn phone(&self) -> Option<&str> {
        match self {
            Self::Email(_) => None,
            Self::Phone { number, .. } => Some(number),
        }
    }

    /// Masks the contact so that its owner can recognize it, but nobody else can learn it: `k•••@example.com`, `•••
    /// 5678`.
    pub fn masked(&self) -> String {
        match self {
            Self::Email(address) => {
                let (name, host) = address.rsplit_once('@').unwrap_or((address, ""));
                let first: String = name.chars().take(1).collect();
                format!("{first}•••@{host}")
            }
            Self::Phone { number, .. } => {
                let last = number.len().saturating_sub(4);
                format!("••• {}", number.get(last..).unwrap_or_default())
            }
        }
    }

    /// Whether both belong to the same person. Addresses are compared ignoring case, as mail servers do, and numbers by
    /// digits.
    pub fn is_same(&self, other: &Self) -> bool {
        // No e-mail address starts with a plus and lacks an `@`, so the two kinds never collide.
        self.key() == other.key()
    }

    /// Returns a key that is equal for the same contact ([`Contact::is_same`]).
    pub fn key(&self) -> String {
        match self {
            Self::Email(address) => mailbox_key(address),
            Self::Phone { number, .. } => number.clone(),
        }
    }

    /// Returns a key that is equal for addresses of the same mailbox: when mail servers choose a mailbox, they ignore
    /// anything after a plus in the local part (RFC 5233). Use it only for counting, because the owner may use each
    /// address for a different purpose.
    pub fn mailbox(&self) -> String {
        let key = self.key();
        let Some((local, domain)) = key.rsplit_once('@') else {
            return key;
        };
        match local.split_once('+') {
            Some((mailbox, _)) if !mailbox.is_empty() => format!("{mailbox}@{domain}"),
            _ => key,
        }
    }

    /// Whether this text names the same contact, ignoring case.
    pub fn matches(&self, text: &str, region: Region) -> bool {
        Self::parse(text, region).is_ok_and(|other| self.is_same(&other))
    }
}

impl fmt::Display for Contact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_given())
    }
}

/// Converts a domain to the form that mail servers need (RFC 5891). `None` if it is not a domain.
pub fn dns_domain(domain: &str) -> Option<String> {
    if domain.is_ascii() {
        let is_of_a_domain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
        return domain.bytes().all(is_of_a_domain).then(|| domain.to_owned());
    }
    idna::domain_to_ascii_strict(domain).ok()
}

/// Returns one text for all spellings of a mailbox. Quotes around a local part have no meaning (RFC 5321, 4.1.2), and
/// neither does the alphabet of the domain. Upper case could matter in a local part, but we know of no server that
/// distinguishes it. Only ASCII is folded, because other letters would fold onto another address (U+212A, the Kelvin
/// sign, onto `k`).
fn mailbox_key(address: &str) -> String {
    let (local, domain) = address.rsplit_once('@').unwrap_or((address, ""));
    let bare = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let domain = dns_domain(domain).unwrap_or_else(|| domain.to_owned());
    format!("{}@{domain}", bare.unwrap_or(local)).to_ascii_lowercase()
}

/// Reasons for not sending a message to a telephone number from an untrusted person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PhoneRefusal {
    /// Not recognised as a mobile number: for example a landline or a premium-rate number.
    #[error("not a mobile number")]
    NotMobile,
    /// A number from a country that is not allowed.
    #[error("a number of another country")]
    Elsewhere,
}

/// Whether messages may be sent to an international number from an untrusted person. It must be a mobile number in one
/// of these countries (ISO 3166-1, two letters). Satellite telephones and other numbers without a country are refused.
pub fn takes_strangers_message(number: &str, countries: &[String]) -> Result<(), PhoneRefusal> {
    let parsed = phonenumber::parse(None, number).map_err(|_| PhoneRefusal::NotMobile)?;
    if !matches!(parsed.number_type(&DATABASE), Type::Mobile | Type::FixedLineOrMobile) {
        return Err(PhoneRefusal::NotMobile);
    }
    let country = parsed.country().id().ok_or(PhoneRefusal::NotMobile)?;
    if countries.iter().any(|allowed| allowed == country.as_ref()) {
        Ok(())
    } else {
        Err(PhoneRefusal::Elsewhere)
    }
}

/// Whether these two letters name a country with a numbering plan.
pub fn is_country(code: &str) -> bool {
    code.parse::<country::Id>().is_ok() && DATABASE.by_id(code).is_some()
}

/// Whether mail servers accept the address (RFC 5321, RFC 6531). It cannot contain anything that ends a header.
pub fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let local_good = is_quoted(local)
        || (1..=64).contains(&local.len())
            && !local.starts_with('.')
            && !local.ends_with('.')
            && !local.contains("..")
            && local
                .chars()
                .all(|c| !c.is_control() && !c.is_whitespace() && !is_ignorable(c) && !"<>()[],;:\\\"@".contains(c));
    let domain_good = domain.len() <= 253
        && domain.contains('.')
        && domain.split('.').all(|label| {
            (1..=63).contains(&label.len())
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label
                    .chars()
                    .all(|c| c.is_alphanumeric() && !is_ignorable(c) || c == '-')
        });
    local_good && domain_good && text.len() <= 254
}

/// The parts of an international number that national gateways require.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialled {
    /// The calling code: `82`.
    pub calling_code: String,
    /// As dialled within the country, digits only: `01012345678`.
    pub national: String,
    /// The national number as people write it: `010-1234-5678`.
    pub written: String,
}

/// Splits an international number. `None` if the numbering plans do not contain it.
pub fn dialled(number: &str) -> Option<Dialled> {
    let parsed = possible(phonenumber::parse(None, number).ok()?)?;
    let written = parsed.format().mode(Mode::National).to_string();
    Some(Dialled {
        calling_code: parsed.code().value().to_string(),
        national: written.chars().filter(char::is_ascii_digit).collect(),
        written,
    })
}

/// Whether a local part is quoted (RFC 5321, 4.1.2), without quoted pairs and angle brackets, which no real address
/// needs.
fn is_quoted(local: &str) -> bool {
    let inner = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.is_some_and(|inner| {
        (1..=62).contains(&inner.len()) && inner.chars().all(|c| matches!(c, ' '..='~') && !"\"\\<>".contains(c))
    })
}

fn phone_number(text: &str, region: Region) -> Option<String> {
    let (is_international, digits) = dial_string(text)?;
    let parsed = if is_international {
        phonenumber::parse(None, format!("+{digits}"))
    } else if region.begins_national(&digits) {
        phonenumber::parse(Some(region.plan()), digits)
    } else {
        return None;
    };
    let parsed = possible(parsed.ok()?)?;
    Some(format!("+{}{}", parsed.code().value(), parsed.national()))
}

/// Returns the number if its calling code is assigned and its length is possible there, or if it is a valid number of
/// another kind, such as Korea's twelve-digit 050x. Short numbers are refused, because they do not belong to a person.
fn possible(number: PhoneNumber) -> Option<PhoneNumber> {
    let length = u16::try_from(number.national().to_string().len()).ok()?;
    let is_possible = DATABASE.by_code(&number.code().value())?.iter().any(|plan| {
        let kinds = plan.descriptors();
        let of_people = [kinds.mobile(), kinds.fixed_line(), kinds.voip()];
        let mut lengths = of_people
            .into_iter()
            .flatten()
            .flat_map(phonenumber::metadata::Descriptor::possible_length);
        lengths.any(|possible| *possible == length)
    });
    (length >= 7 && (is_possible || number.is_valid())).then_some(number)
}

/// Returns whether the number starts with a plus, and its digits. Full-width digits and signs are accepted.
fn dial_string(text: &str) -> Option<(bool, String)> {
    // A number has at most 15 digits (E.164), with few characters between them.
    if text.chars().count() > 40 {
        return None;
    }
    let plain = of_usual_width(text);
    let mut plain = plain.chars();
    let mut digits = String::new();
    let mut is_international = false;
    if let Some(first) = plain.next() {
        match first {
            '+' => is_international = true,
            '0'..='9' => digits.push(first),
            '(' => {}
            _ => return None,
        }
    }
    for character in plain {
        match character {
            '0'..='9' => digits.push(character),
            ' ' | '-' | '.' | '(' | ')' => {}
            _ => return None,
        }
    }
    let is_good = (1..=17).contains(&digits.len()) && !(is_international && digits.starts_with('0'));
    is_good.then_some((is_international, digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_for_mail_servers_has_letters_digits_hyphens_and_dots() {
        assert_eq!(dns_domain("mail-1.example.com").as_deref(), Some("mail-1.example.com"));
        assert_eq!(dns_domain("bücher.example").as_deref(), Some("xn--bcher-kva.example"));
        for none in [
            "example.com8/'g",
            "example.com>",
            "exa mple.com",
            "예시/.example",
            "[127.0.0.1]",
        ] {
            assert_eq!(dns_domain(none), None, "{none}");
        }
    }

    #[test]
    fn a_local_part_may_stand_in_quotes_as_the_standard_has_it() {
        for good in [
            "\"two words\"@example.com",
            "\"a@b\"@example.com",
            "\"(a),b;c:\"@example.com",
        ] {
            assert_eq!(
                Contact::parse(good, Region::Kr),
                Ok(Contact::Email(good.to_owned())),
                "{good}"
            );
        }
        for bad in [
            "\"\"@example.com",
            "\"@example.com",
            "\"a\"b\"@example.com",
            "\"a\\\"@example.com",
            "\"a<b>\"@example.com",
            "\"a\r\nBcc: b\"@example.com",
            "\"é\"@example.com",
            "\"a\".b@example.com",
        ] {
            assert!(Contact::parse(bad, Region::Kr).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_masked_contact_is_known_by_its_owner_alone() {
        for (text, masked) in [
            ("minjun@example.com", "m•••@example.com"),
            ("김민준@예시.한국", "김•••@예시.한국"),
            ("010-1234-5678", "••• 5678"),
        ] {
            assert_eq!(Contact::parse(text, Region::Kr).unwrap().masked(), masked);
        }
    }

    #[test]
    fn addresses() {
        for text in [
            "kim@example.com",
            "a.b+c@sub.example.co.kr",
            "김민준@예시.한국",
            " kim@example.com ",
        ] {
            assert!(
                matches!(Contact::parse(text, Region::Kr), Ok(Contact::Email(_))),
                "{text}"
            );
        }
        for text in [
            "",
            "@example.com",
            "a@",
            "a@b",
            "a@@example.com",
            "a b@example.com",
            "a@exa mple.com",
            "a@example.com\r\nBcc: x@y.zz",
            ".a@example.com",
            "a..b@example.com",
            "a@-example.com",
            "a@example..com",
            "<a@example.com>",
            "a,b@example.com",
        ] {
            assert_eq!(Contact::parse(text, Region::Kr), Err(ContactFault), "{text}");
        }
    }

    #[test]
    fn blanks_around_a_contact_are_none_of_it() {
        for bare in ["kim@example.com", "\"two words\"@example.com", "010-1234-5678"] {
            for (before, behind) in [
                ("", " "),
                (" ", "\t"),
                ("\u{3000}", "\u{a0}"),
                ("\u{202a}", "\u{202c}"),
                ("\u{feff}", "\u{200b}\n"),
            ] {
                let text = format!("{before}{bare}{behind}");
                assert_eq!(Contact::parse(&text, Region::Kr).unwrap().as_given(), bare, "{text:?}");
            }
        }
        for within in [
            "kim@exam\u{200b}ple.com",
            "kim@example.c\u{3164}m",
            "kim @example.com",
            "010-1234\u{200b}-5678",
        ] {
            assert_eq!(Contact::parse(within, Region::Kr), Err(ContactFault), "{within:?}");
        }
    }

    #[test]
    fn telephone_numbers_are_read_in_their_region() {
        for (text, region, number) in [
            ("010-1234-5678", Region::Kr, "+821012345678"),
            ("+82 10 1234 5678", Region::Us, "+821012345678"),
            ("090 1234 5678", Region::Jp, "+819012345678"),
            ("(415) 555-2671", Region::Us, "+14155552671"),
            ("1 415 555 2671", Region::Us, "+14155552671"),
            ("02-312-3456", Region::Kr, "+8223123456"),
            ("０１０－１２３４－５６７８", Region::Kr, "+821012345678"),
            ("+82 (0)10-1234-5678", Region::Us, "+821012345678"),
            ("+39 06 698 12345", Region::Kr, "+390669812345"),
            ("+49 1512 3456789", Region::Jp, "+4915123456789"),
        ] {
            let contact = Contact::parse(text, region).unwrap();
            assert_eq!(contact.phone(), Some(number), "{text}");
            assert_eq!(contact.as_given(), text);
        }
        for text in [
            "123",
            "12345678901234567",
            "010-ABCD-5678",
            "+0101234567",
            "5551234567",
            "+999 123 4567",
            "+82 10 1234 56789",
            "010-1234",
            "+",
            "++821012345678",
            "010-1234-5678 ext. 9",
            "tel:+821012345678",
        ] {
            assert_eq!(Contact::parse(text, Region::Kr), Err(ContactFault), "{text}");
        }
    }

    #[test]
    fn a_valid_number_of_any_kind_reaches_somebody() {
        for (text, region, number) in [
            ("0505-1234-5678", Region::Kr, "+8250512345678"),
            ("0502 123 4567", Region::Kr, "+825021234567"),
            ("050-3123-4567", Region::Kr, "+825031234567"),
            ("070-1234-5678", Region::Kr, "+827012345678"),
            ("1588-1234", Region::Us, ""),
            ("0120-123-456", Region::Jp, "+81120123456"),
            ("050-1234-5678", Region::Jp, "+815012345678"),
            ("+44 7012 345678", Region::Kr, "+447012345678"),
            ("0505-1234-56789", Region::Kr, ""),
        ] {
            let found = phone_number(text, region);
            assert_eq!(found.as_deref().unwrap_or_default(), number, "{text}");
        }
    }

    #[test]
    fn a_number_is_taken_apart_as_gateways_of_its_country_want_it() {
        for (number, calling_code, national) in [
            ("+821012345678", "82", "01012345678"),
            ("+8223123456", "82", "023123456"),
            ("+819012345678", "81", "09012345678"),
            ("+14155552671", "1", "4155552671"),
            ("+390669812345", "39", "0669812345"),
        ] {
            let parts = dialled(number).unwrap();
            assert_eq!(
                (parts.calling_code.as_str(), parts.national.as_str()),
                (calling_code, national)
            );
        }
        assert_eq!(dialled("minjun"), None);
        assert_eq!(dialled("+999123456789"), None);
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_typed_is_a_number_that_reads_as_itself_or_a_fault(text in "[+＋]?[0-9０-９ ()./x;=a-c-]{0,42}") {
            for region in [Region::Kr, Region::Jp, Region::Us] {
                if let Some(number) = phone_number(&text, region) {
                    proptest::prop_assert!((8..=18).contains(&number.len()), "{number}");
                    proptest::prop_assert_eq!(phone_number(&number, region), Some(number.clone()));
                    proptest::prop_assert!(dialled(&number).is_some());
                }
            }
        }
    }

    #[test]
    fn the_same_person_in_another_spelling() {
        let kim = Contact::parse("Kim@Example.com", Region::Kr).unwrap();
        assert!(kim.matches("kim@example.COM", Region::Kr));
        let phone = Contact::parse("010-1234-5678", Region::Kr).unwrap();
        assert!(phone.matches("+82 10 1234 5678", Region::Kr));
        assert!(!phone.matches("kim@example.com", Region::Kr));
    }

    #[test]
    fn one_mailbox_is_one_however_its_address_is_written() {
        let key = |text: &str| Contact::parse(text, Region::Kr).unwrap().key();
        let first = key("u@bücher.example");
        for same in [
            "u@xn--bcher-kva.example",
            "\"u\"@bücher.example",
            "U@BÜCHER.example",
            "\"U\"@XN--bcher-KVA.Example",
        ] {
            assert_eq!(key(same), first, "{same}");
        }
        for other in ["v@bücher.example", "u@bucher.example", "\"u \"@bücher.example"] {
            assert_ne!(key(other), first, "{other}");
        }
    }

    #[test]
    fn letters_that_fold_onto_ascii_do_not_make_two_addresses_one() {
        let same = |a: &str, b: &str| {
            let contact = |local: &str| Contact::parse(&format!("{local}@x.example"), Region::Kr).unwrap();
            contact(a).is_same(&contact(b))
        };
        // The Kelvin sign, the long s, and the dotted and dotless Turkish i.
        for (other, ascii) in [
            ("\u{212a}im", "kim"),
            ("\u{17f}ara", "sara"),
            ("k\u{131}m", "kim"),
            ("k\u{130}m", "kim"),
        ] {
            assert!(!same(other, ascii), "{other}");
            assert!(!same(other, &ascii.to_uppercase()), "{other}");
        }
        assert!(same("\u{212a}IM", "\u{212a}im"));
        assert!(same("김K", "김k"));
        assert!(!same("É", "é"));
    }

    proptest::proptest! {
        #[test]
        fn two_addresses_are_one_only_where_they_differ_in_the_case_of_ascii_letters(
            a in "[kKsSiI\u{212a}\u{17f}\u{130}\u{131}éÉßẞ]{1,3}",
            b in "[kKsSiI\u{212a}\u{17f}\u{130}\u{131}éÉßẞ]{1,3}",
        ) {
            let contact = |local: &str| Contact::parse(&format!("{local}@x.example"), Region::Kr).unwrap();
            let (first, second) = (contact(&a), contact(&b));
            let is_one = a.eq_ignore_ascii_case(&b);
            proptest::prop_assert_eq!(first.is_same(&second), is_one);
            proptest::prop_assert_eq!(first.mailbox() == second.mailbox(), is_one);
        }
    }

    #[test]
    fn tags_behind_a_plus_name_one_mailbox() {
        let contact = |text: &str| Contact::parse(text, Region::Kr).unwrap();
        for (text, mailbox) in [
            ("a@x.example", "a@x.example"),
            ("a+1@x.example", "a@x.example"),
            ("A+one+two@X.example", "a@x.example"),
            ("\"a+1\"@x.example", "a@x.example"),
            ("+a@x.example", "+a@x.example"),
            ("a@xn--bcher-kva.example", "a@xn--bcher-kva.example"),
            ("a+b@bücher.example", "a@xn--bcher-kva.example"),
            ("010-1234-5678", "+821012345678"),
        ] {
            assert_eq!(contact(text).mailbox(), mailbox, "{text}");
        }
        assert!(!contact("a+1@x.example").is_same(&contact("a@x.example")));
    }

    #[test]
    fn strangers_name_mobile_numbers_of_the_countries_that_are_taken() {
        let countries = ["KR".to_owned(), "US".to_owned()];
        for (number, judged) in [
            ("+821012345678", Ok(())),
            ("+14155552671", Ok(())),
            ("+8223123456", Err(PhoneRefusal::NotMobile)),
            ("+8260123456", Err(PhoneRefusal::NotMobile)),
            ("+19005550123", Err(PhoneRefusal::NotMobile)),
            ("+18005550123", Err(PhoneRefusal::NotMobile)),
            ("+819012345678", Err(PhoneRefusal::Elsewhere)),
            // Canada, and an island with the same calling code.
            ("+16137827274", Err(PhoneRefusal::Elsewhere)),
            ("+18764563456", Err(PhoneRefusal::Elsewhere)),
        ] {
            assert_eq!(takes_strangers_message(number, &countries), judged, "{number}");
        }
        // Numbers without a country: Inmarsat, Iridium, shared codes.
        for number in ["+870773111632", "+881612345678", "+88216001234567", "+979123456789"] {
            assert!(takes_strangers_message(number, &countries).is_err(), "{number}");
        }
        for (code, is) in [
            ("KR", true),
            ("DE", true),
            ("kr", false),
            ("001", false),
            ("XX", false),
            ("", false),
        ] {
            assert_eq!(is_country(code), is, "{code}");
        }
    }
}
