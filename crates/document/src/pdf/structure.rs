//! The structure of a tagged file (ISO 32000-2, 14.7), which assistive technology reads in order.
//!
//! We add elements after the existing ones, because no file specifies which element is closest to a box. The parent
//! tree (14.7.5.4) maps content streams and annotations to their elements, under unused keys.

use std::collections::{BTreeMap, BTreeSet};

use super::defect::PdfDefect;
use super::edit::Edits;
use super::object::{Dict, Object, Ref};
use super::objects::Objects;

/// Elements to add to the structure of a file.
#[derive(Debug)]
pub struct Structure {
    root: Ref,
    /// The element, or the root, to which they are appended.
    parent: Ref,
    elements: Vec<Object>,
    next_key: i64,
    /// New entries of the parent tree.
    entries: Vec<(i64, Object)>,
}

impl Structure {
    /// Returns the structure of a file. `None` if the file has none.
    pub fn of(objects: &impl Objects) -> Result<Option<Self>, PdfDefect> {
        let Some(Object::Ref(root)) = objects.catalog()?.get(b"StructTreeRoot") else {
            return Ok(None);
        };
        let Object::Dict(dict) = objects.object(*root)? else {
            return Ok(None);
        };
        let stated = objects.integer(dict, b"ParentTreeNextKey")?.unwrap_or(0);
        let highest = match objects.dict(dict, b"ParentTree")? {
            Some(tree) => highest_key(objects, tree)?,
            None => None,
        };
        Ok(Some(Self {
            root: *root,
            parent: document_element(objects, dict)?.unwrap_or(*root),
            elements: Vec::new(),
            next_key: stated.max(highest.map_or(0, |key| key.saturating_add(1))).max(0),
            entries: Vec::new(),
        }))
    }

    /// Adds an element whose parent is set later.
    pub fn add(&mut self, mut element: Dict, edits: &mut Edits<'_>) -> Ref {
        element.set(b"Type", Object::name("StructElem"));
        element.set(b"P", self.parent);
        let element = edits.add(element);
        self.elements.push(element.into());
        element
    }

    /// Reserves a key in the parent tree for the elements of a content stream, by marked-content number, or for the
    /// element of an annotation.
    pub fn key(&mut self, belongs_to: impl Into<Object>) -> i64 {
        let key = self.next_key;
        self.next_key = key.saturating_add(1);
        self.entries.push((key, belongs_to.into()));
        key
    }

    /// Writes all changes to the file.
    pub fn write(self, edits: &mut Edits<'_>) -> Result<(), PdfDefect> {
        if !self.elements.is_empty() {
            let mut all = match edits.object(self.parent)? {
                Object::Dict(parent) => children(edits, parent)?,
                _ => Vec::new(),
            };
            all.extend(self.elements);
            if let Some(parent) = edits.edit_dict(self.parent)? {
                parent.set(b"K", all);
            }
        }
        if self.entries.is_empty() {
            return Ok(());
        }
        let numbers: Vec<Object> = self
            .entries
            .iter()
            .flat_map(|(key, belongs_to)| [(*key).into(), belongs_to.clone()])
            .collect();
        let limits = [self.entries.first(), self.entries.last()];
        let limits: Vec<Object> = limits.into_iter().flatten().map(|(key, _)| (*key).into()).collect();
        let tree = match edits.object(self.root)? {
            Object::Dict(root) => edits.dict(root, b"ParentTree")?.cloned(),
            _ => None,
        };
        let tree = with_numbers(tree.unwrap_or_default(), numbers, limits, edits)?;
        let tree = edits.add(tree);
        if let Some(root) = edits.edit_dict(self.root)? {
            root.set(b"ParentTree", tree);
            root.set(b"ParentTreeNextKey", self.next_key);
        }
        Ok(())
    }
}

/// How to change a child of an element.
#[derive(Debug)]
pub enum Child {
    Kept,
    Gone,
    /// The child is replaced by this object.
    Replaced(Object),
}

/// Removes every structure reference to an object that no longer exists, such as a flattened widget. Returns the number
/// of removed references.
pub fn forget(edits: &mut Edits<'_>, is_gone: impl Fn(Ref) -> bool) -> Result<usize, PdfDefect> {
    change_references(
        edits,
        |_, object| {
            if is_gone(object) { Child::Gone } else { Child::Kept }
        },
    )
}

/// Changes object references (14.7.5.3). `change` gets the element and the object that it refers to. Returns the number
/// of changed references.
pub fn change_references(edits: &mut Edits<'_>, mut change: impl FnMut(Ref, Ref) -> Child) -> Result<usize, PdfDefect> {
    change_children(edits, |id, _, child| {
        let reference = child.as_dict().filter(|child| child.is_type(b"OBJR"));
        let object = reference.and_then(|child| child.get(b"Obj")?.as_ref());
        object.map_or(Child::Kept, |object| change(id, object))
    })
}

/// Updates elements whose marked content has moved to forms that draw the former content of pages. `forms` maps pages
/// to these forms.
pub fn follow_content(edits: &mut Edits<'_>, forms: &BTreeMap<Ref, Ref>) -> Result<(), PdfDefect> {
    if forms.is_empty() || !edits.catalog()?.has(b"StructTreeRoot") {
        return Ok(());
    }
    let page_of = |dict: &Dict| dict.get(b"Pg").and_then(Object::as_ref);
    change_children(edits, |_, element, child| {
        let (page, mark) = match child {
            Object::Dict(content) if content.is_type(b"MCR") && !content.has(b"Stm") => {
                (page_of(content).or(page_of(element)), content.get(b"MCID"))
            }
            Object::Number(_) => (page_of(element), Some(child)),
            _ => (None, None),
        };
        let form = page.and_then(|page| Some((page, *forms.get(&page)?)));
        match (form, mark.and_then(Object::as_i64)) {
            (Some((page, form)), Some(mark)) => Child::Replaced(marked_content(page, form, mark).into()),
            _ => Child::Kept,
        }
    })?;
    for (page, form) in forms {
        let key = match edits.edit_dict(*page)? {
            Some(page) => page.remove(b"StructParents"),
            None => None,
        };
        if let Some(key) = key
            && let Some(form) = edits.edit_dict(*form)?
        {
            form.set(b"StructParents", key);
        }
    }
    Ok(())
}

/// Changes the children of elements. `change` gets an element, with its number, and one of its children. Returns the
/// number of changed children.
fn change_children(
    edits: &mut Edits<'_>,
    mut change: impl FnMut(Ref, &Dict, &Object) -> Child,
) -> Result<usize, PdfDefect> {
    let Some(Object::Ref(root)) = edits.catalog()?.get(b"StructTreeRoot").cloned() else {
        return Ok(0);
    };
    let mut count = 0;
    let mut seen = BTreeSet::from([root]);
    let mut waiting = vec![root];
    while let Some(id) = waiting.pop() {
        let Object::Dict(element) = edits.object(id)? else {
            continue;
        };
        let all = children(edits, element)?;
        let mut left = Vec::with_capacity(all.len());
        let before = count;
        for child in all {
            let change = change(id, element, edits.resolve(&child)?);
            match change {
                Child::Kept => {
                    waiting.extend(child.as_ref().filter(|child| seen.insert(*child)));
                    left.push(child);
                }
                Child::Gone => count += 1,
                Child::Replaced(content) => {
                    count += 1;
                    left.push(content);
                }
            }
        }
        if count == before {
            continue;
        }
        if let Some(element) = edits.edit_dict(id)? {
            if left.is_empty() {
                element.remove(b"K");
            } else {
                element.set(b"K", left);
            }
        }
    }
    Ok(count)
}

/// Builds a reference to marked content of a form `XObject` on a page (14.7.5.2).
pub fn marked_content(page: Ref, form: Ref, mark: i64) -> Dict {
    Dict::of([
        ("Type", Object::name("MCR")),
        ("Pg", page.into()),
        ("Stm", form.into()),
        ("MCID", mark.into()),
    ])
}

/// Builds the element of a field that can no longer be changed (14.8.5.6): its role, whether a button is on, and its
/// name for people.
pub fn field_element(role: &str, is_on: Option<bool>, name: Option<&str>) -> Dict {
    let mut attributes = Dict::of([("O", Object::name("PrintField")), ("Role", Object::name(role))]);
    if let Some(is_on) = is_on {
        attributes.set(b"checked", Object::name(if is_on { "on" } else { "off" }));
    }
    if let Some(name) = name {
        attributes.set(b"Desc", Object::text(name));
    }
    Dict::of([("S", Object::name("Form")), ("A", attributes.into())])
}

/// Returns the children of an element or of the root.
fn children(objects: &impl Objects, element: &Dict) -> Result<Vec<Object>, PdfDefect> {
    Ok(match (element.get(b"K"), objects.get(element, b"K")?) {
        (_, Object::Array(children)) => children.clone(),
        (None, _) | (_, Object::Null) => Vec::new(),
        (Some(child), _) => vec![child.clone()],
    })
}

/// Returns the element of the whole document, if it is the first below the root.
fn document_element(objects: &impl Objects, root: &Dict) -> Result<Option<Ref>, PdfDefect> {
    let first = match (root.get(b"K"), objects.get(root, b"K")?) {
        (_, Object::Array(children)) => children.first(),
        (child, _) => child,
    };
    let Some(Object::Ref(first)) = first else {
        return Ok(None);
    };
    Ok(match objects.object(*first)? {
        Object::Dict(element) if objects.get(element, b"S")?.is_name(b"Document") => Some(*first),
        _ => None,
    })
}

/// Returns the highest key of a number tree (7.9.7).
fn highest_key(objects: &impl Objects, tree: &Dict) -> Result<Option<i64>, PdfDefect> {
    let mut highest = None;
    let mut seen = BTreeSet::new();
    let mut waiting = vec![tree];
    while let Some(node) = waiting.pop() {
        for key in objects.array(node, b"Nums")?.unwrap_or_default().iter().step_by(2) {
            highest = highest.max(objects.resolve(key)?.as_i64());
        }
        for kid in objects.array(node, b"Kids")?.unwrap_or_default() {
            if kid.as_ref().is_none_or(|kid| seen.insert(kid))
                && let Object::Dict(kid) = objects.resolve(kid)?
            {
                waiting.push(kid);
            }
        }
    }
    Ok(highest)
}

/// Returns a number tree with additional, higher keys.
fn with_numbers(
    mut tree: Dict,
    numbers: Vec<Object>,
    limits: Vec<Object>,
    edits: &mut Edits<'_>,
) -> Result<Dict, PdfDefect> {
    if let Some(kids) = edits.array(&tree, b"Kids")? {
        let mut kids = kids.to_vec();
        let kid = Dict::of([("Limits", limits.into()), ("Nums", numbers.into())]);
        kids.push(edits.add(kid).into());
        tree.set(b"Kids", kids);
    } else {
        let mut all = edits.array(&tree, b"Nums")?.unwrap_or_default().to_vec();
        all.extend(numbers);
        tree.set(b"Nums", all);
    }
    Ok(tree)
}
