//! Tests that a document made from a copy of a signed file, without its signatures, says so in its audit trail and
//! certificate.

use app::TemplateFields;
use document::intake::{Acceptance, Wishes};
use domain::{BlobHash, Language};
use testkit::operator::operator;

use crate::certificates::{chain_of, packed, sign, text};
use crate::support::on_both;
use crate::world::{World, act, given, id_of, key_of, two_steps};

#[test]
fn the_certificate_and_the_chain_name_the_signed_file_of_which_a_document_is_a_copy() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let complete = || {
            let mut request = world.request();
            request.language = Some("en".to_owned());
            let started = world.start(request);
            let id = id_of(&started);
            let key = key_of(&started.sign_url.expect("embedded"));
            sign(&world, &key, Language::En, "김민준").expect("signed");
            world
                .approve(id, act(vec![given("pay", "1")]))
                .expect("the last approval");
            world.sealed_files(id)
        };
        let said = |certificate: &[u8]| {
            let started = chain_of(certificate)["entries"][0]["payload"].to_string();
            (packed(&text(certificate)), started)
        };
        let without = packed("SHA-256 of that file");
        let (signed, certificate) = complete();
        let (read, started) = said(&certificate);
        assert!(
            !read.contains(&without) && !started.contains("signed_original"),
            "{read}"
        );

        let fields = two_steps().to_string();
        let import = |wishes: &Wishes| {
            let fields = TemplateFields::File(fields.as_bytes());
            app.import_template_as(
                &operator(app, &world.company),
                Some(world.template),
                &signed,
                fields,
                wishes,
            )
        };
        import(&Wishes::default()).expect_err("it is certified");
        let wishes = Wishes {
            accepts: [Acceptance::WithoutSignatures].into(),
            ..Wishes::default()
        };
        import(&wishes).expect("a copy");
        let (_, certificate) = complete();
        let (read, started) = said(&certificate);
        let original = BlobHash::of(&signed).to_string();
        assert!(read.contains(&without), "{read}");
        assert!(
            read.matches(&original).count() >= 2,
            "among the proofs and the events: {read}"
        );
        assert!(
            started.contains("signed_original") && started.contains(&original),
            "{started}"
        );
    });
}
