//! Tests templates: imported once, and visible only to their company.

use std::fmt::Write as _;

use app::{Error, FaultCode, ImportTemplate, Subject, TemplateFields, TemplateFilter};
use domain::TemplateId;
use testkit::operator::operator;

use crate::support::{TestApp, on_both};

const FIELDS: &str = r#"{"name": "계약", "steps": [{"order": 1}, {"order": 2}], "fields": [
    {"name": "name", "kind": "text", "step": 1, "page": 1, "x": 100000, "y": 100000, "width": 300000, "height": 30000,
     "required": true},
    {"name": "sign", "kind": "signature", "step": 2, "page": 2, "x": 100000, "y": 800000, "width": 300000, "height": 60000}]}"#;

/// Creates a PDF with two empty pages.
pub fn pdf() -> Vec<u8> {
    pdf_with("")
}

/// Creates this PDF with additional entries in the first page.
fn pdf_with(entries: &str) -> Vec<u8> {
    let page =
        |entries: &str| format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << >> {entries}>>");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>".to_owned(),
        page(entries),
        page(""),
    ];
    let mut file = String::from("%PDF-1.7\n");
    let mut table = String::from("0000000000 65535 f \n");
    for (number, object) in (1..).zip(objects) {
        let _ = writeln!(table, "{:010} 00000 n ", file.len());
        let _ = write!(file, "{number} 0 obj\n{object}\nendobj\n");
    }
    let start = file.len();
    let _ = write!(
        file,
        "xref\n0 5\n{table}trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    );
    file.into_bytes()
}

fn import(app: &TestApp, company: &domain::CompanyId, pdf: &[u8], fields: &str) -> Result<TemplateId, Error> {
    app.import_template(
        &operator(app, company),
        &ImportTemplate {
            pdf,
            fields: fields.as_bytes(),
        },
    )
    .map(|imported| imported.id)
}

#[test]
fn a_template_is_taken_in_with_its_pages_and_fields() {
    on_both(|app| {
        let company = app.with_company("acme");
        let id = import(app, &company, &pdf(), FIELDS).expect("a template");
        let stored = app.template(&operator(app, &company), id).expect("the template").stored;
        assert_eq!((stored.version.version, stored.version.name.as_str()), (1, "계약"));
        assert_eq!(
            (
                stored.version.pages.len(),
                stored.version.fields.len(),
                stored.page_images.len()
            ),
            (2, 2, 2)
        );
        for image in &stored.page_images {
            let page = app.blobs.get(image).expect("an image");
            assert_eq!(page.get(8..12), Some(&b"WEBP"[..]));
        }
        let listed = app
            .templates(&operator(app, &company), TemplateFilter::default())
            .expect("templates");
        assert_eq!(listed.iter().map(|template| template.id).collect::<Vec<_>>(), [id]);
    });
}

#[test]
fn another_company_finds_no_template_of_this_one() {
    on_both(|app| {
        let acme = app.with_company("acme");
        let other = app.with_company("other");
        let id = import(app, &acme, &pdf(), FIELDS).expect("a template");
        assert!(matches!(
            app.template(&operator(app, &other), id),
            Err(Error::NotFound(Subject::Template))
        ));
        assert!(
            app.templates(&operator(app, &other), TemplateFilter::default())
                .expect("templates")
                .is_empty()
        );
    });
}

#[test]
fn a_wrong_file_or_wrong_fields_are_named_and_nothing_is_kept() {
    let app = TestApp::new(testkit::database::TestDatabase::sqlite());
    let company = app.with_company("acme");
    let wrong_page = FIELDS.replace("\"page\": 2", "\"page\": 3");
    let cases: [(&[u8], &str, &str, FaultCode); 4] = [
        (b"%PDF-1.7 nonsense", FIELDS, "file", FaultCode::DocumentRefused),
        (&pdf(), "{", "", FaultCode::FieldsNotJson),
        (
            &pdf(),
            &FIELDS.replace("signature", "stamp"),
            "fields[1].kind",
            FaultCode::NotAllowed,
        ),
        (&pdf(), &wrong_page, "fields[1].page", FaultCode::PageOutOfRange),
    ];
    for (pdf, fields, path, code) in cases {
        match import(&app, &company, pdf, fields) {
            Err(Error::Unprocessable(faults)) => {
                assert_eq!(
                    faults
                        .iter()
                        .map(|fault| (fault.path.as_str(), fault.code))
                        .collect::<Vec<_>>(),
                    [(path, code)]
                );
            }
            other => panic!("{path}: {other:?}"),
        }
    }
    assert!(
        app.templates(&operator(&app, &company), TemplateFilter::default())
            .expect("templates")
            .is_empty()
    );
}

#[test]
fn lists_go_on_below_the_last_id() {
    let app = TestApp::new(testkit::database::TestDatabase::sqlite());
    let company = app.with_company("acme");
    let ids: Vec<TemplateId> = (0..3)
        .map(|_| import(&app, &company, &pdf(), FIELDS).expect("a template"))
        .collect();
    let page = |before| {
        let filter = TemplateFilter {
            before,
            limit: Some(2),
            ..TemplateFilter::default()
        };
        app.templates(&operator(&app, &company), filter)
            .expect("templates")
            .iter()
            .map(|row| row.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(page(None), [ids[2], ids[1]]);
    assert_eq!(page(Some(ids[1])), [ids[0]]);
}

/// Creates a page with a text field that has a value, and a check box.
fn form() -> Vec<u8> {
    pdf_with(
        "/Annots [
        << /Subtype /Widget /FT /Tx /T (full name) /V (Kim) /Ff 2 /Rect [50 700 250 720] >>
        << /Subtype /Widget /FT /Btn /T (agree) /Rect [50 600 60 610] >>]",
    )
}

/// Regression test for known trouble 8.
#[test]
fn a_form_without_a_fields_file_makes_a_usable_template() {
    on_both(|app| {
        let company = app.with_company("acme");
        let wishes = document::intake::Wishes::default();
        let import = |pdf: &[u8], name| {
            app.import_template_as(
                &operator(app, &company),
                None,
                pdf,
                TemplateFields::Form { name, file: None },
                &wishes,
            )
        };
        let imported = import(&form(), "Application").expect("a template");
        assert_eq!(imported.name, "Application");
        let version = app
            .template(&operator(app, &company), imported.id)
            .expect("the template")
            .stored
            .version;
        let found: Vec<_> = version
            .fields
            .iter()
            .map(|field| {
                (
                    field.name.as_str(),
                    field.kind.code(),
                    field.required,
                    field.default.as_deref(),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("full name", "text", true, Some("Kim")),
                ("agree", "check", false, None)
            ]
        );
        match import(&pdf(), "Empty") {
            Err(Error::Unprocessable(faults)) => assert_eq!(faults[0].code, FaultCode::NoFormFields),
            other => panic!("{other:?}"),
        }
    });
}

/// A member that is `null` counts as missing, so the form's own value is kept, in particular its position.
#[test]
fn a_null_in_the_fields_file_leaves_the_forms_field_as_it_is() {
    let app = TestApp::new(testkit::database::TestDatabase::sqlite());
    let company = app.with_company("acme");
    let file = r#"{"fields": [{"name": "full name", "page": null, "x": null, "default": null, "max_length": 20}]}"#;
    let fields = TemplateFields::Form {
        name: "Application",
        file: Some(file.as_bytes()),
    };
    let wishes = document::intake::Wishes::default();
    let imported = app
        .import_template_as(&operator(&app, &company), None, &form(), fields, &wishes)
        .expect("a template");
    let version = app
        .template(&operator(&app, &company), imported.id)
        .expect("it")
        .stored
        .version;
    let field = &version.fields[0];
    assert_eq!(
        (field.name.as_str(), field.default.as_deref()),
        ("full name", Some("Kim"))
    );
    assert_eq!(field.max_length, Some(20));
}

/// New fields for the existing PDF are neither applied to a newer PDF by somebody else, nor do they replace it.
#[test]
fn a_version_is_made_of_the_one_that_is_still_current() {
    on_both(|app| {
        let company = app.with_company("acme");
        let id = import(app, &company, &pdf(), FIELDS).expect("a template");
        let advance = |from| {
            let company = company.clone();
            app.store
                .write(move |tx| store::template::advance_from(tx, &company, id, "other", from).map_err(Error::from))
                .expect("written")
        };
        assert_eq!(advance(2), None);
        assert_eq!(advance(1), Some(2));
        assert_eq!(advance(1), None);
    });
}
