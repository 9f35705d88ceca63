//! Problems that users have reported about similar products, what must happen instead, and the tests that ensure it. A
//! renamed or removed test fails here.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The action, the required outcome, and the names of the tests that prove it.
struct Trouble {
    done: &'static str,
    wanted: &'static str,
    tests: &'static [&'static str],
}

const TROUBLES: &[Trouble] = &[
    Trouble {
        done: "values placed on pages turned by 0, 90, 180, 270 degrees",
        wanted: "upright, where they were placed",
        tests: &[
            "marks_are_upright_and_in_place_on_pages_turned_by_0_90_180_and_270_degrees",
            "page and PDF show each kind of field alike in every script on a page turned by",
        ],
    },
    Trouble {
        done: "CropBox differs from MediaBox",
        wanted: "no offset",
        tests: &["a_crop_box_that_differs_from_the_media_box_makes_no_offset"],
    },
    Trouble {
        done: "Korean text where the chosen font has no Hangul",
        wanted: "shown in a font that has it, or refused; never blank",
        tests: &[
            "korean_text_where_the_chosen_font_has_no_hangul_is_shown_in_another",
            "a_character_that_no_font_has_is_refused",
        ],
    },
    Trouble {
        done: "Korean, Japanese or Chinese values at completion",
        wanted: "the certificate is still made",
        tests: &["with_values_in_every_script_the_certificate_is_still_made"],
    },
    Trouble {
        done: "names 김민준, 山田太郎, 张伟 on the certificate",
        wanted: "shown",
        tests: &["names_in_korean_japanese_and_chinese_are_shown_in_every_language"],
    },
    Trouble {
        done: "Hebrew or Arabic value",
        wanted: "shaped, in logical order",
        tests: &["a_hebrew_or_arabic_value_is_shaped_and_read_back_in_logical_order"],
    },
    Trouble {
        done: "a 125-character prefill in a large font",
        wanted: "fits, or the one documented rule; page and PDF alike",
        tests: &[
            "a_prefill_of_125_characters_in_a_large_font_is_set_smaller_or_refused",
            "page and PDF show each kind of field alike in every script on a page turned by",
        ],
    },
    Trouble {
        done: "an AcroForm upload",
        wanted: "all its fields found",
        tests: &["all_fields_of_a_form_are_found_with_kind_options_limits_and_defaults"],
    },
    Trouble {
        done: "a PDF with cross-reference streams (as office suites on the web export)",
        wanted: "valid signature",
        tests: &["a_file_with_cross_reference_streams_gets_a_valid_seal"],
    },
    Trouble {
        done: "a PDF that somebody signed before",
        wanted: "earlier signature kept and still valid, or a warning before sending",
        tests: &["a_file_that_somebody_signed_before_is_warned_of_kept_and_completed_with_all_signatures_valid"],
    },
    Trouble {
        done: "an encrypted PDF",
        wanted: "refused at upload if it needs a password, not at sealing",
        tests: &[
            "encrypted_with_a_real_password_is_refused_at_upload",
            "encrypted_with_an_empty_password_is_decrypted",
        ],
    },
    Trouble {
        done: "three writers one after the other",
        wanted: "every signature in the result is valid",
        tests: &["after_three_writers_one_after_the_other_every_signature_is_valid"],
    },
    Trouble {
        done: "times in certificate and pages",
        wanted: "each names its zone",
        tests: &[
            "the_certificate_names_its_zone_once_and_every_time_is_in_it",
            "a_time_with_another_offset_than_the_named_one_says_so",
            "a_moment_in_three_languages_names_its_zone",
        ],
    },
    Trouble {
        done: "a used link opened again",
        wanted: "says so; nothing changes",
        tests: &["a used link opened again says so and changes nothing"],
    },
    Trouble {
        done: "no seal key configured",
        wanted: "the server or the start refuses; nothing is left pending",
        tests: &[
            "a_server_that_could_not_seal_does_not_start",
            "what_could_not_be_sealed_is_refused_at_the_start",
        ],
    },
    Trouble {
        done: "cc recipients, and who came by a public link",
        wanted: "each gets the copy that was promised",
        tests: &[
            "at_the_end_cc_recipients_sender_and_writers_each_get_the_promised_copy_embedded_ones_not_the_writers",
            "a_visitor_of_a_public_link_gets_the_promised_copy",
        ],
    },
    Trouble {
        done: "a writer declines after others signed",
        wanted: "sender and earlier writers are told",
        tests: &["a_decline_after_others_signed_is_reported_to_sender_and_earlier_signers"],
    },
    Trouble {
        done: "the receiver answers 400 for days, then is switched off",
        wanted: "bounded, slower and slower, stops; no disk filled",
        tests: &[
            "ten_tries_take_about_75_hours_and_each_delay_moves_by_a_fifth",
            "ten_tries_then_a_dead_letter_which_resend_revives",
            "five_days_of_nothing_but_failure_stop_it",
            "a_flood_of_failures_stays_within_the_bound",
        ],
    },
    Trouble {
        done: "wrong SMTP settings",
        wanted: "shown as failed, with the server's words; a test button",
        tests: &[
            "a_refusal_for_good_is_shown_in_the_servers_words_and_not_repeated",
            "doctor_greets_the_mail_server",
        ],
    },
    Trouble {
        done: "another account's document id",
        wanted: "404",
        tests: &["another_company_finds_nothing"],
    },
    Trouble {
        done: "an upload without sign-in",
        wanted: "401",
        tests: &["every_route_with_a_token_refuses_who_has_none"],
    },
    Trouble {
        done: "behind a TLS proxy with X-Forwarded-Proto",
        wanted: "sign-in and links work",
        tests: &["behind_a_proxy_with_tls_a_member_signs_in_and_links_lead_there"],
    },
    Trouble {
        done: "all have signed, and the document stays pending",
        wanted: "cannot be",
        tests: &["two_writers_complete_and_everything_is_proved"],
    },
    Trouble {
        done: "the mail server is down",
        wanted: "webhooks still go out",
        tests: &["with_the_mail_server_down_webhooks_still_go_out_and_the_mail_arrives_later"],
    },
    Trouble {
        done: "a rejection arrives after the signature of the same writer",
        wanted: "refused",
        tests: &["a_second_approval_is_refused"],
    },
    Trouble {
        done: "two finals at the same moment",
        wanted: "one seal, one completion",
        tests: &[
            "of_two_at_once_one_wins",
            "at_the_same_moment_one_wins_and_the_other_sees_why",
        ],
    },
    Trouble {
        done: "a large document on a phone",
        wanted: "the page stays alive",
        tests: &["a long and dense document stays light: what is near is there, and not everything at once"],
    },
];

#[test]
fn every_known_trouble_has_its_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut tests = String::new();
    let mut folders = vec![root.join("crates"), root.join("ui/tests")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the tree") {
            let path: PathBuf = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs" || end == "mjs")
                && !path.ends_with("testkit/troubles.rs")
            {
                tests.push_str(&std::fs::read_to_string(&path).expect("a source file"));
            }
        }
    }
    let mut missing = String::new();
    for trouble in TROUBLES {
        for name in trouble.tests {
            let (rust, browser) = (format!("fn {name}("), format!("test(\"{name}"));
            if !tests.contains(&rust) && !tests.contains(&browser) && !tests.contains(&format!("test(`{name}")) {
                writeln!(missing, "{} → {}: no test '{name}'", trouble.done, trouble.wanted).expect("a text grows");
            }
        }
    }
    assert!(missing.is_empty(), "{missing}");
}
