//! Tests every kind of mail. The stored texts and pages are reviewed by people before they are accepted.

use std::fmt::Write as _;

use app::MailTemplates;
use app::mail::{self, MailKind, OutgoingMail};
use app::mail_sample::{self, Links};
use domain::{BlobHash, Colour, Contact, Language};
use jiff::Timestamp;
use store::company::{Logo, Style};

fn written(kind: MailKind, language: Language, style: &Style) -> OutgoingMail {
    let contact = Contact::Email("hong@example.com".to_owned());
    let links = Links::below("https://sign.example.com");
    let at = Timestamp::from_second(1_796_000_000).expect("a time");
    let occasion = mail_sample::rich(kind, language, &links, at);
    let notification = mail_sample::notification(style, &contact, language, occasion);
    mail::write(&MailTemplates::built_in(), &notification).expect("a mail")
}

#[test]
fn every_kind_reads_as_it_was_accepted_in_every_language() {
    for language in Language::ALL {
        let mut all = String::new();
        for kind in MailKind::ALL {
            let mail = written(kind, language, &Style::default());
            let _ = writeln!(all, "===== {}\nSubject: {}\n\n{}", kind.word(), mail.subject, mail.text);
        }
        insta::with_settings!({prepend_module_to_snapshot => false}, {
            insta::assert_snapshot!(format!("mails_{}", language.code()), all);
        });
    }
}

#[test]
fn the_html_of_a_plain_and_of_a_dressed_company_is_as_it_was_accepted() {
    let dressed = Style {
        accent: Colour::parse("#ffd400"),
        logo: Some(Logo {
            hash: BlobHash([7; 32]),
            width: 480,
            height: 80,
        }),
        ..Style::default()
    };
    for (name, kind, language, style) in [
        ("mail_request_ko", MailKind::Request, Language::Ko, &Style::default()),
        ("mail_request_dressed_en", MailKind::Request, Language::En, &dressed),
        ("mail_completed_dressed_ja", MailKind::Completed, Language::Ja, &dressed),
        ("mail_code_ko", MailKind::Code, Language::Ko, &Style::default()),
    ] {
        let html = written(kind, language, style).html.expect("HTML");
        insta::with_settings!({prepend_module_to_snapshot => false}, { insta::assert_snapshot!(name, html); });
    }
}
