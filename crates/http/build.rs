//! Makes sure that the browser code has been bundled before it is embedded.

use std::path::Path;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let dist = root.join("ui/dist");
    println!("cargo::rerun-if-changed={}", dist.join("manifest.json").display());
    println!("cargo::rerun-if-changed={}", root.join("templates/pages").display());
    if !dist.join("manifest.json").is_file() {
        println!("cargo::error=ui/dist is missing: run script/bootstrap, which bundles the browser code");
    }
}
