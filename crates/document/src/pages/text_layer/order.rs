//! Finds the reading order of a page's lines from their positions alone.

use super::{Line, SAME_BASELINE, rows};

/// Above this number of lines, they are only ordered from top to bottom.
const MOST_ORDERED: usize = 5_000;
/// Gaps between the rows and the columns of a page, relative to the font size.
const ROW_GAP: f64 = 0.5;
const COLUMN_GAP: f64 = 1.0;

/// Returns the lines in reading order. Each text direction is ordered separately, the one with most text first.
pub(super) fn reading_order(lines: Vec<Line>) -> Vec<Line> {
    let mut directions: Vec<Vec<Line>> = Vec::new();
    for line in lines {
        let same = directions.iter_mut().find(|lines| {
            lines
                .first()
                .is_some_and(|first| (first.angle - line.angle).abs() < 0.01)
        });
        match same {
            Some(lines) => lines.push(line),
            None => directions.push(vec![line]),
        }
    }
    let glyphs = |lines: &Vec<Line>| lines.iter().map(|line| line.glyphs.len()).sum::<usize>();
    directions.sort_by_key(|lines| std::cmp::Reverse(glyphs(lines)));
    let mut ordered = Vec::new();
    for lines in directions {
        if lines.len() > MOST_ORDERED {
            ordered.extend(row_by_row(lines));
        } else {
            let right_to_left = lines.iter().filter(|line| line.is_right_to_left()).count() * 2 > lines.len();
            Order { right_to_left }.append(lines, &mut ordered);
        }
    }
    ordered
}

/// Splits a block of lines repeatedly at the gaps between them.
struct Order {
    right_to_left: bool,
}

impl Order {
    fn append(&self, lines: Vec<Line>, ordered: &mut Vec<Line>) {
        if lines.len() <= 1 {
            ordered.extend(lines);
            return;
        }
        // Columns of prose, separated by lines that run across them (such as a title).
        if let Some(gutter) = prose_gutter(&lines) {
            for zone in zones(lines, gutter) {
                match zone {
                    Zone::Across(line) => ordered.push(line),
                    Zone::Columns(first, second) => {
                        let (first, second) = if self.right_to_left {
                            (second, first)
                        } else {
                            (first, second)
                        };
                        self.append(first, ordered);
                        self.append(second, ordered);
                    }
                }
            }
            return;
        }
        // Blocks one below the other, such as paragraphs or table rows.
        let size = median(lines.iter().map(|line| line.size));
        let bands = cut(lines, ROW_GAP * size, |line| (line.top(), line.bottom()));
        if bands.len() > 1 {
            for band in bands {
                self.append(band, ordered);
            }
            return;
        }
        let Some(band) = bands.into_iter().next() else { return };
        // Cells of one row, each with several lines.
        let mut cells = cut(band, COLUMN_GAP * size, |line| (line.start, line.end));
        if cells.len() > 1 && !are_rows(&cells) {
            if self.right_to_left {
                cells.reverse();
            }
            for cell in cells {
                self.append(cell, ordered);
            }
            return;
        }
        let mut rest = row_by_row(cells.into_iter().flatten().collect());
        if self.right_to_left {
            rest = rows(rest).into_iter().flat_map(|row| row.into_iter().rev()).collect();
        }
        ordered.extend(rest);
    }
}

fn row_by_row(mut lines: Vec<Line>) -> Vec<Line> {
    lines.sort_by(|a, b| a.baseline.total_cmp(&b.baseline).then(a.start.total_cmp(&b.start)));
    rows(lines).into_iter().flatten().collect()
}

/// Splits the lines at gaps wider than `gap`. Returns the parts in order.
fn cut(mut lines: Vec<Line>, gap: f64, extent: impl Fn(&Line) -> (f64, f64)) -> Vec<Vec<Line>> {
    lines.sort_by(|a, b| extent(a).0.total_cmp(&extent(b).0));
    let mut parts: Vec<Vec<Line>> = Vec::new();
    let mut end = f64::NEG_INFINITY;
    for line in lines {
        let (from, to) = extent(&line);
        match parts.last_mut() {
            Some(part) if from - end <= gap => part.push(line),
            _ => parts.push(vec![line]),
        }
        end = end.max(to);
    }
    parts
}

/// Returns whether the lines of cells are side by side in pairs. If so, they are read row by row.
fn are_rows(cells: &[Vec<Line>]) -> bool {
    let Some(first) = cells.first() else { return false };
    cells.iter().all(|cell| {
        cell.len() == first.len()
            && cell
                .iter()
                .zip(first)
                .all(|(line, other)| (line.baseline - other.baseline).abs() < SAME_BASELINE * line.size)
    })
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Returns the middle of a free strip between columns of prose. Lines that are wider than either column do not count.
/// The columns must be filled with lines, unlike those of a table.
fn prose_gutter(lines: &[Line]) -> Option<f64> {
    let left = lines.iter().map(|line| line.start).fold(f64::INFINITY, f64::min);
    let right = lines.iter().map(|line| line.end).fold(f64::NEG_INFINITY, f64::max);
    let width = right - left;
    let size = median(lines.iter().map(|line| line.size));
    let mut narrow: Vec<&Line> = lines
        .iter()
        .filter(|line| line.end - line.start < 0.6 * width)
        .collect();
    narrow.sort_by(|a, b| a.start.total_cmp(&b.start));
    let mut end = f64::NEG_INFINITY;
    let mut gutters = Vec::new();
    for line in &narrow {
        if end.is_finite() && line.start - end > COLUMN_GAP * size {
            gutters.push(f64::midpoint(end, line.start));
        }
        end = end.max(line.end);
    }
    gutters.into_iter().find(|gutter| {
        let (first, second): (Vec<&Line>, Vec<&Line>) = narrow.iter().copied().partition(|line| line.end < *gutter);
        is_prose(&first) && is_prose(&second)
    })
}

fn is_prose(lines: &[&Line]) -> bool {
    let left = lines.iter().map(|line| line.start).fold(f64::INFINITY, f64::min);
    let right = lines.iter().map(|line| line.end).fold(f64::NEG_INFINITY, f64::max);
    let size = median(lines.iter().map(|line| line.size));
    let usual = median(lines.iter().map(|line| line.end - line.start));
    lines.len() >= 4 && usual > 10.0 * size && usual > 0.7 * (right - left)
}

enum Zone {
    Across(Line),
    Columns(Vec<Line>, Vec<Line>),
}

/// Splits the lines, from top to bottom, into lines that cross the gutter, and the lines on either side between them.
fn zones(mut lines: Vec<Line>, gutter: f64) -> Vec<Zone> {
    lines.sort_by(|a, b| a.baseline.total_cmp(&b.baseline));
    let mut zones = Vec::new();
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for line in lines {
        if line.end < gutter {
            first.push(line);
        } else if line.start > gutter {
            second.push(line);
        } else {
            if !(first.is_empty() && second.is_empty()) {
                zones.push(Zone::Columns(std::mem::take(&mut first), std::mem::take(&mut second)));
            }
            zones.push(Zone::Across(line));
        }
    }
    if !(first.is_empty() && second.is_empty()) {
        zones.push(Zone::Columns(first, second));
    }
    zones
}
