//! A macro embeds the migrations, and cargo does not notice that it reads the folder.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
    println!("cargo::rerun-if-changed=build.rs");
}
