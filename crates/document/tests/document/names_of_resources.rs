//! Keys with a meaning in one dictionary may be arbitrary names in another.

use document::intake::{Change, Limits, Refused, inspect};

use crate::annotations::{file, stream};
use crate::pages::text;

/// Two pages that share fonts, with these resources and content, entries for the catalog and both pages, and more
/// objects numbered from 8.
fn two_pages(resources: &str, content: &str, (catalog, page): (&str, &str), more: &[&str]) -> Vec<u8> {
    let mut objects = vec![
        format!("<</Type/Catalog/Pages 2 0 R{catalog}>>"),
        "<</Type/Pages/Count 2/Kids[3 0 R 4 0 R]/MediaBox[0 0 300 300]>>".to_owned(),
        format!("<</Type/Page/Parent 2 0 R/Contents 5 0 R/Resources<</Font 7 0 R{resources}>>{page}>>"),
        format!("<</Type/Page/Parent 2 0 R/Contents 5 0 R/Resources<</Font 8 0 R{resources}>>{page}>>"),
        stream("", content),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
    ];
    objects.extend(more.iter().map(|object| (*object).to_owned()));
    file(&objects, "")
}

const FONTS: &str = "<</A 6 0 R/AA 6 0 R/PA 6 0 R/Next 6 0 R/EF 6 0 R/F 6 0 R/S 6 0 R/JS 6 0 R/OpenAction 6 0 R>>";

#[test]
fn fonts_may_be_called_as_actions_and_files_are_elsewhere() {
    let names = ["A", "AA", "PA", "Next", "EF", "F", "S", "JS", "OpenAction"];
    let shown: Vec<String> = names
        .iter()
        .zip(1..)
        .map(|(name, line)| format!("BT /{name} 12 Tf 20 {} Td (by {name}) Tj ET", line * 20))
        .collect();
    let pdf = two_pages("", &shown.join("\n"), ("", ""), &[FONTS, FONTS]);
    let taken = inspect(pdf.clone(), &Limits::default()).unwrap_or_else(|refused| panic!("{refused}"));
    assert_eq!(taken.changes, []);
    assert_eq!(text(&taken.pdf), text(&pdf));
}

/// Actions stay disabled wherever they are attached.
#[test]
fn actions_are_found_by_every_way_that_leads_to_them() {
    let script = "<</S/JavaScript/JS(app.alert\\(1\\))>>";
    for (catalog, page) in [
        (format!("/OpenAction{script}"), String::new()),
        (format!("/AA<</WC{script}>>"), String::new()),
        (format!("/Outlines<</First<</Title(a)/A{script}>>>>"), String::new()),
        (
            format!("/AcroForm<</Fields[<</T(a)/AA<</C{script}>>>>]>>"),
            String::new(),
        ),
        (String::new(), format!("/AA<</O{script}>>")),
        (String::new(), format!("/PresSteps<</Type/NavNode/NA{script}>>")),
        (
            String::new(),
            format!(
                "/Annots[<</Subtype/Link/Rect[9 9 99 99]/Border[0 0 0]/A<</S/URI/URI(https://example.com)/Next{script}>>>>]"
            ),
        ),
    ] {
        let pdf = two_pages("", "", (&catalog, &page), &["<<>>", "<<>>"]);
        let taken = inspect(pdf, &Limits::default()).unwrap_or_else(|refused| panic!("{refused}"));
        let is_told = |change: &Change| matches!(change, Change::ScriptsRemoved { .. });
        assert!(
            taken.changes.iter().any(is_told),
            "{catalog}{page}: {:?}",
            taken.changes
        );
        assert!(
            !taken.pdf.windows(5).any(|window| window == b"alert"),
            "{catalog}{page}"
        );
    }
}

/// An image whose name does not refer to anything visible.
#[test]
fn what_cannot_be_read_is_refused_whatever_its_name() {
    let picture = "<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/Unknown\
                   /Length 1>>\nstream\nx\nendstream";
    for name in ["AF", "Ref", "OC", "I"] {
        let resources = format!("/XObject<</{name} 9 0 R>>");
        let content = format!("q 50 0 0 50 9 9 cm /{name} Do Q");
        let pdf = two_pages(&resources, &content, ("", ""), &["<<>>", "<<>>", picture]);
        let filter = "Unknown".to_owned();
        let refused = inspect(pdf, &Limits::default()).err();
        assert_eq!(refused, Some(Refused::UnreadableContent { page: 1, filter }), "{name}");
    }
}

/// Following every path through such an expression would take exponentially many steps.
#[test]
fn an_expression_that_leads_back_to_itself_is_looked_at_once() {
    let catalog = "/OCProperties<</OCGs[9 0 R]/D<</OFF[9 0 R]>>>>";
    let all = |number: u32| format!("[/Or {}]", format!("{number} 0 R ").repeat(8));
    let expressions: Vec<String> = (12..40).map(|number| all(number + 1)).collect();
    let mut more = vec![
        "<<>>".to_owned(),
        "<<>>".to_owned(),
        "<</Type/OCG/Name(a)>>".to_owned(),
        "<</Type/OCMD/VE 11 0 R>>".to_owned(),
        all(11),
    ];
    more.extend(expressions);
    more.push("[/Not 9 0 R]".to_owned());
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    for entry in [10, 11] {
        let content = "/OC /P BDC 0 0 20 20 re f EMC";
        let resources = format!("/Properties<</P {entry} 0 R>>");
        let pdf = two_pages(&resources, content, (catalog, ""), &more);
        let before = std::time::Instant::now();
        // No rule defines what it shows. The test only checks that the inspection ends.
        let _ = inspect(pdf, &Limits::default());
        assert!(before.elapsed().as_secs() < 60);
    }
}
