//! Combines a database URL with a password from a separate file.

use domain::Secret;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// Returns the URL with this password, which may contain any characters. An error contains no part of either.
pub fn with_password(url: &Secret, password: &Secret) -> Result<Secret, &'static str> {
    const TWO: &str = "database.url already contains a password; remove it, as in postgres://user@host/name";
    let (url, password) = (url.expose().trim(), password.expose());
    let Some((scheme, rest)) = url.split_once("://") else {
        let is_there = url.split_whitespace().any(|word| word.starts_with("password"));
        let escaped = password.replace('\\', "\\\\").replace('\'', "\\'");
        return if is_there {
            Err(TWO)
        } else {
            Ok(Secret::new(format!("{url} password='{escaped}'")))
        };
    };
    match rest.split_once('@') {
        None => Err("database.url must contain a user, as in postgres://user@host/name"),
        Some((user, place)) if user.contains(':') || place.contains('@') => Err(TWO),
        Some((user, place)) => {
            let encoded = utf8_percent_encode(password, NON_ALPHANUMERIC);
            Ok(Secret::new(format!("{scheme}://{user}:{encoded}@{place}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_of_any_characters_is_put_where_it_belongs() {
        let with = |url: &str, password: &str| {
            let made = with_password(&Secret::new(url), &Secret::new(password));
            made.map(|url| url.expose().to_owned())
        };
        let url = "postgres://sign@db:5432/countersign?sslmode=require";
        assert_eq!(
            with(url, "p@ss/wörd"),
            Ok("postgres://sign:p%40ss%2Fw%C3%B6rd@db:5432/countersign?sslmode=require".to_owned())
        );
        assert_eq!(
            with("host=db user=u", "a 'b\\"),
            Ok("host=db user=u password='a \\'b\\\\'".to_owned())
        );
        for url in [
            "postgres://sign:x@db/c",
            "postgres://sign:x@y@db/c",
            "host=db password=x",
            "postgres://db/c",
        ] {
            let fault = with(url, "qxz").expect_err(url);
            assert!(!fault.contains("qxz"), "{fault}");
        }
    }
}
