//! Writes the files of the demo into a folder: `contract.pdf` with `contract.json` (a Korean employment contract with
//! two signers), `agreement.pdf` with `agreement.json` (an English non-disclosure agreement with two signers),
//! `delivery-note.pdf` (one page), and `signature-on-first-page.json` (one signer who signs at the bottom of the first
//! page of any PDF).

use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;

use document::text::fonts::Fonts;
use testkit::demo::{NON_DISCLOSURE_AGREEMENT_FIELDS, non_disclosure_agreement};

const SIGNATURE_ON_FIRST_PAGE: &str = r#"{
  "name": "서명 / Signature",
  "steps": [{"order": 1, "role": "signer"}],
  "fields": [
    {"name": "date", "kind": "date", "step": 1, "page": 1, "x": 60000, "y": 925000, "width": 180000, "height": 22000, "required": true},
    {"name": "signature", "kind": "signature", "step": 1, "page": 1, "x": 640000, "y": 900000, "width": 300000, "height": 55000, "required": true}
  ]
}
"#;

/// The delivery note's page: lines of text, and a line to sign on.
const DELIVERY_NOTE: &str = "BT /F1 26 Tf 60 760 Td (Delivery note) Tj ET
BT /F1 12 Tf 60 715 Td (The goods listed below were delivered complete and undamaged.) Tj ET
BT /F1 12 Tf 60 670 Td (2 desks, oak) Tj ET
BT /F1 12 Tf 60 650 Td (4 chairs) Tj ET
BT /F1 12 Tf 60 630 Td (1 lamp) Tj ET
BT /F1 9 Tf 35 85 Td (Date) Tj ET
BT /F1 9 Tf 380 100 Td (Received by) Tj ET
0.8 w 380 36 m 560 36 l S 35 44 m 142 44 l S";

fn delivery_note() -> String {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{DELIVERY_NOTE}\nendstream", DELIVERY_NOTE.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    let mut file = String::from("%PDF-1.7\n");
    let mut table = String::from("0000000000 65535 f \n");
    for (number, object) in (1..).zip(objects) {
        // Writing into a string cannot fail.
        let _ = writeln!(table, "{:010} 00000 n ", file.len());
        let _ = write!(file, "{number} 0 obj\n{object}\nendobj\n");
    }
    let start = file.len();
    let _ = write!(
        file,
        "xref\n0 6\n{table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    );
    file
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or("usage: demo-files FOLDER")?);
    testkit::contract::write(&folder)?;
    let agreement = non_disclosure_agreement(&Fonts::embedded()?)?;
    std::fs::write(folder.join("agreement.pdf"), agreement)?;
    std::fs::write(folder.join("agreement.json"), NON_DISCLOSURE_AGREEMENT_FIELDS)?;
    std::fs::write(folder.join("delivery-note.pdf"), delivery_note())?;
    std::fs::write(folder.join("signature-on-first-page.json"), SIGNATURE_ON_FIRST_PAGE)?;
    Ok(())
}
