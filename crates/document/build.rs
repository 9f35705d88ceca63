//! The fonts come from npm packages. Nothing can be stamped without them, so this script reports missing fonts before
//! `include_bytes!` fails with a compiler error.

use std::path::Path;

/// Paths below `ui/node_modules`. `src/text/fonts.rs` embeds the same files.
const FONTS: [&str; 31] = [
    "pretendard/dist/public/static/Pretendard-Regular.otf",
    "pretendard/dist/public/static/Pretendard-Bold.otf",
    "@expo-google-fonts/noto-sans-jp/400Regular/NotoSansJP_400Regular.ttf",
    "@expo-google-fonts/noto-sans-kr/400Regular/NotoSansKR_400Regular.ttf",
    "@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf",
    "@expo-google-fonts/noto-sans-arabic/400Regular/NotoSansArabic_400Regular.ttf",
    "@expo-google-fonts/noto-sans-hebrew/400Regular/NotoSansHebrew_400Regular.ttf",
    "@expo-google-fonts/noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf",
    "@expo-google-fonts/noto-sans-lao/400Regular/NotoSansLao_400Regular.ttf",
    "@expo-google-fonts/noto-sans-khmer/400Regular/NotoSansKhmer_400Regular.ttf",
    "@expo-google-fonts/noto-sans-myanmar/400Regular/NotoSansMyanmar_400Regular.ttf",
    "@expo-google-fonts/noto-sans-devanagari/400Regular/NotoSansDevanagari_400Regular.ttf",
    "@expo-google-fonts/noto-serif-bengali/400Regular/NotoSerifBengali_400Regular.ttf",
    "@expo-google-fonts/noto-sans-gurmukhi/400Regular/NotoSansGurmukhi_400Regular.ttf",
    "@expo-google-fonts/noto-sans-gujarati/400Regular/NotoSansGujarati_400Regular.ttf",
    "@expo-google-fonts/noto-sans-tamil/400Regular/NotoSansTamil_400Regular.ttf",
    "@expo-google-fonts/noto-sans-telugu/400Regular/NotoSansTelugu_400Regular.ttf",
    "@expo-google-fonts/noto-sans-kannada/400Regular/NotoSansKannada_400Regular.ttf",
    "@expo-google-fonts/noto-sans-malayalam/400Regular/NotoSansMalayalam_400Regular.ttf",
    "@expo-google-fonts/noto-sans-sinhala/400Regular/NotoSansSinhala_400Regular.ttf",
    "@expo-google-fonts/noto-sans-georgian/400Regular/NotoSansGeorgian_400Regular.ttf",
    "@expo-google-fonts/noto-sans-armenian/400Regular/NotoSansArmenian_400Regular.ttf",
    "@expo-google-fonts/noto-sans-ethiopic/400Regular/NotoSansEthiopic_400Regular.ttf",
    "@expo-google-fonts/noto-emoji/400Regular/NotoEmoji_400Regular.ttf",
    "@expo-google-fonts/nanum-pen-script/400Regular/NanumPenScript_400Regular.ttf",
    "@expo-google-fonts/gaegu/400Regular/Gaegu_400Regular.ttf",
    "@expo-google-fonts/yuji-syuku/400Regular/YujiSyuku_400Regular.ttf",
    "@expo-google-fonts/zen-kurenaido/400Regular/ZenKurenaido_400Regular.ttf",
    "@expo-google-fonts/caveat/400Regular/Caveat_400Regular.ttf",
    "@expo-google-fonts/dancing-script/400Regular/DancingScript_400Regular.ttf",
    "@expo-google-fonts/song-myung/400Regular/SongMyung_400Regular.ttf",
];

fn main() {
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/node_modules");
    println!("cargo::rerun-if-changed=build.rs");
    for font in FONTS {
        let path = modules.join(font);
        println!("cargo::rerun-if-changed={}", path.display());
        if !path.is_file() {
            println!("cargo::error=the font {font} is missing: run script/bootstrap");
        }
    }
}
