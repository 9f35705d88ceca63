//! Positions on a page.
//!
//! Only this module converts between three coordinate spaces:
//!
//! - a *placement*: integers, in millionths of the displayed page's width and height, with the origin at its top left.
//!   Fields are stored, sent and drawn in the browser in this space;
//! - the *displayed page*: points (1/72 inch) as a reader sees the page: cropped, rotated, scaled, with the origin at
//!   the top left;
//! - *user space* of the page, in which its content stream draws (ISO 32000-2, 8.3.2.3): the file chooses the origin, y
//!   points upwards, and one unit is `UserUnit` points.
//!
//! The displayed page is the intersection of `CropBox` and `MediaBox` (14.11.2), rotated clockwise by `Rotate`, in
//! units of `UserUnit` (7.7.3.3). The first three are inherited through the page tree, `UserUnit` is not. A file with a
//! page without a usable box is refused, because readers then show different areas.

use domain::field::Placement;
use domain::template::PageSize;
use thiserror::Error;

use crate::pdf::{self, Objects, PdfDefect};

/// Width or height of a whole page in placements.
const WHOLE: f64 = 1_000_000.0;

/// Reasons why a page's geometry is unclear. Nothing can be placed on such a page.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GeometryFault {
    /// There is no `MediaBox` with an area, or the `CropBox` is outside of it.
    #[error("the page has no MediaBox with an area, or its CropBox is outside the MediaBox")]
    NoVisibleArea,
    /// `UserUnit` is zero, negative or not a number.
    #[error("the page's UserUnit is not a positive number")]
    BadUserUnit,
    /// The page is not a dictionary.
    #[error("the page is not a dictionary")]
    NotAPage,
    /// The page, or an object that it refers to, cannot be read.
    #[error(transparent)]
    Unreadable(#[from] PdfDefect),
}

/// Clockwise rotation of the displayed page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rotation {
    /// Upright.
    None,
    /// Rotated by 90 degrees.
    Quarter,
    /// Upside down.
    Half,
    /// Rotated by 270 degrees.
    ThreeQuarters,
}

impl Rotation {
    /// `Rotate` must be a multiple of 90 (Table 31). Readers treat other values as upright.
    fn from_degrees(degrees: f64) -> Self {
        // The comparison is exact, because a fraction matches no arm.
        let quarters = degrees.rem_euclid(360.0) / 90.0;
        if (quarters - 1.0).abs() < f64::EPSILON {
            Self::Quarter
        } else if (quarters - 2.0).abs() < f64::EPSILON {
            Self::Half
        } else if (quarters - 3.0).abs() < f64::EPSILON {
            Self::ThreeQuarters
        } else {
            Self::None
        }
    }
}

/// A rectangle by its edges, with `left <= right` and `bottom <= top`, in a space in which y points upwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rectangle {
    /// Minimum x.
    pub left: f64,
    /// Minimum y.
    pub bottom: f64,
    /// Maximum x.
    pub right: f64,
    /// Maximum y.
    pub top: f64,
}

impl Rectangle {
    /// Creates a rectangle from any two opposite corners.
    #[must_use]
    fn from_corners((x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> Self {
        Self {
            left: x1.min(x2),
            bottom: y1.min(y2),
            right: x1.max(x2),
            top: y1.max(y2),
        }
    }

    #[must_use]
    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    #[must_use]
    pub fn height(&self) -> f64 {
        self.top - self.bottom
    }

    /// Returns the rectangle as a PDF array (7.9.5).
    pub(crate) fn object(&self) -> pdf::Object {
        pdf::Object::numbers([self.left, self.bottom, self.right, self.top])
    }

    pub(crate) fn has_area(&self) -> bool {
        self.width() > 0.0 && self.height() > 0.0 && self.width().is_finite() && self.height().is_finite()
    }

    pub(crate) fn intersection(&self, other: &Self) -> Self {
        Self {
            left: self.left.max(other.left),
            bottom: self.bottom.max(other.bottom),
            right: self.right.min(other.right),
            top: self.top.min(other.top),
        }
    }

    /// Reads a rectangle from a PDF array (7.9.5), resolving references.
    pub(crate) fn of(objects: &impl Objects, object: &pdf::Object) -> Result<Option<Self>, PdfDefect> {
        let Some([x1, y1, x2, y2, ..]) = objects.resolve(object)?.as_array() else {
            return Ok(None);
        };
        let mut corners = [0.0; 4];
        for (corner, number) in corners.iter_mut().zip([x1, y1, x2, y2]) {
            match objects.resolve(number)?.as_f64() {
                Some(number) => *corner = number,
                None => return Ok(None),
            }
        }
        let [x1, y1, x2, y2] = corners;
        Ok(Some(Self::from_corners((x1, y1), (x2, y2))))
    }
}

/// A box on the displayed page, in points, with the origin at the page's top left and y pointing downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DisplayedBox {
    /// Distance from the left edge.
    pub x: f64,
    /// Distance from the top edge.
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl DisplayedBox {
    /// Returns a box of this size, centred in this one.
    pub(crate) fn centred(&self, width: f64, height: f64) -> Self {
        Self {
            x: self.x + (self.width - width) / 2.0,
            y: self.y + (self.height - height) / 2.0,
            width,
            height,
        }
    }
}

/// An affine map in the notation of the operator `cm` (8.3.4): x' = a x + c y + e, y' = b x + d y + f.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matrix {
    /// Factor from x to x'.
    pub a: f64,
    /// Factor from x to y'.
    pub b: f64,
    /// Factor from y to x'.
    pub c: f64,
    /// Factor from y to y'.
    pub d: f64,
    /// Added to x'.
    pub e: f64,
    /// Added to y'.
    pub f: f64,
}

impl Matrix {
    const fn new(linear: [f64; 4], origin: (f64, f64)) -> Self {
        let [a, b, c, d] = linear;
        Self {
            a,
            b,
            c,
            d,
            e: origin.0,
            f: origin.1,
        }
    }

    pub(crate) fn apply(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f)
    }

    /// Applies the inverse. Page matrices only rotate and scale, so they can be inverted.
    fn undo(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let determinant = self.a * self.d - self.b * self.c;
        let (x, y) = (x - self.e, y - self.f);
        (
            (self.d * x - self.c * y) / determinant,
            (self.a * y - self.b * x) / determinant,
        )
    }
}

/// Formats the matrix as operands of `cm`.
impl std::fmt::Display for Matrix {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "{:.6} {:.6} {:.6} {:.6} {:.6} {:.6}",
            self.a, self.b, self.c, self.d, self.e, self.f
        )
    }
}

/// Relation between a page's user space and its displayed form.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageGeometry {
    visible: Rectangle,
    rotation: Rotation,
    user_unit: f64,
}

impl PageGeometry {
    /// Creates a geometry from its parts.
    pub fn new(
        media_box: Rectangle,
        crop_box: Option<Rectangle>,
        rotation: Rotation,
        user_unit: f64,
    ) -> Result<Self, GeometryFault> {
        let visible = crop_box.map_or(media_box, |crop| crop.intersection(&media_box));
        if !media_box.has_area() || !visible.has_area() {
            return Err(GeometryFault::NoVisibleArea);
        }
        if !user_unit.is_finite() || user_unit <= 0.0 {
            return Err(GeometryFault::BadUserUnit);
        }
        Ok(Self {
            visible,
            rotation,
            user_unit,
        })
    }

    /// Reads the geometry of a page.
    pub fn of(objects: &impl Objects, page: &pdf::Dict) -> Result<Self, GeometryFault> {
        let media_box =
            Rectangle::of(objects, objects.inherited(page, b"MediaBox")?)?.ok_or(GeometryFault::NoVisibleArea)?;
        let crop_box = Rectangle::of(objects, objects.inherited(page, b"CropBox")?)?;
        let rotation = objects.inherited(page, b"Rotate")?.as_f64();
        let user_unit = match objects.get(page, b"UserUnit")? {
            pdf::Object::Null => 1.0,
            other => other.as_f64().ok_or(GeometryFault::BadUserUnit)?,
        };
        Self::new(
            media_box,
            crop_box,
            rotation.map_or(Rotation::None, Rotation::from_degrees),
            user_unit,
        )
    }

    /// Returns the size of the displayed page in points.
    #[must_use]
    pub fn displayed_size(&self) -> PageSize {
        let width = self.visible.width() * self.user_unit;
        let height = self.visible.height() * self.user_unit;
        match self.rotation {
            Rotation::None | Rotation::Half => PageSize {
                width_points: width,
                height_points: height,
            },
            Rotation::Quarter | Rotation::ThreeQuarters => PageSize {
                width_points: height,
                height_points: width,
            },
        }
    }

    /// Returns the number of points in one unit of user space.
    #[must_use]
    pub fn user_unit(&self) -> f64 {
        self.user_unit
    }

    /// Returns the map from the displayed page, in points with the origin at its *bottom* left and y pointing upwards,
    /// to user space. With this matrix, an overlay that is drawn upright for the displayed page appears upright and in
    /// the right position.
    #[must_use]
    pub(crate) fn overlay_matrix(&self) -> Matrix {
        let scale = 1.0 / self.user_unit;
        let area = &self.visible;
        match self.rotation {
            Rotation::None => Matrix::new([scale, 0.0, 0.0, scale], (area.left, area.bottom)),
            Rotation::Quarter => Matrix::new([0.0, scale, -scale, 0.0], (area.right, area.bottom)),
            Rotation::Half => Matrix::new([-scale, 0.0, 0.0, -scale], (area.right, area.top)),
            Rotation::ThreeQuarters => Matrix::new([0.0, -scale, scale, 0.0], (area.left, area.top)),
        }
    }

    /// Converts a box on the displayed page to user space.
    pub(crate) fn user_rectangle(&self, place: &DisplayedBox) -> Rectangle {
        let top = self.displayed_size().height_points - place.y;
        let matrix = self.overlay_matrix();
        Rectangle::from_corners(
            matrix.apply((place.x, top)),
            matrix.apply((place.x + place.width, top - place.height)),
        )
    }

    /// Returns the placement of a rectangle in user space, such as a form field. `None` if the rectangle is outside the
    /// visible page. Parts outside are clipped.
    #[must_use]
    pub fn placement(&self, rectangle: &Rectangle) -> Option<Placement> {
        let shown = rectangle.intersection(&self.visible);
        if !shown.has_area() {
            return None;
        }
        let size = self.displayed_size();
        let matrix = self.overlay_matrix();
        let displayed = Rectangle::from_corners(
            matrix.undo((shown.left, shown.bottom)),
            matrix.undo((shown.right, shown.top)),
        );
        // Edges are rounded, not sizes, so that adjacent boxes still share an edge.
        let left = millionths(displayed.left / size.width_points);
        let right = millionths(displayed.right / size.width_points);
        let top = millionths(1.0 - displayed.top / size.height_points);
        let bottom = millionths(1.0 - displayed.bottom / size.height_points);
        (right > left && bottom > top).then(|| Placement {
            x: left,
            y: top,
            width: right - left,
            height: bottom - top,
        })
    }
}

/// Returns the box of `placement` on a displayed page of `size`.
#[must_use]
pub fn displayed_box(size: &PageSize, placement: &Placement) -> DisplayedBox {
    let across = |part: u32| f64::from(part) / WHOLE * size.width_points;
    let down = |part: u32| f64::from(part) / WHOLE * size.height_points;
    DisplayedBox {
        x: across(placement.x),
        y: down(placement.y),
        width: across(placement.width),
        height: down(placement.height),
    }
}

/// Returns the placement of a box on a displayed page of `size`, with edges rounded and kept on the page.
#[must_use]
pub(crate) fn placement_of(size: &PageSize, place: &DisplayedBox) -> Placement {
    let left = millionths(place.x / size.width_points);
    let top = millionths(place.y / size.height_points);
    Placement {
        x: left,
        y: top,
        width: millionths((place.x + place.width) / size.width_points).saturating_sub(left),
        height: millionths((place.y + place.height) / size.height_points).saturating_sub(top),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 0 ..= 1,000,000 before"
)]
fn millionths(part: f64) -> u32 {
    (part * WHOLE).round().clamp(0.0, WHOLE) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl PageGeometry {
        /// Converts `placement` to user space.
        fn user_space(&self, placement: &Placement) -> Rectangle {
            self.user_rectangle(&displayed_box(&self.displayed_size(), placement))
        }
    }

    fn rotation() -> impl Strategy<Value = Rotation> {
        prop_oneof![
            Just(Rotation::None),
            Just(Rotation::Quarter),
            Just(Rotation::Half),
            Just(Rotation::ThreeQuarters)
        ]
    }

    fn geometry() -> impl Strategy<Value = PageGeometry> {
        (
            (-2000.0..2000.0f64, -2000.0..2000.0f64),
            (20.0..5000.0f64, 20.0..5000.0f64),
            (-0.3..0.3f64, -0.3..0.3f64),
            rotation(),
            0.1..20.0f64,
        )
            .prop_map(|((x, y), (width, height), (dx, dy), rotation, user_unit)| {
                let media = Rectangle::from_corners((x, y), (x + width, y + height));
                let crop = Rectangle::from_corners(
                    (x + dx * width, y + dy * height),
                    (x + (1.0 + dx) * width, y + (1.0 + dy) * height),
                );
                PageGeometry::new(media, Some(crop), rotation, user_unit).expect("the boxes overlap")
            })
    }

    fn placement() -> impl Strategy<Value = Placement> {
        (0u32..999_999, 0u32..999_999).prop_flat_map(|(x, y)| {
            (1..=1_000_000 - x, 1..=1_000_000 - y).prop_map(move |(width, height)| Placement { x, y, width, height })
        })
    }

    proptest! {
        #[test]
        fn a_placement_survives_the_way_to_user_space_and_back(geometry in geometry(), placement in placement()) {
            prop_assert_eq!(geometry.placement(&geometry.user_space(&placement)), Some(placement));
        }

        #[test]
        fn a_placement_lies_on_the_visible_page(geometry in geometry(), placement in placement()) {
            let place = geometry.user_space(&placement);
            let slack = 1e-6 * (geometry.visible.width() + geometry.visible.height());
            prop_assert!(place.left >= geometry.visible.left - slack);
            prop_assert!(place.right <= geometry.visible.right + slack);
            prop_assert!(place.bottom >= geometry.visible.bottom - slack);
            prop_assert!(place.top <= geometry.visible.top + slack);
        }

        #[test]
        fn a_displayed_box_survives_the_way_back(placement in placement(), width in 10.0..5000.0f64, height in 10.0..5000.0f64) {
            let size = PageSize { width_points: width, height_points: height };
            prop_assert_eq!(placement_of(&size, &displayed_box(&size, &placement)), placement);
        }
    }

    fn top_left_tenth(rotation: Rotation) -> Rectangle {
        let geometry = PageGeometry::new(
            Rectangle::from_corners((0.0, 0.0), (600.0, 800.0)),
            Some(Rectangle::from_corners((100.0, 100.0), (900.0, 300.0))),
            rotation,
            2.0,
        )
        .expect("an area");
        geometry.user_space(&Placement {
            x: 0,
            y: 0,
            width: 100_000,
            height: 100_000,
        })
    }

    /// Computed by hand: the visible area is x 100..600, y 100..300 in user space.
    #[test]
    fn the_displayed_top_left_is_the_corner_that_rotation_brings_there() {
        let corner = |left, bottom, right, top| Rectangle {
            left,
            bottom,
            right,
            top,
        };
        let close = |found: Rectangle, expected: Rectangle| {
            for (found, expected) in [
                (found.left, expected.left),
                (found.bottom, expected.bottom),
                (found.right, expected.right),
                (found.top, expected.top),
            ] {
                assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
            }
        };
        close(top_left_tenth(Rotation::None), corner(100.0, 280.0, 150.0, 300.0));
        close(top_left_tenth(Rotation::Quarter), corner(100.0, 100.0, 150.0, 120.0));
        close(top_left_tenth(Rotation::Half), corner(550.0, 100.0, 600.0, 120.0));
        close(
            top_left_tenth(Rotation::ThreeQuarters),
            corner(550.0, 280.0, 600.0, 300.0),
        );
    }

    #[test]
    fn rotations_are_read_modulo_a_full_turn() {
        for (degrees, rotation) in [
            (0.0, Rotation::None),
            (450.0, Rotation::Quarter),
            (-90.0, Rotation::ThreeQuarters),
            (180.0, Rotation::Half),
            (45.0, Rotation::None),
        ] {
            assert_eq!(Rotation::from_degrees(degrees), rotation, "{degrees}");
        }
    }

    #[test]
    fn a_crop_box_outside_of_the_media_box_shows_nothing() {
        let fault = PageGeometry::new(
            Rectangle::from_corners((0.0, 0.0), (100.0, 100.0)),
            Some(Rectangle::from_corners((200.0, 200.0), (300.0, 300.0))),
            Rotation::None,
            1.0,
        );
        assert_eq!(fault, Err(GeometryFault::NoVisibleArea));
    }
}
