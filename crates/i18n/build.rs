//! Lists the files of `locales/<language>/` so that `src/bundles.rs` embeds all of them: a new file needs no Rust code.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let locales = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../locales");
    let mut list = String::from("&[\n");
    for language in ["ko", "en", "ja"] {
        let folder = locales.join(language);
        println!("cargo::rerun-if-changed={}", folder.display());
        let mut files: Vec<PathBuf> = fs::read_dir(&folder)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<io::Result<_>>()?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "ftl"));
        files.sort();
        for file in files {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let path = fs::canonicalize(&file)?;
            println!("cargo::rerun-if-changed={}", path.display());
            let _ = writeln!(
                list,
                "    ({language:?}, {name:?}, include_str!({:?})),",
                path.display().to_string()
            );
        }
    }
    list.push(']');
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
    fs::write(Path::new(&out).join("locales.rs"), list)
}
