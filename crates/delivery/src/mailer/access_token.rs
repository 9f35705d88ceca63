//! Access tokens for the mail server, from the operator's OAuth 2.0 token endpoint (RFC 6749).
//!
//! There are two flows: client credentials (4.4), in which the program itself may send, and a refresh token (6), with which a
//! person once allowed it. A token is kept until shortly before its end. Neither tokens nor secrets are logged, and none is
//! repeated from what the endpoint answers.

use std::fmt;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use domain::public_address::{AddressFault, AddressRules, CallbackUrl};
use domain::{Clock, Secret};
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use tokio::sync::Mutex;
use url::form_urlencoded::Serializer;

use crate::egress::Egress;
use crate::guarded_client::{Answer, Fault, GuardedClient, Limits, SystemLookup};

/// A token is renewed this long before its end, or after half of its life if that is later.
const BEFORE_THE_END: SignedDuration = SignedDuration::from_mins(2);
/// How long a token is used if the endpoint does not say how long it lives.
const UNKNOWN_LIFE: SignedDuration = SignedDuration::from_mins(5);
/// Longer ones do not fit into the command that sends them (RFC 4954, 4).
const LONGEST_TOKEN: usize = 8_000;
/// How much of the endpoint's own words we repeat.
const LONGEST_WORDS: usize = 300;

/// How to get access tokens.
#[derive(Clone)]
pub struct OAuthSettings {
    pub token_url: String,
    pub client_id: String,
    pub client_secret: Option<Secret>,
    /// Without one, the client's own credentials are used.
    pub refresh_token: Option<RefreshToken>,
    pub scope: Option<String>,
    pub egress: Egress,
    pub clock: Arc<dyn Clock>,
}

/// Where a refresh token comes from.
#[derive(Clone)]
pub enum RefreshToken {
    Text(Secret),
    /// It is read for each use. If the endpoint answers with a newer one, that is written here.
    File(PathBuf),
}

impl fmt::Debug for OAuthSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuthSettings")
            .field("token_url", &self.token_url)
            .finish_non_exhaustive()
    }
}

/// Why the address of a token endpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TokenUrlFault {
    #[error("it must be the address of a token endpoint, https://host/path")]
    Address(AddressFault),
    #[error("use https: the client secret is sent there")]
    Plain,
    #[error("{0}")]
    Client(Fault),
}

/// Gets access tokens and keeps the newest.
pub(super) struct AccessTokens {
    settings: OAuthSettings,
    url: CallbackUrl,
    client: GuardedClient,
    /// Locked while a token is fetched, so that mails that wait for one fetch it once.
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    token: Option<KeptToken>,
    /// A newer refresh token, if it could not be written to its file.
    newer_refresh_token: Option<Secret>,
}

struct KeptToken {
    token: Secret,
    until: Timestamp,
}

#[derive(Deserialize)]
struct Granted {
    access_token: Secret,
    #[serde(default)]
    expires_in: Option<Seconds>,
    #[serde(default)]
    refresh_token: Option<Secret>,
}

/// Some endpoints write the number as a text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Seconds {
    Number(f64),
    Text(String),
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Refused {
    error: String,
    error_description: String,
}

impl AccessTokens {
    /// The operator's own endpoint may be on a private network, but only on this machine may it do without TLS.
    pub(super) fn new(settings: OAuthSettings) -> Result<AccessTokens, TokenUrlFault> {
        let rules = AddressRules {
            allow_private: true,
            ..AddressRules::default()
        };
        let url = CallbackUrl::parse(&settings.token_url, &rules).map_err(TokenUrlFault::Address)?;
        if !url.as_str().starts_with("https://") && !is_this_machine(url.host()) {
            return Err(TokenUrlFault::Plain);
        }
        let limits = Limits {
            total: Duration::from_secs(10),
            body_wait: Duration::from_secs(10),
            body_bytes: 64 * 1024,
            ..Limits::default()
        };
        let client = GuardedClient::through(&settings.egress, rules, limits, Arc::new(SystemLookup))
            .map_err(TokenUrlFault::Client)?;
        Ok(AccessTokens {
            settings,
            url,
            client,
            kept: Mutex::default(),
        })
    }

    /// A token that should still be accepted. An error says in words what is wrong.
    pub(super) async fn get(&self) -> Result<Secret, String> {
        let mut kept = self.kept.lock().await;
        if let Some(known) = &kept.token
            && self.settings.clock.now() < known.until
        {
            return Ok(known.token.clone());
        }
        let fetched = self.fetch(&mut kept).await?;
        let token = fetched.token.clone();
        kept.token = Some(fetched);
        Ok(token)
    }

    /// The mail server did not accept this token, so the next one is fetched.
    pub(super) async fn forget(&self, refused: &Secret) {
        let mut kept = self.kept.lock().await;
        if kept.token.as_ref().is_some_and(|known| known.token == *refused) {
            kept.token = None;
        }
    }

    async fn fetch(&self, kept: &mut Kept) -> Result<KeptToken, String> {
        let asked_at = self.settings.clock.now();
        let refresh_token = self.refresh_token(kept)?;
        let mut headers = HeaderMap::new();
        let form = HeaderValue::from_static("application/x-www-form-urlencoded");
        headers.insert(CONTENT_TYPE, form);
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let body = self.request(refresh_token.as_ref()).into_bytes();
        let answer = self.client.post(&self.url, headers, body).await;
        let answer = answer.map_err(|fault| self.no_token(&fault.to_string()))?;
        if answer.status != 200 {
            return Err(self.no_token(&self.refused(&answer, refresh_token.as_ref())));
        }
        let granted: Granted = serde_json::from_slice(&answer.start)
            .map_err(|_| self.no_token("the answer contains no access_token; check mail.smtp.oauth.token_url"))?;
        if !is_token(granted.access_token.expose()) {
            return Err(self.no_token("the answer contains an access_token that no mail server accepts"));
        }
        if let (Some(newer), Some(known)) = (granted.refresh_token, &refresh_token)
            && newer != *known
        {
            self.keep_refresh_token(kept, newer);
        }
        let life = granted.expires_in.map_or(UNKNOWN_LIFE, |seconds| seconds.duration());
        let used_for = life.checked_sub(BEFORE_THE_END).unwrap_or_default().max(life / 2);
        tracing::info!(
            host = self.url.host(),
            "a new access token for the mail server was fetched"
        );
        Ok(KeptToken {
            token: granted.access_token,
            until: asked_at.checked_add(used_for).unwrap_or(asked_at),
        })
    }

    fn request(&self, refresh_token: Option<&Secret>) -> String {
        let mut form = Serializer::new(String::new());
        match refresh_token {
            Some(token) => {
                form.append_pair("grant_type", "refresh_token");
                form.append_pair("refresh_token", token.expose());
            }
            None => {
                form.append_pair("grant_type", "client_credentials");
            }
        }
        form.append_pair("client_id", &self.settings.client_id);
        if let Some(secret) = &self.settings.client_secret {
            form.append_pair("client_secret", secret.expose());
        }
        if let Some(scope) = &self.settings.scope {
            form.append_pair("scope", scope);
        }
        form.finish()
    }

    fn refresh_token(&self, kept: &Kept) -> Result<Option<Secret>, String> {
        if let Some(newer) = &kept.newer_refresh_token {
            return Ok(Some(newer.clone()));
        }
        match &self.settings.refresh_token {
            None => Ok(None),
            Some(RefreshToken::Text(token)) => Ok(Some(token.clone())),
            Some(RefreshToken::File(path)) => match std::fs::read_to_string(path) {
                Ok(text) => Ok(Some(Secret::new(text.trim()))),
                Err(error) => Err(format!(
                    "mail.smtp.oauth.refresh_token_file ({}) cannot be read: {error}",
                    path.display()
                )),
            },
        }
    }

    /// Some providers answer with a newer refresh token, and the earlier one ends some weeks later.
    fn keep_refresh_token(&self, kept: &mut Kept, newer: Secret) {
        let written = match &self.settings.refresh_token {
            Some(RefreshToken::File(path)) => write_secret(path, &newer),
            _ => Err(std::io::Error::other("mail.smtp.oauth.refresh_token_file is not set")),
        };
        kept.newer_refresh_token = match written {
            Ok(()) => None,
            Err(error) => {
                tracing::warn!(
                    %error,
                    "the newer refresh token for the mail server is kept in memory only; the earlier one ends some time"
                );
                Some(newer)
            }
        };
    }

    fn no_token(&self, reason: &str) -> String {
        format!("{} gave no access token: {reason}", self.url.host())
    }

    /// Why the endpoint refused, in our words and its own.
    fn refused(&self, answer: &Answer, refresh_token: Option<&Secret>) -> String {
        let refused: Refused = serde_json::from_slice(&answer.start).unwrap_or_default();
        let secrets = [self.settings.client_secret.as_ref(), refresh_token];
        let known = secrets.into_iter().flatten().map(Secret::expose);
        let said = without_secrets(&refused.error_description, known);
        let advice = match refused.error.as_str() {
            "invalid_client" => {
                "it does not accept mail.smtp.oauth.client_id with this client secret; client secrets expire, so create a new one"
            }
            "invalid_grant" => {
                "it no longer accepts the refresh token; give the consent again, and replace mail.smtp.oauth.refresh_token"
            }
            "unauthorized_client" | "unsupported_grant_type" => {
                "the app registration does not allow this; check its permissions, and whether a refresh token is needed"
            }
            "invalid_scope" => "it does not know mail.smtp.oauth.scope",
            "" => "that is not the answer of a token endpoint; check mail.smtp.oauth.token_url",
            _ => "it refused",
        };
        let code = match refused.error.as_str() {
            "" => format!("HTTP {}", answer.status),
            error => excerpt(error),
        };
        if said.is_empty() {
            format!("{advice} ({code})")
        } else {
            format!("{advice} ({code}: {said})")
        }
    }
}

impl Seconds {
    fn duration(&self) -> SignedDuration {
        let seconds = match self {
            Seconds::Number(number) => *number,
            Seconds::Text(text) => text.trim().parse().unwrap_or(UNKNOWN_LIFE.as_secs_f64()),
        };
        // At most a day: longer ones gain nothing.
        SignedDuration::try_from_secs_f64(seconds.clamp(0.0, 86_400.0)).unwrap_or(UNKNOWN_LIFE)
    }
}

/// The characters of a bearer token (RFC 6750, 2.1). Others could end the line in which it is sent.
fn is_token(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    (1..=LONGEST_TOKEN).contains(&text.len()) && text.bytes().all(is_allowed)
}

pub(super) fn is_this_machine(host: &str) -> bool {
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || literal
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// What the endpoint says, without the secrets that we sent to it.
fn without_secrets<'s>(words: &str, secrets: impl Iterator<Item = &'s str>) -> String {
    let mut words = words.to_owned();
    for secret in secrets.filter(|secret| !secret.is_empty()) {
        words = words.replace(secret, "…");
    }
    excerpt(&words)
}

/// The beginning of another server's words, in one line.
pub(super) fn excerpt(words: &str) -> String {
    let line: String = words
        .chars()
        .map(|character| if character.is_control() { ' ' } else { character })
        .take(LONGEST_WORDS)
        .collect();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Replaces the file, so a reader finds the earlier or the newer token.
fn write_secret(path: &std::path::Path, secret: &Secret) -> std::io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let beside = path.with_file_name(name);
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&beside)?;
    file.write_all(secret.expose().as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&beside, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_contains_nothing_that_ends_its_line() {
        for good in ["ya29.a0-_~+/==", "eyJ0eXAi.eyJhdWQi.c2ln"] {
            assert!(is_token(good), "{good}");
        }
        for bad in ["", "a b", "a\r\nQUIT", "a\u{1}", "é", &"a".repeat(LONGEST_TOKEN + 1)] {
            assert!(!is_token(bad), "{bad}");
        }
    }

    #[test]
    fn secrets_are_not_repeated_and_words_are_one_short_line() {
        let said = without_secrets("secret s3cret\r\nis wrong, s3cret", ["s3cret", ""].into_iter());
        assert_eq!(said, "secret … is wrong, …");
        assert_eq!(excerpt(&"a".repeat(1_000)).len(), LONGEST_WORDS);
    }

    #[test]
    fn a_life_is_a_number_or_a_text() {
        let life = |text: &str| {
            serde_json::from_str::<Seconds>(text)
                .expect("seconds")
                .duration()
                .as_secs()
        };
        assert_eq!(
            [life("3599"), life("\"3599\""), life("-5"), life("1e300")],
            [3599, 3599, 0, 86_400]
        );
        assert_eq!(life("\"soon\""), UNKNOWN_LIFE.as_secs());
    }

    #[test]
    fn only_this_machine_is_asked_without_tls() {
        for (host, is) in [
            ("127.0.0.1", true),
            ("[::1]", true),
            ("localhost", true),
            ("10.0.0.1", false),
            ("login.example.com", false),
        ] {
            assert_eq!(is_this_machine(host), is, "{host}");
        }
    }
}
