//! Rules for new passwords. Logins do not apply them, so passwords that were set under other rules still work.
//!
//! A new password has at least 12 characters, is hard to guess (a score of at least 3 from zxcvbn, which knows common
//! passwords, words, names, dates and keyboard patterns), and contains neither its owner's e-mail address nor the
//! company's name.

use domain::Random;
use store::company::Company;
use unicode_normalization::UnicodeNormalization;
use zxcvbn::{Score, zxcvbn};

use crate::base::error::{Error, Fault, FaultCode};

/// Minimum length in characters.
pub(crate) const SHORTEST: usize = 12;
/// Maximum length in bytes, because hashing reads all of them.
const LONGEST_BYTES: usize = 1_024;
/// Shorter company names occur in too many words to be refused by rule, so zxcvbn judges them.
const SHORTEST_NAME: usize = 3;
/// Maximum number of tries when a generated password breaks a rule by chance.
const MOST_TRIES: usize = 16;

/// The owner of the password, whose data strangers would try first.
pub(crate) struct Owner {
    email: String,
    company_name: String,
    /// All data about the owner, complete and split into words.
    words: Vec<String>,
}

impl Owner {
    pub(crate) fn new(company: &Company, email: &str, name: &str) -> Owner {
        let mut words = Vec::new();
        for text in [email, name, &company.name, company.id.as_str(), "countersign"] {
            words.push(text.to_owned());
            words.push(folded(text));
            words.extend(
                text.split(|c: char| !c.is_alphanumeric())
                    .filter(|word| !word.is_empty())
                    .map(str::to_owned),
            );
        }
        Owner {
            email: email.to_owned(),
            company_name: company.name.clone(),
            words,
        }
    }

    fn is_named_in(&self, password: &str) -> bool {
        let password = folded(password);
        [&self.email, &self.company_name]
            .into_iter()
            .map(|name| folded(name))
            .any(|name| name.chars().count() >= SHORTEST_NAME && password.contains(&name))
    }
}

/// Normalises a text as people compare it: without case, width, spaces and punctuation.
fn folded(text: &str) -> String {
    text.nfkc()
        .flat_map(char::to_lowercase)
        .filter(|c| c.is_alphanumeric())
        .collect()
}

/// Refuses a new password that breaks a rule.
pub(crate) fn check(password: &str, owner: &Owner, path: &str) -> Result<(), Error> {
    let fault = if password.contains('\0') {
        Fault::new(path, FaultCode::ControlCharacter)
    } else if password.chars().count() < SHORTEST {
        Fault::new(path, FaultCode::PasswordTooShort).with("min", SHORTEST)
    } else if password.len() > LONGEST_BYTES {
        Fault::new(path, FaultCode::PasswordTooLong).with("max", LONGEST_BYTES)
    } else if owner.is_named_in(password) {
        Fault::new(path, FaultCode::PasswordNamesOwner)
    } else if score(password, owner) < Score::Three {
        Fault::new(path, FaultCode::PasswordTooWeak)
    } else {
        return Ok(());
    };
    Err(Error::Unprocessable(vec![fault]))
}

fn score(password: &str, owner: &Owner) -> Score {
    let words: Vec<&str> = owner.words.iter().map(String::as_str).collect();
    zxcvbn(password, &words).score()
}

/// Generates a password that nobody can guess and people can copy: 20 characters from an alphabet of 31, or 99 bits,
/// without characters that look alike.
pub(crate) fn generate(random: &dyn Random, owner: &Owner) -> Result<String, Error> {
    std::iter::repeat_with(|| letters(random))
        .take(MOST_TRIES)
        .find(|password| check(password, owner, "").is_ok())
        .ok_or_else(|| Error::internal("making a password", "none of them keeps the rules"))
}

fn letters(random: &dyn Random) -> String {
    const LETTERS: &[u8; 31] = b"abcdefghjkmnpqrstuvwxyz23456789";
    let mut password = String::new();
    while password.len() < 23 {
        let mut byte = [0];
        random.fill(&mut byte);
        // 248 is the largest multiple of 31 in a byte. Larger values would make some letters more likely.
        if byte[0] < 248
            && let Some(letter) = LETTERS.get(usize::from(byte[0] % 31))
        {
            if matches!(password.len(), 5 | 11 | 17) {
                password.push('-');
            }
            password.push(char::from(*letter));
        }
    }
    password
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::testing::CountingRandom;

    fn owner(company_name: &str) -> Owner {
        let company = Company {
            id: domain::CompanyId::parse("acme").unwrap(),
            name: company_name.to_owned(),
            language: domain::Language::En,
            zone: domain::Zone::default(),
            region: domain::Region::default(),
            api_enabled: true,
            token_lifetime_seconds: 60,
            expiry_days: 1,
            link_days: 1,
            seal_level: None,
            tsa_url: None,
            when_tsa_is_down: None,
            seal_mark: domain::SealMark::default(),
            style: store::company::Style::default(),
            created_at: jiff::Timestamp::UNIX_EPOCH,
        };
        Owner::new(&company, "minjun.kim@example.com", "김민준")
    }

    fn refusal(password: &str, company_name: &str) -> Option<FaultCode> {
        match check(password, &owner(company_name), "password") {
            Ok(()) => None,
            Err(Error::Unprocessable(faults)) => faults.first().map(|fault| fault.code),
            Err(other) => panic!("{password}: {other:?}"),
        }
    }

    #[test]
    fn a_new_password_has_at_least_twelve_characters_however_many_bytes_they_are() {
        assert_eq!(refusal("k7#Qz!p2wXv", "Hanbit"), Some(FaultCode::PasswordTooShort));
        assert_eq!(refusal("k7#Qz!p2wXvM", "Hanbit"), None);
        assert_eq!(
            refusal("등대양파나무기린구름", "Hanbit"),
            Some(FaultCode::PasswordTooShort)
        );
        assert_eq!(refusal("등대 양파 나무 기린 구름", "Hanbit"), None);
    }

    #[test]
    fn a_new_password_has_at_most_1024_bytes() {
        let long: String = letters(&CountingRandom::default())
            .chars()
            .cycle()
            .take(1_024)
            .collect();
        assert_eq!(refusal(&long, "Hanbit"), None);
        assert_eq!(refusal(&format!("{long}x"), "Hanbit"), Some(FaultCode::PasswordTooLong));
        assert_eq!(
            refusal("with\0zero and more", "Hanbit"),
            Some(FaultCode::ControlCharacter)
        );
    }

    #[test]
    fn a_new_password_that_is_easy_to_guess_is_refused() {
        for password in [
            "password1234",
            "aaaaaaaaaaaa",
            "qwertyuiop123",
            "123456789012",
            "administrator",
            "P@ssw0rd2026!",
            "abcabcabcabc",
            "김민준김민준김민준김민준",
            "minjunminjun1",
            "acme-acme-acme",
            "hanbit2026hanbit",
        ] {
            let expected = if password.contains("hanbit") {
                FaultCode::PasswordNamesOwner
            } else {
                FaultCode::PasswordTooWeak
            };
            assert_eq!(refusal(password, "Hanbit"), Some(expected), "{password}");
        }
    }

    #[test]
    fn a_few_unrelated_words_are_a_good_password() {
        for password in [
            "correct horse battery staple",
            "a long enough password 42",
            "plover lantern quay 47",
            "another lantern quay 47",
            "등대 양파 나무 기린 구름",
        ] {
            assert_eq!(refusal(password, "Hanbit"), None, "{password}");
        }
    }

    #[test]
    fn a_new_password_names_neither_its_owner_nor_the_company() {
        for password in [
            "minjun.kim@example.com",
            "my MINJUN.KIM@example.com 7#Qz!p2w",
            "minjunkim-example-com k7#Qz!p2wXvM",
            "k7#Qz!p2wXvM Han-Bit Ltd.",
            "k7#Qz!p2wXvM HANBIT LTD",
        ] {
            assert_eq!(
                refusal(password, "Hanbit Ltd"),
                Some(FaultCode::PasswordNamesOwner),
                "{password}"
            );
        }
        assert_eq!(
            refusal("k7#Qz!p2wXvM 주식회사 한빛", "주식회사 한빛"),
            Some(FaultCode::PasswordNamesOwner)
        );
        // A name of two letters occurs in many words.
        assert_eq!(refusal("plover lantern gorge 47", "Go"), None);
    }

    #[test]
    fn a_made_password_keeps_the_rules_and_is_another_each_time() {
        let random = CountingRandom::default();
        let made = generate(&random, &owner("Hanbit")).unwrap();
        assert_eq!((refusal(&made, "Hanbit"), made.len()), (None, 23), "{made}");
        assert_ne!(made, generate(&random, &owner("Hanbit")).unwrap());
        // The first one happens to contain the company's name.
        let first = letters(&CountingRandom::default());
        let another = generate(&CountingRandom::default(), &owner(&first[..5])).unwrap();
        assert_ne!(another, first);
    }
}
