//! A small SMTP server that stores the mails it gets, and refuses or breaks when a test asks for it.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SunkMail {
    pub from: String,
    pub to: Vec<String>,
    /// Head and body as they came, with CR LF line ends and dots unstuffed.
    pub data: String,
}

impl SunkMail {
    /// The head's lines, unfolded.
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

/// What happens at one delivery instead of accepting the mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// Answers a new connection with this instead of the greeting: `554 no service here`.
    AtGreeting(String),
    /// Answers the recipient with this: `451 try later`, `550 no such user`.
    AtRecipient(String),
    /// Answers the complete mail with this.
    AfterData(String),
    /// Stores the mail, and closes the connection before the answer.
    DropAfterData,
    /// Answers the sender with this: `421 closing`, which ends the connection.
    AtSender(String),
    /// Does not answer the recipient until the client goes away.
    Stall,
    /// Does not answer the recipient, and closes the connection.
    HangUp,
}

/// How long a test waits for something that takes a moment: only something that hangs takes this long.
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
        SmtpSink::started(true)
    }

    /// The same without SMTPUTF8 (RFC 6531): ASCII addresses only.
    pub fn start_without_utf8() -> SmtpSink {
        SmtpSink::started(false)
    }

    fn started(utf8: bool) -> SmtpSink {
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

    /// Causes these troubles at the next deliveries, one each; later mails are accepted.
    pub fn trouble_next(&self, troubles: impl IntoIterator<Item = Trouble>) {
        self.shared
            .troubles
            .lock()
            .expect("no panic while locked")
            .extend(troubles);
    }

    /// Sets whether it is down: connections then end before the greeting.
    pub fn set_down(&self, down: bool) {
        self.shared.down.store(down, Ordering::SeqCst);
    }

    /// Waits until `count` mails have arrived, and returns them.
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

/// One connection. Its methods return whether it goes on.
struct Session<'s> {
    shared: &'s Shared,
    writer: &'s TcpStream,
    reader: BufReader<&'s TcpStream>,
    from: String,
    to: Vec<String>,
    trouble: Option<Trouble>,
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
                self.say("250-sink") && self.say("250-8BITMIME") && self.say(last)
            }
            "HELO" | "NOOP" => self.say("250 sink"),
            "RSET" => self.say("250 forgotten"),
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
