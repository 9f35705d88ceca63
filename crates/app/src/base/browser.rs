//! Parses the User-Agent header into a readable name, such as `Chrome 126` on `Android`.
//!
//! Browsers imitate each other for compatibility, so the order of the checks matters: a browser built on another comes
//! before it. No decision depends on the result, and the chain keeps the header unchanged.

/// A browser or program, and the operating system if the header names one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Browser {
    /// Name and main version.
    pub(crate) name: String,
    /// Operating system.
    pub(crate) system: Option<&'static str>,
}

/// The product tokens of the User-Agent header (RFC 9110, 10.1.5), with the names that people know.
const BROWSERS: [(&str, &str); 20] = [
    ("KAKAOTALK", "KakaoTalk"),
    ("NAVER(inapp", "NAVER"),
    ("Whale/", "Whale"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Line/", "LINE"),
    ("EdgA/", "Edge"),
    ("EdgiOS/", "Edge"),
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("OPiOS/", "Opera"),
    ("Vivaldi/", "Vivaldi"),
    ("YaBrowser/", "Yandex"),
    ("DuckDuckGo/", "DuckDuckGo"),
    ("CriOS/", "Chrome"),
    ("FxiOS/", "Firefox"),
    ("HeadlessChrome/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Firefox/", "Firefox"),
    // Safari names its own version only after this token.
    ("Version/", "Safari"),
    ("Trident/", "Internet Explorer"),
];

const SYSTEMS: [(&str, &str); 9] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Macintosh", "macOS"),
    ("FreeBSD", "FreeBSD"),
    ("Linux", "Linux"),
    ("X11", "Unix"),
];

/// Maximum length of a program name that we show.
const LONGEST: usize = 60;

/// Reads a User-Agent header. `None` if it is empty.
pub(crate) fn browser(user_agent: &str) -> Option<Browser> {
    let user_agent = user_agent.trim();
    if user_agent.is_empty() {
        return None;
    }
    let system = SYSTEMS
        .iter()
        .find(|(token, _)| user_agent.contains(token))
        .map(|(_, name)| *name);
    let found = BROWSERS.iter().find_map(|(token, name)| {
        let (_, rest) = user_agent.split_once(token)?;
        // Every browser's header contains that token.
        user_agent.starts_with("Mozilla/").then_some((*name, rest))
    });
    let name = if let Some((name, rest)) = found {
        named(name, rest.trim_start_matches(['/', ' ', ';']))
    } else {
        // For any other program, use its first product, such as `curl/8.5.0`.
        let product = user_agent.split_whitespace().next().unwrap_or_default();
        let (name, version) = product.split_once('/').unwrap_or((product, ""));
        named(name, version)
    };
    Some(Browser {
        name: name.chars().take(LONGEST).collect(),
        system,
    })
}

/// Appends the major version to the name.
fn named(name: &str, version: &str) -> String {
    let main: String = version.chars().take_while(char::is_ascii_digit).take(6).collect();
    if main.is_empty() {
        name.to_owned()
    } else {
        format!("{name} {main}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_and_programs_are_called_what_people_call_them() {
        for (said, name, system) in [
            (
                "Mozilla/5.0 (Linux; Android 14; SM-S921N) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36",
                "Chrome 126",
                Some("Android"),
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
                "Safari 17",
                Some("iPhone"),
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/126.0.6478.54 Mobile/15E148 Safari/604.1",
                "Chrome 126",
                Some("iPhone"),
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0",
                "Edge 126",
                Some("Windows"),
            ),
            (
                "Mozilla/5.0 (Linux; Android 14; SM-S921N) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36",
                "Samsung Internet 25",
                Some("Android"),
            ),
            (
                "Mozilla/5.0 (Linux; Android 14; SM-S921N; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/125.0.6422.165 Mobile Safari/537.36 KAKAOTALK/10.8.0 (INAPP)",
                "KakaoTalk 10",
                Some("Android"),
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:127.0) Gecko/20100101 Firefox/127.0",
                "Firefox 127",
                Some("macOS"),
            ),
            (
                "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
                "Chrome 126",
                Some("ChromeOS"),
            ),
            ("python-requests/2.32.3", "python-requests 2", None),
            ("curl/8.5.0", "curl 8", None),
            ("Chrome/1 of a program", "Chrome 1", None),
            ("게시판 봇", "게시판", None),
        ] {
            let found = browser(said).expect("a browser");
            assert_eq!((found.name.as_str(), found.system), (name, system), "{said}");
        }
        assert_eq!(browser("  "), None);
        assert_eq!(browser(&"x".repeat(5000)).map(|found| found.name.len()), Some(60));
    }
}
