//! Sample messages for trying out the operator's templates, and the test mail.

use domain::{BlobHash, Colour, Contact, Language, Zone};
use jiff::{SignedDuration, Timestamp};
use minijinja::value::Serde;
use store::company::{Logo, Style};
use store::outbox::StopReason;

use crate::outbox::mail::{self, AccessCode, MailKind, Notification, Occasion, Request};

/// Returns the names that templates may use, which are the same for every kind of mail.
pub(in crate::outbox) fn variable_names() -> Vec<String> {
    let contact = Contact::Email(String::new());
    let values = mail::values(&notification(
        &Style::default(),
        &contact,
        Language::En,
        poor(MailKind::Expired),
    ));
    let names = values.as_object();
    names.map(|names| names.keys().cloned().collect()).unwrap_or_default()
}

/// Returns two sets of sample values for templates: one with everything that such a mail may contain, and one with the
/// minimum.
pub(crate) fn values(kind: MailKind, language: Language) -> [minijinja::Value; 2] {
    let contact = Contact::Email("hong@example.com".to_owned());
    let dressed = Style {
        accent: Some(Colour([0xa5, 0x23, 0x1c])),
        logo: Some(Logo {
            hash: BlobHash([7; 32]),
            width: 480,
            height: 96,
        }),
        ..Style::default()
    };
    let links = Links::below("https://sign.example.com");
    let of = |style: &Style, occasion| {
        let values = mail::values(&notification(style, &contact, language, occasion));
        minijinja::Value::from(Serde(values))
    };
    [
        of(&dressed, rich(kind, language, &links, Timestamp::UNIX_EPOCH)),
        of(&Style::default(), poor(kind)),
    ]
}

/// Sample addresses, which open nothing.
#[derive(Debug, Clone)]
pub struct Links {
    sign: String,
    document: String,
    certificate: String,
}

impl Links {
    /// Creates sample addresses below this one.
    pub fn below(public_url: &str) -> Links {
        Links {
            sign: format!("{public_url}/mail/sign?token=sample"),
            document: format!("{public_url}/mail/view?token=sample-document"),
            certificate: format!("{public_url}/mail/view?token=sample-certificate"),
        }
    }
}

/// Creates a message to a fictional person.
pub fn notification<'l>(
    style: &'l Style,
    contact: &'l Contact,
    language: Language,
    occasion: Occasion<'l>,
) -> Notification<'l> {
    let (document, name) = match language {
        Language::Ko => ("시험용 문서", "홍길동"),
        Language::En => ("Test document", "Alex Kim"),
        Language::Ja => ("テスト文書", "山田太郎"),
    };
    Notification {
        company_name: "Countersign",
        style,
        document,
        name,
        contact,
        language,
        zone: Zone::default(),
        sender_email: "sender@example.com",
        occasion,
    }
}

/// Returns an occasion with everything that it may contain.
pub fn rich(kind: MailKind, language: Language, links: &Links, now: Timestamp) -> Occasion<'_> {
    let (person, words, hint) = match language {
        Language::Ko => (
            "김민준",
            "시험용 메일입니다.\n아무것도 하지 않으셔도 됩니다.",
            "생일 6자리",
        ),
        Language::En => (
            "Min-jun Kim",
            "This is a test mail.\nYou do not need to do anything.",
            "your birthday, six digits",
        ),
        Language::Ja => (
            "佐藤花子",
            "これはテストメールです。\n何もする必要はありません。",
            "生年月日の6桁",
        ),
    };
    let deadline = now.checked_add(SignedDuration::from_hours(14 * 24)).unwrap_or(now);
    let request = Request {
        sender: person,
        comment: words,
        access_code: AccessCode::NeededWithHint(hint),
        deadline,
        sign_url: &links.sign,
    };
    match kind {
        MailKind::Request => Occasion::Request(request),
        MailKind::Reminder => Occasion::Reminder(request),
        MailKind::Returned => Occasion::Returned {
            writer: person,
            reason: words,
            deadline,
            sign_url: &links.sign,
        },
        MailKind::Completed => Occasion::Completed {
            at: now,
            document_url: &links.document,
            certificate_url: &links.certificate,
            asks_code: true,
            access_code: AccessCode::NeededWithHint(hint),
        },
        MailKind::Rejected => Occasion::Rejected {
            at: now,
            writer: person,
            reason: words,
        },
        MailKind::Canceled => Occasion::Canceled {
            at: now,
            sender: person,
            reason: words,
        },
        MailKind::Expired => Occasion::Expired { at: now },
        MailKind::Code => Occasion::OneTimeCode { code: "012345" },
        MailKind::Undelivered => Occasion::Undelivered {
            at: now,
            person,
            address: "minji@example.com",
            reason: "550 5.1.1 mailbox unavailable",
            outbox_url: "https://sign.example.com/outbox?show=failed",
        },
        MailKind::Stopped => Occasion::EndpointStopped {
            at: now,
            url: "https://hooks.example.com/countersign",
            reason: StopReason::Failing,
        },
        MailKind::Sealing => Occasion::SealEnds { at: deadline, days: 14 },
    }
}

/// Returns an occasion with the minimum.
fn poor(kind: MailKind) -> Occasion<'static> {
    let now = Timestamp::UNIX_EPOCH;
    let request = Request {
        sender: "K",
        comment: "",
        access_code: AccessCode::None,
        deadline: now,
        sign_url: "https://sign.example.com/",
    };
    match kind {
        MailKind::Request => Occasion::Request(request),
        MailKind::Reminder => Occasion::Reminder(request),
        MailKind::Returned => Occasion::Returned {
            writer: "K",
            reason: "",
            deadline: now,
            sign_url: "https://sign.example.com/",
        },
        MailKind::Completed => Occasion::Completed {
            at: now,
            document_url: "",
            certificate_url: "",
            asks_code: false,
            access_code: AccessCode::None,
        },
        MailKind::Rejected => Occasion::Rejected {
            at: now,
            writer: "K",
            reason: "",
        },
        MailKind::Canceled => Occasion::Canceled {
            at: now,
            sender: "K",
            reason: "",
        },
        MailKind::Expired => Occasion::Expired { at: now },
        MailKind::Code => Occasion::OneTimeCode { code: "0" },
        MailKind::Undelivered => Occasion::Undelivered {
            at: now,
            person: "K",
            address: "k@example.com",
            reason: "",
            outbox_url: "https://sign.example.com/",
        },
        MailKind::Stopped => Occasion::EndpointStopped {
            at: now,
            url: "https://hooks.example.com/",
            reason: StopReason::Gone,
        },
        MailKind::Sealing => Occasion::SealEnds { at: now, days: 1 },
    }
}
