//! Writes the files of the demo into a folder: `contract.pdf` with `contract.json` (a Korean employment contract of two
//! writers), and `signature-on-first-page.json` (one writer who signs at the foot of the first page of any PDF).

use std::error::Error;
use std::path::PathBuf;

const SIGNATURE_ON_FIRST_PAGE: &str = r#"{
  "name": "서명 / Signature",
  "steps": [{"order": 1, "role": "signer"}],
  "fields": [
    {"name": "date", "kind": "date", "step": 1, "page": 1, "x": 60000, "y": 925000, "width": 180000, "height": 22000, "required": true},
    {"name": "signature", "kind": "signature", "step": 1, "page": 1, "x": 640000, "y": 900000, "width": 300000, "height": 55000, "required": true}
  ]
}
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or("usage: demo-files FOLDER")?);
    testkit::contract::write(&folder)?;
    std::fs::write(folder.join("signature-on-first-page.json"), SIGNATURE_ON_FIRST_PAGE)?;
    Ok(())
}
