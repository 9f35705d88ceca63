//! Boxes that cover each other: two entries in one place cannot be read.

use crate::field::{Field, Placement};

/// Two required fields whose boxes are in the same place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnOneSpot {
    /// The name that people see.
    pub first: String,
    /// The name that people see.
    pub second: String,
    /// From 1.
    pub page: u32,
}

impl OnOneSpot {
    fn is_of_same_fields(&self, other: &Self) -> bool {
        let names = (&self.first, &self.second);
        self.page == other.page && (names == (&other.first, &other.second) || names == (&other.second, &other.first))
    }
}

/// The pairs of required fields of which one covers more than half of the other.
pub fn required_on_one_spot(fields: &[Field]) -> Vec<OnOneSpot> {
    let required: Vec<&Field> = fields.iter().filter(|field| field.required).collect();
    let mut found: Vec<OnOneSpot> = Vec::new();
    for (index, first) in required.iter().enumerate() {
        for second in required.iter().skip(index + 1) {
            let is_other = first.name != second.name && first.page == second.page;
            if !is_other || !covers(&first.placement, &second.placement) {
                continue;
            }
            let pair = OnOneSpot {
                first: first.shown_name().to_owned(),
                second: second.shown_name().to_owned(),
                page: first.page,
            };
            if !found.iter().any(|known| known.is_of_same_fields(&pair)) {
                found.push(pair);
            }
        }
    }
    found
}

/// Whether their common part is more than half of the smaller one.
fn covers(one: &Placement, other: &Placement) -> bool {
    let common = |start: u32, length: u32, other_start: u32, other_length: u32| {
        let end = start
            .saturating_add(length)
            .min(other_start.saturating_add(other_length));
        u64::from(end.saturating_sub(start.max(other_start)))
    };
    let area = |placement: &Placement| u64::from(placement.width) * u64::from(placement.height);
    let width = common(one.x, one.width, other.x, other.width);
    let height = common(one.y, one.height, other.y, other.height);
    width * height * 2 > area(one).min(area(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::FieldKind;

    fn field(name: &str, page: u32, x: u32, required: bool) -> Field {
        let placement = Placement {
            x,
            y: 100_000,
            width: 200_000,
            height: 50_000,
        };
        Field {
            required,
            ..Field::new(name, FieldKind::Text, 1, page, placement)
        }
    }

    #[test]
    fn two_required_boxes_on_one_spot_are_found_and_neighbours_are_not() {
        let fields = [
            field("a", 1, 100_000, true),
            field("b", 1, 150_000, true),
            // Optional, on another page, only touching.
            field("c", 1, 100_000, false),
            field("d", 2, 100_000, true),
            field("e", 1, 350_000, true),
            // The same field and the same pair again.
            field("a", 1, 100_000, true),
            field("b", 1, 100_000, true),
        ];
        let pairs: Vec<(String, String, u32)> = required_on_one_spot(&fields)
            .into_iter()
            .map(|pair| (pair.first, pair.second, pair.page))
            .collect();
        assert_eq!(pairs, [("a".to_owned(), "b".to_owned(), 1)]);
    }
}
