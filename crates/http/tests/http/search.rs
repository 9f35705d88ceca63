//! Full-text search in three languages, with the same results on both databases.

use std::fmt::Write as _;

use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::support::{Server, contract, start_body};

testkit::on_both_databases!(
    queries_find_what_people_mean_and_nothing_else,
    what_is_found_goes_on_by_cursor_and_by_page_beside_other_filters,
);

/// A document: its letter in the table below, its title, two people, and a value.
type Document = (char, &'static str, [(&'static str, &'static str); 2], &'static str);

const DOCUMENTS: [Document; 7] = [
    (
        'A',
        "근로계약서 2026",
        [
            ("김민준", "minjun.kim@example.com"),
            ("山田太郎", "taro.yamada@example.co.jp"),
        ],
        "한빛 & Söhne",
    ),
    (
        'B',
        "Über uns: Vertraulichkeitsvereinbarung",
        [("Jürgen Groß", "010-1234-5678"), ("Ana Müller", "ana@example.de")],
        "Ünlü GmbH",
    ),
    (
        'C',
        "業務委託契約書（ﾀﾅｶ商事）",
        [("田中花子", "hanako@example.jp"), ("鈴木一郎", "+81 90-1234-5678")],
        "株式会社みどり",
    ),
    (
        'D',
        "Master Services Agreement 2026-118",
        [("김민지", "minji@example.com"), ("박민수", "minsu@example.com")],
        "Acme Corp.",
    ),
    (
        // With decomposed accents, as macOS writes them.
        'E',
        "Cafe\u{301} Zu\u{308}rich Lieferschein",
        [
            ("Ｋｉｍ Ｊｉｗｏｏ", "jiwoo@example.com"),
            ("Rene\u{301}e Dupont", "renee@example.fr"),
        ],
        "カレー工房",
    ),
    (
        'F',
        "STRASSENVERKEHR Ordnung",
        [("Seán O'Brien", "sean@example.ie"), ("이수", "isu@example.com")],
        "24/7 Support",
    ),
    (
        'G',
        "임대차 계약 (갱신)",
        [("Alex Kim", "alex@example.com"), ("林", "hayashi@example.jp")],
        "100% 한지",
    ),
];

/// Queries, and the documents found.
const QUERIES: &[(&str, &str)] = &[
    // Korean: any two adjacent letters, and single letters.
    ("계약", "AG"),
    ("근로", "A"),
    ("계약서", "A"),
    ("근로계약서", "A"),
    ("약서", "A"),
    ("계약서2026", "A"),
    ("서 2026", "A"),
    ("갱신", "G"),
    ("임대차 갱신", "G"),
    ("갱신 임대차", "G"),
    ("임대차계약", ""),
    ("\u{1100}\u{1168}\u{110b}\u{1163}\u{11a8}\u{1109}\u{1165}", "A"),
    ("김민준", "A"),
    ("민준", "A"),
    ("김민", "AD"),
    ("김민수", ""),
    ("박민수", "D"),
    ("민수", "D"),
    ("이수", "F"),
    ("한빛", "A"),
    ("한", "AG"),
    ("빛", "A"),
    ("학교", ""),
    // Japanese: Kana, half-width Kana and Han.
    ("契約", "C"),
    ("委託契約", "C"),
    ("契約書", "C"),
    ("タナカ", "C"),
    ("ﾀﾅｶ商事", "C"),
    ("田中", "C"),
    ("田中花子", "C"),
    ("花子", "C"),
    ("山田太郎", "A"),
    ("太郎", "A"),
    ("田", "AC"),
    ("林", "G"),
    ("みどり", "C"),
    ("株式会社", "C"),
    ("カレー", "E"),
    ("かれー", ""),
    ("鈴木一朗", ""),
    // Words of other scripts: whole words or prefixes, ignoring case, with significant diacritics.
    ("agreement", "D"),
    ("AGREE", "D"),
    ("greement", ""),
    ("services master", "D"),
    ("services slave", ""),
    ("über", "B"),
    ("u\u{308}ber", "B"),
    ("uber", ""),
    ("ÜNLÜ", "B"),
    ("zürich", "E"),
    ("café", "E"),
    ("cafe", ""),
    ("groß", "B"),
    ("GROSS", "B"),
    ("Straßenverkehr", "F"),
    ("kim", "AEG"),
    ("Kim Jiwoo", "E"),
    ("o'brien", "F"),
    ("O’Brien", "F"),
    ("brien", "F"),
    ("obrien", ""),
    ("renée", "E"),
    ("acme", "D"),
    ("zzyzx", ""),
    // Addresses and numbers, complete or partial.
    ("minjun.kim@example.com", "A"),
    ("Minjun.Kim@Example.COM", "A"),
    ("yamada@example", "A"),
    ("@example.com", "ADEFG"),
    ("kim@example.org", ""),
    ("01012345678", "B"),
    ("010-1234-5678", "B"),
    ("+82 10-1234-5678", "B"),
    ("010-1234-5679", ""),
    ("090-1234-5678", "C"),
    ("1234-5678", "BC"),
    ("5678", "BC"),
    ("3500000", "A"),
    ("3,500,000", "A"),
    ("2026", "AD"),
    ("2026-118", "D"),
    ("24/7", "F"),
    ("100%", "G"),
    ("%", ""),
    ("\" OR \"kim", ""),
];

/// Starts the documents, and returns their numbers.
fn started(server: &Server, token: &str, template: i64) -> Vec<(i64, char)> {
    let all = DOCUMENTS.into_iter().map(|(letter, title, people, value)| {
        let mut body = start_body(template);
        body["workflow_name"] = json!(title);
        for (place, (name, contact)) in people.into_iter().enumerate() {
            body["recipient_list"][place]["name"] = json!(name);
            body["recipient_list"][place]["email"] = json!(contact);
        }
        let salary = if letter == 'A' { "3500000" } else { "" };
        body["field_list"] = json!([{"name": "employer", "value": value}, {"name": "salary", "value": salary}]);
        let id = server.start(token, &body).ok()["workflow_id"].as_i64().expect("an id");
        (id, letter)
    });
    all.collect()
}

fn indexed(server: &Server) -> u32 {
    server.app.index_texts(100).expect("indexed")
}

fn list(server: &Server, token: &str, text: &str, more: &str) -> Value {
    let mut encoded = String::new();
    for byte in text.bytes() {
        write!(encoded, "%{byte:02x}").expect("text");
    }
    server
        .get(&format!("/api/v3/workflows?text={encoded}{more}"), token)
        .ok()
}

fn ids(list: &Value) -> Vec<i64> {
    let entries = list["workflow_list"].as_array().expect("a list");
    entries
        .iter()
        .filter_map(|entry| entry["workflow_id"].as_i64())
        .collect()
}

fn queries_find_what_people_mean_and_nothing_else(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let letters = started(&server, &token, template);
    assert_eq!(ids(&list(&server, &token, "kim", "")), [0; 0], "the job has not run");
    assert_eq!(indexed(&server), 7);
    let (_, stranger, _) = server.with_company("acme-kr");
    let wrong: Vec<String> = QUERIES
        .iter()
        .filter_map(|(query, expected)| {
            let found: String = ids(&list(&server, &token, query, ""))
                .iter()
                .rev()
                .filter_map(|id| letters.iter().find(|(known, _)| known == id))
                .map(|(_, letter)| *letter)
                .collect();
            (found != *expected).then(|| format!("{query} finds {found:?} instead of {expected:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (query, _) in QUERIES {
        assert_eq!(ids(&list(&server, &stranger, query, "")), [0; 0], "{query}");
    }
}

fn what_is_found_goes_on_by_cursor_and_by_page_beside_other_filters(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    let other = server.template(&company, &contract());
    let mut all: Vec<i64> = started(&server, &token, template).iter().map(|(id, _)| *id).collect();
    let elsewhere = server.start(&token, &start_body(other)).ok()["workflow_id"].clone();
    server.act(&token, &elsewhere, "cancel", &json!({})).ok();
    assert_eq!(indexed(&server), 8);
    assert_eq!(indexed(&server), 0);
    all.reverse();
    let of_template = format!("&template_id={template}");
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = list(
            &server,
            &token,
            "example",
            &format!("{of_template}&limit=3&cursor={cursor}"),
        );
        seen.extend(ids(&page));
        match page["next_cursor"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => break,
        }
    }
    assert_eq!(seen, all);
    let paged: Vec<i64> = (1..=3)
        .flat_map(|page| {
            ids(&list(
                &server,
                &token,
                "example",
                &format!("{of_template}&limit=3&page={page}"),
            ))
        })
        .collect();
    assert_eq!(paged, all);
    let elsewhere = elsewhere.as_i64().expect("an id");
    assert_eq!(ids(&list(&server, &token, "example", "&status=Canceled")), [elsewhere]);
    assert_eq!(ids(&list(&server, &token, "김민준", "&status=Playing")), [all[6]]);
    assert_eq!(ids(&list(&server, &token, "example", "&from=2026-01-02")), [0; 0]);
    server.act(&token, &json!(elsewhere), "discard", &json!({})).ok();
    assert_eq!(ids(&list(&server, &token, "김민준", "")), [all[6]]);
}
