//! Connections to a mail server that accepts access tokens in place of a password: `OAUTHBEARER` (RFC 7628) if the server
//! offers it, otherwise `XOAUTH2`, which Microsoft 365 and Google understand.
//!
//! The mail library speaks `XOAUTH2`, but takes one fixed token, and cannot answer a server that explains a refusal. So
//! we open connections ourselves, with the library's commands, and keep those that are idle for a while.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::{Clock, Secret};
use lettre::Message;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::Ehlo;
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::response::Response;
use serde::Deserialize;

use super::access_token::{AccessTokens, excerpt};

/// How long an idle connection is kept, and how many are. The library keeps its own as long, and as many.
const KEPT: Duration = Duration::from_mins(1);
const MOST_KEPT: usize = 10;

/// How the connection is protected.
pub(super) enum Protection {
    None,
    StartTls(TlsParameters),
    Tls(TlsParameters),
}

/// Sends mails over connections on which an access token logs in.
pub(super) struct Bearer {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) protection: Protection,
    pub(super) timeout: Duration,
    /// The mailbox.
    pub(super) user: String,
    pub(super) tokens: AccessTokens,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) idle: Mutex<Vec<Idle>>,
}

/// A connection that waits for the next mail, and since when.
pub(super) struct Idle {
    connection: AsyncSmtpConnection,
    since: Duration,
}

/// Why a mail was not sent.
#[derive(Debug)]
pub(super) enum BearerFault {
    /// The conversation with the mail server failed.
    Smtp(Error),
    /// There is no access token, or the mail server does not accept it; in words.
    Login { code: Option<u16>, words: String },
}

impl From<Error> for BearerFault {
    fn from(error: Error) -> Self {
        BearerFault::Smtp(error)
    }
}

/// Why a connection is not logged in.
enum Closed {
    /// The server does not accept this token.
    Refused {
        code: Option<u16>,
        words: String,
    },
    Fault(BearerFault),
}

impl From<Error> for Closed {
    fn from(error: Error) -> Self {
        Closed::Fault(error.into())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mechanism {
    OAuthBearer,
    XOAuth2,
}

/// A line that is sent as it is.
struct Line(String);

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\r\n", self.0)
    }
}

impl Bearer {
    pub(super) async fn send(&self, message: &Message) -> Result<Response, BearerFault> {
        let mut connection = self.connection().await?;
        // After a refusal, the library has closed the connection.
        let answer = connection.send(message.envelope(), &message.formatted()).await?;
        self.keep(connection);
        Ok(answer)
    }

    /// Connects and logs in.
    pub(super) async fn check(&self) -> Result<(), BearerFault> {
        let connection = self.connection().await?;
        self.keep(connection);
        Ok(())
    }

    /// An idle connection that still answers, or a new one.
    async fn connection(&self) -> Result<AsyncSmtpConnection, BearerFault> {
        while let Some(mut idle) = self.idle_one() {
            let is_young = self.clock.elapsed().saturating_sub(idle.since) < KEPT;
            if is_young && idle.connection.test_connected().await {
                return Ok(idle.connection);
            }
            idle.connection.abort().await;
        }
        let token = self.token().await?;
        match self.open(&token).await {
            Ok(connection) => Ok(connection),
            Err(Closed::Fault(fault)) => Err(fault),
            // The provider may have ended the token early, for example after a change of the account.
            Err(Closed::Refused { .. }) => {
                self.tokens.forget(&token).await;
                let token = self.token().await?;
                self.open(&token).await.map_err(|closed| match closed {
                    Closed::Fault(fault) => fault,
                    Closed::Refused { code, words } => BearerFault::Login { code, words },
                })
            }
        }
    }

    async fn token(&self) -> Result<Secret, BearerFault> {
        let token = self.tokens.get().await;
        token.map_err(|words| BearerFault::Login { code: None, words })
    }

    fn idle_one(&self) -> Option<Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn keep(&self, connection: AsyncSmtpConnection) {
        let since = self.clock.elapsed();
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MOST_KEPT && !connection.has_broken() {
            idle.push(Idle { connection, since });
        }
    }

    async fn open(&self, token: &Secret) -> Result<AsyncSmtpConnection, Closed> {
        let hello = ClientId::default();
        let wrapped = match &self.protection {
            Protection::Tls(tls) => Some(tls.clone()),
            Protection::None | Protection::StartTls(_) => None,
        };
        let server = (self.host.as_str(), self.port);
        let timeout = Some(self.timeout);
        let mut connection = AsyncSmtpConnection::connect_tokio1(server, timeout, &hello, wrapped, None).await?;
        if let Protection::StartTls(tls) = &self.protection {
            connection.starttls(tls.clone(), &hello).await?;
        }
        let logged_in = self.log_in(&mut connection, hello, token).await;
        if logged_in.is_err() {
            connection.abort().await;
        }
        logged_in.map(|()| connection)
    }

    async fn log_in(
        &self,
        connection: &mut AsyncSmtpConnection,
        hello: ClientId,
        token: &Secret,
    ) -> Result<(), Closed> {
        // The library remembers only the mechanisms that it knows itself.
        let offered = connection.command(Ehlo::new(hello)).await?;
        let mechanism = Mechanism::offered(offered.message()).ok_or_else(|| {
            let words = format!(
                "{} offers neither OAUTHBEARER nor XOAUTH2; check mail.smtp.host and mail.smtp.tls, or use a password",
                self.host
            );
            Closed::Fault(BearerFault::Login { code: None, words })
        })?;
        let first = mechanism.first(&self.user, &self.host, self.port, token);
        let line = Line(format!("AUTH {} {}", mechanism.name(), BASE64_STANDARD.encode(first)));
        let answer = match connection.command(line).await {
            Ok(answer) if answer.has_code(334) => answer,
            Ok(_) => return Ok(()),
            Err(error) => return Err(self.refused(error, None)),
        };
        // The server explains the refusal, and refuses after our empty answer (RFC 7628, 3.2.3).
        let detail = answer.message().collect::<String>();
        match connection.command(Line(mechanism.empty_answer().to_owned())).await {
            Ok(_) => Err(Closed::Refused {
                code: Some(334),
                words: self.words("an unexpected question", Some(&detail)),
            }),
            Err(error) => Err(self.refused(error, Some(&detail))),
        }
    }

    /// A lasting refusal is about the token; all else may pass.
    fn refused(&self, error: Error, detail: Option<&str>) -> Closed {
        if !error.is_permanent() {
            return error.into();
        }
        Closed::Refused {
            code: error.status().map(u16::from),
            words: self.words(&super::words(&error), detail),
        }
    }

    fn words(&self, said: &str, detail: Option<&str>) -> String {
        let mut words = format!(
            "the mail server does not accept the access token for {}: {}",
            self.user,
            excerpt(said)
        );
        if let Some(scope) = detail.and_then(wanted_scope) {
            let _ = write!(words, "; it wants a token for the scope {scope}");
        }
        words.push_str("; check mail.smtp.user, and whether this mailbox may be used with SMTP and this app");
        words
    }
}

/// The scope that the server names in its explanation.
fn wanted_scope(detail: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Explained {
        scope: String,
    }
    let detail = BASE64_STANDARD.decode(detail.trim()).ok()?;
    let explained: Explained = serde_json::from_slice(&detail).ok()?;
    Some(excerpt(&explained.scope)).filter(|scope| !scope.is_empty())
}

impl Mechanism {
    /// What a server offers in the lines of its answer to `EHLO`.
    fn offered<'l>(lines: impl Iterator<Item = &'l str>) -> Option<Mechanism> {
        let offered: Vec<&str> = lines
            .filter_map(|line| {
                let (keyword, rest) = line.split_once([' ', '='])?;
                keyword.eq_ignore_ascii_case("AUTH").then_some(rest)
            })
            .flat_map(str::split_whitespace)
            .collect();
        let known = [Mechanism::OAuthBearer, Mechanism::XOAuth2];
        known
            .into_iter()
            .find(|known| offered.iter().any(|name| name.eq_ignore_ascii_case(known.name())))
    }

    const fn name(self) -> &'static str {
        match self {
            Mechanism::OAuthBearer => "OAUTHBEARER",
            Mechanism::XOAuth2 => "XOAUTH2",
        }
    }

    /// The client's first message.
    fn first(self, user: &str, host: &str, port: u16, token: &Secret) -> String {
        let token = token.expose();
        match self {
            Mechanism::OAuthBearer => {
                // In a name of SASL, these two characters are written as codes (RFC 5801, 4).
                let user = user.replace('=', "=3D").replace(',', "=2C");
                format!("n,a={user},\u{1}host={host}\u{1}port={port}\u{1}auth=Bearer {token}\u{1}\u{1}")
            }
            Mechanism::XOAuth2 => format!("user={user}\u{1}auth=Bearer {token}\u{1}\u{1}"),
        }
    }

    /// The answer to the server's explanation of a refusal.
    const fn empty_answer(self) -> &'static str {
        match self {
            // One byte of value 1.
            Mechanism::OAuthBearer => "AQ==",
            Mechanism::XOAuth2 => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_mechanism_comes_before_the_older_one() {
        for (lines, expected) in [
            (vec!["mx.example.com", "AUTH LOGIN XOAUTH2"], Some(Mechanism::XOAuth2)),
            (vec!["AUTH PLAIN XOAUTH2 OAUTHBEARER"], Some(Mechanism::OAuthBearer)),
            (vec!["auth=xoauth2"], Some(Mechanism::XOAuth2)),
            (vec!["AUTH PLAIN LOGIN", "XOAUTH2 AUTHOR"], None),
            (vec![], None),
        ] {
            assert_eq!(Mechanism::offered(lines.iter().copied()), expected, "{lines:?}");
        }
    }

    #[test]
    fn a_name_is_written_as_each_mechanism_wants_it() {
        let token = Secret::new("t0ken");
        assert_eq!(
            Mechanism::XOAuth2.first("a=b,c@example.com", "mx", 587, &token),
            "user=a=b,c@example.com\u{1}auth=Bearer t0ken\u{1}\u{1}"
        );
        assert_eq!(
            Mechanism::OAuthBearer.first("a=b,c@example.com", "mx", 587, &token),
            "n,a=a=3Db=2Cc@example.com,\u{1}host=mx\u{1}port=587\u{1}auth=Bearer t0ken\u{1}\u{1}"
        );
    }

    #[test]
    fn the_scope_of_an_explanation_is_read() {
        let explained = BASE64_STANDARD.encode(r#"{"status":"400","scope":"https://mail.google.com/"}"#);
        assert_eq!(wanted_scope(&explained).as_deref(), Some("https://mail.google.com/"));
        for nothing in ["", "%", "e30="] {
            assert_eq!(wanted_scope(nothing), None);
        }
    }
}
