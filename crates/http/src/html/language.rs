//! The language of a page, and links to the page in other languages.

use domain::Language;

use super::render::{Frame, LanguageLink};

/// Returns the frame of a page in `language` at this path. Links to other languages keep the query and replace its
/// `lang`.
pub fn frame(language: Language, base: &str, title: String, path: &str, query: &[(String, String)]) -> Frame {
    let languages = Language::ALL
        .into_iter()
        .map(|other| LanguageLink {
            code: other.code(),
            name: name(other),
            href: address(base, path, query, other),
            current: other == language,
        })
        .collect();
    Frame {
        lang: language.code(),
        base: base.to_owned(),
        languages,
        title,
        head: None,
        look: None,
        console: None,
    }
}

fn address(base: &str, path: &str, query: &[(String, String)], language: Language) -> String {
    let mut pairs = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in query.iter().filter(|(name, _)| name != "lang") {
        pairs.append_pair(name, value);
    }
    pairs.append_pair("lang", language.code());
    format!("{base}{path}?{}", pairs.finish())
}

/// Adds a page's language to one of our URLs, so that the linked page uses the same language.
pub fn led_on(address_of: &str, language: Language) -> String {
    let (path, query) = address_of.split_once('?').unwrap_or((address_of, ""));
    let pairs: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    address("", path, &pairs, language)
}

fn name(language: Language) -> &'static str {
    match language {
        Language::Ko => "한국어",
        Language::En => "English",
        Language::Ja => "日本語",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_on_in_the_language_of_the_page() {
        for (given, led) in [
            (
                "https://a.example/mail/view?token=a-b_c&lang=ko",
                "https://a.example/mail/view?token=a-b_c&lang=ja",
            ),
            ("https://a.example/verify", "https://a.example/verify?lang=ja"),
        ] {
            assert_eq!(led_on(given, Language::Ja), led);
        }
    }

    #[test]
    fn another_language_is_the_same_page() {
        let query = [("token", "a-b_c"), ("lang", "ko"), ("callback_fn", "true")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let frame = frame(Language::Ko, "", "x".to_owned(), "/mail/sign", &query);
        let hrefs: Vec<_> = frame.languages.iter().map(|link| link.href.as_str()).collect();
        assert_eq!(
            hrefs,
            [
                "/mail/sign?token=a-b_c&callback_fn=true&lang=ko",
                "/mail/sign?token=a-b_c&callback_fn=true&lang=en",
                "/mail/sign?token=a-b_c&callback_fn=true&lang=ja",
            ]
        );
        assert!(
            frame
                .languages
                .iter()
                .filter(|link| link.current)
                .all(|link| link.code == "ko")
        );
    }
}
