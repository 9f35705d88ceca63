//! The URL of a PostgreSQL database, as the operator wrote it.
//!
//! The URL may contain a password, and a character such as `@` or `/` in it easily splits the URL in the wrong place.
//! Part of the password would then pass for a host or a database name, and be shown. So a URL that can be read in two
//! ways is refused, and no error repeats any part of it.

use domain::Secret;
use tokio_postgres::Config;

/// How to write the URL.
const FORM: &str = "it cannot be read. Write postgres://user:password@host:port/name. In user and password write special \
                    characters percent-encoded (@ as %40, / as %2F, # as %23, % as %25), or put the password into a file and \
                    name that in database.password_file";

/// The TLS options in the URL.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Tls {
    Off,
    On { roots: Option<String> },
}

/// Reads a connection string: a URL, or `host=… user=…`. The error contains no part of it.
pub(super) fn read(address: &Secret) -> Result<(Config, Tls), String> {
    let address = address.expose().trim();
    let (rest, options) = if address.contains("://") {
        of_url(address).ok_or(FORM)?
    } else {
        of_words(address).ok_or(FORM)?
    };
    let config: Config = rest.parse().map_err(|_| FORM)?;
    Ok((config, tls(&options)?))
}

/// The TLS options, which the driver does not support.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    mode: Option<String>,
    roots: Option<String>,
}

impl Options {
    /// Stores an option if it is about TLS.
    fn take(&mut self, key: &str, value: &str) -> bool {
        let own = match key {
            "sslmode" => &mut self.mode,
            "sslrootcert" => &mut self.roots,
            _ => return false,
        };
        *own = Some(value.to_owned());
        true
    }
}

fn tls(options: &Options) -> Result<Tls, &'static str> {
    let roots = options.roots.clone();
    match options.mode.as_deref() {
        None if roots.is_none() => Ok(Tls::Off),
        Some("disable") => Ok(Tls::Off),
        None | Some("require" | "verify-ca" | "verify-full") => Ok(Tls::On { roots }),
        Some(_) => Err("this sslmode is not supported; use require (the certificate is checked) or disable"),
    }
}

/// Splits off the TLS options of a URL. Its only `@` ends user and password. A second one would belong to user or
/// password, and then nobody can tell where they end.
fn of_url(url: &str) -> Option<(String, Options)> {
    let (scheme, rest) = url.split_once("://")?;
    if !matches!(scheme, "postgres" | "postgresql") || rest.matches('@').count() > 1 {
        return None;
    }
    let place = rest.find('@').map_or(0, |at| at + 1);
    let (credentials, place) = rest.split_at(place);
    let (place, query) = place.split_once('?').unwrap_or((place, ""));
    let mut options = Options::default();
    let kept: Vec<&str> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .filter(|pair| {
            pair.split_once('=')
                .is_none_or(|(key, value)| !options.take(key, value))
        })
        .collect();
    let mut address = format!("postgresql://{credentials}{place}");
    if !kept.is_empty() {
        address.push('?');
        address.push_str(&kept.join("&"));
    }
    Some((address, options))
}

/// Splits off the TLS options of `key=value` pairs. A value with spaces is in single quotes, and a backslash escapes
/// the next character.
fn of_words(words: &str) -> Option<(String, Options)> {
    let mut options = Options::default();
    let mut kept = Vec::new();
    let mut rest = words.trim_start();
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=')?;
        let key = key.trim();
        if key.is_empty() || !key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return None;
        }
        let (value, after) = value(after.trim_start())?;
        if !options.take(key, &value) {
            let escaped = value.replace('\\', "\\\\").replace('\'', "\\'");
            kept.push(format!("{key}='{escaped}'"));
        }
        rest = after.trim_start();
    }
    Some((kept.join(" "), options))
}

/// Splits off the value at the beginning. Returns it with the rest.
fn value(text: &str) -> Option<(String, &str)> {
    let (is_quoted, text) = match text.strip_prefix('\'') {
        Some(quoted) => (true, quoted),
        None => (false, text),
    };
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => value.push(characters.next()?.1),
            '\'' if is_quoted => return Some((value, text.get(at + 1..)?)),
            _ if !is_quoted && character.is_whitespace() => return Some((value, text.get(at..)?)),
            _ => value.push(character),
        }
    }
    (!is_quoted).then_some((value, ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio_postgres::config::Host;

    fn known(address: &str) -> (Config, Tls) {
        read(&Secret::new(address)).expect(address)
    }

    #[test]
    fn tls_is_off_unless_asked_for_and_always_checked() {
        let on = |roots: Option<&str>| Tls::On {
            roots: roots.map(str::to_owned),
        };
        for (address, expected) in [
            ("postgres://u:p@h/d", Tls::Off),
            ("postgres://u:p@h/d?sslmode=disable", Tls::Off),
            ("postgres://u:p@h/d?sslmode=require&connect_timeout=3", on(None)),
            (
                "postgres://u:p@h/d?sslmode=verify-full&sslrootcert=/etc/ca.pem",
                on(Some("/etc/ca.pem")),
            ),
            ("host=h sslrootcert=/etc/ca.pem user=u", on(Some("/etc/ca.pem"))),
            ("host=h user=u sslmode = 'require'", on(None)),
        ] {
            let (config, tls) = known(address);
            assert_eq!(
                (config.get_hosts(), tls),
                ([Host::Tcp("h".to_owned())].as_slice(), expected),
                "{address}"
            );
        }
        for address in ["postgres://h/d?sslmode=prefer", "host=h sslmode=allow"] {
            let fault = read(&Secret::new(address)).map(drop).expect_err(address);
            assert!(fault.contains("is not supported"), "{fault}");
        }
    }

    #[test]
    fn a_password_is_what_was_written_or_the_address_is_refused_without_a_word_of_it() {
        for (address, password) in [
            ("postgres://u:p%40ss%2Fword@h/d", "p@ss/word"),
            ("postgres://u:p#ss@h/d", "p#ss"),
            ("postgres://u:p/word@h/d", "p/word"),
            ("postgres://u:p?sslmode=x@h/d", "p?sslmode=x"),
            ("postgres://u:p%zz@h/d", "p%zz"),
            ("postgres://u:p s[s]@h/d", "p s[s]"),
            ("host=h user=u password='p  sslmode=x\\'s'", "p  sslmode=x's"),
            ("host=h user=u password=p@ss/word", "p@ss/word"),
        ] {
            let (config, tls) = known(address);
            assert_eq!(config.get_password(), Some(password.as_bytes()), "{address}");
            assert_eq!((config.get_user(), tls), (Some("u"), Tls::Off));
        }
        for address in [
            "postgres://u:qxz@zjv/wkk@h/d",
            "postgres://u:qxz@zjv@h/d",
            "postgres://u:qxz@h:zjv/d",
            "mysql://u:qxz@zjv/d",
            "host=h password='qxz zjv",
            "host=h password=qxz zjv wkk",
            "qxz",
            "host=h port=qxz",
        ] {
            let fault = read(&Secret::new(address)).map(drop).expect_err(address);
            assert!(
                ["qxz", "zjv", "wkk"].iter().all(|part| !fault.contains(part)),
                "{fault}"
            );
        }
    }
}
