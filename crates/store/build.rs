//! Rebuilds when migrations change. A macro embeds them, but cargo does not notice that it reads the folder.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
    println!("cargo::rerun-if-changed=build.rs");
}
