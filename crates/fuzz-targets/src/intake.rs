//! Treats any bytes as an upload. An accepted file can be accepted again, rendered, read, stamped and sealed, and then
//! verifies. A refused file has a reason.

use document::intake::{Acceptance, Limits, Wishes, inspect, inspect_as};
use document::marks::stamp::{Mark, MarkContent, stamp};
use document::pages::render::page_image;
use document::pages::text_layer::page_texts;
use document::sealing::seal;
use document::text::layout::TextStyle;
use document::verify::verify;
use domain::field::Placement;

use crate::as_in_the_worker;
use crate::materials::{details, fonts, now, seal_key};

/// Runs intake on any bytes. True if they are accepted.
pub fn intake(data: &[u8]) -> bool {
    let limits = Limits {
        most_pages: 3,
        longest_side: 2_000.0,
        largest_stream: 4 << 20,
        most_pixels: 4_000_000,
        ..Limits::default()
    };
    let wishes = Wishes {
        accepts: Acceptance::ALL.into(),
        ..Wishes::default()
    };
    let Some(Ok(taken)) = as_in_the_worker(|| inspect_as(data, &limits, &wishes)) else {
        return false;
    };
    let marks: Vec<Mark> = (1..)
        .zip(&taken.pages)
        .map(|(page, _)| Mark {
            page,
            placement: Placement {
                x: 100_000,
                y: 100_000,
                width: 500_000,
                height: 300_000,
            },
            content: MarkContent::Text {
                text: "김".to_owned(),
                style: TextStyle::default(),
            },
        })
        .collect();
    // A page may be too small for a single letter.
    let fits = |mark: &&Mark| {
        let size = taken.pages.get(usize::try_from(mark.page - 1).unwrap_or(0));
        size.is_some_and(|size| document::marks::stamp::prove(fonts(), size, mark).is_ok())
    };
    let marks: Vec<Mark> = marks.iter().filter(fits).cloned().collect();
    let sealed = if taken.is_signed() {
        assert_eq!(taken.pdf, data, "a signed file is kept byte for byte");
        let stamped =
            document::marks::extend::stamp(&taken.pdf, fonts(), &marks).expect("what is taken can be extended");
        seal(&stamped, &seal_key().key, &details(false)).expect("and sealed")
    } else {
        let again = inspect(&taken.pdf, &limits).expect("what intake wrote, it takes");
        assert_eq!(again.pages.len(), taken.pages.len(), "the same pages");
        assert!(again.fields.is_empty() || !taken.fields.is_empty(), "no field appears");
        let stamped = stamp(&taken.pdf, fonts(), &marks).expect("what is taken can be stamped");
        seal(&stamped, &seal_key().key, &details(true)).expect("and sealed")
    };
    assert!(sealed.starts_with(&taken.pdf), "nothing that was there is touched");
    let verdict = verify(&sealed, &seal_key().roots, now());
    assert!(
        verdict.holds(),
        "what was sealed verifies: {:?}",
        verdict.all_faults().collect::<Vec<_>>()
    );
    page_image(&sealed, 1, 20.0).expect("what was sealed can be shown");
    page_texts(&sealed, &[1]).expect("and read");
    true
}
