//! The migrations are embedded by a macro, which cargo does not see reading the folder.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
    println!("cargo::rerun-if-changed=build.rs");
}
