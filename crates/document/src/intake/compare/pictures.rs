//! Compares two rendered images of a page.

use crate::pages::render::Picture;

/// Side in pixels of the squares in which differences are measured.
const SIDE: usize = 4;
/// Allowed difference: one black pixel on white, which is a sixteenth of the square's full scale.
const MOST: u16 = 255;
/// Bytes per pixel. The fourth is ignored.
const PIXEL: usize = 4;

/// Returns whether the images differ by more than one whole pixel in any square of 4 × 4 pixels, in red, green or blue.
pub(super) fn differ(before: &Picture, after: &Picture) -> bool {
    if (before.width, before.height) != (after.width, after.height) {
        return true;
    }
    if before.rgba == after.rgba {
        return false;
    }
    let columns = usize::try_from(before.width).unwrap_or(usize::MAX);
    let rows_of = |picture| rows(picture, columns);
    let rows: Vec<(&[u8], &[u8])> = rows_of(before).zip(rows_of(after)).collect();
    // Difference of the last rows in each column.
    let mut sums = vec![[0_u16; 3]; columns];
    let mut alike = 0_usize;
    for (row, pair) in rows.iter().enumerate() {
        alike = if pair.0 == pair.1 { alike.saturating_add(1) } else { 0 };
        if alike > SIDE {
            // All sums are zero.
            continue;
        }
        let leaving = row.checked_sub(SIDE).and_then(|above| rows.get(above));
        for (sum, added) in sums.iter_mut().zip(differences(*pair)) {
            *sum = each(*sum, added, u16::saturating_add);
        }
        if let Some(leaving) = leaving {
            for (sum, taken) in sums.iter_mut().zip(differences(*leaving)) {
                *sum = each(*sum, taken, u16::saturating_sub);
            }
        }
        if exceeds(&sums) {
            return true;
        }
    }
    false
}

fn rows(picture: &Picture, columns: usize) -> impl Iterator<Item = &[u8]> {
    picture.rgba.chunks_exact(columns.saturating_mul(PIXEL).max(1))
}

/// Returns the difference of each pixel in a row.
fn differences((before, after): (&[u8], &[u8])) -> impl Iterator<Item = [u16; 3]> {
    let pixels = before.as_chunks::<PIXEL>().0.iter().zip(after.as_chunks::<PIXEL>().0);
    pixels.map(|([red, green, blue, _], [other_red, other_green, other_blue, _])| {
        [
            red.abs_diff(*other_red).into(),
            green.abs_diff(*other_green).into(),
            blue.abs_diff(*other_blue).into(),
        ]
    })
}

/// Returns whether adjacent columns of one square's width exceed the limit.
fn exceeds(sums: &[[u16; 3]]) -> bool {
    sums.windows(SIDE.min(sums.len()).max(1)).any(|columns| {
        let square = columns
            .iter()
            .fold([0; 3], |sum, column| each(sum, *column, u16::saturating_add));
        square.iter().any(|sum| *sum > MOST)
    })
}

fn each(colours: [u16; 3], others: [u16; 3], with: impl Fn(u16, u16) -> u16) -> [u16; 3] {
    let [red, green, blue] = colours;
    let [other_red, other_green, other_blue] = others;
    [with(red, other_red), with(green, other_green), with(blue, other_blue)]
}
