//! Tags flattened fields for assistive technology.
//!
//! In a tagged file, the structure element of a widget then refers to marked content in a form `XObject`, which draws
//! the appearances. There is one such form on each page. The form numbers its own marked content, so that of the page
//! is not changed. A field without an element gets one at the end. A box whose value is drawn later, with an element of
//! its own, is an artifact.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::super::form_fields::Spoken;
use super::super::look::{Look, dict, name, whole_numbers};
use super::{Drawn, show};
use crate::pdf::edit::Edits;
use crate::pdf::structure::{Child, Structure, change_references, field_element, marked_content};
use crate::pdf::{Dict, Object, Objects, PdfDefect, Ref, Stream};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Says {
    /// The value of a field.
    Field(Spoken),
    /// The content of an annotation other than a widget.
    Annotation,
    Nothing,
}

/// An appearance that becomes part of the structure.
struct Content {
    /// The annotation that had the appearance.
    annotation: Option<Ref>,
    says: Says,
    element: Option<Ref>,
}

/// The content of one page.
struct Sheet {
    page: Ref,
    form: Ref,
    /// The contents in the order of their marked-content numbers.
    contents: Vec<Content>,
}

/// Collects the drawn appearances on the pages of a tagged file.
pub(super) struct Tags {
    structure: Structure,
    sheets: Vec<Sheet>,
}

impl Tags {
    /// Returns `None` if the file is not tagged.
    pub(super) fn of(objects: &impl Objects) -> Result<Option<Self>, PdfDefect> {
        let structure = Structure::of(objects)?;
        Ok(structure.map(|structure| Self {
            structure,
            sheets: Vec::new(),
        }))
    }

    /// Creates a form that draws the appearances of a page, each as marked content.
    pub(super) fn form(&mut self, edits: &mut Edits<'_>, page: Ref, looks: Vec<(Option<Ref>, Drawn)>) -> Ref {
        // A form shows nothing outside its box. No page is wider than this.
        const FAR: i64 = 1 << 20;
        let mut forms = Dict::new();
        let mut shown = String::new();
        let mut contents = Vec::new();
        for (number, (annotation, drawn)) in looks.into_iter().enumerate() {
            let says = drawn.says.clone();
            let is_tagged = is_tagged(edits, &drawn.look);
            let content = show(edits, &mut forms, number, drawn);
            match says {
                // Marked content that belongs to elements cannot be nested (14.7.5.1).
                _ if is_tagged => shown.push_str(&content),
                // Writing to a string cannot fail.
                Says::Nothing => _ = write!(shown, "/Artifact BMC\n{content}EMC\n"),
                Says::Field(_) | Says::Annotation => {
                    _ = write!(shown, "/Form <</MCID {}>> BDC\n{content}EMC\n", contents.len());
                    contents.push(Content {
                        annotation,
                        says,
                        element: None,
                    });
                }
            }
        }
        let form = edits.add(Stream::new(
            dict([
                (b"Type", name(b"XObject")),
                (b"Subtype", name(b"Form")),
                (b"BBox", whole_numbers([-FAR, -FAR, FAR, FAR])),
                (b"Resources", dict([(b"XObject", forms.into())]).into()),
            ]),
            shown.into_bytes(),
        ));
        self.sheets.push(Sheet { page, form, contents });
        form
    }

    /// Adds the drawn appearances to the structure.
    pub(super) fn write(mut self, edits: &mut Edits<'_>) -> Result<(), PdfDefect> {
        self.replace_annotations(edits)?;
        let mut structure = self.structure;
        for sheet in self.sheets {
            let mut belongs_to: Vec<Object> = Vec::with_capacity(sheet.contents.len());
            for (content, mark) in sheet.contents.into_iter().zip(0_i64..) {
                let element = match (content.element, content.says) {
                    (Some(element), Says::Field(spoken)) => {
                        describe(edits, element, &spoken)?;
                        element
                    }
                    (Some(element), _) => element,
                    (None, says) => {
                        let mut element = new_element(says);
                        element.set(b"Pg", sheet.page);
                        element.set(b"K", marked_content(sheet.page, sheet.form, mark));
                        structure.add(element, edits)
                    }
                };
                belongs_to.push(element.into());
            }
            if !belongs_to.is_empty()
                && let Some(form) = edits.edit_dict(sheet.form)?
            {
                form.set(b"StructParents", structure.key(belongs_to));
            }
        }
        structure.write(edits)
    }

    /// Makes the elements of annotations refer to the marked content instead.
    fn replace_annotations(&mut self, edits: &mut Edits<'_>) -> Result<(), PdfDefect> {
        let mut contents = BTreeMap::new();
        for sheet in &mut self.sheets {
            let (page, form) = (sheet.page, sheet.form);
            for (content, mark) in sheet.contents.iter_mut().zip(0_i64..) {
                if let Some(annotation) = content.annotation {
                    contents
                        .entry(annotation)
                        .or_insert((marked_content(page, form, mark), &mut content.element));
                }
            }
        }
        change_references(edits, |parent, object| match contents.remove(&object) {
            Some((content, element)) => {
                *element = Some(parent);
                Child::Replaced(content.into())
            }
            None => Child::Kept,
        })?;
        Ok(())
    }
}

/// Returns whether marked content of an appearance already belongs to elements.
fn is_tagged(objects: &impl Objects, look: &Object) -> bool {
    let stream = objects.follow(look).as_stream();
    stream.is_some_and(|stream| stream.dict.has(b"StructParents"))
}

fn new_element(says: Says) -> Dict {
    match says {
        Says::Field(spoken) => element_of(&spoken),
        Says::Annotation | Says::Nothing => dict([(b"S", name(b"P"))]),
    }
}

fn element_of(spoken: &Spoken) -> Dict {
    field_element(spoken.role, spoken.is_on, spoken.words.as_deref())
}

/// Adds the old field's attributes to its element, unless the element has its own attributes.
fn describe(edits: &mut Edits<'_>, element: Ref, spoken: &Spoken) -> Result<(), PdfDefect> {
    if let Some(element) = edits.edit_dict(element)?
        && !element.has(b"A")
        && let Some(attributes) = element_of(spoken).remove(b"A")
    {
        element.set(b"A", attributes);
    }
    Ok(())
}
