//! Files for assistive technology: our additions must be part of the structure it reads.

use std::collections::BTreeMap;
use std::process::Command;

use document::evidence::certificate::{Card, State, Tone, render};
use document::intake::{FormValues, Limits, Wishes, inspect, inspect_as};
use document::marks::extend;
use document::marks::stamp::{Mark, MarkContent, stamp};
use document::pdf::edit::Edits;
use document::pdf::structure::forget;
use document::pdf::{Dict, File, Object, Objects, Ref, View};
use document::sealing::seal;
use document::sealing::seal_mark::{SealMark, in_corner};
use document::text::layout::TextStyle;
use document::verify::verify;
use domain::drawing::{Drawing, Hand};
use domain::language::Language;
use lopdf::dictionary;

use crate::certificates::{content, signature};
use crate::judges;
use crate::pages::percent;
use crate::samples::{HOUSE, References, details, file, now, signed_by_others, unsigned, unsigned_document};
use crate::stamping::{FONTS, displayed_size};

/// The kind of parent tree in a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ParentTree {
    Flat,
    WithKids,
    Missing,
}

/// A file whose first page has structured content.
fn tagged(references: References, parents: ParentTree) -> Vec<u8> {
    let mut document = unsigned_document();
    let page = document.page_iter().next().expect("a page");
    let (root, element) = (document.new_object_id(), document.new_object_id());
    let paragraph = document.add_object(dictionary! {
        "Type" => "StructElem", "S" => "P", "P" => element, "Pg" => page, "K" => 0,
    });
    let page = document.get_dictionary_mut(page).expect("a page");
    page.set("StructParents", 7);
    let content = page
        .get(b"Contents")
        .and_then(lopdf::Object::as_reference)
        .expect("content");
    let content = document
        .get_object_mut(content)
        .and_then(lopdf::Object::as_stream_mut)
        .expect("content");
    content.set_content([b"/P <</MCID 0>> BDC ", content.content.as_slice(), b" EMC"].concat());
    let mut structure = dictionary! { "Type" => "StructTreeRoot", "K" => element };
    let numbers = vec![7.into(), vec![paragraph.into()].into()];
    match parents {
        ParentTree::Missing => {}
        ParentTree::Flat => {
            structure.set("ParentTree", dictionary! { "Nums" => numbers });
            structure.set("ParentTreeNextKey", 8);
        }
        ParentTree::WithKids => {
            let kid = dictionary! { "Limits" => vec![7.into(), 7.into()], "Nums" => numbers };
            let kid = document.add_object(kid);
            let tree = document.add_object(dictionary! { "Kids" => vec![kid.into()] });
            structure.set("ParentTree", tree);
        }
    }
    document.objects.insert(root, structure.into());
    document.objects.insert(
        element,
        dictionary! { "Type" => "StructElem", "S" => "Document", "P" => root, "K" => paragraph }.into(),
    );
    let catalog = document.catalog_mut().expect("a catalog");
    catalog.set("StructTreeRoot", root);
    catalog.set("MarkInfo", dictionary! { "Marked" => true });
    catalog.set("Lang", lopdf::text_string("ko"));
    file(document, references)
}

fn marks() -> Vec<Mark> {
    let mark = |row: u32, content| Mark {
        page: 1,
        placement: percent(10, 10 * row, 40, 5),
        content,
    };
    let text = |text: &str| MarkContent::Text {
        text: text.to_owned(),
        style: TextStyle::default(),
    };
    let drawing = Drawing::Typed {
        text: "홍길동".to_owned(),
        hand: Hand::NanumPen,
    };
    vec![
        mark(2, text("김민준")),
        Mark {
            page: 2,
            ..mark(2, text("서울"))
        },
        mark(4, MarkContent::Check),
        mark(5, MarkContent::Drawing(drawing)),
    ]
}

/// Returns the structure as read by Poppler, with its texts.
fn read_aloud(pdf: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("file.pdf");
    std::fs::write(&path, pdf).expect("written");
    let output = Command::new("pdfinfo")
        .args(["-struct-text", "-enc", "UTF-8"])
        .arg(&path)
        .output()
        .expect("pdfinfo can be run; script/bootstrap --tests installs it");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Collects all entries of a number tree.
fn numbers(view: &View<'_>, node: &Dict, found: &mut BTreeMap<i64, Object>) {
    for pair in view
        .array(node, b"Nums")
        .expect("readable")
        .unwrap_or_default()
        .chunks(2)
    {
        let key = pair[0].as_i64().expect("a key");
        assert_eq!(found.insert(key, pair[1].clone()), None, "{key} comes twice");
    }
    for kid in view.array(node, b"Kids").expect("readable").unwrap_or_default() {
        let kid = view.resolve(kid).expect("readable").as_dict().expect("a node");
        numbers(view, kid, found);
    }
}

/// Asserts that each element's object or marked content refers back to it (14.7.5.4), and that no reference dangles.
/// Returns the number of references.
fn assert_all_lead_back(pdf: &[u8]) -> usize {
    let opened = File::open(pdf, None).expect("readable");
    let view = opened.latest();
    let root = view
        .dict(view.catalog().expect("a catalog"), b"StructTreeRoot")
        .expect("readable")
        .expect("a root");
    let mut parents = BTreeMap::new();
    let tree = view
        .dict(root, b"ParentTree")
        .expect("readable")
        .expect("a parent tree");
    numbers(&view, tree, &mut parents);
    let next = view
        .integer(root, b"ParentTreeNextKey")
        .expect("readable")
        .expect("a next key");
    assert!(parents.keys().all(|key| *key < next));
    let mut checked = 0;
    for (id, object) in view.objects() {
        let Ok(Object::Dict(element)) = object else { continue };
        let content = match element.get(b"K").filter(|_| element.is_type(b"StructElem")) {
            Some(Object::Array(items)) => items.first(),
            content => content,
        };
        let Some(Object::Dict(content)) = content else {
            continue;
        };
        let holder = |key: &[u8]| {
            let reference = content.get(key).and_then(Object::as_ref).expect("a reference");
            let holder = view.object(reference).expect("readable").as_dict();
            holder.expect("what the structure refers to is there")
        };
        let back = if content.is_type(b"OBJR") {
            let key = view
                .integer(holder(b"Obj"), b"StructParent")
                .expect("readable")
                .expect("a key");
            parents.get(&key).and_then(Object::as_ref)
        } else {
            let key = view
                .integer(holder(b"Stm"), b"StructParents")
                .expect("readable")
                .expect("a key");
            let mark = content.get(b"MCID").and_then(Object::as_usize).expect("a mark");
            let elements = parents.get(&key).and_then(Object::as_array).expect("elements");
            elements.get(mark).and_then(Object::as_ref)
        };
        assert_eq!(back, Some(id));
        checked += 1;
    }
    checked
}

/// Returns the alternative texts of figures, which Poppler does not report.
fn words_of_figures(pdf: &[u8]) -> Vec<String> {
    let opened = File::open(pdf, None).expect("readable");
    let view = opened.latest();
    let figures = view
        .objects()
        .filter_map(|(_, object)| object.expect("readable").as_dict())
        .filter(|element| element.get(b"S").is_some_and(|kind| kind.is_name(b"Figure")));
    figures
        .filter_map(|element| view.text(element, b"Alt").expect("readable"))
        .collect()
}

#[test]
fn what_is_filled_in_on_a_tagged_file_and_its_seal_are_part_of_its_structure() {
    for references in [References::Table, References::Stream] {
        for parents in [ParentTree::Flat, ParentTree::WithKids, ParentTree::Missing] {
            let plain = tagged(references, parents);
            let size = displayed_size(&unsigned(references));
            let corner = in_corner(1, &size, "Sealed here", Language::En, &[]).expect("a corner");
            let mut marks = marks();
            marks.insert(1, corner.clone());
            let stamped = stamp(&plain, &FONTS, &marks).expect("stamped");
            let mut details = details(true);
            details.mark = Some(SealMark::draw(&FONTS, &size, &corner).expect("drawn"));
            let sealed = seal(&stamped, &HOUSE.key, &details).expect("sealed");

            let read = read_aloud(&sealed);
            for words in ["Page 1", "김민준", "서울"] {
                assert!(
                    read.contains(words),
                    "{references:?}, {parents:?}: {words} is not in\n{read}"
                );
            }
            assert!(!read.contains("Sealed here"), "in the margin: {read}");
            assert_eq!(words_of_figures(&sealed), ["홍길동"]);
            assert_eq!(assert_all_lead_back(&sealed), 5, "{references:?}, {parents:?}");

            let complaints = judges::complaints(&sealed, &HOUSE.root.certificate_pem());
            assert!(complaints.is_empty(), "{}", complaints.join("\n"));
            assert!(verify(&sealed, &HOUSE.roots(), now()).holds_strictly());
        }
    }
}

#[test]
fn a_file_without_tags_gets_none() {
    let sealed = stamp(unsigned(References::Table), &FONTS, &marks()).expect("stamped");
    let sealed = seal(sealed, &HOUSE.key, &details(true)).expect("sealed");
    let text = String::from_utf8_lossy(&sealed).into_owned();
    assert!(!text.contains("/Struct") && !text.contains("/MCID") && !text.contains("/Tabs"));
}

/// Returns the alternative text of each signature field.
fn words_of_fields(pdf: &[u8]) -> Vec<String> {
    let opened = File::open(pdf, None).expect("readable");
    let view = opened.latest();
    let form = view
        .dict(view.catalog().expect("a catalog"), b"AcroForm")
        .expect("readable")
        .expect("a form");
    let fields: Vec<Ref> = view
        .array(form, b"Fields")
        .expect("readable")
        .expect("fields")
        .iter()
        .filter_map(Object::as_ref)
        .collect();
    fields
        .into_iter()
        .filter_map(|field| {
            view.text(view.object(field).expect("readable").as_dict()?, b"TU")
                .expect("readable")
        })
        .collect()
}

#[test]
fn our_signature_fields_say_in_words_what_they_are() {
    let signed = signed_by_others(&unsigned(References::Table), &HOUSE.key);
    let extended = extend::stamp(signed, &FONTS, &marks()).expect("extended");
    let sealed = seal(extended, &HOUSE.key, &details(false)).expect("sealed");
    let seal = format!("{}: {}", details(false).name, details(false).reason);
    assert_eq!(
        words_of_fields(&sealed),
        ["김민준\n\u{2713}\n홍길동", "서울", seal.as_str()]
    );
}

#[test]
fn a_certificate_is_read_as_headings_lists_and_a_table() {
    let mut content = content(Language::Ko, &["김민준", "山田太郎"], 60);
    content.sections[0].cards.push(Card {
        mark: "1".to_owned(),
        name: "김민준".to_owned(),
        contact: "minjun@example.com".to_owned(),
        state: State {
            text: "승인".to_owned(),
            tone: Tone::Good,
        },
        rows: vec![("언어".to_owned(), "한국어".to_owned())],
        pictures: vec![signature("김민준", "서명")],
    });
    let pdf = render(&content, &FONTS).expect("rendered");
    assert_eq!(judges::structure_complaints(&pdf), Vec::<String>::new());
    let read = read_aloud(&pdf);
    let lines: Vec<&str> = read.lines().map(str::trim).collect();
    let count = |kind: &str| {
        lines
            .iter()
            .filter(|line| line.split([' ', ':']).next() == Some(kind))
            .count()
    };
    assert_eq!((count("H1"), count("H2"), count("H3")), (1, 2, 1), "{read}");
    assert_eq!(
        (count("Table"), count("TR"), count("TH"), count("TD")),
        (1, 61, 4, 240),
        "{read}"
    );
    assert_eq!(
        (count("L"), count("LI"), count("Lbl"), count("LBody"), count("Figure")),
        (2, 3, 3, 3, 2),
        "{read}"
    );
    for words in ["전자서명 이력 증명서", "번호", "서명", "한국어", "event-59", "山田太郎"] {
        assert!(read.contains(words), "{words} is not in\n{read}");
    }
    assert!(!read.contains("Countersign"), "the foot is no content: {read}");

    let sealed = seal(pdf, &HOUSE.key, &details(true)).expect("sealed");
    let complaints = judges::complaints(&sealed, &HOUSE.root.certificate_pem());
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Removes references as intake does after flattening a field.
#[test]
fn the_structure_forgets_what_is_gone() {
    let stamped = stamp(tagged(References::Table, ParentTree::Flat), &FONTS, &marks()).expect("stamped");
    let sealed = seal(stamped, &HOUSE.key, &details(true)).expect("sealed");
    let opened = File::open(sealed, None).expect("readable");
    let widgets: Vec<Ref> = opened
        .latest()
        .objects()
        .filter(|(_, object)| {
            object
                .as_ref()
                .is_ok_and(|object| object.as_dict().is_some_and(|dict| dict.has(b"StructParent")))
        })
        .map(|(id, _)| id)
        .collect();
    assert_eq!(widgets.len(), 1);
    let mut edits = Edits::new(opened.latest());
    assert_eq!(forget(&mut edits, |_| false).expect("readable"), 0);
    assert!(edits.changed().is_empty());
    assert_eq!(
        forget(&mut edits, |object| widgets.contains(&object)).expect("readable"),
        1
    );
    assert_eq!(edits.changed().len(), 1, "nothing but its element is changed");
    let (_, element) = edits.changed().first_key_value().expect("the element");
    let element = element.as_dict().expect("an element");
    assert!(element.get(b"S").is_some_and(|kind| kind.is_name(b"Form")) && !element.has(b"K"));
}

/// The structure may name only annotations that are still on a page (14.7.5.3).
#[test]
fn intake_leaves_no_reference_to_an_annotation_that_is_gone() {
    let objects = [
        "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R]>>/StructTreeRoot 9 0 R/MarkInfo<</Marked true>>>>",
        "<</Type/Pages/Count 1/Kids[3 0 R]>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Annots[6 0 R 7 0 R 8 0 R]/Tabs/S>>",
        "<</Type/StructElem/S/Link/P 9 0 R/K[<</Type/OBJR/Obj 8 0 R/Pg 3 0 R>>]>>",
        "<</Type/StructElem/S/Form/P 9 0 R/K<</Type/OBJR/Obj 6 0 R/Pg 3 0 R>>>>",
        "<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(x)/DA(/Helv 9 Tf)/Rect[9 9 99 29]/F 4/StructParent 0>>",
        "<</Type/Annot/Subtype/Text/Contents(A remark)/Rect[9 99 29 119]/F 4/StructParent 1>>",
        "<</Type/Annot/Subtype/Link/Rect[9 199 99 219]/Border[0 0 0]/F 4/StructParent 2/A<</S/URI/URI(https://example.com)>>>>",
        "<</Type/StructTreeRoot/K[4 0 R 5 0 R <</Type/OBJR/Obj 7 0 R/Pg 3 0 R>>]>>",
    ]
    .map(str::to_owned);
    let pdf = crate::annotations::file(&objects, "");
    let taken = inspect(pdf, &Limits::default()).unwrap_or_else(|refused| panic!("{refused}"));
    let file = File::open(taken.pdf, None).expect("it keeps the rules");
    let view = file.latest();
    let page = view.pages().expect("pages")[0];
    let annotations = view
        .array(view.page(page).expect("a page"), b"Annots")
        .expect("annotations");
    let annotations = annotations.expect("the link").to_vec();
    let mut named = Vec::new();
    for (_, object) in view.objects() {
        let mut waiting = vec![object.expect("read").clone()];
        while let Some(object) = waiting.pop() {
            match object {
                Object::Array(items) => waiting.extend(items),
                Object::Dict(dict) => {
                    named.extend(dict.get(b"Obj").cloned().filter(|_| dict.is_type(b"OBJR")));
                    waiting.extend(dict.iter().map(|(_, value)| value.clone()));
                }
                _ => {}
            }
        }
    }
    assert_eq!(annotations.len(), 1, "the link is left");
    assert_eq!(named, annotations);
}

/// A tagged form with a text field in the structure, a tick that is not, and an empty field.
fn tagged_form() -> Vec<u8> {
    let look = |content: &str| {
        format!(
            "<</Type/XObject/Subtype/Form/BBox[0 0 90 20]/Resources<</Font<</Helv<</Type/Font/Subtype/Type1/BaseFont\
             /Helvetica/Encoding/WinAnsiEncoding>>>>>>/Length {}>>\nstream\n{content}\nendstream",
            content.len()
        )
    };
    let text = |text: &str| look(&format!("/Tx BMC BT /Helv 9 Tf 2 6 Td ({text}) Tj ET EMC"));
    let objects = [
        "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R 7 0 R 8 0 R]>>/StructTreeRoot 9 0 R/MarkInfo<</Marked true>>>>"
            .to_owned(),
        "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Annots[6 0 R 7 0 R 8 0 R]/Tabs/S>>".to_owned(),
        "<</Type/StructElem/S/Document/P 9 0 R/K[5 0 R]>>".to_owned(),
        "<</Type/StructElem/S/Form/P 4 0 R/Pg 3 0 R/K<</Type/OBJR/Obj 6 0 R/Pg 3 0 R>>>>".to_owned(),
        "<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/TU(Given name)/V(Minjun)/DA(/Helv 9 Tf)/Rect[9 9 99 29]/F 4/StructParent 0\
         /AP<</N 10 0 R>>>>"
            .to_owned(),
        "<</Type/Annot/Subtype/Widget/FT/Btn/T(b)/V/Yes/AS/Yes/Rect[9 99 99 119]/F 4/AP<</N<</Yes 11 0 R>>>>>>".to_owned(),
        "<</Type/Annot/Subtype/Widget/FT/Tx/T(c)/DA(/Helv 9 Tf)/MK<</BG[.9]>>/Rect[9 199 99 219]/F 4>>".to_owned(),
        "<</Type/StructTreeRoot/K 4 0 R/ParentTree<</Nums[0 5 0 R]>>/ParentTreeNextKey 1>>".to_owned(),
        text("Minjun"),
        text("ticked"),
    ];
    crate::annotations::file(&objects, "")
}

#[test]
fn flattened_fields_stay_in_the_structure() {
    let taken = inspect(tagged_form(), &Limits::default()).unwrap_or_else(|refused| panic!("{refused}"));
    let read = read_aloud(&taken.pdf);
    let lines: Vec<&str> = read.lines().map(str::trim).collect();
    let forms = lines.iter().filter(|line| line.starts_with("Form")).count();
    assert_eq!(forms, 2, "the box without a value is an artifact: {read}");
    for words in ["Minjun", "ticked"] {
        assert!(read.contains(words), "{words} is not in\n{read}");
    }
    assert!(read.find("Minjun") < read.find("ticked"), "{read}");
    assert_eq!(assert_all_lead_back(&taken.pdf), 2);
    assert_eq!(attributes_of_forms(&taken.pdf), ["cb on ", "tv  Given name"]);
    assert_nothing_is_unmarked(&taken.pdf);
}

/// If the values move to a template, empty boxes stay on the pages.
#[test]
fn boxes_without_values_are_artifacts() {
    let wishes = Wishes {
        form: FormValues::Taken,
        ..Wishes::default()
    };
    let taken = inspect_as(tagged_form(), &Limits::default(), &wishes).unwrap_or_else(|refused| panic!("{refused}"));
    assert!(!read_aloud(&taken.pdf).contains("Minjun"));
    assert_nothing_is_unmarked(&taken.pdf);
}

/// Returns the attributes of fields that can no longer be changed, sorted: role, state, name.
fn attributes_of_forms(pdf: &[u8]) -> Vec<String> {
    let opened = File::open(pdf, None).expect("readable");
    let view = opened.latest();
    let mut found: Vec<String> = view
        .objects()
        .filter_map(|(_, object)| object.expect("readable").as_dict())
        .filter(|element| element.get(b"S").is_some_and(|kind| kind.is_name(b"Form")))
        .map(|element| {
            let attributes = view.dict(element, b"A").expect("readable").expect("attributes");
            let name = |key: &[u8]| {
                let name = view.name(attributes, key).expect("readable");
                name.map_or_else(String::new, |name| String::from_utf8_lossy(&name.bytes()).into_owned())
            };
            let words = view.text(attributes, b"Desc").expect("readable").unwrap_or_default();
            format!("{} {} {words}", name(b"Role"), name(b"checked"))
        })
        .collect();
    found.sort();
    found
}

/// Asserts that everything drawn on the first page is marked, in its own content or in a form's.
fn assert_nothing_is_unmarked(pdf: &[u8]) {
    let opened = File::open(pdf, None).expect("readable");
    let view = opened.latest();
    let page = view.page(view.pages().expect("pages")[0]).expect("a page");
    let content = view.content(view.pages().expect("pages")[0], 1 << 20).expect("content");
    let content = String::from_utf8(content).expect("operators");
    let resources = view.dict(page, b"Resources").expect("readable").expect("resources");
    let forms = view.dict(resources, b"XObject").expect("readable").expect("forms");
    for (name, _) in forms.iter() {
        let name = String::from_utf8_lossy(&name.bytes()).into_owned();
        let form = view.stream(forms, name.as_bytes()).expect("readable").expect("a form");
        let drawn = view.decode_whole(form, 1 << 20).expect("content");
        let drawn = String::from_utf8(drawn).expect("operators");
        let mut depth = 0;
        for line in drawn.lines() {
            depth += i32::from(line.ends_with("BDC") || line.ends_with("BMC"));
            assert!(depth == 1 || !line.contains(" Do"), "{line} is not marked in\n{drawn}");
            depth -= i32::from(line == "EMC");
        }
        assert_eq!(depth, 0, "{drawn}");
        assert!(content.contains(&format!("/{name} Do")), "{content}");
    }
    assert_eq!(content.matches(" Do").count(), forms.len(), "{content}");
}

/// A page whose content programs may read differently, because of an inline image, becomes a form. The structure must
/// follow.
#[test]
fn the_structure_follows_content_into_a_form() {
    let content = "/P <</MCID 0>> BDC BT /F1 12 Tf 20 100 Td (Words of a page) Tj ET EMC \
                   q 9 0 0 9 50 50 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q";
    for kid in ["0", "<</Type/MCR/Pg 3 0 R/MCID 0>>", "[<</Type/MCR/MCID 0>>]"] {
        let objects = [
            "<</Type/Catalog/Pages 2 0 R/StructTreeRoot 6 0 R/MarkInfo<</Marked true>>>>".to_owned(),
            "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned(),
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/StructParents 0/Contents 4 0 R/Resources<</Font<</F1<</Type/Font\
             /Subtype/Type1/BaseFont/Helvetica>>>>>>>>"
                .to_owned(),
            format!("<</Length {}>>\nstream\n{content}\nendstream", content.len()),
            format!("<</Type/StructElem/S/P/P 6 0 R/Pg 3 0 R/K {kid}>>"),
            "<</Type/StructTreeRoot/K 5 0 R/ParentTree<</Nums[0[5 0 R]]>>/ParentTreeNextKey 1>>".to_owned(),
        ];
        let taken = inspect(crate::annotations::file(&objects, ""), &Limits::default());
        let taken = taken.unwrap_or_else(|refused| panic!("{refused}"));
        let read = read_aloud(&taken.pdf);
        assert!(read.contains("Words of a page"), "{kid}: {read}");
        assert_eq!(assert_all_lead_back(&taken.pdf), 1, "{kid}");
    }
}
