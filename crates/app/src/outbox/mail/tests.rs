//! Tests the content of messages in every language, and hostile texts in them.

use super::draft::LONGEST_SUBJECT;
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
            asks_code: false,
            access_code: AccessCode::None,
        },
        Occasion::Completed {
            at: AT,
            document_url: "",
            certificate_url: "",
            asks_code: true,
            access_code: AccessCode::NeededWithHint("생일 <6자리>"),
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
        Occasion::Undelivered {
            at: AT,
            person: "山田太郎",
            address: "taro@example.com",
            reason: "550 no such <user>",
            outbox_url: "https://sign.example.com/outbox?show=failed",
        },
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
        Occasion::SealEnds { at: AT, days: 30 },
    ]
}

static PLAIN: Style = Style {
    accent: None,
    logo: None,
    mail_sender_name: None,
    mail_reply_to: None,
    completed_mails: domain::CompletedMails {
        writers: true,
        copies: true,
        sender: true,
    },
    reminders: domain::Reminders {
        every_days: None,
        before_days: None,
    },
    redirect_hosts: domain::RedirectHosts::NONE,
};

fn write(notification: &Notification<'_>) -> Result<OutgoingMail, Error> {
    super::write(&MailTemplates::built_in(), notification)
}

fn notification<'l>(contact: &'l Contact, language: Language, occasion: Occasion<'l>) -> Notification<'l> {
    Notification {
        company_name: "데모 <회사> & Co",
        style: &PLAIN,
        document: "근로계약서 \"2025\"",
        name: "홍길동",
        contact,
        language,
        zone: Zone::SEOUL,
        sender_email: "minjun@acme.example",
        occasion,
    }
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
            let mail = write(&notification(&email(), language, occasion)).unwrap();
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
            let message = write(&notification(&phone, language, occasion)).unwrap();
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
    let mail = write(&notification(&email(), Language::Ko, occasions()[0])).unwrap();
    assert_eq!(mail.subject, "[데모 <회사> & Co] 서명 요청: 근로계약서 \"2025\"");
    assert_eq!(
        mail.text,
        "홍길동 님, 안녕하세요.\n\n\
         김민준 님이 \"근로계약서 \"2025\"\" 문서의 작성과 서명을 요청했습니다.\n\n\
         문서를 열려면 접근 암호가 필요합니다. 힌트: 생일 <6자리>\n\n\
         보낸 사람의 메시지:\n> 잘 부탁드립니다.\n> 두 번째 줄\n\n\
         문서: 근로계약서 \"2025\"\n보낸 사람: 김민준 (minjun@acme.example)\n기한: 1970년 1월 1일 09:00 (한국 시간)\n\n\
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
    let contact = email();
    let mut notification = notification(
        &contact,
        Language::En,
        Occasion::Rejected {
            at: AT,
            writer: "Eve\r\nBcc: all@example.com",
            reason: "<script>alert(1)</script>\r\nsecond",
        },
    );
    notification.company_name = "A\r\nX-Evil: 1";
    notification.document = "Title\u{0}\u{2028}two";
    notification.name = "\tN\n";
    let mail = write(&notification).unwrap();
    assert_eq!(mail.subject, "[A X-Evil: 1] Declined: Title two");
    assert_eq!((mail.from_name.as_str(), mail.to_name.as_str()), ("A X-Evil: 1", "N"));
    assert!(mail.text.contains("Eve Bcc: all@example.com declined"), "{}", mail.text);
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
        let mail = write(&notification(&contact, language, occasion)).unwrap();
        assert!(mail.is_secret && mail.text.contains("012345"), "{}", mail.text);
        assert!(mail.html.is_none_or(|html| html.contains(">012345<")));
        assert!(!mail.subject.contains("012345"), "{}", mail.subject);
    }
    let other = write(&notification(&phone, Language::Ko, Occasion::Expired { at: AT })).unwrap();
    assert!(!other.is_secret);
}

#[test]
fn a_long_subject_is_cut() {
    let (contact, document) = (email(), "가".repeat(500));
    let mut notification = notification(&contact, Language::Ko, Occasion::Expired { at: AT });
    notification.document = &document;
    let subject = write(&notification).unwrap().subject;
    assert_eq!(subject.chars().count(), LONGEST_SUBJECT);
    assert!(subject.ends_with('…'));
}
