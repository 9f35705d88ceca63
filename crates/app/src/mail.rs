//! What people are told by mail, or by a message where a telephone number stands in place of the address.
//!
//! A letter is written in the addressee's language when the reason for it happens, in the same transaction, and waits
//! encrypted in the outbox: it holds links that sign. One pair of templates (`templates/mail/letter.txt` and `.html`)
//! serves every occasion; the sentences come from `locales/<language>/mail.ftl`.
//!
//! Nothing that a person wrote reaches a header as it is: control characters become blanks here, and the mailer encodes
//! what is left. In HTML everything is escaped.

use std::sync::LazyLock;

use domain::one_time_code;
use domain::text::is_direction_control;
use domain::{CompanyId, Contact, Language, Random, UtcOffset, WorkflowId};
use jiff::Timestamp;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, escape_formatter};
use serde::{Deserialize, Serialize};
use store::outbox::{NewChannel, NewDelivery, StopReason};

use crate::error::Error;
use crate::outbox::new_event_id;
use crate::vault::{Purpose, Vault};

/// The longest subject, in characters; longer ones end in an ellipsis.
const LONGEST_SUBJECT: usize = 160;

static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut templates = Environment::new();
    templates.set_formatter(|out, state, value| match value.as_str() {
        Some(text) if *state.auto_escape() == AutoEscape::Html && !value.is_safe() => {
            Ok(out.write_str(&escaped(text))?)
        }
        _ => escape_formatter(out, state, value),
    });
    for (name, text) in [
        ("letter.txt", include_str!("../../../templates/mail/letter.txt")),
        ("letter.html", include_str!("../../../templates/mail/letter.html")),
    ] {
        // A template that does not parse is missing afterwards; the tests render both for every occasion.
        if let Err(error) = templates.add_template(name, text) {
            tracing::error!(%error, name, "a mail template cannot be read");
        }
    }
    templates
});

/// The five characters that mean something in HTML. The library's own way writes `/` as an entity as well, and not every
/// mail program finds a link in that.
fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
    html
}

/// A letter to one person.
#[derive(Debug, Clone, Copy)]
pub struct Letter<'l> {
    /// Whose workflow.
    pub company: &'l CompanyId,
    /// The company's name, as people know it.
    pub company_name: &'l str,
    /// Which workflow.
    pub workflow: Option<WorkflowId>,
    /// The workflow's name; empty where the letter is about none.
    pub document: &'l str,
    /// The addressee's name.
    pub name: &'l str,
    /// Where to.
    pub contact: &'l Contact,
    /// The addressee's language.
    pub language: Language,
    /// In which times are written.
    pub offset: UtcOffset,
    /// Why.
    pub occasion: Occasion<'l>,
}

/// Why a letter is written.
#[derive(Debug, Clone, Copy)]
pub enum Occasion<'o> {
    /// It is the writer's turn.
    Request(Request<'o>),
    /// It still is.
    Reminder(Request<'o>),
    /// The step after has given the document back; it is the writer's turn again.
    Returned {
        /// Who gave it back.
        writer: &'o str,
        /// Why, in his words.
        reason: &'o str,
        /// Until when to write.
        deadline: Timestamp,
        /// Where to write.
        sign_url: &'o str,
    },
    /// Everybody has approved.
    Completed {
        /// When.
        at: Timestamp,
        /// Where the sealed document is.
        document_url: &'o str,
        /// Where the history certificate is.
        certificate_url: &'o str,
    },
    /// A writer has declined, and it is over.
    Rejected {
        /// When.
        at: Timestamp,
        /// Who.
        writer: &'o str,
        /// Why, in his words.
        reason: &'o str,
    },
    /// The sender has withdrawn it.
    Canceled {
        /// When.
        at: Timestamp,
        /// Who.
        sender: &'o str,
        /// Why, in his words.
        reason: &'o str,
    },
    /// Its time ran out.
    Expired {
        /// When.
        at: Timestamp,
    },
    /// The writer asked for a code, to show that this address is his.
    OneTimeCode {
        /// Six digits.
        code: &'o str,
    },
    /// A webhook endpoint was stopped; this goes to the company's admins.
    EndpointStopped {
        /// When.
        at: Timestamp,
        /// Which.
        url: &'o str,
        /// Why.
        reason: StopReason,
    },
}

/// What a writer is asked.
#[derive(Debug, Clone, Copy)]
pub struct Request<'r> {
    /// Who asks: a member's name or the company's.
    pub sender: &'r str,
    /// What he says; empty where he says nothing.
    pub comment: &'r str,
    /// Whether an access code is needed.
    pub access_code: AccessCode<'r>,
    /// Until when to write.
    pub deadline: Timestamp,
    /// Where to write.
    pub sign_url: &'r str,
}

/// Whether a document opens only with an access code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessCode<'a> {
    /// It opens without.
    None,
    /// It needs one.
    Needed,
    /// It needs one, and the sender gave a hint.
    NeededWithHint(&'a str),
}

/// A letter as it waits in the outbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutgoingMail {
    /// The name that the sender shows.
    pub from_name: String,
    /// The addressee's name.
    pub to_name: String,
    /// A mail address, or a telephone number in its international form.
    pub to: String,
    /// The language it is written in.
    pub language: String,
    /// The subject; of a message, its first line.
    pub subject: String,
    /// The text.
    pub text: String,
    /// The same as HTML; mails only.
    pub html: Option<String>,
    /// The links in it.
    pub links: Vec<MailLink>,
    /// It holds a one-time code: no member of the company may see it, or it would prove nothing.
    #[serde(default)]
    pub is_secret: bool,
    /// The parts of a message; messages only.
    #[serde(default)]
    pub message: Option<MessageParts>,
}

/// The parts of a message, for gateways that fill approved templates of their own; empty where there is none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MessageParts {
    /// Why it is sent: `request`, `reminder`, `returned`, `completed`, `rejected`, `canceled`, `expired` or `code`.
    pub kind: String,
    /// The workflow's name.
    pub document: String,
    /// Who asks, or has withdrawn it.
    pub sender: String,
    /// Until when to write.
    pub deadline: String,
    /// A one-time code.
    pub code: String,
    /// For how many minutes that can be used.
    pub minutes: String,
}

/// A link of a letter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailLink {
    /// What it opens.
    pub label: String,
    /// Where.
    pub url: String,
}

impl OutgoingMail {
    /// Reads the body of a [`delivery`].
    pub fn open(sealed: &[u8], vault: &Vault) -> Result<OutgoingMail, Error> {
        let plain = vault
            .decrypt(Purpose::OutboxBody, sealed)
            .map_err(|error| Error::internal("reading a mail", error))?;
        serde_json::from_slice(&plain).map_err(|error| Error::internal("reading a mail", error))
    }
}

/// Writes a letter and encrypts it, ready to be enqueued.
pub fn delivery(vault: &Vault, random: &dyn Random, letter: &Letter<'_>, at: Timestamp) -> Result<NewDelivery, Error> {
    let mail = write(letter)?;
    let plain = serde_json::to_vec(&mail).map_err(|error| Error::internal("keeping a mail", error))?;
    Ok(NewDelivery {
        company: letter.company.clone(),
        workflow: letter.workflow,
        event_id: new_event_id(random),
        channel: match letter.contact {
            Contact::Email(_) => NewChannel::Mail,
            Contact::Phone { .. } => NewChannel::Message,
        },
        body: vault.encrypt(Purpose::OutboxBody, &plain),
        created_at: at,
    })
}

/// One labelled line.
#[derive(Serialize)]
struct Fact {
    label: String,
    value: String,
}

/// Somebody's own words.
#[derive(Serialize)]
struct Quote {
    label: String,
    lines: Vec<String>,
}

/// What the templates are filled with.
struct Content {
    /// The occasion's word in the keys.
    word: &'static str,
    paragraphs: Vec<String>,
    quote: Option<Quote>,
    facts: Vec<Fact>,
    links: Vec<MailLink>,
}

/// Writes a letter: a mail in both forms, or a short message for a telephone number.
pub fn write(letter: &Letter<'_>) -> Result<OutgoingMail, Error> {
    let say = |key: &str, arguments: &[(&str, &str)]| i18n::text(letter.language, key, arguments);
    let moment = |at| i18n::date_time(letter.language, at, letter.offset);
    let deadline = match letter.occasion {
        Occasion::Request(Request { deadline, .. })
        | Occasion::Reminder(Request { deadline, .. })
        | Occasion::Returned { deadline, .. } => moment(deadline),
        _ => String::new(),
    };
    let content = content(letter, &deadline);
    let key = |part: &str| format!("mail-{}-{part}", content.word);
    let company = one_line(letter.company_name);
    let document = one_line(letter.document);
    let name = one_line(letter.name);
    let (writer, url) = match letter.occasion {
        Occasion::Rejected { writer, .. } | Occasion::Returned { writer, .. } => (one_line(writer), ""),
        Occasion::EndpointStopped { url, .. } => (String::new(), url),
        _ => (String::new(), ""),
    };
    let code = match letter.occasion {
        Occasion::OneTimeCode { code } => code,
        _ => "",
    };
    let minutes = one_time_code::LIFE.as_mins().to_string();
    let arguments = [
        ("company", company.as_str()),
        ("document", document.as_str()),
        ("name", name.as_str()),
        ("deadline", deadline.as_str()),
        ("writer", writer.as_str()),
        ("url", url),
        ("code", code),
        ("minutes", minutes.as_str()),
    ];
    let subject = cut(&one_line(&say(&key("subject"), &arguments)));
    let mut message = None;
    let (to, text, html) = match letter.contact {
        Contact::Phone { number, .. } => {
            let mut text = say(&key("message"), &arguments);
            for link in &content.links {
                text.push('\n');
                text.push_str(&link.url);
            }
            let sender = match letter.occasion {
                Occasion::Request(request) | Occasion::Reminder(request) => request.sender,
                Occasion::Canceled { sender, .. } => sender,
                _ => "",
            };
            message = Some(MessageParts {
                kind: content.word.to_owned(),
                document: document.clone(),
                sender: one_line(sender),
                deadline: deadline.clone(),
                code: code.to_owned(),
                minutes: minutes.clone(),
            });
            (number.clone(), text, None)
        }
        Contact::Email(address) => {
            let mut footer = vec![say("mail-footer", &arguments)];
            if !content.links.is_empty() {
                // A link to sign is one person's; everybody gets the same to the finished files.
                let whose = match letter.occasion {
                    Occasion::Completed { .. } => "mail-shared",
                    _ => "mail-personal",
                };
                footer.insert(0, say(whose, &[]));
            }
            let values = minijinja::Value::from(Serde(serde_json::json!({
                "language": letter.language.code(),
                "subject": subject,
                "company": company,
                "title": say(&key("title"), &arguments),
                "greeting": say("mail-greeting", &arguments),
                "paragraphs": content.paragraphs,
                "code": code,
                "quote": content.quote,
                "facts": content.facts,
                "links": content.links,
                "link_help": say("mail-link-help", &[]),
                "footer": footer,
            })));
            (
                address.clone(),
                render("letter.txt", &values)?,
                Some(render("letter.html", &values)?),
            )
        }
    };
    Ok(OutgoingMail {
        from_name: company,
        to_name: name,
        to,
        language: letter.language.code().to_owned(),
        subject,
        text,
        html,
        links: content.links,
        is_secret: !code.is_empty(),
        message,
    })
}

fn render(template: &str, values: &minijinja::Value) -> Result<String, Error> {
    TEMPLATES
        .get_template(template)
        .and_then(|template| template.render(values))
        .map_err(|error| Error::internal("writing a mail", error))
}

fn content(letter: &Letter<'_>, deadline: &str) -> Content {
    let language = letter.language;
    let say = |key: &str, arguments: &[(&str, &str)]| i18n::text(language, key, arguments);
    let document = one_line(letter.document);
    let text = |word: &str, name: &str, value: &str| {
        say(
            &format!("mail-{word}-text"),
            &[("document", &document), (name, &one_line(value))],
        )
    };
    let fact = |key: &str, value: &str| Fact {
        label: say(key, &[]),
        value: one_line(value),
    };
    let moment = |at| fact("mail-at", &i18n::date_time(language, at, letter.offset));
    let quote = |key: &str, words: &str| {
        let lines: Vec<String> = words.lines().map(one_line).filter(|line| !line.is_empty()).collect();
        (!lines.is_empty()).then(|| Quote {
            label: say(key, &[]),
            lines,
        })
    };
    let link = |key: &str, url: &str| MailLink {
        label: say(key, &[]),
        url: url.to_owned(),
    };
    match letter.occasion {
        Occasion::Request(request) | Occasion::Reminder(request) => {
            let word = if matches!(letter.occasion, Occasion::Request(_)) {
                "request"
            } else {
                "reminder"
            };
            let mut paragraphs = vec![text(word, "sender", request.sender)];
            match request.access_code {
                AccessCode::None => {}
                AccessCode::Needed => paragraphs.push(say("mail-request-code", &[])),
                AccessCode::NeededWithHint(hint) => {
                    paragraphs.push(say("mail-request-code-hint", &[("hint", &one_line(hint))]));
                }
            }
            Content {
                word,
                paragraphs,
                quote: quote("mail-request-comment", request.comment),
                facts: vec![
                    fact("mail-document", &document),
                    fact("mail-sender", request.sender),
                    fact("mail-deadline", deadline),
                ],
                links: vec![link("mail-request-open", request.sign_url)],
            }
        }
        Occasion::Returned {
            writer,
            reason,
            sign_url,
            ..
        } => Content {
            word: "returned",
            paragraphs: vec![text("returned", "writer", writer)],
            quote: quote("mail-returned-reason", reason),
            facts: vec![fact("mail-document", &document), fact("mail-deadline", deadline)],
            links: vec![link("mail-request-open", sign_url)],
        },
        Occasion::Completed {
            at,
            document_url,
            certificate_url,
        } => Content {
            word: "completed",
            paragraphs: vec![text("completed", "name", letter.name)],
            quote: None,
            facts: vec![fact("mail-document", &document), moment(at)],
            links: vec![
                link("mail-completed-document", document_url),
                link("mail-completed-certificate", certificate_url),
            ],
        },
        Occasion::Rejected { at, writer, reason } => Content {
            word: "rejected",
            paragraphs: vec![text("rejected", "writer", writer)],
            quote: quote("mail-rejected-reason", reason),
            facts: vec![fact("mail-document", &document), moment(at)],
            links: Vec::new(),
        },
        Occasion::Canceled { at, sender, reason } => Content {
            word: "canceled",
            paragraphs: vec![text("canceled", "sender", sender)],
            quote: quote("mail-canceled-reason", reason),
            facts: vec![fact("mail-document", &document), moment(at)],
            links: Vec::new(),
        },
        Occasion::Expired { at } => Content {
            word: "expired",
            paragraphs: vec![text("expired", "name", letter.name)],
            quote: None,
            facts: vec![fact("mail-document", &document), moment(at)],
            links: Vec::new(),
        },
        Occasion::OneTimeCode { .. } => Content {
            word: "code",
            paragraphs: vec![
                text("code", "minutes", &one_time_code::LIFE.as_mins().to_string()),
                say("mail-code-secret", &[]),
            ],
            quote: None,
            facts: Vec::new(),
            links: Vec::new(),
        },
        Occasion::EndpointStopped { at, url, reason } => {
            let why = match reason {
                StopReason::Gone => "mail-stopped-gone",
                StopReason::Failing => "mail-stopped-failing",
            };
            Content {
                word: "stopped",
                paragraphs: vec![say(why, &[]), say("mail-stopped-lost", &[])],
                quote: None,
                facts: vec![fact("mail-stopped-url", url), moment(at)],
                links: Vec::new(),
            }
        }
    }
}

/// Text that a person wrote, on one line and without control characters.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let is_cut = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') || is_direction_control(c);
    for part in text.split(is_cut) {
        if !line.is_empty() && !part.is_empty() {
            line.push(' ');
        }
        line.push_str(part);
    }
    line.trim().to_owned()
}

fn cut(subject: &str) -> String {
    if subject.chars().count() <= LONGEST_SUBJECT {
        return subject.to_owned();
    }
    subject.chars().take(LONGEST_SUBJECT - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Timestamp = Timestamp::UNIX_EPOCH;

    fn request(comment: &str) -> Request<'_> {
        Request {
            sender: "김민준",
            comment,
            access_code: AccessCode::NeededWithHint("생일 <6자리>"),
            deadline: AT,
            sign_url: "https://sign.example.com/mail/sign?token=abc&lang=ko",
        }
    }

    fn occasions() -> Vec<Occasion<'static>> {
        vec![
            Occasion::Request(request("잘 부탁드립니다.\n두 번째 줄")),
            Occasion::Reminder(request("")),
            Occasion::Returned {
                writer: "山田太郎",
                reason: "日付が違います",
                deadline: AT,
                sign_url: "https://sign.example.com/mail/sign?token=def",
            },
            Occasion::Completed {
                at: AT,
                document_url: "https://sign.example.com/mail/view?token=1&lang=ko",
                certificate_url: "https://sign.example.com/mail/view?token=2&lang=ko",
            },
            Occasion::Rejected {
                at: AT,
                writer: "张伟",
                reason: "Not my contract",
            },
            Occasion::Canceled {
                at: AT,
                sender: "김민준",
                reason: "",
            },
            Occasion::Expired { at: AT },
            Occasion::OneTimeCode { code: "012345" },
            Occasion::EndpointStopped {
                at: AT,
                url: "https://hooks.example.com/a",
                reason: StopReason::Gone,
            },
            Occasion::EndpointStopped {
                at: AT,
                url: "https://hooks.example.com/a",
                reason: StopReason::Failing,
            },
        ]
    }

    fn letter<'l>(
        company: &'l CompanyId,
        contact: &'l Contact,
        language: Language,
        occasion: Occasion<'l>,
    ) -> Letter<'l> {
        Letter {
            company,
            company_name: "데모 <회사> & Co",
            workflow: Some(WorkflowId(7)),
            document: "근로계약서 \"2025\"",
            name: "홍길동",
            contact,
            language,
            offset: UtcOffset::SEOUL,
            occasion,
        }
    }

    fn company() -> CompanyId {
        CompanyId::parse("demo").unwrap()
    }

    fn email() -> Contact {
        Contact::Email("hong@example.com".to_owned())
    }

    #[test]
    fn every_occasion_is_written_in_every_language_with_nothing_left_open() {
        let phone = Contact::Phone {
            given: "010-1234-5678".to_owned(),
            number: "+821012345678".to_owned(),
        };
        for language in [Language::Ko, Language::En, Language::Ja] {
            for occasion in occasions() {
                let mail = write(&letter(&company(), &email(), language, occasion)).unwrap();
                let html = mail.html.as_deref().unwrap();
                for part in [mail.subject.as_str(), mail.text.as_str(), html] {
                    assert!(!part.contains("mail-"), "a key without a sentence: {part}");
                    assert!(
                        !part.contains("{$") && !part.contains("{ $"),
                        "an argument is missing: {part}"
                    );
                    assert!(!part.trim().is_empty());
                }
                for link in &mail.links {
                    assert!(mail.text.contains(&link.url), "{}", mail.text);
                }
                assert!(html.contains("데모 &lt;회사&gt; &amp; Co"), "{html}");
                let message = write(&letter(&company(), &phone, language, occasion)).unwrap();
                assert_eq!((message.to.as_str(), message.html), ("+821012345678", None));
                assert!(
                    !message.text.contains("mail-") && !message.text.contains("{ $"),
                    "{}",
                    message.text
                );
                assert!(message.links.iter().all(|link| message.text.contains(&link.url)));
            }
        }
    }

    #[test]
    fn a_request_names_document_sender_deadline_with_zone_and_link() {
        let mail = write(&letter(&company(), &email(), Language::Ko, occasions()[0])).unwrap();
        assert_eq!(mail.subject, "[데모 <회사> & Co] 서명 요청: 근로계약서 \"2025\"");
        assert_eq!(
            mail.text,
            "홍길동 님, 안녕하세요.\n\n\
             김민준 님이 \"근로계약서 \"2025\"\" 문서의 작성과 서명을 요청했습니다.\n\n\
             문서를 열려면 접근 암호가 필요합니다. 힌트: 생일 <6자리>\n\n\
             보낸 사람의 메시지:\n> 잘 부탁드립니다.\n> 두 번째 줄\n\n\
             문서: 근로계약서 \"2025\"\n보낸 사람: 김민준\n기한: 1970년 1월 1일 09:00 (한국 시간)\n\n\
             문서 열고 서명하기:\nhttps://sign.example.com/mail/sign?token=abc&lang=ko\n\n\
             --\n\
             이 메일의 링크는 받는 분만 사용할 수 있습니다. 다른 사람에게 전달하지 마세요.\n\
             데모 <회사> & Co에서 보낸 메일입니다.\n"
        );
        let html = mail.html.unwrap();
        assert!(
            html.contains("href=\"https://sign.example.com/mail/sign?token=abc&amp;lang=ko\""),
            "{html}"
        );
    }

    #[test]
    fn what_people_wrote_never_breaks_a_line_or_markup() {
        let (company, contact) = (company(), email());
        let mut letter = letter(
            &company,
            &contact,
            Language::En,
            Occasion::Rejected {
                at: AT,
                writer: "Eve\r\nBcc: all@example.com",
                reason: "<script>alert(1)</script>\r\nsecond",
            },
        );
        letter.company_name = "A\r\nX-Evil: 1";
        letter.document = "Title\u{0}\u{2028}two";
        letter.name = "\tN\n";
        let mail = write(&letter).unwrap();
        assert_eq!(mail.subject, "[A X-Evil: 1] Rejected: Title two");
        assert_eq!((mail.from_name.as_str(), mail.to_name.as_str()), ("A X-Evil: 1", "N"));
        assert!(mail.text.contains("Eve Bcc: all@example.com rejected"), "{}", mail.text);
        let html = mail.html.unwrap();
        assert!(!html.contains("<script>") && html.contains("&lt;script&gt;"), "{html}");
    }

    #[test]
    fn a_one_time_code_stands_in_the_text_and_in_no_subject() {
        let phone = Contact::Phone {
            given: "010-1234-5678".to_owned(),
            number: "+821012345678".to_owned(),
        };
        for (language, contact) in Language::ALL
            .into_iter()
            .flat_map(|l| [(l, email()), (l, phone.clone())])
        {
            let occasion = Occasion::OneTimeCode { code: "012345" };
            let mail = write(&letter(&company(), &contact, language, occasion)).unwrap();
            assert!(mail.is_secret && mail.text.contains("012345"), "{}", mail.text);
            assert!(mail.html.is_none_or(|html| html.contains(">012345<")));
            assert!(!mail.subject.contains("012345"), "{}", mail.subject);
        }
        let other = write(&letter(&company(), &phone, Language::Ko, Occasion::Expired { at: AT })).unwrap();
        assert!(!other.is_secret);
    }

    #[test]
    fn a_long_subject_is_cut() {
        let (company, contact, document) = (company(), email(), "가".repeat(500));
        let mut letter = letter(&company, &contact, Language::Ko, Occasion::Expired { at: AT });
        letter.document = &document;
        let subject = write(&letter).unwrap().subject;
        assert_eq!(subject.chars().count(), LONGEST_SUBJECT);
        assert!(subject.ends_with('…'));
    }
}
