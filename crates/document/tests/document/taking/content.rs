//! Damaged, deleted, unbalanced or hidden page content.

use std::io::Write as _;

use document::intake::{Acceptance, inspect_as};
use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::signed::marks;
use super::*;

/// Strict readers complain about errors that lenient readers ignore.
#[test]
fn pages_without_type_and_contents_that_are_none_are_put_right() {
    let pdf = document_of(PageForm::PLAIN, |document, page| {
        page.remove(b"Type");
        let stream = document.add_object(Stream::new(Dictionary::new(), b"0 0 20 20 re f".to_vec()));
        let other = document.add_object(Object::Integer(7));
        page.set("Contents", vec![Object::Null, stream.into(), other.into()]);
    });
    assert_ne!(structure_complaints(&pdf), Vec::<String>::new());
    assert_eq!(changed(&pdf), [Change::DamageDropped { count: 1 }]);
}

#[test]
fn a_page_without_a_valid_box_is_refused() {
    let form = PageForm {
        user_unit: -1.0,
        ..PageForm::PLAIN
    };
    assert!(matches!(
        take(&page_file(form)).err(),
        Some(Refused::PageSize { page: 1, .. })
    ));
}

#[test]
fn a_page_without_a_size_is_taken_in_the_size_that_viewers_show() {
    let pdf = page_file(PageForm {
        media: [0, 0, 0, 0],
        ..PageForm::PLAIN
    });
    let taken = take(&pdf).expect("taken");
    assert_eq!(taken.changes, [Change::PageSizeAssumed { count: 1 }]);
    let size = taken.pages[0];
    assert_eq!((size.width_points, size.height_points), (612.0, 792.0));
    let pdf = page_file(PageForm {
        crop: Some([1000, 1000, 1100, 1100]),
        ..PageForm::PLAIN
    });
    let taken = take(&pdf).expect("taken");
    assert_eq!(taken.changes, [Change::PageSizeAssumed { count: 1 }]);
    let size = taken.pages[0];
    assert_eq!((size.width_points, size.height_points), (400.0, 300.0));
}

#[test]
fn damaged_streams_that_no_viewer_shows_are_dropped_and_judges_are_content() {
    let pdf = document_of(PageForm::PLAIN, |document, page| {
        let form = dictionary! {
            "Type" => "XObject", "Subtype" => "Form", "Filter" => "FlateDecode",
            "BBox" => vec![0.into(), 0.into(), 9.into(), 9.into()],
        };
        let damaged = document.add_object(Stream::new(form, b"no zlib".to_vec()).with_compression(false));
        let picture = document.add_object(Stream::new(
            dictionary! {
                "Type" => "XObject", "Subtype" => "Image", "Width" => 1, "Height" => 1, "BitsPerComponent" => 8,
                "ColorSpace" => "DeviceGray", "Filter" => "DCTDecode",
            },
            b"no JPEG".to_vec(),
        ));
        let shown = b"/Im0 Do /Fm0 Do 0 0 20 20 re f".to_vec();
        page.set("Contents", document.add_object(Stream::new(Dictionary::new(), shown)));
        page.set(
            "Resources",
            dictionary! { "XObject" => dictionary! { "Im0" => picture, "Fm0" => damaged } },
        );
    });
    assert_ne!(structure_complaints(&pdf), Vec::<String>::new());
    assert_eq!(
        changed(&pdf),
        [Change::DamageDropped { count: 2 }, Change::PagesRedrawn { count: 1 }]
    );
}

fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(data).expect("written");
    encoder.finish().expect("deflated")
}

/// A page whose content draws this inline image of 8 × 8 grey pixels directly, in a form or through a glyph.
fn with_inline_image(packing: &str, data: &[u8], place: &str) -> Vec<u8> {
    let head = format!("q 80 0 0 80 10 10 cm BI /W 8 /H 8 /BPC 8 /CS /G {packing} ID ");
    let image = [head.as_bytes(), data, b"\nEI Q\n"].concat();
    document_of(PageForm::PLAIN, |document, page| {
        let mut content = |entries: Dictionary, data: &[u8]| {
            let stream = Stream::new(entries, data.to_vec()).with_compression(false);
            Object::from(document.add_object(stream))
        };
        let (shown, resources) = match place {
            "page" => (content(Dictionary::new(), &image), Dictionary::new()),
            "form" => {
                let bbox = vec![0.into(), 0.into(), 100.into(), 100.into()];
                let form = dictionary! { "Type" => "XObject", "Subtype" => "Form", "BBox" => bbox };
                let forms = dictionary! { "X" => content(form, &image) };
                (content(Dictionary::new(), b"/X Do"), dictionary! { "XObject" => forms })
            }
            _ => {
                let drawing = [b"100 0 0 0 100 100 d1 ", image.as_slice()].concat();
                let glyph = content(Dictionary::new(), &drawing);
                let font = dictionary! {
                    "Type" => "Font", "Subtype" => "Type3", "FirstChar" => 97, "LastChar" => 97, "Widths" => vec![100.into()],
                    "FontBBox" => vec![0.into(), 0.into(), 100.into(), 100.into()],
                    "FontMatrix" => vec![Object::Real(0.01), 0.into(), 0.into(), Object::Real(0.01), 0.into(), 0.into()],
                    "CharProcs" => dictionary! { "a" => glyph },
                    "Encoding" => dictionary! { "Type" => "Encoding", "Differences" => vec![97.into(), "a".into()] },
                };
                let fonts = dictionary! { "F" => font };
                (
                    content(Dictionary::new(), b"BT /F 100 Tf (a) Tj ET"),
                    dictionary! { "Font" => fonts },
                )
            }
        };
        page.set("Contents", shown);
        page.set("Resources", resources);
    })
}

/// Each program shows a different part of it.
#[test]
fn a_damaged_inline_image_refuses_a_file_wherever_it_is() {
    let data = deflated(&[0x55; 64]);
    let mut damaged = data.clone();
    // The lengths of the stored block no longer agree.
    damaged[4] ^= 0xff;
    for place in ["page", "form", "glyph"] {
        let sound = with_inline_image("/F /Fl", &data, place);
        assert_eq!(take(&sound).err(), None, "{place}");
        let lost = Some(Refused::ContentLost { page: 1 });
        for data in [&damaged[..], &data[..40]] {
            let pdf = with_inline_image("/F /Fl", data, place);
            assert_eq!(take(&pdf).err(), lost, "{place}");
            assert_eq!(
                take(&samples::signed_by_others(&pdf, &samples::HOUSE.key)).err(),
                lost,
                "{place}"
            );
        }
    }
}

#[test]
fn sound_inline_images_are_taken_however_they_are_packed() {
    let mut misleading = [0x55; 64];
    misleading[20..40].copy_from_slice(b"  EI Q q 1 0 0 1 0 0");
    let text = "55".repeat(64);
    for (packing, data) in [
        ("", [0x55; 64].to_vec()),
        ("/F /Fl", deflated(&misleading)),
        ("/Filter [/FlateDecode] /DecodeParms [null]", deflated(&[0x55; 64])),
        ("/F /AHx", format!("{text}>").into_bytes()),
        (
            "/F [/AHx /Fl]",
            deflated(&[0x55; 64])
                .iter()
                .fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
                .into_bytes(),
        ),
        ("/F /RL", vec![193, 0x55, 128]),
        ("/F /RL", vec![193, 0x55]),
    ] {
        assert_eq!(
            take(&with_inline_image(packing, &data, "page")).err(),
            None,
            "{packing}"
        );
    }
}

/// In an unsigned file, all programs show the part that we read.
#[test]
fn a_damaged_picture_refuses_a_signed_file_and_a_copy_can_be_sent() {
    let data = deflated(&[0x55; 64]);
    let with_picture = |data: &[u8]| {
        document_of(PageForm::PLAIN, |document, page| {
            let picture = dictionary! {
                "Type" => "XObject", "Subtype" => "Image", "Width" => 8, "Height" => 8, "BitsPerComponent" => 8,
                "ColorSpace" => "DeviceGray", "Filter" => "FlateDecode",
            };
            let picture = document.add_object(Stream::new(picture, data.to_vec()).with_compression(false));
            let shown = Stream::new(Dictionary::new(), b"80 0 0 80 10 10 cm /X Do".to_vec());
            page.set("Contents", document.add_object(shown));
            page.set("Resources", dictionary! { "XObject" => dictionary! { "X" => picture } });
        })
    };
    let signed = |data: &[u8]| samples::signed_by_others(&with_picture(data), &samples::HOUSE.key);
    assert_eq!(take(&signed(&data)).err(), None);
    let pdf = signed(&data[..40]);
    let refused = take(&pdf).err();
    assert!(matches!(refused, Some(Refused::SignedAndDamaged { .. })), "{refused:?}");
    let wishes = Wishes {
        accepts: [Acceptance::WithoutSignatures].into(),
        ..Wishes::default()
    };
    let copy = inspect_as(pdf, &Limits::default(), &wishes).expect("the copy is taken");
    assert!(
        copy.changes.contains(&Change::DamageDropped { count: 1 }),
        "{:?}",
        copy.changes
    );
}

/// A file in which a later revision deleted content drawn by its page. Some viewers still show it.
pub fn with_deleted_content() -> Vec<u8> {
    let mut pdf = page_file(PageForm::PLAIN);
    let document = Document::load_mem(&pdf).expect("readable");
    let page = document.page_iter().next().expect("a page");
    let content = document
        .get_dictionary(page)
        .and_then(|page| page.get(b"Contents"))
        .and_then(Object::as_reference)
        .expect("its content");
    let root = document
        .trailer
        .get(b"Root")
        .and_then(Object::as_reference)
        .expect("a root");
    let source = String::from_utf8_lossy(&pdf).into_owned();
    let previous: usize = source[source.rfind("startxref").expect("startxref") + 9..]
        .split_whitespace()
        .next()
        .and_then(|number| number.parse().ok())
        .expect("an offset");
    let start = pdf.len() + 1;
    let update = format!(
        "\nxref\n0 1\n{:010} 65535 f \n{} 1\n0000000000 00001 f \ntrailer\n<< /Size {} /Root {} 0 R /Prev {previous} >>\n\
         startxref\n{start}\n%%EOF\n",
        content.0,
        content.0,
        document.max_id + 1,
        root.0
    );
    pdf.extend_from_slice(update.as_bytes());
    pdf
}

#[test]
fn what_was_deleted_in_the_file_stays_deleted_and_the_sender_is_warned() {
    let pdf = with_deleted_content();
    let taken = take(&pdf).expect("taken");
    assert_eq!(taken.warnings, [Warning::DeletedContentGone]);
    assert!(text(&pdf).contains("old content") && !text(&taken.pdf).contains("old content"));
}

#[test]
fn a_page_whose_content_is_not_in_the_file_or_cannot_be_decoded_refuses_the_file() {
    let of = |contents: &dyn Fn(&mut Document) -> Object| {
        document_of(PageForm::PLAIN, |document, page| {
            let contents = contents(document);
            page.set("Contents", contents);
        })
    };
    let drawn = |document: &mut Document| {
        let drawn = Stream::new(Dictionary::new(), b"0 0 20 20 re f".to_vec());
        Object::from(document.add_object(drawn))
    };
    let filtered = |filter: &'static str| {
        of(&move |document| {
            let stream = Stream::new(dictionary! { "Filter" => filter }, b"0 0 20 20 re f".to_vec());
            document.add_object(stream).into()
        })
    };
    for pdf in [
        of(&|_| Object::Reference((800, 0))),
        of(&|document| vec![drawn(document), Object::Reference((800, 0))].into()),
        filtered("FlateDecode"),
    ] {
        assert_eq!(take(&pdf).err(), Some(Refused::ContentLost { page: 1 }));
    }
    for filter in ["DCTDecode", "Unheard"] {
        assert!(take(&filtered(filter)).is_err(), "{filter}");
    }
    // Strictly by the standard there is nothing here, so nothing was lost.
    assert!(take(&of(&|document| vec![drawn(document), Object::Null].into())).is_ok());
}

/// Unbalanced `q` and `Q` operators would move everything drawn later.
#[test]
fn marks_are_where_they_belong_on_pages_whose_content_is_unbalanced() {
    let fonts = document::text::fonts::Fonts::embedded().expect("fonts");
    let stamped = |content: &[u8]| {
        let pdf = document_of(PageForm::PLAIN, |document, page| {
            let content = document.add_object(Stream::new(Dictionary::new(), content.to_vec()));
            page.set("Contents", content);
        });
        let taken = take(&pdf).unwrap_or_else(|refused| panic!("{}: {refused}", String::from_utf8_lossy(content)));
        assert_eq!(structure_complaints(&taken.pdf), Vec::<String>::new());
        let stamped = document::marks::stamp::stamp(&taken.pdf, &fonts, &[marks(1)]).expect("stamped");
        assert_eq!(taken.changes, []);
        (
            crate::pages::poppler(&stamped, 72),
            document::pages::render::page_image(&stamped, 1, 72.0).expect("a picture"),
        )
    };
    let (poppler, ours) = stamped(b"0.9 g 0 0 30 30 re f");
    for content in [
        &b"0.9 g 0 0 30 30 re f Q 0.5 0 0 0.5 90 90 cm"[..],
        b"q 0.9 g 0 0 30 30 re f Q Q Q 3 0 0 3 0 0 cm",
        b"0.9 g 0 0 30 30 re f q 0 1 -1 0 0 0 cm q 2 0 0 2 9 9 cm",
        b"0.9 g 0 0 30 30 re f q 0 0 5 5 re W n",
        b"0.9 g 0 0 30 30 re f BT /F1 1 Tf 3 0 0 3 50 50 Tm",
        b"0.9 g 0 0 30 30 re f 0 0 m 500 500 l",
        b"0.9 g 0 0 30 30 re f /Name#00 << not closed",
        // Unfinished tokens of every kind, which would swallow everything after them.
        b"0.9 g 0 0 30 30 re f (",
        b"0.9 g 0 0 30 30 re f (open (and closed) \\",
        b"0.9 g 0 0 30 30 re f <41",
        b"0.9 g 0 0 30 30 re f [",
        b"0.9 g 0 0 30 30 re f [ (a) <<",
        b"0.9 g 0 0 30 30 re f %",
        b"0.9 g 0 0 30 30 re f BI /W 9 /H 9",
        b"0.9 g 0 0 30 30 re f q 0 0 0 0 0 0 cm BI /W 9 /H 9 /BPC 8 /CS /G ID abc",
        // Content that readers parse differently.
        b"0.9 g 0 0 30 30 re f [ >>",
        b"0.9 g 0 0 30 30 re f << ] ",
        b"0.9 g 0 0 30 30 re f q 0 0 0 0 0 0 cm BI /W 9000 /H 9000 /BPC 8 /CS /RGB ID abc EI Q",
        b"0.9 g 0 0 30 30 re f 0Q 3 0 0 3 0 0 cm",
        b"0.9 g 0 0 30 30 re f /A\x80Q 3 0 0 3 0 0 cm",
    ] {
        let text = String::from_utf8_lossy(content);
        let (by_poppler, by_us) = stamped(content);
        assert!(by_us == ours, "{text}");
        assert!(by_poppler == poppler, "{text}");
    }
}

/// Some readers insert a space between the streams of a page. Others do not.
#[test]
fn a_comment_or_half_a_word_at_the_end_of_a_stream_reaches_nothing_of_ours() {
    let fonts = document::text::fonts::Fonts::embedded().expect("fonts");
    let stamped = |parts: &[&str]| {
        let pdf = document_of(PageForm::PLAIN, |document, page| {
            let mut contents = Vec::new();
            for part in parts {
                let part = Stream::new(Dictionary::new(), part.as_bytes().to_vec());
                contents.push(Object::from(document.add_object(part)));
            }
            page.set("Contents", contents);
        });
        let taken = take(&pdf)?;
        let stamped = document::marks::stamp::stamp(&taken.pdf, &fonts, &[marks(1)]).expect("stamped");
        Ok(crate::pages::poppler(&stamped, 72))
    };
    let plain = stamped(&["0.9 g\n", "0 0 30 30 re f"]).expect("taken");
    // There are several ways to state whether anything is drawn.
    assert_eq!(
        stamped(&["0.9 g %", "0 0 30 30 re f"]).map(drop),
        Err(Refused::PageWouldChange { page: 1 })
    );
    for parts in [["0.9 g 0 0 30 30 re f q", "Q"], ["0.9 g 0 0 30 30 re f (", "Q"]] {
        assert!(stamped(&parts).expect("taken") == plain, "{parts:?}");
    }
}

/// A page with two layers, one of them off: in marked content, as a form and as an annotation.
fn layered(configuration: impl FnOnce(Object, Object) -> Dictionary) -> Vec<u8> {
    document_of(PageForm::PLAIN, |document, page| {
        let mut group = |name: &str| {
            Object::from(document.add_object(dictionary! { "Type" => "OCG", "Name" => Object::string_literal(name) }))
        };
        let (on, off) = (group("on"), group("off"));
        let hidden_form = document.add_object(Stream::new(
            dictionary! {
                "Type" => "XObject", "Subtype" => "Form", "OC" => off.clone(),
                "BBox" => vec![0.into(), 0.into(), 90.into(), 90.into()],
            },
            b"0 1 0 rg 0 0 90 90 re f".to_vec(),
        ));
        let content = b"/OC /On BDC 1 0 0 rg 10 10 20 20 re f EMC \
            /OC /Off BDC q 0 0 1 rg 50 50 20 20 re f BT /F1 9 Tf (secret clause) Tj ET Q EMC /Fm Do";
        let content = document.add_object(Stream::new(Dictionary::new(), content.to_vec()));
        page.set("Contents", content);
        page.set(
            "Resources",
            dictionary! {
                "Properties" => dictionary! { "On" => on.clone(), "Off" => off.clone() },
                "XObject" => dictionary! { "Fm" => hidden_form },
            },
        );
        let properties = dictionary! {
            "OCGs" => vec![on.clone(), off.clone()], "D" => configuration(on, off),
        };
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "OCProperties" => properties });
        document.trailer.set("Root", catalog);
    })
}

#[test]
fn hidden_layers_are_removed_and_visible_ones_become_part_of_the_page() {
    for pdf in [
        layered(|_, off| dictionary! { "OFF" => vec![off] }),
        layered(|on, _| dictionary! { "BaseState" => "OFF", "ON" => vec![on] }),
    ] {
        let taken = take(&pdf).expect("taken");
        assert_eq!(structure_complaints(&taken.pdf), Vec::<String>::new());
        assert_eq!(
            taken.changes,
            [
                Change::HiddenLayersRemoved { count: 1 },
                Change::LayersMerged { count: 1 }
            ]
        );
        assert!(!contains(&taken.pdf, b"OCProperties"));
        let mut document = Document::load_mem(&taken.pdf).expect("readable");
        document.decompress();
        let mut plain = Vec::new();
        document.save_to(&mut plain).expect("written");
        assert!(
            !contains(&plain, b"secret") && !contains(&plain, b"0 1 0 rg"),
            "what was hidden is gone"
        );
        assert!(contains(&plain, b"10 10 20 20 re f"), "what shows stays");
        assert!(crate::pages::poppler(&taken.pdf, 72) == crate::pages::poppler(&pdf, 72));
    }
}

#[test]
fn a_page_that_is_not_in_the_file_refuses_it() {
    let mut document = samples::unsigned_document();
    let missing = (document.max_id + 50, 0);
    let tree = document.catalog().and_then(|catalog| catalog.get(b"Pages"));
    let tree = tree.and_then(Object::as_reference).expect("a tree");
    let tree = document.get_dictionary_mut(tree).expect("a tree");
    let kids = tree.get_mut(b"Kids").and_then(Object::as_array_mut).expect("kids");
    kids.push(missing.into());
    let pdf = samples::file(document, References::Table);
    assert!(matches!(take(&pdf).err(), Some(Refused::ContentLost { page }) if page > 1));
}

/// For data in another file, each reader finds something different or nothing (7.3.8.2).
#[test]
fn a_stream_whose_data_lie_in_another_file_refuses_the_file() {
    let external = |file: Object| {
        document_of(PageForm::PLAIN, |document, page| {
            let stream = Stream::new(dictionary! { "F" => file }, Vec::new());
            page.set("Contents", Object::from(document.add_object(stream)));
        })
    };
    for file in [
        Object::string_literal("/etc/passwd"),
        dictionary! { "Type" => "Filespec", "F" => Object::string_literal("page.txt") }.into(),
    ] {
        assert_eq!(take(&external(file)), Err(Refused::ExternalContent));
    }
    let form = document_of(PageForm::PLAIN, |document, page| {
        let file = Object::string_literal("picture.bin");
        let picture = document.add_object(Stream::new(
            dictionary! { "Type" => "XObject", "Subtype" => "Form", "F" => file },
            Vec::new(),
        ));
        page.set("Resources", dictionary! { "XObject" => dictionary! { "X" => picture } });
    });
    assert_eq!(take(&form), Err(Refused::ExternalContent));
    // A name is not a file specification.
    assert!(take(&external("Fl".into())).is_ok());
}

/// Other programs complain about reference cycles, both before and after sealing.
#[test]
fn what_leads_in_a_circle_is_cut_and_judges_are_content() {
    let pdf = document_of(PageForm::PLAIN, |document, page| {
        let action = |document: &mut Document, address: &str| {
            document.add_object(dictionary! { "S" => "URI", "URI" => Object::string_literal(address) })
        };
        let [alone, first, second, third] =
            ["http://a/", "http://b/", "http://c/", "http://d/"].map(|address| action(document, address));
        let mut follow = |from: lopdf::ObjectId, next: Object| {
            let action = document.get_dictionary_mut(from).expect("an action");
            action.set("Next", next);
        };
        follow(alone, alone.into());
        follow(first, vec![second.into(), third.into()].into());
        follow(second, third.into());
        follow(third, first.into());
        let links: Vec<Object> = [alone, first]
            .into_iter()
            .map(|action| {
                Object::from(document.add_object(dictionary! {
                    "Type" => "Annot", "Subtype" => "Link", "A" => action,
                    "Rect" => vec![0.into(), 0.into(), 9.into(), 9.into()],
                }))
            })
            .collect();
        page.set("Annots", links);
        let catalog = document.add_object(dictionary! { "Type" => "Catalog" });
        document.trailer.set("Root", catalog);
    });
    // The root of the page tree is not a page.
    let mut document = Document::load_mem(&pdf).expect("readable");
    let catalog = document
        .trailer
        .get(b"Root")
        .and_then(Object::as_reference)
        .expect("a root");
    let root = document
        .catalog()
        .and_then(|catalog| catalog.get(b"Pages"))
        .and_then(Object::as_reference)
        .expect("pages");
    document.get_dictionary_mut(root).expect("pages").set("Parent", catalog);
    let mut pdf = Vec::new();
    document.save_to(&mut pdf).expect("written");

    let taken = take(&pdf).expect("taken");
    assert!(
        taken.changes.contains(&Change::DamageDropped { count: 3 }),
        "{:?}",
        taken.changes
    );
    let document = Document::load_mem(&taken.pdf).expect("readable");
    let pages = document.catalog().and_then(|catalog| catalog.get(b"Pages"));
    let pages = document.get_dictionary(pages.and_then(Object::as_reference).expect("pages"));
    assert!(!pages.expect("pages").has(b"Parent"));
    assert!(contains(&taken.pdf, b"http://d/"), "what is no circle stays");
    assert_eq!(structure_complaints(&taken.pdf), Vec::<String>::new());
    let said = |pdf: &[u8]| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file.pdf");
        std::fs::write(&file, pdf).expect("written");
        let said = Command::new("pdfsig").arg(&file).output().expect("pdfsig runs");
        String::from_utf8_lossy(&said.stderr).into_owned()
    };
    assert!(said(&pdf).contains("Circular"), "{}", said(&pdf));
    assert!(!said(&taken.pdf).contains("Circular"), "{}", said(&taken.pdf));
}

#[test]
fn a_picture_with_too_many_pixels_is_refused() {
    let pdf = document_of(PageForm::PLAIN, |document, page| {
        let picture = document.add_object(Stream::new(
            dictionary! {
                "Type" => "XObject", "Subtype" => "Image", "Width" => 100_000, "Height" => 100_000,
                "BitsPerComponent" => 1, "ColorSpace" => "DeviceGray",
            },
            Vec::new(),
        ));
        page.set(
            "Resources",
            dictionary! { "XObject" => dictionary! { "Im0" => picture } },
        );
    });
    assert!(matches!(
        take(&pdf).err(),
        Some(Refused::TooManyPixels {
            pixels: 10_000_000_000,
            ..
        })
    ));
}
