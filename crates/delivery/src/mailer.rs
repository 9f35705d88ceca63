//! One try to send a mail through the operator's SMTP server.
//!
//! The Message-ID is derived from the event's ID, so a server or mailbox that receives a mail twice (because the
//! response to the first try was lost) can recognise it. We pass sender, recipient and subject to the mail library as
//! values, which it encodes, so no text that a person wrote can start a new header line.

mod access_token;
mod bearer;

use std::str::FromStr;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, SystemTime};

use app::mail::{LOGO_ID, OutgoingMail};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::Secret;
use jiff::Timestamp;
use lettre::address::{AddressError, Envelope};
use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue};
use lettre::message::{Attachment, Mailbox, MultiPart, MultiPartKind, SinglePart};
use lettre::transport::smtp::AsyncSmtpTransportBuilder;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::transport::smtp::response::Response;
use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::mailer::access_token::AccessTokens;
use crate::mailer::bearer::{Bearer, BearerFault, Protection};
use crate::tls_fault::tls_fault;

pub use access_token::{OAuthSettings, RefreshToken, TokenUrlFault};

/// We write a name without encoding if its header fits on one line of this many characters (RFC 5322, 2.1.1).
const LINE: usize = 78;
/// The default time limit for sending one mail. It is shorter than the margin of any lease.
pub const LONGEST_SENDING: Duration = Duration::from_secs(40);
/// Time limit of a connection check, for which an operator waits.
const LONGEST_CHECK: Duration = Duration::from_secs(15);

/// How the connection to the mail server is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailTls {
    /// No protection, for a server on the same machine or network.
    None,
    /// Starts without protection and switches with STARTTLS, which the server must support.
    StartTls,
    /// TLS from the first byte.
    Tls,
}

/// How we log in to the mail server.
#[derive(Clone)]
pub enum MailLogin {
    Password(Secret),
    /// With access tokens, as Microsoft 365 and Google require.
    OAuth(OAuthSettings),
}

#[derive(Clone)]
pub struct MailSettings {
    pub host: String,
    pub port: u16,
    pub tls: MailTls,
    /// The user, and how they log in.
    pub login: Option<(String, MailLogin)>,
    pub from: String,
    pub timeout: Duration,
    /// Time limit for one mail in total, at most [`LONGEST_SENDING`]. The library does not limit single commands.
    pub longest: Duration,
}

impl std::fmt::Debug for MailSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MailSettings")
            .field("host", &self.host)
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum MailSettingsFault {
    #[error("not a valid mail address: {0}")]
    From(AddressError),
    /// The host name cannot be used for TLS.
    #[error("TLS cannot be used with this host name: {0}")]
    Tls(lettre::transport::smtp::Error),
    #[error("{0}")]
    TokenUrl(TokenUrlFault),
    #[error(
        "an access token is as good as a password, so the connection must be protected: use \"starttls\" or \"tls\""
    )]
    PlainToken,
}

#[derive(Debug, thiserror::Error)]
#[error("{words}")]
pub struct MailFault {
    /// The server's reply code, if it responded.
    pub code: Option<u16>,
    /// Whether the server will never accept this mail.
    pub is_permanent: bool,
    /// The server's response, or the reason why we could not reach it.
    pub words: String,
}

/// Sends mails. Cheap to clone. Clones share their connections.
#[derive(Clone)]
pub struct Mailer {
    transport: Transport,
    from: Address,
    longest: Duration,
}

#[derive(Clone)]
enum Transport {
    Library(Arc<Pool>),
    Bearer(Arc<Bearer>),
}

impl Transport {
    async fn send(&self, message: Message) -> Result<Response, BearerFault> {
        match self {
            Transport::Library(pool) => Ok(pool.transport().send(message).await?),
            Transport::Bearer(bearer) => bearer.send(&message).await,
        }
    }

    async fn check(&self) -> Result<(), MailFault> {
        let is_open = match self {
            Transport::Library(pool) => pool.transport().test_connection().await.map_err(BearerFault::from),
            Transport::Bearer(bearer) => bearer.check().await.map(|()| true),
        };
        if is_open.map_err(|fault| fault.into_mail_fault(false))? {
            return Ok(());
        }
        Err(MailFault {
            code: None,
            is_permanent: false,
            words: "the mail server closed the connection".to_owned(),
        })
    }
}

impl BearerFault {
    fn into_mail_fault(self, is_permanent: bool) -> MailFault {
        match self {
            BearerFault::Smtp(error) => MailFault {
                code: error.status().map(u16::from),
                is_permanent,
                words: words(&error),
            },
            BearerFault::Login { code, words } => MailFault {
                code,
                is_permanent: false,
                words,
            },
        }
    }
}

/// The library's connection pool, which may be created and dropped only inside a Tokio runtime.
struct Pool {
    builder: AsyncSmtpTransportBuilder,
    transport: OnceLock<AsyncSmtpTransport<Tokio1Executor>>,
}

impl Pool {
    fn transport(&self) -> &AsyncSmtpTransport<Tokio1Executor> {
        self.transport.get_or_init(|| self.builder.clone().build())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if Handle::try_current().is_err() {
            // The process is about to end, which closes the connections.
            std::mem::forget(self.transport.take());
        }
    }
}

impl Mailer {
    /// Creates a mailer. It connects when the first mail is sent.
    pub fn new(settings: &MailSettings) -> Result<Mailer, MailSettingsFault> {
        let from = Address::from_str(&settings.from).map_err(MailSettingsFault::From)?;
        let tls = || TlsParameters::new(settings.host.clone()).map_err(MailSettingsFault::Tls);
        let protection = match settings.tls {
            MailTls::None => Protection::None,
            MailTls::StartTls => Protection::StartTls(tls()?),
            MailTls::Tls => Protection::Tls(tls()?),
        };
        let transport = match &settings.login {
            Some((user, MailLogin::OAuth(oauth))) => {
                Transport::Bearer(Arc::new(bearer_of(settings, protection, user, oauth)?))
            }
            Some((user, MailLogin::Password(password))) => {
                Transport::Library(Arc::new(pool_of(settings, protection, Some((user, password)))))
            }
            None => Transport::Library(Arc::new(pool_of(settings, protection, None))),
        };
        Ok(Mailer {
            transport,
            from,
            longest: settings.longest.min(LONGEST_SENDING),
        })
    }

    /// Checks whether mails can be sent at the moment: connects, greets, and logs in if a user is set. Sends no mail.
    pub async fn check(&self) -> Result<(), MailFault> {
        match timeout(LONGEST_CHECK, self.transport.check()).await {
            Ok(checked) => checked,
            Err(_) => Err(MailFault {
                code: None,
                is_permanent: false,
                words: format!("the mail server did not answer within {} s", LONGEST_CHECK.as_secs()),
            }),
        }
    }

    /// Sends a mail and returns the server's response. `logo` is the PNG that the mail shows, if any.
    pub async fn send(
        &self,
        mail: &OutgoingMail,
        logo: Option<Vec<u8>>,
        event_id: &str,
        at: Timestamp,
    ) -> Result<String, MailFault> {
        let message = self.message(mail, logo, event_id, at)?;
        let sent = timeout(self.longest, self.transport.send(message))
            .await
            .map_err(|_| MailFault {
                code: None,
                is_permanent: false,
                words: format!("the mail server did not finish within {} s", self.longest.as_secs_f32()),
            })?;
        let answer = sent.map_err(|fault| {
            // The library itself refuses an address that needs SMTPUTF8 (RFC 6531) if the server does not support it.
            let is_permanent = matches!(&fault, BearerFault::Smtp(error)
                if (error.is_permanent() && is_about_the_mail(error)) || (error.is_client() && !mail.to.is_ascii()));
            fault.into_mail_fault(is_permanent)
        })?;
        Ok(answer.message().collect::<Vec<_>>().join(" "))
    }

    fn message(
        &self,
        mail: &OutgoingMail,
        logo: Option<Vec<u8>>,
        event_id: &str,
        at: Timestamp,
    ) -> Result<Message, MailFault> {
        // A mail that cannot be encoded now never can be.
        let unusable = |words: String| MailFault {
            code: None,
            is_permanent: true,
            words,
        };
        let to = addressee(&mail.to).map_err(|reason| unusable(format!("{:?}: {reason}", mail.to)))?;
        let reply_to = mail.reply_to.as_deref().map(addressee).transpose();
        let reply_to = reply_to.map_err(|reason| unusable(format!("{:?}: {reason}", mail.reply_to)))?;
        let text = SinglePart::plain(mail.text.clone());
        // The boundaries are fixed, so that every try sends the same bytes.
        let parts = MultiPart::builder()
            .kind(MultiPartKind::Alternative)
            .boundary(format!("={event_id}="));
        let body = match &mail.html {
            Some(html) => {
                let (parts, html) = (parts.singlepart(text), SinglePart::html(html.clone()));
                match logo {
                    // The picture is part of the mail (RFC 2387), so that showing it downloads nothing.
                    Some(png) => parts.multipart(
                        MultiPart::builder()
                            .kind(MultiPartKind::Related)
                            .boundary(format!("={event_id}-related="))
                            .singlepart(html)
                            .singlepart(inline_logo(png).map_err(unusable)?),
                    ),
                    None => parts.singlepart(html),
                }
            }
            None => parts.singlepart(text),
        };
        let mut builder = Message::builder();
        if let Some(address) = reply_to {
            builder = builder.reply_to(Mailbox::new(None, address));
        }
        let (from, addressee) = (Mailbox::new(None, self.from.clone()), Mailbox::new(None, to.clone()));
        // Set explicitly, because the library loses a quoted local part when it parses the header it wrote.
        let envelope =
            Envelope::new(Some(self.from.clone()), vec![to.clone()]).map_err(|error| unusable(error.to_string()))?;
        let mut message = builder
            .envelope(envelope)
            .message_id(Some(format!("<{event_id}@{}>", self.from.domain())))
            .date(system_time(at))
            .from(from)
            .to(addressee)
            .header(WrittenSubject(mail.subject.clone()))
            .header(AutoSubmitted)
            .multipart(body)
            .map_err(|error| unusable(error.to_string()))?;
        // The library writes some names in a form that RFC 5322, 4.1 allows only for reading.
        for (header, name, address) in [("From", &mail.from_name, &self.from), ("To", &mail.to_name, &to)] {
            message.headers_mut().insert_raw(mailbox(header, name, address));
        }
        Ok(message)
    }
}

fn pool_of(settings: &MailSettings, protection: Protection, login: Option<(&String, &Secret)>) -> Pool {
    let tls = match protection {
        Protection::None => Tls::None,
        Protection::StartTls(tls) => Tls::Required(tls),
        Protection::Tls(tls) => Tls::Wrapper(tls),
    };
    let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&settings.host)
        .port(settings.port)
        .timeout(Some(settings.timeout))
        .tls(tls);
    if let Some((user, password)) = login {
        builder = builder.credentials(Credentials::new(user.clone(), password.expose().to_owned()));
    }
    Pool {
        builder,
        transport: OnceLock::new(),
    }
}

fn bearer_of(
    settings: &MailSettings,
    protection: Protection,
    user: &str,
    oauth: &OAuthSettings,
) -> Result<Bearer, MailSettingsFault> {
    if matches!(protection, Protection::None) && !access_token::is_this_machine(&settings.host) {
        return Err(MailSettingsFault::PlainToken);
    }
    Ok(Bearer {
        host: settings.host.clone(),
        port: settings.port,
        protection,
        timeout: settings.timeout,
        user: user.to_owned(),
        clock: Arc::clone(&oauth.clock),
        tokens: AccessTokens::new(oauth.clone()).map_err(MailSettingsFault::TokenUrl)?,
        idle: Mutex::default(),
    })
}

fn inline_logo(png: Vec<u8>) -> Result<SinglePart, String> {
    let media_type = ContentType::parse("image/png").map_err(|error| error.to_string())?;
    Ok(Attachment::new_inline_with_name(LOGO_ID.to_owned(), "logo.png".to_owned()).body(png, media_type))
}

/// The address in the form that every server accepts, with its domain in DNS letters (RFC 5891). A local part in other
/// letters is kept, because only its own server knows another spelling.
fn addressee(address: &str) -> Result<Address, String> {
    let (local, domain) = address.rsplit_once('@').ok_or("no @")?;
    let domain = domain::contact::dns_domain(domain).ok_or("the domain is not valid")?;
    Address::new(local, domain).map_err(|error| error.to_string())
}

fn system_time(at: Timestamp) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_micros(u64::try_from(at.as_microsecond()).unwrap_or(0))
}

/// A header with one mailbox (RFC 5322, 3.4). The name is plain words, quoted if it contains special characters, or
/// encoded words if it contains other letters, looks like an encoded word, or is long.
fn mailbox(header: &'static str, name: &str, address: &Address) -> HeaderValue {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c);
    let is_printable = name.chars().all(|c| matches!(c, ' '..='~'));
    let quoted = format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
    let fits = format!("{header}: {quoted} <{address}>").len() <= LINE;
    let phrase = if name.is_empty() {
        String::new()
    } else if !is_printable || name.contains("=?") || !fits {
        // The address gets its own line, because the last word may fill the previous one.
        format!("{}\r\n ", encoded_words(name))
    } else if name
        .split(' ')
        .all(|word| !word.is_empty() && word.chars().all(is_word))
    {
        format!("{name} ")
    } else {
        format!("{quoted} ")
    };
    let raw = format!("{name} <{address}>");
    HeaderValue::dangerous_new_pre_encoded(
        HeaderName::new_from_ascii_str(header),
        raw,
        format!("{phrase}<{address}>"),
    )
}

/// Whether a refusal is about the recipient or the mail itself. The operator can fix the causes of all other 5yz codes
/// (a changed password, a sender address or route the server does not allow, a service that is shut down), and the
/// server then accepts the same mail, so we retry those. The server's enhanced code decides (RFC 3463 3.2, 3.3, 3.7),
/// otherwise the basic code (RFC 5321 4.2.3).
fn is_about_the_mail(error: &lettre::transport::smtp::Error) -> bool {
    let words = words(error);
    let class = words.split_whitespace().find_map(|word| {
        let mut numbers = word.trim_matches(|c: char| !c.is_ascii_digit()).split('.');
        let [class, subject, detail] = [numbers.next()?, numbers.next()?, numbers.next()?];
        let parsed = (subject.parse::<u16>().ok()?, detail.parse::<u16>().ok()?);
        (class == "5" && numbers.next().is_none()).then_some(parsed)
    });
    match class {
        // 5.1.7 and 5.1.8 are about the sender's address.
        Some((1, detail)) => !matches!(detail, 7 | 8),
        Some((subject, _)) => matches!(subject, 2 | 6),
        None => error
            .status()
            .is_some_and(|code| (550..=553).contains(&u16::from(code))),
    }
}

/// Returns the library's message followed by its causes, which include the server's response.
fn words(error: &lettre::transport::smtp::Error) -> String {
    if let Some(fault) = tls_fault(error) {
        return fault.to_owned();
    }
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

/// The subject, which arrives exactly as typed: text that looks like an encoded word (RFC 2047) is encoded itself.
#[derive(Clone)]
struct WrittenSubject(String);

impl Header for WrittenSubject {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Subject")
    }

    fn parse(text: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(WrittenSubject(text.to_owned()))
    }

    fn display(&self) -> HeaderValue {
        if self.0.contains("=?") {
            HeaderValue::dangerous_new_pre_encoded(Self::name(), self.0.clone(), encoded_words(&self.0))
        } else {
            HeaderValue::new(Self::name(), self.0.clone())
        }
    }
}

/// Returns the text as encoded words of at most 75 characters, one per line (RFC 2047 2).
fn encoded_words(text: &str) -> String {
    const MOST_BYTES: usize = 36;
    let mut words: Vec<String> = Vec::new();
    let mut part = String::new();
    let mut end = |part: &mut String| {
        if !part.is_empty() {
            words.push(format!("=?utf-8?b?{}?=", BASE64_STANDARD.encode(part.as_bytes())));
            part.clear();
        }
    };
    for character in text.chars() {
        if part.len() + character.len_utf8() > MOST_BYTES {
            end(&mut part);
        }
        part.push(character);
    }
    end(&mut part);
    words.join("\r\n ")
}

/// The header that prevents out-of-office replies (RFC 3834).
#[derive(Clone)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(AutoSubmitted)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    use lettre::message::header::Headers;
    use mail_parser::MessageParser;
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::{Config, TestRunner};

    use super::*;

    /// Parses headers, passed as lines of JSON, with Python's e-mail package, which reports every defect it tolerates.
    const JUDGE: &str = "
import email.parser, email.policy, json, sys
for line in sys.stdin:
    message = email.parser.Parser(policy=email.policy.default).parsestr(json.loads(line) + '\\r\\n')
    to = message['To']
    [address] = to.addresses
    faults = [str(fault) for fault in (*to.defects, *message.defects)]
    print(json.dumps([address.display_name, address.addr_spec, faults]))
";

    fn names() -> Vec<String> {
        let piece = prop_oneof![
            "[a-zA-Z]{1,12}",
            "[ .,;:<>()@\\[\\]\"\\\\'=?_-]{1,4}",
            "[ -~]{1,40}",
            "\\PC{1,20}",
            "[가-힣]{2,30}",
            Just("=?utf-8?b?".to_owned()),
        ];
        let name = proptest::collection::vec(piece, 1..5).prop_map(|pieces| {
            let words: Vec<_> = pieces.concat().split_whitespace().map(str::to_owned).collect();
            words.join(" ")
        });
        let mut runner = TestRunner::new(Config::with_cases(300));
        let mut names: Vec<String> = (0..300)
            .map(|_| name.new_tree(&mut runner).expect("a name").current())
            .filter(|name| !name.is_empty())
            .collect();
        for known in [
            ".",
            "..",
            "a.b",
            "J.R. Lee",
            "Kim, Minjun",
            "O'Neil",
            "\\",
            "\"",
            "(a)",
            "=?",
            "김.민준",
        ] {
            names.push(known.to_owned());
        }
        names.push("long ".repeat(19) + "name");
        names
    }

    #[test]
    fn a_mail_names_people_whatever_they_are_called() {
        let address = Address::new("u", "example.com").expect("an address");
        let names = names();
        let written: Vec<String> = names
            .iter()
            .map(|name| {
                let mut headers = Headers::new();
                headers.insert_raw(mailbox("To", name, &address));
                headers.to_string()
            })
            .collect();
        for (name, header) in names.iter().zip(&written) {
            assert!(
                header.is_ascii() && header.split("\r\n").all(|line| line.len() <= 78),
                "{header}"
            );
            let message = MessageParser::default().parse(header.as_bytes()).expect("a message");
            let to = message.to().and_then(|to| to.first()).expect("an addressee");
            assert_eq!(
                (to.name(), to.address()),
                (Some(name.as_str()), Some("u@example.com")),
                "{header}"
            );
        }
        let python = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools/venv/bin/python");
        let mut judge = Command::new(python)
            .args(["-c", JUDGE])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python is there (script/bootstrap --tests)");
        let asked: Vec<String> = written
            .iter()
            .map(|header| serde_json::to_string(header).expect("text"))
            .collect();
        let mut input = judge.stdin.take().expect("its input");
        // Reads and writes at the same time, so that neither blocks on the other's pipe.
        let writer = std::thread::spawn(move || input.write_all((asked.join("\n") + "\n").as_bytes()));
        let output = judge.wait_with_output().expect("answers");
        writer.join().expect("no panic").expect("written");
        assert!(output.status.success(), "the judge failed");
        let answers = String::from_utf8(output.stdout).expect("text");
        assert_eq!(answers.lines().count(), names.len());
        for ((name, header), answer) in names.iter().zip(&written).zip(answers.lines()) {
            let (read, address, faults): (String, String, Vec<String>) =
                serde_json::from_str(answer).expect("an answer");
            // Python keeps the blank between encoded words, which is not part of the text (RFC 2047, 6.2; Python issue
            // 92081).
            let without_blanks = |text: &str| text.replace(' ', "");
            let same = if header.matches("=?utf-8?b?").count() > 1 {
                without_blanks(&read) == without_blanks(name)
            } else {
                read == *name
            };
            assert!(same && address == "u@example.com", "{header}: {read:?}, {address:?}");
            assert!(faults.is_empty(), "{header}: {faults:?}");
        }
    }
}
