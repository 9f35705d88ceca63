use super::*;

#[test]
fn a_signature_after_a_certification_that_forbids_it_is_named() {
    let pdf = signed_by_others(&sealed(References::Table), &HOUSE.key);
    assert_change(&pdf, Part::Signature, How::Added, None);
}

#[test]
fn a_certification_after_another_signature_is_named() {
    let first = signed_by_others(&unsigned(References::Table), &HOUSE.key);
    let pdf = certify(&first, 1);
    assert_names(&pdf, |fault| *fault == Fault::CertificationNotFirst);
}

#[test]
fn the_signature_with_another_reason_is_named() {
    let pdf = append(&sealed(References::Table), |document, writer| {
        let signature = signature_of(document);
        writer
            .edit_dictionary(signature)
            .expect("the signature")
            .set("Reason", Object::string_literal("Approved for 1,000,000"));
    });
    assert_names(&pdf, |fault| *fault == Fault::NotInItsRevision);
}

/// The field contains a copy of the signature with different statements.
#[test]
fn a_copy_of_the_signature_is_named() {
    let pdf = append(&sealed(References::Table), |document, writer| {
        let signature = signature_of(document);
        let mut copy = document.get_dictionary(signature).expect("the signature").clone();
        copy.set("Reason", Object::string_literal("Approved for 1,000,000"));
        let copy = writer.add(copy);
        let field = field_of(document, "Seal1");
        writer.edit_dictionary(field).expect("the field").set("V", copy);
    });
    assert_names(&pdf, |fault| *fault == Fault::NotInItsRevision);
}

#[test]
fn a_second_field_with_the_same_signature_is_named() {
    for first in [
        sealed(References::Table),
        signed_by_others(&unsigned(References::Table), &HOUSE.key),
    ] {
        let pdf = append(&first, |document, writer| {
            let signature = signature_of(document);
            let page = first_page(document);
            let twin = writer.add(dictionary! {
                "Type" => "Annot", "Subtype" => "Widget", "FT" => "Sig", "F" => 132, "P" => page,
                "V" => signature, "T" => Object::string_literal("Second"),
                "Rect" => vec![0.into(), 0.into(), 0.into(), 0.into()],
            });
            let root = writer.root();
            let catalog = writer.edit_dictionary(root).expect("a catalog");
            let mut form = catalog
                .get(b"AcroForm")
                .and_then(Object::as_dict)
                .expect("a form")
                .clone();
            let mut fields = form.get(b"Fields").and_then(Object::as_array).expect("fields").clone();
            fields.push(twin.into());
            form.set("Fields", fields);
            catalog.set("AcroForm", form);
        });
        assert_field(&pdf, Part::Signature, How::Added, "Second");
    }
}

#[test]
fn a_value_by_an_unknown_root_is_named() {
    let stranger = House::new(KeyKind::EcdsaP256);
    let pdf = seal(unsigned(References::Table), &stranger.key, &details(true)).expect("sealed");
    assert_names(&pdf, |fault| matches!(fault, Fault::UntrustedSigner { .. }));
}

#[test]
fn a_root_of_the_same_name_but_another_key_is_no_root() {
    let twin = create_root("Countersign test root", KeyKind::EcdsaP256, now()).expect("a root");
    let verdict = verify(
        &sealed(References::Table),
        &TrustedRoots::new(twin.certificates().to_vec()),
        now(),
    );
    assert!(!verdict.holds());
    assert!(
        verdict
            .all_faults()
            .any(|(_, fault)| matches!(fault, Fault::UntrustedSigner { .. }))
    );
}

#[test]
fn an_expired_certificate_is_named() {
    let later: Timestamp = now() + SignedDuration::from_hours(24 * 366 * 10);
    let verdict = verify(&sealed(References::Table), &HOUSE.roots(), later);
    assert!(!verdict.holds());
    assert!(
        verdict
            .all_faults()
            .any(|(_, fault)| matches!(fault, Fault::CertificateExpired { .. }))
    );
}

#[test]
fn a_certificate_before_its_time_is_named() {
    let earlier: Timestamp = now() - SignedDuration::from_hours(24 * 30);
    let verdict = verify(&sealed(References::Table), &HOUSE.roots(), earlier);
    assert!(!verdict.holds());
    assert!(
        verdict
            .all_faults()
            .any(|(_, fault)| matches!(fault, Fault::CertificateNotYetValid { .. }))
    );
}

#[test]
fn a_root_certificate_used_to_seal_is_named() {
    let pdf = seal(unsigned(References::Table), &HOUSE.root, &details(true)).expect("sealed");
    assert_names(&pdf, |fault| matches!(fault, Fault::CertificateUnusable { .. }));
}

#[test]
fn an_unknown_or_obsolete_format_is_named() {
    for format in ["adbe.x509.rsa_sha1", "example.unknown"] {
        let extra = dictionary! { "SubFilter" => format };
        let pdf = sign_with(&unsigned(References::Table), &extra, &dictionary! {}, |digest| {
            document::pki::cms::sign(&HOUSE.key, digest).expect("a value")
        });
        assert_names(
            &pdf,
            |fault| matches!(fault, Fault::UnsupportedFormat { name } if name == format),
        );
    }
}

#[test]
fn usage_rights_are_no_signature() {
    let mut document = unsigned_document();
    let rights = document.add_object(dictionary! {
        "Type" => "Sig", "ByteRange" => vec![0.into(), 1.into(), 2.into(), 3.into()],
        "Contents" => Object::string_literal("x"),
    });
    document
        .catalog_mut()
        .expect("a catalog")
        .set("Perms", dictionary! { "UR3" => rights });
    assert_eq!(faults(&file(document, References::Table)), [Fault::NoSignature]);
}
