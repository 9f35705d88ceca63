//! Finds addresses in texts from untrusted people: anything that mail programs turn into a link.
//!
//! An untrusted person's name may appear in mails that a company sends. If the name contained an address, that person
//! could put a link into the company's mail. So we refuse such names, whatever characters they use. We read a text as
//! mail programs and people do: compatibility characters are normalised (NFKC, UAX 15), and characters that look like a
//! dot, a colon or a slash (UTS 39) are replaced by that character.
//!
//! Deciding whether something is an address takes judgement. `J.Lee`, `J.LEE`, `Dr.Kim` and `김.민준` have the form of
//! host names, but are names: there is no top-level domain `민준`, and a capital after a dot suggests initials or a
//! title, unless the ending is a well-known one (`Evil.Com`). Lower-case letters after a dot make an address, however
//! short the word before it (`x.ai`).

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::contact::dns_domain;
use crate::text::is_ignorable;

/// Endings that mail programs recognise as host names in upper or lower case.
const COMMON_ENDINGS: [&str; 26] = [
    "com", "net", "org", "info", "biz", "io", "co", "ly", "me", "app", "dev", "xyz", "top", "shop", "online", "site",
    "link", "click", "zip", "mov", "kr", "jp", "cn", "ru", "us", "uk",
];

/// The internationalised top-level domains in DNS form, without their `xn--`, sorted (IANA's list of 2026-11-17).
const OTHER_ENDINGS: [&str; 151] = [
    "11b4c3d",
    "1ck2e1b",
    "1qqw23a",
    "2scrj9c",
    "30rr7y",
    "3bst00m",
    "3ds443g",
    "3e0b707e",
    "3hcrj9c",
    "3pxu8k",
    "42c2d9a",
    "45br5cyl",
    "45brj9c",
    "45q11c",
    "4dbrk0ce",
    "4gbrim",
    "54b7fta0cc",
    "55qw42g",
    "55qx5d",
    "5su34j936bgsg",
    "5tzm5g",
    "6frz82g",
    "6qq986b3xl",
    "80adxhks",
    "80ao21a",
    "80aqecdr1a",
    "80asehdb",
    "80aswg",
    "8y0a063a",
    "90a3ac",
    "90ae",
    "90ais",
    "9dbq2a",
    "9et52u",
    "9krt00a",
    "b4w605ferd",
    "bck1b9a5dre4c",
    "c1avg",
    "c2br7g",
    "cck2b3b",
    "cckwcxetd",
    "cg4bki",
    "clchc0ea0b2g2a9gcd",
    "czr694b",
    "czrs0t",
    "czru2d",
    "d1acj3b",
    "d1alf",
    "e1a4c",
    "eckvdtc9d",
    "efvy88h",
    "fct429k",
    "fhbei",
    "fiq228c5hs",
    "fiq64b",
    "fiqs8s",
    "fiqz9s",
    "fjq720a",
    "flw351e",
    "fpcrj9c3d",
    "fzc2c9e2c",
    "fzys8d69uvgm",
    "g2xx48c",
    "gckr3f0f",
    "gecrj9c",
    "gk3at1e",
    "h2breg3eve",
    "h2brj9c",
    "h2brj9c8c",
    "hxt814e",
    "i1b6b1a6a2e",
    "imr513n",
    "io0a7i",
    "j1aef",
    "j1amh",
    "j6w193g",
    "jlq480n2rg",
    "jvr189m",
    "kcrx77d1x4a",
    "kprw13d",
    "kpry57d",
    "kput3i",
    "l1acc",
    "lgbbat1ad8j",
    "mgb9awbf",
    "mgba3a3ejt",
    "mgba3a4f16a",
    "mgba7c0bbn0a",
    "mgbaam7a8h",
    "mgbab2bd",
    "mgbah1a3hjkrd",
    "mgbai9azgqp6j",
    "mgbayh7gpa",
    "mgbbh1a",
    "mgbbh1a71e",
    "mgbc0a9azcg",
    "mgbca7dzdo",
    "mgbcpq6gpa1a",
    "mgberp4a5d4ar",
    "mgbgu82a",
    "mgbi4ecexp",
    "mgbpl2fh",
    "mgbt3dhd",
    "mgbtx2b",
    "mgbx4cd0ab",
    "mix891f",
    "mk1bu44c",
    "mxtq1m",
    "ngbc5azd",
    "ngbe9e0a",
    "ngbrx",
    "node",
    "nqv7f",
    "nqv7fs00ema",
    "nyqy26a",
    "o3cw4h",
    "ogbpf8fl",
    "otu796d",
    "p1acf",
    "p1ai",
    "pgbs0dh",
    "pssy2u",
    "q7ce6a",
    "q9jyb4c",
    "qcka1pmc",
    "qxa6a",
    "qxam",
    "rhqv96g",
    "rovu88b",
    "rvc1e0am3e",
    "s9brj9c",
    "ses554g",
    "t60b56a",
    "tckwe",
    "tiq49xqyj",
    "unup4y",
    "vermgensberater-ctb",
    "vermgensberatung-pwb",
    "vhquv",
    "vuq861b",
    "w4r85el8fhu5dnra",
    "w4rs40l",
    "wgbh1c",
    "wgbl6a",
    "xhq521b",
    "xkc2al3hye2a",
    "xkc2dl3a5ee0h",
    "y9a3aq",
    "yfro4i67o",
    "ygbi2ammx",
    "zfr164b",
];

/// Schemes that need no slashes and that are not words people write before a colon.
const SCHEMES: [&str; 14] = [
    "http",
    "https",
    "mailto",
    "tel",
    "sms",
    "smsto",
    "callto",
    "sip",
    "sips",
    "javascript",
    "vbscript",
    "facetime",
    "skype",
    "whatsapp",
];
/// Schemes that need no slashes but are also words. They form an address only if text follows the colon directly.
const SCHEMES_OF_WORDS: [&str; 4] = ["data", "file", "ftp", "intent"];

/// Whether a text contains something that mail programs turn into a link: a scheme, a host name, an e-mail address, or
/// a path to another computer. Initials and titles (`J.R. Lee`, `KIM.JH`, `Dr.Kim`) do not count. Telephone numbers are
/// allowed, because a name may contain digits.
pub fn holds_an_address(text: &str) -> bool {
    let plain = as_read(text);
    let lower = plain.to_lowercase();
    lower.contains("://")
        || lower.contains("www.")
        || plain.contains("\\\\")
        || holds_a_scheme(&lower)
        || holds_a_host(&plain)
}

/// Whether a text contains a host name or a numeric address.
fn holds_a_host(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || is_combining_mark(c) || matches!(c, '.' | '-');
    let mut before = None;
    text.split_inclusive(|c| !is_part(c)).any(|piece| {
        let word = piece.trim_end_matches(|c| !is_part(c));
        let behind = piece.chars().next_back().filter(|c| !is_part(*c));
        // A mailbox before it or a path after it turns a possible name into an address.
        let is_led = before == Some('@') || behind == Some('/');
        before = behind;
        is_a_host(word, is_led)
    })
}

/// Returns a text as mail programs and people read it.
fn as_read(text: &str) -> String {
    text.nfkc()
        .map(|character| match character {
            // Dots of other scripts that look like ours, and those allowed in host names (UTS 46).
            '\u{3002}' | '\u{6d4}' | '\u{701}' | '\u{702}' | '\u{2e33}' | '\u{a4f8}' | '\u{a60e}' | '\u{10a50}'
            | '\u{1d16d}' => '.',
            '\u{2d0}' | '\u{2f8}' | '\u{589}' | '\u{5c3}' | '\u{703}' | '\u{704}' | '\u{2236}' | '\u{a789}' => ':',
            '\u{2044}' | '\u{2215}' | '\u{2571}' | '\u{29f8}' => '/',
            '\u{2216}' | '\u{29f5}' | '\u{29f9}' | '\u{20a9}' | '\u{a5}' => '\\',
            '\u{2010}' | '\u{2011}' => '-',
            other => other,
        })
        .filter(|character| !is_ignorable(*character))
        .collect()
}

/// Whether a lower-case text contains a scheme that by itself makes the text an address.
fn holds_a_scheme(text: &str) -> bool {
    text.match_indices(':').any(|(at, _)| {
        let (before, behind) = text.split_at(at);
        let scheme = before
            .rsplit(|c: char| !c.is_ascii_alphabetic())
            .next()
            .unwrap_or_default();
        let goes_on = behind.chars().nth(1).is_some_and(|next| !next.is_whitespace());
        SCHEMES.contains(&scheme) || goes_on && SCHEMES_OF_WORDS.contains(&scheme)
    })
}

/// Whether a word contains a host name or a numeric address.
fn is_a_host(word: &str, is_led: bool) -> bool {
    let labels: Vec<&str> = word.trim_matches(['.', '-']).split('.').collect();
    let is_number = |label: &&str| label.parse::<u8>().is_ok();
    if labels.windows(4).any(|four| four.iter().all(is_number)) {
        return true;
    }
    let mut before = Before::Initials;
    labels.windows(2).any(|pair| {
        let [label, ending] = pair else { return false };
        before = before.max(Before::of(label));
        !label.is_empty() && ends_a_host(before, ending, is_led)
    })
}

/// The kind of text before a dot. Of several kinds, the most significant one before the last dot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Before {
    /// Single characters, as in initials (`J.Lee`) and some hosts (`X.COM`).
    Initials,
    /// Single characters, at least one of them a lower-case Latin letter.
    SmallLetter,
    Word,
}

impl Before {
    fn of(label: &str) -> Self {
        match label.chars().count() {
            0 | 1 if label.chars().any(|c| c.is_ascii_lowercase()) => Self::SmallLetter,
            0 | 1 => Self::Initials,
            _ => Self::Word,
        }
    }
}

/// Whether the text after a dot ends a host name. `is_led`: the text around the word makes it an address.
fn ends_a_host(before: Before, ending: &str, is_led: bool) -> bool {
    let small = ending.to_lowercase();
    let encoded = dns_domain(&small).unwrap_or(small);
    if let Some(encoded) = encoded.strip_prefix("xn--")
        && (ending.is_ascii() || OTHER_ENDINGS.binary_search(&encoded).is_ok())
    {
        return true;
    }
    // Words of other scripts may follow a host name directly: `evil.com에서`.
    let is_latin = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let latin = ending
        .get(..ending.find(|c| !is_latin(c)).unwrap_or(ending.len()))
        .unwrap_or_default();
    let is_common = COMMON_ENDINGS.iter().any(|common| latin.eq_ignore_ascii_case(common));
    let is_capital = |c: char| c.is_ascii_uppercase();
    let is_capitalised = latin.starts_with(is_capital) && latin.matches(is_capital).count() == 1;
    let is_capitals = latin.chars().all(is_capital);
    let is_ending = latin.len() >= 2 && latin.chars().all(|c| c.is_ascii_alphabetic());
    let is_name = match before {
        // A surname after initials: `J.Lee`, `J.LEE`.
        Before::Initials => is_capitalised || is_capitals && !is_common,
        Before::SmallLetter => is_capitalised,
        // Initials after a surname: `KIM.JH`.
        Before::Word => !is_common && (is_capitalised || is_capitals && latin.len() <= 3),
    };
    let is_host = if is_led {
        latin == ending
    } else {
        !is_name && (is_common || latin == ending)
    };
    is_ending && is_host
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All characters that are read as a dot in a host name.
    const DOTS: [&str; 12] = [
        ".",
        "\u{2024}",
        "\u{ff0e}",
        "\u{3002}",
        "\u{ff61}",
        "\u{fe52}",
        "\u{6d4}",
        "\u{701}",
        "\u{a4f8}",
        "\u{a60e}",
        "\u{10a50}",
        "\u{1d16d}",
    ];

    #[test]
    fn what_mails_would_make_a_link_of_is_no_name() {
        for address in [
            "WIN 1,000,000 at http://evil.example/x",
            "see evil.example/x",
            "evil.com",
            "x.com",
            "t.me/evil",
            // One letter, and an uncommon ending.
            "x.ai",
            "x.zip",
            "X.ZIP",
            "X.ai",
            "x.AI",
            "WIN: x.gg!",
            "a.b.club",
            "김.ai",
            "ｘ。ａｉ",
            "x.co에서",
            "EVIL.COM",
            "Evil.Com",
            "ＥＶＩＬ．ＣＯＭ",
            "evil。com",
            "ev\u{200b}il.c\u{2060}om",
            "(bit.ly/abc)",
            "www.evil",
            "kim@evil.example",
            "예시.com",
            "a.xn--3e0b707e",
            "WIN:sub.evil.example!",
            // The text around it makes it an address.
            "v.gd/abc",
            "g.page/evil",
            "me@a.club",
            "secure-login.Bank/verify",
            "kim@Evil.Club",
            "KIM.JH/x",
            "evil.한국",
            "예시.한국",
            "evil.中国",
            "EVIL.РФ",
            "evil.भारत",
            "evil.இந்தியா",
            "evil.みんな",
            "evil.\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}",
            "evil.com에서",
            "evil.com.에서",
            "주소는 evil.co.kr입니다",
            // Lookalike characters.
            "evil․com",
            "evil｡com",
            "evil﹒com",
            "𝐞𝐯𝐢𝐥.𝐜𝐨𝐦",
            "ⓔⓥⓘⓛ.ⓒⓞⓜ",
            "www․evil",
            "http∶∕∕evil",
            // Schemes that need no slashes.
            "mailto:x",
            "MAILTO:x",
            "tel:",
            "tel:+1-900-555-0123",
            "Tel: 060",
            "sms:12345",
            "javascript:alert(1)",
            "javascript：alert(1)",
            "java\u{ad}script:alert(1)",
            "data:text/html,x",
            "file:/etc/passwd",
            "김mailto:x",
            // Numeric addresses and network paths.
            "192.0.2.7/x",
            "192．0．2．7",
            "\\\\evil\\share",
            "￥￥evil￥share",
        ] {
            assert!(holds_an_address(address), "{address}");
        }
    }

    #[test]
    fn names_of_people_and_companies_are_none() {
        for name in [
            "김민준",
            "김.민준",
            "김·이 법률사무소",
            "山田太郎",
            "山田・太郎",
            "株式会社A.B.C",
            "株式会社エー。",
            "J.R.R. Tolkien",
            "J.R.R.Tolkien",
            "J.Lee",
            "J.LEE",
            "J. Kim",
            "J.K. Kim",
            "J.K.KIM",
            "j.Kim",
            "A.I. Ito",
            "A.I.Ito",
            "O.JH",
            "a.k.a. Kim",
            "김.이",
            "김.J",
            "Dr. Kim",
            "Dr.Kim",
            "Dr.김",
            "St. John's",
            "St.John",
            "Kim Jr.",
            "Kim, Ph.D.",
            "Kim…Lee",
            "kim...lee",
            "O'Neil-Smith",
            "(주)한빛 1.5",
            "㈜한빛",
            "한빛 Co., Ltd.",
            "한빛 3.0.1",
            "김민준.",
            "A.B.",
            "A.B.Co",
            "KIM.JH",
            "Park.JH / Kim",
            "HANBIT CO.LTD",
            "Lee / Kim: two",
            "Sales:Kim",
            "Motel: Kim",
            "Big Data: Seoul",
            "Иван И.Иванов",
            "María José",
            "€ 100",
            "\\",
            "",
            ".",
            ":",
        ] {
            assert!(!holds_an_address(name), "{name}");
        }
    }

    #[test]
    fn the_endings_are_in_order_for_they_are_searched() {
        assert!(OTHER_ENDINGS.is_sorted());
    }

    proptest! {
        #[test]
        fn a_host_name_is_found_whatever_its_dot_and_wherever_it_stands(
            host in "[a-z가-힣а-я]{2,8}",
            dot in prop::sample::select(&DOTS[..]),
            ending in prop::sample::select([&COMMON_ENDINGS[..], &["한국", "中国", "рф", "닷컴", "example"]].concat()),
            before in "([a-zA-Z가-힣]{1,6} )?[(\"]?",
            behind in "(/[a-z]{0,4}|[,!)]| [a-zA-Z가-힣]{1,6})?",
        ) {
            let text = format!("{before}{host}{dot}{ending}{behind}");
            prop_assert!(holds_an_address(&text), "{}", text);
        }

        #[test]
        fn small_letters_behind_a_dot_are_an_address_behind_one_letter_too(
            host in "[a-zA-Z0-9가-힣]",
            dot in prop::sample::select(&DOTS[..]),
            ending in "[a-z]{2,8}",
            before in "([a-zA-Z가-힣]{1,6} )?[(\"]?",
        ) {
            let text = format!("{before}{host}{dot}{ending}");
            prop_assert!(holds_an_address(&text), "{}", text);
        }

        #[test]
        fn initials_and_a_surname_are_a_name(
            initials in "([A-Z가-힣]\\. ?){1,3}",
            surname in "[A-Z][a-z]{1,8}|[A-Z]{4,8}|[가-힣]",
        ) {
            let is_common = COMMON_ENDINGS.iter().any(|ending| surname == ending.to_uppercase());
            prop_assert!(is_common || !holds_an_address(&format!("{initials}{surname}")), "{}{}", initials, surname);
        }

        #[test]
        fn words_without_dots_and_colons_are_names(name in "[\\p{L}\\p{M}' ,()·・-]{0,30}") {
            prop_assert!(!holds_an_address(&name) || as_read(&name).contains(['.', ':', '/', '\\']), "{}", name);
        }
    }
}
