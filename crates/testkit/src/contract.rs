//! A Korean employment contract with two signers, which most tests and benchmarks send, and a value for each field.

use std::error::Error;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::installation::Installation;

/// A PNG of 2 × 2 dark pixels in base64, in the format of a drawn signature.
pub const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGMQEbEBIgYIBQAKXgGR1VOq2QAAAABJRU5ErkJggg==";

/// Returns the contract's FIELDS.json.
///
/// # Panics If the embedded fields file is not JSON, which would be a bug.
pub fn fields() -> Value {
    serde_json::from_str(crate::demo::EMPLOYMENT_CONTRACT_FIELDS).expect("the contract's fields file is JSON")
}

/// Writes the contract into a folder, as `contract.pdf` and `contract.json`.
///
/// # Errors
/// If a file cannot be written.
pub fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    let fonts = document::text::fonts::Fonts::embedded()?;
    fs::write(folder.join("contract.pdf"), crate::demo::employment_contract(&fonts)?)?;
    fs::write(folder.join("contract.json"), crate::demo::EMPLOYMENT_CONTRACT_FIELDS)?;
    Ok(())
}

/// Imports the contract into a company with the command line and returns its `template_id`.
pub fn import(installation: &Installation, company: &str) -> i64 {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path()).expect("the contract's files");
    let (pdf, fields) = (folder.path().join("contract.pdf"), folder.path().join("contract.json"));
    let (pdf, fields) = (pdf.to_string_lossy(), fields.to_string_lossy());
    let printed = installation.run(
        &["template", "import", "--company", company, &pdf, "--fields", &fields],
        "",
    );
    printed
        .parse()
        .unwrap_or_else(|_| panic!("`template import` printed no template_id: {printed:?}"))
}

/// Returns a value for every field of a step, in the API's format: `[{name, value}]`.
pub fn values_of_step(order: u32) -> Value {
    let fields = fields();
    let values = fields["fields"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
        .iter();
    values
        .filter(|field| field["step"] == order)
        .filter_map(|field| Some(json!({"name": field["name"], "value": value_of(field)?})))
        .collect()
}

fn value_of(field: &Value) -> Option<String> {
    let value = match field["kind"].as_str()? {
        "text" => "서울특별시 종로구",
        "number" => "3000000",
        "date" => "2026-12-01",
        "check" => "Y",
        "radio" => field["option"].as_str()?,
        "select" => field["options"][0].as_str()?,
        "signature" | "initials" | "seal" | "image" => PNG,
        _ => return None,
    };
    Some(value.to_owned())
}
