//! Text in fonts that a file names but does not embed: signers see the intended letters, or the file is refused.

use document::intake::{Acceptance, Change, Limits, Refused, Wishes, inspect, inspect_as};

use crate::annotations::{file, stream};
use crate::samples::{HOUSE, signed_by_others};
use crate::viewers::{Marks, Viewer};

/// Encoding, Adobe's character collection, font, and encoded text (decoded in the comment).
#[rustfmt::skip]
const ENCODED: &[(&str, &str, &str, &str)] = &[
    ("GBK-EUC-H", "GB1", "SimSun", "bacfcdacd7dcbcdbbec5b0d9d4aad5c5ceb0"), // 合同总价九百元张伟
    ("GB-EUC-H", "GB1", "STSong-Light", "bacfcdacd7dcbcdbbec5b0d9d4aa"), // 合同总价九百元
    ("GBKp-EUC-H", "GB1", "SimSun", "bacfcdacd7dcbcdbbec5b0d9d4aa"), // 合同总价九百元
    ("GBK2K-H", "GB1", "SimSun", "bacfcdacd7dcbcdbbec5b0d9d4aa"), // 合同总价九百元
    ("GBpc-EUC-H", "GB1", "STSong", "bacfcdacd7dcbcdbbec5b0d9d4aa"), // 合同总价九百元
    ("UniGB-UCS2-H", "GB1", "SimSun", "5408540c603b4ef74e5d767e5143"), // 合同总价九百元
    ("UniGB-UTF16-H", "GB1", "SimSun", "5408540c603b4ef74e5d767e5143"), // 合同总价九百元
    ("B5pc-H", "CNS1", "MingLiU", "abb4acf9c160bbf9a445a6caa4b8"), // 契約總價九百元
    ("ETen-B5-H", "CNS1", "MSung-Light", "abb4acf9c160bbf9a445a6caa4b8"), // 契約總價九百元
    ("ETenms-B5-H", "CNS1", "MingLiU", "abb4acf9c160bbf9a445a6caa4b8"), // 契約總價九百元
    ("HKscs-B5-H", "CNS1", "MingLiU_HKSCS", "abb4acf9c160bbf99df69def"), // 契約總價喺嘅
    ("UniCNS-UCS2-H", "CNS1", "MingLiU", "59517d047e3d50f94e5d767e5143"), // 契約總價九百元
    ("UniCNS-UTF16-H", "CNS1", "MingLiU", "59517d047e3d50f94e5d767e5143"), // 契約總價九百元
    ("90ms-RKSJ-H", "Japan1", "MS-Gothic", "8c5f96f18be08a7a8be39553897e834a836982a982c8"), // 契約金額九百円カナかな
    ("90msp-RKSJ-H", "Japan1", "MS-PGothic", "8c5f96f18be08a7a8be39553897e"), // 契約金額九百円
    ("90pv-RKSJ-H", "Japan1", "HeiseiMin-W3", "8c5f96f18be08a7a8be39553897e"), // 契約金額九百円
    ("EUC-H", "Japan1", "Ryumin-Light", "b7c0ccf3b6e2b3dbb6e5c9b4b1df"), // 契約金額九百円
    ("H", "Japan1", "Ryumin-Light", "37404c733662335b36654934315f"), // 契約金額九百円
    ("UniJIS-UCS2-H", "Japan1", "HeiseiKakuGo-W5", "59517d0491d1984d4e5d767e5186"), // 契約金額九百円
    ("UniJIS-UCS2-HW-H", "Japan1", "HeiseiKakuGo-W5", "59517d0491d1984d4e5d767e5186"), // 契約金額九百円
    ("UniJIS-UTF16-H", "Japan1", "KozMinPr6N-Regular", "59517d0491d1984d4e5d767e5186"), // 契約金額九百円
    ("KSCms-UHC-H", "Korea1", "BatangChe", "b0e8bee0b1ddbed78c63b9e6b0a2c7cf"), // 계약금액똠방각하
    ("KSCms-UHC-HW-H", "Korea1", "BatangChe", "b0e8bee0b1ddbed7"), // 계약금액
    ("KSC-EUC-H", "Korea1", "HYSMyeongJo-Medium", "b0e8bee0b1ddbed7"), // 계약금액
    ("KSCpc-EUC-H", "Korea1", "HYGoThic-Medium", "b0e8bee0b1ddbed7"), // 계약금액
    ("UniKS-UCS2-H", "Korea1", "Batang", "acc4c57dae08c561"), // 계약금액
    ("UniKS-UTF16-H", "Korea1", "Batang", "acc4c57dae08c561"), // 계약금액
];

/// A page with these resources and content, and more objects numbered from 5.
fn page(resources: &str, content: &str, more: &[String]) -> Vec<u8> {
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned(),
        format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R/Resources<<{resources}>>>>"),
        stream("", content),
    ];
    objects.extend_from_slice(more);
    file(&objects, "")
}

/// A page with a text in a font.
fn text(font: &str, text: &str, more: &[String]) -> Vec<u8> {
    page(
        &format!("/Font<</F {font}>>"),
        &format!("BT /F 20 Tf 20 40 Td <{text}> Tj ET"),
        more,
    )
}

/// A composite font that is not in the file.
fn composite(name: &str, encoding: &str, collection: &str, more: &str) -> String {
    format!(
        "<</Type/Font/Subtype/Type0/BaseFont/{name}/Encoding{encoding}{more}/DescendantFonts[<</Type/Font\
         /Subtype/CIDFontType0/BaseFont/{name}/CIDSystemInfo<</Registry(Adobe)/Ordering({collection})/Supplement 2>>/DW 1000>>]>>"
    )
}

fn simple(name: &str, more: &str) -> String {
    format!("<</Type/Font/Subtype/TrueType/BaseFont/{name}/FirstChar 0/LastChar 1/Widths[500 500]{more}>>")
}

/// Returns intake's reason for refusing the file, if it does.
fn refused(pdf: Vec<u8>) -> Option<Refused> {
    inspect(pdf, &Limits::default()).err()
}

/// Checks that both files look the same, except for the width of a stroke.
fn is_seen_alike(name: &str, pdf: &[u8], blank: &[u8], viewer: Viewer) {
    let ours = Marks::between(&Viewer::Ours.show(pdf), &Viewer::Ours.show(blank));
    let theirs = Marks::between(&viewer.show(pdf), &viewer.show(blank));
    assert!(theirs.count() > 0, "{viewer:?} shows nothing of {name}");
    let (found, more) = (theirs.near(&ours, 2), ours.near(&theirs, 2));
    assert!(
        found > 0.97 && more > 0.97,
        "{name}: of {viewer:?}'s {found} are ours, of ours {more} theirs"
    );
}

#[test]
fn asian_text_without_its_font_is_seen_as_pdfium_shows_it_in_every_encoding() {
    let blank = page("", "", &[]);
    for (encoding, collection, name, codes) in ENCODED {
        let pdf = text(&composite(name, &format!("/{encoding}"), collection, ""), codes, &[]);
        assert_eq!(refused(pdf.clone()), None, "{encoding}");
        is_seen_alike(encoding, &pdf, &blank, Viewer::Pdfium);
    }
}

fn not_shown(font: &str) -> Refused {
    Refused::TextNotShown {
        page: 1,
        font: font.to_owned(),
    }
}

/// Our renderer would draw the glyphs with the same numbers from its own font.
#[test]
fn letters_for_which_others_would_be_shown_refuse_a_file() {
    for (name, encoding, collection, codes) in [
        // Our fonts do not contain these characters.
        ("HeiseiMin-W3", "/UniJIS-UTF16-H", "Japan1", "595122527d04"),
        ("Batang", "/KSCms-UHC-H", "Korea1", "a2c2"),
        // The encoding has no such code. Our renderer would continue reading at its second byte.
        ("SimSun", "/UniGB-UTF16-H", "GB1", "540822525143"),
        // A font name for which the renderer falls back to Latin letters.
        ("NotoSansKR-Regular", "/UniKS-UCS2-H", "Korea1", "acc4c57d"),
        ("ArialUnicodeMS", "/90ms-RKSJ-H", "Japan1", "8c5f96f1"),
        // Glyph numbers of a font that is not embedded.
        ("ArialMT", "/Identity-H", "Identity", "002400250026"),
        ("Calibri", "/Identity-H", "Identity", "002400250026"),
    ] {
        let pdf = text(&composite(name, encoding, collection, ""), codes, &[]);
        assert_eq!(refused(pdf), Some(not_shown(name)), "{name} {codes}");
    }
}

#[test]
fn encodings_that_our_renderer_does_not_know_refuse_a_file() {
    let based = "<</Type/CMap/CMapName/Own/UseCMap/78-H/Length 17>>\nstream\nbegincmap endcmap\nendstream".to_owned();
    for (encoding, codes) in [
        ("/78-H", "374063"),
        ("/UniJIS2004-UTF16-H", "59517d04"),
        (" 5 0 R", "3740"),
    ] {
        let pdf = text(
            &composite("Ryumin-Light", encoding, "Japan1", ""),
            codes,
            std::slice::from_ref(&based),
        );
        assert_eq!(refused(pdf), Some(not_shown("Ryumin-Light")), "{encoding}");
    }
}

fn to_unicode(map: &str) -> String {
    let content = format!(
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def 1 begincodespacerange <0000> <ffff> \
         endcodespacerange {map} endcmap end end"
    );
    stream("", &content)
}

/// Our renderer uses the font's mapping of codes to text, and other programs use the meaning of the codes. Here they
/// show 900 and 100.
#[test]
fn a_font_that_says_two_things_of_its_codes_refuses_a_file() {
    let font = composite("Batang", "/UniKS-UCS2-H", "Korea1", "/ToUnicode 5 0 R");
    let lying = to_unicode("2 beginbfchar <0039> <0031> <0030> <0030> endbfchar");
    assert_eq!(
        refused(text(&font, "003900300030", &[lying])),
        Some(not_shown("Batang"))
    );
    // Full-width digits, and a character that programs read differently.
    let honest = to_unicode("3 beginbfchar <0039> <ff19> <0030> <0030> <005c> <20a9> endbfchar");
    assert_eq!(refused(text(&font, "003900300030", &[honest])), None);
}

#[test]
fn text_that_says_its_characters_itself_is_shown_with_the_letters_that_we_have() {
    let font = composite("ArialMT", "/Identity-H", "Identity", "/ToUnicode 5 0 R");
    let latin = to_unicode("3 beginbfchar <0024> <0041> <0025> <00e9> <0003> <0020> endbfchar");
    assert_eq!(
        refused(text(&font, "0024002500030024", std::slice::from_ref(&latin))),
        None
    );
    assert_eq!(refused(text(&font, "00240026", &[latin])), Some(not_shown("ArialMT")));
    let cyrillic = to_unicode("1 beginbfchar <0024> <0416> endbfchar");
    assert_eq!(refused(text(&font, "0024", &[cyrillic])), Some(not_shown("ArialMT")));
}

/// A scanner's recognised text lies beneath its picture.
#[test]
fn unseen_text_needs_no_letters() {
    let font = composite("ArialMT", "/Identity-H", "Identity", "");
    let pdf = page(
        &format!("/Font<</F {font}>>"),
        "BT 3 Tr /F 20 Tf 20 40 Td <002400250026> Tj ET",
        &[],
    );
    assert_eq!(refused(pdf), None);
}

#[test]
fn letters_of_simple_fonts_that_would_be_blank_or_others_refuse_a_file() {
    let differences = |names: &str| format!("/Encoding<</Differences[65{names}]>>");
    let cyrillic = text(&simple("ArialMT", &differences("/afii10017/afii10018")), "4142", &[]);
    assert_eq!(refused(cyrillic), Some(not_shown("ArialMT")));
    let infinity = text(&simple("Arial", "/Encoding/MacRomanEncoding"), "41b0", &[]);
    assert_eq!(refused(infinity), Some(not_shown("Arial")));
    for name in ["Wingdings", "SymbolMT", "ABCDEF+Wingdings-Regular"] {
        assert_eq!(refused(text(&simple(name, ""), "6162", &[])), Some(not_shown(name)));
    }
    for (name, more, codes) in [
        (
            "Arial",
            differences("/minus/Euro/fi/Lslash/space/uni00A0"),
            "414243444546",
        ),
        ("Arial", differences("/.notdef"), "4142"),
        ("Arial", "/Encoding/MacRomanEncoding".to_owned(), "41428a"),
        ("Arial", "/Encoding/WinAnsiEncoding".to_owned(), "4180fc"),
        ("Symbol", String::new(), "6157b7"),
    ] {
        assert_eq!(refused(text(&simple(name, &more), codes, &[])), None, "{name} {more}");
    }
}

/// Covers every letter available in all programs, in every standard font.
#[test]
fn letters_of_the_standard_fonts_are_known() {
    for name in ["Helvetica", "Times-BoldItalic", "Courier", "Symbol", "ZapfDingbats"] {
        let codes = hex::encode((0x20..=0xff).collect::<Vec<u8>>());
        // Makes intake check the letters one by one.
        let font = format!("<</Type/Font/Subtype/Type1/BaseFont/{name}/Encoding<</Differences[]>>>>");
        assert_eq!(refused(text(&font, &codes, &[])), None, "{name}");
    }
}

#[test]
fn text_under_blend_modes_groups_and_soft_masks_is_seen_as_others_show_it() {
    const WORDS: &str = "BT /F 20 Tf 20 40 Td (Total 900.00 and after the middle) Tj ET";
    const FORM: &str = "/BBox[0 0 300 100]/Resources<</Font<</F<</Type/Font/Subtype/Type1\
                        /BaseFont/Helvetica>>>>/ExtGState<</M<</BM/Multiply>>>>>>/Group<</S/Transparency/CS/DeviceGray";
    let resources = "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>/ExtGState<</M<</BM/Multiply>>/S<</BM/Screen>>\
                     /D<</BM/Difference>>/L<</BM/Luminosity>>/H<</BM/Hue>>/C<</BM/ColorBurn>>/E<</BM/Exclusion>>\
                     /SM<</SMask<</S/Luminosity/G 5 0 R>>>>/SA<</SMask<</S/Alpha/G 6 0 R>>>>/SN<</SMask/None>>/O<</ca 0.5>>\
                     /SB<</SMask<</S/Luminosity/G 5 0 R/BC[1]>>>>>>/XObject<</X 7 0 R/K 8 0 R/N 9 0 R>>";
    let form = |group: &str, content: &str| stream(&format!("{FORM}{group}>>"), content);
    let more = [
        form("", "1 g 0 0 150 100 re f 0.3 g 150 0 150 100 re f"),
        form("", "0 g 0 0 150 100 re f"),
        form("/I true", &format!("0.2 g {WORDS}")),
        form(
            "/K true",
            "0.2 g BT /F 20 Tf 20 40 Td (Knock 900) Tj 20 5 Td (over 100) Tj ET",
        ),
        form("", &format!("/M gs 0.2 g {WORDS}")),
    ];
    for (name, before, content) in [
        ("multiply", "1 1 0 rg 0 0 300 100 re f", "/M gs 0 0 1 rg WORDS"),
        ("screen", "0 g 0 0 300 100 re f", "/S gs 1 0 0 rg WORDS"),
        ("difference on black", "0 g 0 0 300 100 re f", "/D gs 1 g WORDS"),
        ("difference on white", "", "/D gs 0.6 g WORDS"),
        ("exclusion", "", "/E gs 1 1 0 rg WORDS"),
        ("luminosity", "1 0 0 rg 0 0 300 100 re f", "/L gs 0 g WORDS"),
        ("hue", "0 0 1 rg 0 0 300 100 re f", "/H gs 1 0 0 rg WORDS"),
        ("colour burn", "0.8 g 0 0 300 100 re f", "/C gs 0.2 g WORDS"),
        ("mask by luminosity", "", "/SM gs 0 g WORDS"),
        ("mask by luminosity on white", "", "/SB gs 0 g WORDS"),
        ("mask by alpha", "", "/SA gs 0 g WORDS"),
        ("mask that is taken away", "", "/SM gs /SN gs 0 g WORDS"),
        ("mask that is restored away", "", "q /SM gs Q 0 g WORDS"),
        ("mask on a group", "", "/SM gs /X Do"),
        ("isolated group, multiplied", "1 1 0 rg 0 0 300 100 re f", "/M gs /X Do"),
        ("group, half transparent", "", "/O gs /X Do"),
        ("knockout group", "", "/K Do"),
        ("group that is not isolated", "1 1 0 rg 0 0 300 100 re f", "/N Do"),
        (
            "text as a clip",
            "",
            "q BT /F 20 Tf 7 Tr 20 40 Td (CLIP 900) Tj ET 1 0 0 rg 0 0 300 100 re f Q",
        ),
    ] {
        let pdf = page(
            resources,
            &format!("{before} {}", content.replace("WORDS", WORDS)),
            &more,
        );
        let blank = page("", before, &[]);
        for viewer in [Viewer::Poppler, Viewer::Pdfium] {
            is_seen_alike(name, &pdf, &blank, viewer);
        }
    }
}

/// A highlight as programs write it: yellow multiplied with the words beneath, in its own group.
fn highlighted(group: &str, before: &str) -> Vec<u8> {
    let form = |entries: &str, content: &str| stream(&format!("/BBox[0 0 300 100]{entries}"), content);
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R/Annots[5 0 R]/Resources<</Font<</F<</Type/Font\
         /Subtype/Type1/BaseFont/Helvetica>>>>>>>>"
            .to_owned(),
        stream("", "BT /F 20 Tf 20 40 Td (The deposit is forfeited) Tj ET"),
        "<</Type/Annot/Subtype/Highlight/Rect[0 0 300 100]/QuadPoints[10 70 280 70 10 30 280 30]/F 4/C[1 1 0]/AP<</N 6 0 R>>>>"
            .to_owned(),
        form("/Resources<</XObject<</X 7 0 R>>/ExtGState<</A<</ca 0.9>>>>>>", &format!("{before} /X Do")),
        form(
            &format!("{group}/Resources<</ExtGState<</M<</BM/Multiply>>>>>>"),
            "/M gs 1 1 0 rg 10 30 270 40 re f",
        ),
    ];
    file(&objects, "")
}

#[test]
fn words_beneath_a_highlight_in_a_group_of_its_own_are_seen_as_others_show_them() {
    let blank = page("", "", &[]);
    for group in [
        "/Group<</S/Transparency>>",
        "/Group<</S/Transparency/I false/K false>>",
        "",
    ] {
        let upload = highlighted(group, "");
        let taken = inspect(upload.clone(), &Limits::default()).unwrap_or_else(|refused| panic!("{group}: {refused}"));
        for viewer in [Viewer::Poppler, Viewer::Pdfium] {
            let (ours, theirs) = (Viewer::Ours.show(&taken.pdf), viewer.show(&upload));
            let dark = |picture: &image::RgbImage| picture.pixels().filter(|pixel| pixel.0[0] < 100).count();
            assert!(
                dark(&theirs) > 200 && dark(&ours) * 10 > dark(&theirs) * 8,
                "{group}: no words"
            );
            let marks = |picture| Marks::between(picture, &viewer.show(&blank));
            let near = marks(&theirs).near(&marks(&ours), 2);
            assert!(near > 0.97, "{group}, {viewer:?}: {near}");
        }
    }
    // Nobody here would see its words, whatever it shows in other programs.
    for (group, before) in [
        ("/Group<</S/Transparency/K true>>", ""),
        ("/Group<</S/Transparency>>", "/A gs"),
    ] {
        assert_eq!(
            refused(highlighted(group, before)),
            Some(Refused::BlendingNotShown { page: 1 }),
            "{group}"
        );
    }
    // A signed file stays unchanged, but a copy without signatures can be sent.
    let signed = signed_by_others(&highlighted("/Group<</S/Transparency>>", ""), &HOUSE.key);
    let group = Refused::SignedWithUnseen {
        page: 1,
        kind: "Group".to_owned(),
    };
    assert_eq!(refused(signed), Some(group));
    // An isolated group covers the words in every program.
    assert_eq!(refused(highlighted("/Group<</S/Transparency/I true>>", "")), None);
}

/// Our renderer and `PDFium` use Helvetica, and Poppler shows nothing.
#[test]
fn text_whose_font_is_not_among_its_resources_is_shown_by_every_program() {
    let blank = page("", "", &[]);
    let words = "BT /F 20 Tf 20 40 Td (Potato) Tj ET";
    let form = stream("/BBox[0 0 300 100]", words);
    for (resources, content) in [
        ("", words),
        ("/Font<</F 7>>", words),
        (
            "/Font<</G<</Type/Font/Subtype/Type1/BaseFont/Courier>>>>/XObject<</X 5 0 R>>",
            "/X Do",
        ),
    ] {
        let pdf = page(resources, content, std::slice::from_ref(&form));
        let taken = inspect(pdf, &Limits::default()).unwrap_or_else(|refused| panic!("{resources}: {refused}"));
        assert_eq!(taken.changes, [Change::AnnotationsDrawn { count: 1 }], "{resources}");
        is_seen_alike(resources, &taken.pdf, &blank, Viewer::Pdfium);
        // The font cannot be added to a signed file, but a copy without the signatures can be sent.
        let signed = signed_by_others(&page(resources, content, std::slice::from_ref(&form)), &HOUSE.key);
        let missing = refused(signed.clone());
        let named = Refused::SignedWithMissingFont {
            page: 1,
            font: "F".to_owned(),
        };
        assert_eq!(missing, Some(named), "{resources}");
        let accepts = [Acceptance::WithoutSignatures].into();
        let wishes = Wishes {
            accepts,
            ..Wishes::default()
        };
        let copy =
            inspect_as(signed, &Limits::default(), &wishes).unwrap_or_else(|refused| panic!("{resources}: {refused}"));
        is_seen_alike(resources, &copy.pdf, &blank, Viewer::Poppler);
        let shown = Marks::between(&Viewer::Poppler.show(&taken.pdf), &Viewer::Poppler.show(&blank));
        assert!(shown.count() > 0, "{resources}: Poppler shows nothing");
    }
    let named = "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Courier>>>>";
    let taken = inspect(page(named, words, &[]), &Limits::default()).expect("it is taken");
    assert_eq!(taken.changes, []);
    assert_eq!(refused(signed_by_others(&page(named, words, &[]), &HOUSE.key)), None);
}

/// Poppler searches the page's resources. Our renderer and `PDFium` do not.
#[test]
fn what_a_form_lacks_and_its_page_has_is_shown_alike_by_every_program() {
    let blank = page("", "", &[]);
    let font = |name: &str| format!("<</F<</Type/Font/Subtype/Type1/BaseFont/{name}>>>>");
    let drawing = |content: &str| stream("/BBox[0 0 300 100]/Resources<</ProcSet[/PDF]>>", content);
    let page_with = |name: &str, content: &str| {
        let square = stream("/BBox[0 0 300 100]", "20 20 50 50 re f");
        let resources = format!("/Font{}/XObject<</X 5 0 R/Y 6 0 R>>", font(name));
        page(&resources, "/X Do", &[drawing(content), square])
    };
    let words = "BT /F 20 Tf 20 40 Td (Potato) Tj ET";
    let taken = inspect(page_with("Helvetica", words), &Limits::default()).expect("it is taken");
    assert_eq!(taken.changes, [Change::AnnotationsDrawn { count: 1 }]);
    is_seen_alike("Helvetica", &taken.pdf, &blank, Viewer::Poppler);
    // Signers would see letters that differ from those in the page's font.
    let other = refused(page_with("ZapfDingbats", words));
    assert_eq!(other, Some(Refused::PageWouldChange { page: 1 }));

    let taken = inspect(page_with("Helvetica", "/Y Do"), &Limits::default()).expect("it is taken");
    assert_eq!(taken.changes, [Change::DamageDropped { count: 1 }]);
    let seen = |viewer: Viewer, pdf: &[u8]| Marks::between(&viewer.show(pdf), &viewer.show(&blank)).count();
    assert!(
        seen(Viewer::Poppler, &page_with("Helvetica", "/Y Do")) > 0,
        "Poppler shows it"
    );
    for viewer in [Viewer::Ours, Viewer::Poppler, Viewer::Pdfium] {
        assert_eq!(seen(viewer, &taken.pdf), 0, "{viewer:?}");
    }
    let signed = refused(signed_by_others(&page_with("Helvetica", "/Y Do"), &HOUSE.key));
    let kind = "XObject".to_owned();
    assert_eq!(signed, Some(Refused::SignedWithUnseen { page: 1, kind }));
}
