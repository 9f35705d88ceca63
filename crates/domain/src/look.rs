//! A company's accent colour and its use on the pages.
//!
//! A company chooses one colour. The pages need four variants in each colour scheme, and every text must stay readable.
//! So we move the colour towards black in the light scheme and towards white in the dark scheme, as little as possible,
//! until each pair in use has the contrast that WCAG 2.2 requires (1.4.3: 4.5 for text, more than the 3 that 1.4.11
//! requires for the edges of controls). The hue stays the same. The other colours do not depend on it: success, errors,
//! requests and refusals look the same for every company.

use crate::Colour;

/// The contrast that text needs on its background (WCAG 2.2, 1.4.3).
pub const TEXT_CONTRAST: f64 = 4.5;

const BLACK: Colour = Colour([0, 0, 0]);
const WHITE: Colour = Colour([255, 255, 255]);
const WHOLE: u16 = 255;

/// The colours around the accent in one scheme, equal to the values in `ui/src/styles/tokens.css`. A test compares
/// them.
struct Scheme {
    /// `--ground`, `--surface`, `--surface-sunk`.
    grounds: [Colour; 3],
    /// `--ink`, `--ink-soft`.
    inks: [Colour; 2],
    /// The colour towards which an unreadable accent is moved.
    towards: Colour,
    /// `--surface`, the base for the soft background.
    surface: Colour,
    /// Maximum share of accent in the soft background, in parts of [`WHOLE`].
    tint: u16,
    /// The text colour on a filled button.
    on_accent: Colour,
    /// Maximum share of accent in that text colour.
    on_accent_tint: u16,
}

const LIGHT: Scheme = Scheme {
    grounds: [
        Colour([0xf3, 0xf4, 0xf6]),
        Colour([0xff, 0xff, 0xff]),
        Colour([0xec, 0xee, 0xf2]),
    ],
    inks: [Colour([0x19, 0x1d, 0x24]), Colour([0x53, 0x5c, 0x6b])],
    towards: BLACK,
    surface: WHITE,
    tint: 28,
    on_accent: WHITE,
    on_accent_tint: 0,
};

const DARK: Scheme = Scheme {
    grounds: [
        Colour([0x10, 0x13, 0x18]),
        Colour([0x19, 0x1d, 0x24]),
        Colour([0x23, 0x29, 0x33]),
    ],
    inks: [Colour([0xe9, 0xec, 0xf1]), Colour([0xa9, 0xb2, 0xc0])],
    towards: WHITE,
    surface: Colour([0x19, 0x1d, 0x24]),
    tint: 40,
    on_accent: BLACK,
    on_accent_tint: 32,
};

/// The colours of one scheme that are derived from an accent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tones {
    /// Links, filled buttons, the focus ring.
    pub accent: Colour,
    /// The accent colour on hover.
    pub accent_strong: Colour,
    /// The background of notices and selected items.
    pub accent_soft: Colour,
    /// The text colour on `accent` and `accent_strong`.
    pub on_accent: Colour,
}

/// The colours derived from an accent, for both schemes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    pub light: Tones,
    pub dark: Tones,
}

impl Palette {
    /// Derives the colours from this accent. Every pair in use has at least [`TEXT_CONTRAST`].
    pub fn of(accent: Colour) -> Self {
        Self {
            light: tones(accent, &LIGHT),
            dark: tones(accent, &DARK),
        }
    }
}

fn tones(given: Colour, scheme: &Scheme) -> Tones {
    let accent = moved(given, scheme.towards, |tried| {
        scheme
            .grounds
            .iter()
            .all(|ground| contrast(tried, *ground) >= TEXT_CONTRAST)
    });
    let on_accent = tinted(scheme.on_accent, accent, scheme.on_accent_tint, |tried| {
        contrast(tried, accent) >= TEXT_CONTRAST
    });
    let readable = |tried: Colour| {
        contrast(on_accent, tried) >= TEXT_CONTRAST
            && scheme
                .grounds
                .iter()
                .all(|ground| contrast(tried, *ground) >= TEXT_CONTRAST)
    };
    // A colour near the end of the scale cannot move further. An already black colour becomes a little lighter instead,
    // if that is readable.
    let accent_strong = [mixed(accent, scheme.towards, 64), mixed(accent, other_end(scheme), 48)]
        .into_iter()
        .find(|tried| readable(*tried) && contrast(*tried, accent) > 1.1)
        .unwrap_or(accent);
    let accent_soft = tinted(scheme.surface, accent, scheme.tint, |tried| {
        [accent, accent_strong]
            .iter()
            .chain(&scheme.inks)
            .all(|text| contrast(*text, tried) >= TEXT_CONTRAST)
    });
    Tones {
        accent,
        accent_strong,
        accent_soft,
        on_accent,
    }
}

fn other_end(scheme: &Scheme) -> Colour {
    if scheme.towards == BLACK { WHITE } else { BLACK }
}

/// Returns the colour, moved as little as possible until it is good. The end of the scale is always good.
fn moved(colour: Colour, towards: Colour, good: impl Fn(Colour) -> bool) -> Colour {
    (0..=WHOLE)
        .map(|parts| mixed(colour, towards, parts))
        .find(|tried| good(*tried))
        .unwrap_or(towards)
}

/// Mixes as much of the colour into the background as possible, up to `most` parts, while it stays good. The background
/// itself is good.
fn tinted(ground: Colour, colour: Colour, most: u16, good: impl Fn(Colour) -> bool) -> Colour {
    (0..=most)
        .rev()
        .map(|parts| mixed(ground, colour, parts))
        .find(|tried| good(*tried))
        .unwrap_or(ground)
}

/// Mixes `parts` of [`WHOLE`] of the second colour with the first.
fn mixed(first: Colour, second: Colour, parts: u16) -> Colour {
    let mix = |one: u8, two: u8| {
        let sum = u16::from(one) * (WHOLE - parts.min(WHOLE)) + u16::from(two) * parts.min(WHOLE);
        u8::try_from((sum + WHOLE / 2) / WHOLE).unwrap_or(u8::MAX)
    };
    let mut parts_of_both = first.0;
    for (one, two) in parts_of_both.iter_mut().zip(second.0) {
        *one = mix(*one, two);
    }
    Colour(parts_of_both)
}

/// Returns the contrast of two colours, from 1 to 21 (WCAG 2.2).
pub fn contrast(one: Colour, other: Colour) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// Returns the relative luminance (WCAG 2.2).
fn luminance(Colour(parts): Colour) -> f64 {
    let [red, green, blue] = parts.map(|part| {
        let share = f64::from(part) / 255.0;
        if share <= 0.040_45 {
            share / 12.92
        } else {
            ((share + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn colour(text: &str) -> Colour {
        Colour::parse(text).unwrap()
    }

    /// Checks every pair used on the pages (`PAIRS` in `ui/samples.mjs`), and the text in notices.
    fn check(given: Colour) {
        let palette = Palette::of(given);
        for (tones, scheme) in [(palette.light, LIGHT), (palette.dark, DARK)] {
            let mut pairs = vec![(tones.on_accent, tones.accent), (tones.on_accent, tones.accent_strong)];
            for ground in scheme.grounds {
                pairs.extend([(tones.accent, ground), (tones.accent_strong, ground)]);
            }
            for text in scheme.inks.into_iter().chain([tones.accent, tones.accent_strong]) {
                pairs.push((text, tones.accent_soft));
            }
            for (text, ground) in pairs {
                let contrast = contrast(text, ground);
                assert!(
                    contrast >= TEXT_CONTRAST,
                    "{given}: {text} on {ground} has {contrast:.2}: {tones:?}"
                );
            }
        }
    }

    #[test]
    fn every_pair_can_be_read_whatever_the_accent_over_the_whole_cube() {
        // The steps of 15 cover the corners, edges and inside of the cube.
        let steps = || (0..=255_u8).step_by(15);
        for red in steps() {
            for green in steps() {
                for blue in steps() {
                    check(Colour([red, green, blue]));
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn every_pair_can_be_read_whatever_the_accent(parts: [u8; 3]) {
            check(Colour(parts));
        }
    }

    #[test]
    fn a_colour_that_can_be_read_stays_and_another_is_moved_by_as_little_as_needed() {
        for stays in ["#2450a4", "#a5231c", "#000000", "#17663a"] {
            assert_eq!(Palette::of(colour(stays)).light.accent, colour(stays));
        }
        let yellow = Palette::of(colour("#ffd400")).light.accent;
        assert_ne!(yellow, colour("#ffd400"));
        // One step less would not be enough.
        let [red, green, blue] = yellow.0;
        assert!(red > green && green > blue && blue == 0, "{yellow}");
        let nearest = contrast(yellow, colour("#eceef2"));
        assert!((TEXT_CONTRAST..TEXT_CONTRAST + 0.1).contains(&nearest), "{nearest}");
    }

    #[test]
    fn what_is_under_the_pointer_differs_from_what_is_not() {
        for given in ["#000000", "#ffffff", "#2450a4", "#ffd400", "#ff0066"] {
            let palette = Palette::of(colour(given));
            for tones in [palette.light, palette.dark] {
                assert_ne!(tones.accent, tones.accent_strong, "{given}");
            }
        }
    }

    #[test]
    fn the_grounds_are_those_of_the_pages() {
        let tokens = include_str!("../../../ui/src/styles/tokens.css");
        let (light, dark) = tokens.split_once("@media (prefers-color-scheme: dark)").unwrap();
        for (css, scheme) in [(light, LIGHT), (dark, DARK)] {
            let [ground, surface, sunk] = scheme.grounds;
            let [ink, ink_soft] = scheme.inks;
            assert_eq!(scheme.surface, surface);
            for (name, value) in [
                ("ground", ground),
                ("surface", surface),
                ("surface-sunk", sunk),
                ("ink", ink),
                ("ink-soft", ink_soft),
            ] {
                assert!(css.contains(&format!("--{name}: {value};")), "--{name} is not {value}");
            }
        }
    }
}
