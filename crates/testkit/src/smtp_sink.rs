//! A small SMTP server that stores the mails it receives, and refuses or disconnects when a test asks for it.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SunkMail {
    pub from: String,
    pub to: Vec<String>,
    /// Head and body as received, with CR LF line ends and dots unstuffed.
    pub data: String,
}

impl SunkMail {
    /// Returns the head's lines, unfolded.
    pub fn headers(&self) -> Vec<String> {
        let head = self.data.split("\r\n\r\n").next().unwrap_or_default();
        let mut lines: Vec<String> = Vec::new();
        for line in head.split("\r\n") {
            match lines.last_mut() {
                Some(last) if line.starts_with([' ', '\t']) => last.push_str(line),
                _ => lines.push(line.to_owned()),
            }
        }
        lines
    }

    pub fn header(&self, name: &str) -> Option<String> {
        self.headers().iter().find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    }
}

/// A failure at one delivery instead of accepting the mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// Answers a new connection with this instead of the greeting: `554 no service here`.
    AtGreeting(String),
    /// Answers the recipient's address with this: `451 try later`, `550 no such user`.
    AtRecipient(String),
    /// Answers the complete mail with this.
    AfterData(String),
    /// Stores the mail, and closes the connection before the answer.
    DropAfterData,
    /// Answers the sender's address with this: `421 closing`, which ends the connection.
    AtSender(String),
    /// Does not answer the recipient's address until the client disconnects.
    Stall,
    /// Does not answer the recipient's address, and closes the connection.
    HangUp,
}

/// What a server that accepts access tokens offers, and which token it accepts.
#[derive(Debug, Clone)]
pub struct TokenLogin {
    /// As in its answer to `EHLO`: `PLAIN XOAUTH2`.
    pub mechanisms: &'static str,
    pub user: &'static str,
    /// Explains a refusal first, as RFC 7628 describes and Google does. Microsoft refuses at once.
    pub explains: bool,
}

/// A login with an access token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    pub mechanism: String,
    pub token: String,
    pub accepted: bool,
}

/// How long a test waits for something that should take a moment. Only a hang takes this long.
const PATIENCE: Duration = Duration::from_mins(2);

struct Shared {
    mails: Mutex<Vec<SunkMail>>,
    came: Condvar,
    stalled: Mutex<usize>,
    stalls: Condvar,
    troubles: Mutex<VecDeque<Trouble>>,
    closed: AtomicBool,
    down: AtomicBool,
    utf8: bool,
    token_login: Option<TokenLogin>,
    accepted: Mutex<Vec<String>>,
    logins: Mutex<Vec<Login>>,
}

impl Shared {
    fn keep(&self, mail: SunkMail) {
        self.mails.lock().expect("no panic while locked").push(mail);
        self.came.notify_all();
    }
}

pub struct SmtpSink {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl SmtpSink {
    pub fn start() -> SmtpSink {
        SmtpSink::started(true, None)
    }

    /// Starts a server without SMTPUTF8 (RFC 6531), which only accepts ASCII addresses.
    pub fn start_without_utf8() -> SmtpSink {
        SmtpSink::started(false, None)
    }

    /// Takes mails only after a login with an access token that [`SmtpSink::accept`] names.
    pub fn start_with_tokens(login: TokenLogin) -> SmtpSink {
        SmtpSink::started(true, Some(login))
    }

    /// From now on, these tokens are accepted, and no others.
    pub fn accept(&self, tokens: &[&str]) {
        let tokens = tokens.iter().map(|token| (*token).to_owned()).collect();
        *self.shared.accepted.lock().expect("no panic while locked") = tokens;
    }

    /// The logins so far.
    pub fn logins(&self) -> Vec<Login> {
        self.shared.logins.lock().expect("no panic while locked").clone()
    }

    fn started(utf8: bool, token_login: Option<TokenLogin>) -> SmtpSink {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("a bound socket has an address");
        let shared = Arc::new(Shared {
            mails: Mutex::default(),
            came: Condvar::new(),
            stalled: Mutex::default(),
            stalls: Condvar::new(),
            troubles: Mutex::default(),
            closed: AtomicBool::new(false),
            down: AtomicBool::new(false),
            utf8,
            token_login,
            accepted: Mutex::default(),
            logins: Mutex::default(),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if accepting.closed.load(Ordering::SeqCst) {
                    break;
                }
                let Ok(stream) = stream else { continue };
                if accepting.down.load(Ordering::SeqCst) {
                    continue;
                }
                let shared = Arc::clone(&accepting);
                thread::spawn(move || serve(&shared, &stream));
            }
        });
        SmtpSink { address, shared }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Causes these failures at the next deliveries, one each. Later mails are accepted.
    pub fn trouble_next(&self, troubles: impl IntoIterator<Item = Trouble>) {
        self.shared
            .troubles
            .lock()
            .expect("no panic while locked")
            .extend(troubles);
    }

    /// Sets whether the server is down. Connections then end before the greeting.
    pub fn set_down(&self, down: bool) {
        self.shared.down.store(down, Ordering::SeqCst);
    }

    /// Waits for `count` mails and returns them.
    pub fn wait_for(&self, count: usize) -> Vec<SunkMail> {
        let mails = self.shared.mails.lock().expect("no panic while locked");
        let (mails, _) = self
            .shared
            .came
            .wait_timeout_while(mails, PATIENCE, |mails| mails.len() < count)
            .expect("no panic while locked");
        assert!(mails.len() >= count, "{} of {count} mails came", mails.len());
        mails.clone()
    }

    /// Waits until `count` deliveries have stalled.
    pub fn wait_for_stalled(&self, count: usize) {
        let stalled = self.shared.stalled.lock().expect("no panic while locked");
        let (stalled, _) = self
            .shared
            .stalls
            .wait_timeout_while(stalled, PATIENCE, |stalled| *stalled < count)
            .expect("no panic while locked");
        assert!(*stalled >= count, "{stalled} of {count} stalled");
    }

    pub fn mails(&self) -> Vec<SunkMail> {
        self.shared.mails.lock().expect("no panic while locked").clone()
    }
}

impl Drop for SmtpSink {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(shared: &Shared, stream: &TcpStream) {
    let _ = stream.set_read_timeout(Some(Duration::from_mins(1)));
    let refusal = {
        let mut troubles = shared.troubles.lock().expect("no panic while locked");
        troubles.pop_front_if(|trouble| matches!(trouble, Trouble::AtGreeting(_)))
    };
    let mut session = Session {
        shared,
        writer: stream,
        reader: BufReader::new(stream),
        from: String::new(),
        to: Vec::new(),
        trouble: None,
        is_logged_in: shared.token_login.is_none(),
    };
    if let Some(Trouble::AtGreeting(answer)) = refusal {
        session.say(&answer);
        return;
    }
    let mut goes_on = session.say("220 sink ESMTP");
    while goes_on {
        let mut line = String::new();
        goes_on =
            matches!(session.reader.read_line(&mut line), Ok(read) if read > 0) && session.answer(line.trim_end());
    }
}

/// One connection. Its methods return whether it continues.
struct Session<'s> {
    shared: &'s Shared,
    writer: &'s TcpStream,
    reader: BufReader<&'s TcpStream>,
    from: String,
    to: Vec<String>,
    trouble: Option<Trouble>,
    is_logged_in: bool,
}

impl Session<'_> {
    fn say(&mut self, line: &str) -> bool {
        self.writer.write_all(format!("{line}\r\n").as_bytes()).is_ok()
    }

    fn answer(&mut self, line: &str) -> bool {
        let word = line.get(..4).unwrap_or(line).to_ascii_uppercase();
        match word.as_str() {
            "EHLO" => {
                let last = if self.shared.utf8 { "250 SMTPUTF8" } else { "250 HELP" };
                let login = self.shared.token_login.as_ref();
                let offered = login.map(|login| format!("250-AUTH {}", login.mechanisms));
                self.say("250-sink")
                    && offered.is_none_or(|offered| self.say(&offered))
                    && self.say("250-8BITMIME")
                    && self.say(last)
            }
            "HELO" | "NOOP" => self.say("250 sink"),
            "RSET" => self.say("250 forgotten"),
            "AUTH" => self.log_in(line),
            "MAIL" if !self.is_logged_in => self.say("530 5.7.57 Client not authenticated to send mail"),
            "MAIL" => self.sender(line),
            "RCPT" => self.recipient(line),
            "DATA" => self.data(),
            "QUIT" => {
                self.say("221 bye");
                false
            }
            _ => self.say("502 unknown"),
        }
    }

    /// Reads what RFC 7628 and Google's description of XOAUTH2 demand, and nothing else.
    fn log_in(&mut self, line: &str) -> bool {
        let Some(login) = self.shared.token_login.clone() else {
            return self.say("503 5.5.1 not offered");
        };
        let mut words = line.split(' ').skip(1);
        let (mechanism, first) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let first = BASE64_STANDARD
            .decode(first)
            .ok()
            .and_then(|first| String::from_utf8(first).ok());
        let (begins, last_answer) = match mechanism {
            "OAUTHBEARER" => (format!("n,a={},\u{1}host=127.0.0.1\u{1}port=", login.user), "AQ=="),
            _ => (format!("user={}\u{1}", login.user), ""),
        };
        let token = first.as_deref().and_then(|first| {
            let (_, token) = first.strip_prefix(&begins).and(first.split_once("\u{1}auth=Bearer "))?;
            token.strip_suffix("\u{1}\u{1}")
        });
        let is_offered = login.mechanisms.split(' ').any(|offered| offered == mechanism);
        let Some(token) = token.filter(|_| is_offered) else {
            return self.say("501 5.5.4 this is no such login");
        };
        let accepted = self.shared.accepted.lock().expect("no panic while locked");
        let accepted = accepted.iter().any(|known| known == token);
        self.shared.logins.lock().expect("no panic while locked").push(Login {
            mechanism: mechanism.to_owned(),
            token: token.to_owned(),
            accepted,
        });
        self.is_logged_in = accepted;
        if accepted {
            return self.say("235 2.7.0 accepted");
        }
        if !login.explains {
            return self.say("535 5.7.3 Authentication unsuccessful");
        }
        let explained = r#"{"status":"400","schemes":"Bearer","scope":"https://mail.example.com/"}"#;
        let mut answer = String::new();
        let is_asked = self.say(&format!("334 {}", BASE64_STANDARD.encode(explained)));
        if !is_asked || self.reader.read_line(&mut answer).is_err() {
            return false;
        }
        if answer.trim_end() != last_answer {
            return self.say("501 5.5.2 this is no empty answer");
        }
        self.say("535-5.7.8 Username and Password not accepted.") && self.say("535 5.7.8 Learn more")
    }

    fn sender(&mut self, line: &str) -> bool {
        (self.from, self.to) = (bracketed(line), Vec::new());
        self.trouble = self.shared.troubles.lock().expect("no panic while locked").pop_front();
        if let Some(Trouble::AtSender(answer)) = &self.trouble {
            let answer = answer.clone();
            self.say(&answer);
            return false;
        }
        self.say("250 sender taken")
    }

    fn recipient(&mut self, line: &str) -> bool {
        match &self.trouble {
            Some(Trouble::HangUp) => false,
            Some(Trouble::Stall) => {
                *self.shared.stalled.lock().expect("no panic while locked") += 1;
                self.shared.stalls.notify_all();
                // The next read returns at the end of the connection.
                let _ = self.reader.read_line(&mut String::new());
                false
            }
            Some(Trouble::AtRecipient(answer)) => {
                let answer = answer.clone();
                self.say(&answer)
            }
            _ => {
                self.to.push(bracketed(line));
                self.say("250 addressee taken")
            }
        }
    }

    fn data(&mut self) -> bool {
        if !self.say("354 go on") {
            return false;
        }
        let Some(data) = read_data(&mut self.reader) else {
            return false;
        };
        let mail = SunkMail {
            from: self.from.clone(),
            to: self.to.clone(),
            data,
        };
        match self.trouble.take() {
            Some(Trouble::AfterData(answer)) => self.say(&answer),
            Some(Trouble::DropAfterData) => {
                self.shared.keep(mail);
                false
            }
            _ => {
                self.shared.keep(mail);
                self.say("250 mail taken")
            }
        }
    }
}

fn bracketed(line: &str) -> String {
    line.split_once('<')
        .and_then(|(_, rest)| rest.split_once('>'))
        .map_or("", |(address, _)| address)
        .to_owned()
}

fn read_data(reader: &mut impl Read) -> Option<String> {
    let mut data = Vec::new();
    let mut byte = [0];
    while !data.ends_with(b"\r\n.\r\n") && data != b".\r\n" {
        reader.read_exact(&mut byte).ok()?;
        data.push(byte[0]);
    }
    data.truncate(data.len() - 3);
    Some(String::from_utf8_lossy(&data).replace("\r\n..", "\r\n."))
}
