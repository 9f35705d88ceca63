//! Changes that a forger can make to a file.

use lopdf::{Object, dictionary};

use Change::{Always, Sometimes};

use super::{EVIL, Forger};
use crate::raw_revision::{Said, Style, last_section, object_stream, stream, with_entries, written};

#[derive(Clone, Copy)]
pub enum Change {
    Always(fn(&mut Forger)),
    /// Returns `None` if the change is impossible for this file.
    Sometimes(fn(&mut Forger) -> Option<()>),
}

/// All changes, with their names in reports.
pub const CHANGES: &[(&str, Change)] = &[
    ("replaces objects", Always(Forger::replace)),
    ("adds an entry to nothing", Always(Forger::stray_of_nobody)),
    ("leads an entry elsewhere", Always(Forger::stray_of_somebody)),
    ("lists an object twice", Always(Forger::twice)),
    ("frees an object", Always(Forger::free)),
    ("hides an object", Always(Forger::hide)),
    ("writes two sections", Always(Forger::hybrid)),
    ("shadows an object by an object stream", Sometimes(Forger::shadow)),
    ("writes a second catalog", Always(Forger::second_catalog)),
    ("leads back wrongly", Sometimes(Forger::previous)),
    ("leads a reference elsewhere", Sometimes(Forger::rewire)),
    ("shares what is signed", Sometimes(Forger::share)),
    ("changes signed bytes", Sometimes(Forger::inside)),
    ("writes what is mended", Always(Forger::odd_form)),
    ("nests too deep", Sometimes(Forger::nest)),
    ("goes on behind the end", Always(Forger::tail)),
    ("uses another generation", Always(Forger::generation)),
    ("encrypts", Always(Forger::encrypt)),
    ("uses an unknown kind of entry", Always(Forger::unknown_kind)),
    ("lies about a length", Always(Forger::length)),
    ("takes the signature out", Always(Forger::take_out)),
    ("adds an annotation", Always(Forger::annotate)),
    ("writes into a comment", Always(Forger::comment)),
    ("misses the header", Always(Forger::beside)),
];

impl Forger {
    pub fn replace(&mut self) {
        let mut revision = self.dressed();
        let (target, body) = self.needed(&mut revision);
        revision = self.forget(revision, target);
        revision.named(target, &body);
        self.end(revision);
    }

    /// A forgery that restores the old catalog: a stray entry points to an earlier end of the file, just before the
    /// object of another number.
    fn stray_of_nobody(&mut self) {
        let hides = self.random.one_in(2);
        let mut revision = self.dressed();
        if hides {
            if self.random.one_in(2) {
                self.end(revision);
                revision = self.begin();
            }
            let (target, body) = self.needed(&mut revision);
            revision = self.forget(revision, target);
            revision.named(target, &body);
        }
        let at = self.elsewhere(None);
        let number = self.fresh();
        revision.rows.push((number, Said::At(at, 0)));
        self.end(revision);
    }

    fn stray_of_somebody(&mut self) {
        let mut revision = self.dressed();
        let (number, own) = self.somebody();
        let at = self.elsewhere(Some(own));
        revision = self.forget(revision, number);
        revision.rows.push((number, Said::At(at, 0)));
        self.end(revision);
    }

    fn twice(&mut self) {
        let mut revision = self.dressed();
        let (target, body) = self.needed(&mut revision);
        revision = self.forget(revision, target);
        let at = revision.unnamed(target, 0, &body);
        let old = self.base.entries.get(&target).copied().unwrap_or(Said::Free);
        let both = match self.random.below(3) {
            0 => [Said::At(at, 0), old],
            1 => [old, Said::At(at, 0)],
            _ => [Said::Free, Said::At(at, 0)],
        };
        revision.rows.extend(both.map(|said| (target, said)));
        self.end(revision);
    }

    fn free(&mut self) {
        let mut revision = self.dressed();
        let (target, body) = self.needed(&mut revision);
        let number = if self.random.one_in(2) {
            target
        } else {
            self.somebody().0
        };
        if self.base.field_parts.contains(&number) {
            self.mended_by_signing += 1;
        }
        revision = self.forget(revision, number);
        revision.rows.push((number, Said::Free));
        if self.random.one_in(2) {
            revision.unnamed(target, 0, &body);
        }
        self.end(revision);
    }

    fn hide(&mut self) {
        let mut revision = self.dressed();
        let (target, body) = self.needed(&mut revision);
        revision.unnamed(target, 0, &body);
        self.end(revision);
    }

    fn hybrid(&mut self) {
        let mut revision = self.dressed();
        let (target, body) = self.needed(&mut revision);
        revision = self.forget(revision, target);
        let at = revision.unnamed(target, 0, &body);
        let old = self.base.entries.get(&target).copied().unwrap_or(Said::Free);
        let (seen, hidden) = match self.random.below(4) {
            0 => (Some(old), Some(Said::At(at, 0))),
            1 => (Some(Said::Free), Some(Said::At(at, 0))),
            2 => (None, Some(Said::At(at, 0))),
            _ => (Some(Said::At(at, 0)), Some(old)),
        };
        revision.rows.extend(seen.map(|said| (target, said)));
        revision.hidden.extend(hidden.map(|said| (target, said)));
        self.end_as(revision, Style::Hybrid);
    }

    fn shadow(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let (mut target, mut body) = self.needed(&mut revision);
        if target == self.base.content {
            // An object stream cannot contain streams.
            let content = self.fresh();
            revision.named(content, &body);
            target = self.base.page;
            body = with_entries(
                self.base.dictionary(target),
                &[("Contents", Object::Reference((content, 0)))],
            );
        }
        revision = self.forget(revision, target);
        let old = written(self.base.document.objects.get(&(target, 0))?);
        let members = match self.random.below(3) {
            0 => vec![(target, body)],
            1 => vec![(target, old), (target, body)],
            _ => vec![(target, body), (target, old)],
        };
        let container = self.fresh();
        revision.named(container, &object_stream(&members));
        let said = match self.random.below(6) {
            0 | 1 => Some(Said::Within(container, 0)),
            2 => Some(Said::Within(container, 1)),
            3 => Some(Said::Within(container + 1, 0)),
            4 => Some(Said::Within(self.base.page, 0)),
            _ => None,
        };
        revision.rows.extend(said.map(|said| (target, said)));
        self.end_as(revision, Style::Stream);
        Some(())
    }

    fn second_catalog(&mut self) {
        let mut revision = self.dressed();
        let (_, page) = self.needed(&mut revision);
        let (tree, new, catalog) = (self.fresh(), self.fresh(), self.fresh());
        revision.named(new, &page);
        let kids = Object::Array(vec![Object::Reference((new, 0))]);
        revision.named(
            tree,
            &with_entries(self.base.dictionary(self.base.pages), &[("Kids", kids)]),
        );
        let pages = Object::Reference((tree, 0));
        revision.named(
            catalog,
            &with_entries(self.base.dictionary(self.base.root), &[("Pages", pages)]),
        );
        let own = format!("/Root {} 0 R", self.base.root);
        let other = format!("/Root {catalog} 0 R");
        revision.trailer = match self.random.below(3) {
            0 => revision.trailer.replace(&own, &other),
            1 => format!("{other}{}", revision.trailer),
            _ => format!("{}{other}", revision.trailer),
        };
        self.end(revision);
    }

    fn previous(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let own = format!("/Prev {}", last_section(&self.bytes));
        let starts: Vec<usize> = (0..self.bytes.len())
            .filter(|at| self.bytes[*at..].starts_with(b"startxref"))
            .collect();
        let oldest = last_section(&self.bytes[..starts.first()? + 40]);
        let other = match self.random.below(5) {
            0 => format!("/Prev {}", revision.bytes.len()),
            1 => format!("/Prev {}", self.random.below(self.bytes.len())),
            2 if oldest != last_section(&self.bytes) => format!("/Prev {oldest}"),
            3 => format!("{own}{own}"),
            _ => String::new(),
        };
        let (target, body) = self.needed(&mut revision);
        if self.random.one_in(2) {
            revision = self.forget(revision, target);
            revision.named(target, &body);
        }
        let own = format!("/Prev {}", last_section(&self.bytes));
        revision.trailer = revision.trailer.replace(&own, &other);
        self.end(revision);
        Some(())
    }

    /// Points a reference in a page, the page tree or the catalog to another object.
    fn rewire(&mut self) -> Option<()> {
        let shown = [self.base.page, self.base.pages, self.base.root];
        let number = *self.random.of(&shown);
        let mut dictionary = self.base.dictionary(number).clone();
        let keys: Vec<Vec<u8>> = dictionary
            .iter()
            .filter(|(key, value)| key.as_slice() != b"DSS" && value.as_reference().is_ok())
            .map(|(key, _)| key.clone())
            .collect();
        if keys.is_empty() {
            return None;
        }
        let key = self.random.of(&keys).clone();
        let (other, _) = self.somebody();
        if dictionary.get(&key).ok() == Some(&Object::Reference((other, 0))) {
            return None;
        }
        dictionary.set(key, Object::Reference((other, 0)));
        let mut revision = self.dressed();
        revision = self.forget(revision, number);
        revision.named(number, &written(&Object::Dictionary(dictionary)));
        self.end(revision);
        Some(())
    }

    /// Makes the page display a field or the signature, and then changes it.
    fn share(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let field = self.base.document.objects.iter().find_map(|(id, object)| {
            let field = object.as_dict().ok()?;
            (field.has(b"FT") || field.has(b"ByteRange")).then_some(*id)
        })?;
        let form = "<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Length 51>>";
        let (page, target) = (
            self.base.page,
            if self.random.one_in(2) {
                self.base.content
            } else {
                field.0
            },
        );
        revision = self.forget(revision, page);
        revision = self.forget(revision, target);
        let resources = dictionary! { "XObject" => dictionary! { "X" => Object::Reference((target, 0)) } };
        let annotations = Object::Array(vec![Object::Reference((target, 0))]);
        let shares = *self.random.of(&["Resources", "Annots", "Contents"]);
        let value = match shares {
            "Resources" => Object::Dictionary(resources),
            "Annots" => annotations,
            _ => Object::Reference(field),
        };
        revision.named(page, &with_entries(self.base.dictionary(page), &[(shares, value)]));
        if self.random.one_in(2) {
            revision.named(target, &stream(form, EVIL));
        }
        self.end(revision);
        Some(())
    }

    fn inside(&mut self) -> Option<()> {
        // The value of a signature may contain any bytes after its end.
        let signature = gaps(&self.base.pdf);
        let at = self.random.below(self.base.pdf.len().min(self.bytes.len()));
        let is_signed = !signature.iter().any(|gap| gap.contains(&at));
        if !is_signed || self.base.name == "with validation data" {
            return None;
        }
        let evil = format!("\n{} 0 obj\nnull\nendobj\n", self.base.content);
        match self.random.below(3) {
            0 => drop(self.bytes.splice(at..at, evil.into_bytes())),
            1 => self.bytes[at] ^= 1 << self.random.below(8),
            _ => drop(self.bytes.remove(at)),
        }
        Some(())
    }

    fn odd_form(&mut self) {
        const TABLE: &[(&str, &str)] = &[
            (" n\r\n", " n\n"),
            (" n\r\n", " n\r"),
            (" n\r\n", " n \r\n"),
            (" 00000 n", " 0 n"),
            (" 00000 n", " 00000 N"),
            ("trailer\n", "trailer\n<</Size 3>>\ntrailer\n"),
            ("trailer\n", "% 9 0 obj\ntrailer\n"),
            ("/Prev ", "/Prev +"),
            ("/Size ", "/Size 0/Size "),
            ("/Size ", "/Size -"),
            ("/Size ", "/Size 9999999"),
            ("xref\n", "xref\n0 1\n0000000000 65535 f\r\n0 2\n0000000000 65535 f\r\n"),
        ];
        const BOTH: &[(&str, &str)] = &[
            ("startxref\n", "startxref\n0\nstartxref\n"),
            ("startxref\n", "startxref\n+"),
            ("%%EOF\n", "%%EOF\nstartxref\n7\n%%EOF\n"),
            ("%%EOF\n", "%%EOF %%EOF\n"),
        ];
        let mut revision = self.dressed();
        let (target, body) = self.needed(&mut revision);
        if self.random.one_in(2) {
            revision.unnamed(target, 0, &body);
        } else {
            revision = self.forget(revision, target);
            revision.named(target, &body);
        }
        let style = *self.random.of(&[Style::Table, self.base.style]);
        let before = revision.bytes.len();
        self.end_as(revision, style);
        let (old, new) = *self.random.of(if style == Style::Table { TABLE } else { BOTH });
        let section = self.bytes.split_off(before);
        let changed = replaced(&section, old.as_bytes(), new.as_bytes());
        self.bytes.extend(changed);
    }

    /// Nests objects so deeply that one reader gives up while another continues.
    fn nest(&mut self) -> Option<()> {
        let mut revision = self.dressed();
        let (target, body) = self.needed(&mut revision);
        let end = body.len().checked_sub(2).filter(|end| body[*end..] == *b">>")?;
        let depth = 90 + self.random.below(200);
        let deep = if self.random.one_in(2) {
            format!("/Deep {}{}>>", "[".repeat(depth), "]".repeat(depth))
        } else {
            format!("/Deep {}{}>>", "(".repeat(depth), ")".repeat(depth))
        };
        revision = self.forget(revision, target);
        revision.named(target, &[&body[..end], deep.as_bytes()].concat());
        self.end(revision);
        Some(())
    }

    fn tail(&mut self) {
        let ((target, body), _) = self.evil();
        let evil = [format!("{target} 0 obj\n").as_bytes(), &body, b"\nendobj\n"].concat();
        let start = self.bytes.len();
        match self.random.below(4) {
            0 => self.bytes.extend(evil),
            1 => self
                .bytes
                .extend(format!("startxref\n{}\n%%EOF\n", self.random.below(start)).as_bytes()),
            2 => self
                .bytes
                .extend([evil, format!("startxref\n{start}\n%%EOF\n").into_bytes()].concat()),
            _ => {
                self.bytes.extend(std::iter::repeat_n(b'\n', 1100));
                self.mended_by_signing += 1;
            }
        }
    }

    fn generation(&mut self) {
        let mut revision = self.dressed();
        let (target, body) = self.needed(&mut revision);
        revision = self.forget(revision, target);
        let [written, said] = [(); 2].map(|()| *self.random.of(&[0, 1, 2]));
        let at = revision.unnamed(target, written, &body);
        revision.rows.push((target, Said::At(at, said)));
        self.end(revision);
    }

    fn encrypt(&mut self) {
        let mut revision = self.dressed();
        let key = self.fresh();
        revision.named(key, b"<</Filter/Standard/V 1/R 2/P -4/O()/U()>>");
        revision.add_to_trailer("Encrypt", &Object::Reference((key, 0)));
        self.end(revision);
    }

    fn unknown_kind(&mut self) {
        let mut revision = self.dressed();
        let (number, _) = self.somebody();
        revision = self.forget(revision, number);
        revision.rows.push((number, Said::Unknown));
        self.end_as(revision, Style::Stream);
    }

    fn length(&mut self) {
        let mut revision = self.dressed();
        let (length, content) = (self.fresh(), self.base.content);
        let wrong = self.random.below(EVIL.len() * 2);
        revision.named(length, wrong.to_string().as_bytes());
        let dictionary = match self.random.below(3) {
            0 => format!("<</Length {length} 0 R>>"),
            1 => format!("<</Length {wrong}/Length {}>>", EVIL.len()),
            _ => format!("<</Length {wrong}>>"),
        };
        revision.named(content, &stream(&dictionary, EVIL));
        self.end(revision);
    }

    fn take_out(&mut self) {
        let mut revision = self.begin();
        let mut catalog = self.base.dictionary(self.base.root).clone();
        catalog.remove(b"Perms");
        if self.random.one_in(2) {
            catalog.remove(b"AcroForm");
        } else {
            catalog.set("AcroForm", dictionary! { "Fields" => Vec::<Object>::new() });
        }
        revision.named(self.base.root, &written(&Object::Dictionary(catalog)));
        if self.random.one_in(2) {
            let at = self.elsewhere(None);
            let number = self.fresh();
            revision.rows.push((number, Said::At(at, 0)));
        }
        self.end(revision);
    }

    fn annotate(&mut self) {
        let mut revision = self.dressed();
        let page = self.base.page;
        let (note, look) = (self.fresh(), self.fresh());
        let kind = *self.random.of(&["FreeText", "Stamp", "Widget", "Link", "Redact"]);
        revision.named(
            look,
            &stream("<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Length 51>>", EVIL),
        );
        let body = format!("<</Type/Annot/Subtype/{kind}/Rect[0 0 600 800]/F 4/AP<</N {look} 0 R>>>>");
        revision.named(note, body.as_bytes());
        let dictionary = self.base.dictionary(page);
        let annotations = dictionary
            .get(b"Annots")
            .and_then(|own| self.base.document.dereference(own));
        let mut annotations = annotations
            .ok()
            .and_then(|(_, own)| own.as_array().ok().cloned())
            .unwrap_or_default();
        annotations.push(Object::Reference((note, 0)));
        revision.named(page, &with_entries(dictionary, &[("Annots", annotations.into())]));
        self.end(revision);
    }

    fn comment(&mut self) {
        let mut revision = self.dressed();
        let (target, body) = self.needed(&mut revision);
        let line = *self.random.of(&[&b"\r"[..], b"", b"\x0c", b"\0"]);
        revision.bytes.extend([b"% ", line].concat());
        let at = revision.unnamed(target, 0, &body);
        if self.random.one_in(2) {
            revision = self.forget(revision, target);
            revision.rows.push((target, Said::At(at, 0)));
        }
        self.end(revision);
    }

    /// Points the entry slightly before or after the header, or into the number of another object.
    fn beside(&mut self) {
        let mut revision = self.dressed();
        let (target, body) = self.needed(&mut revision);
        revision = self.forget(revision, target);
        let prefix = *self.random.of(&[&b"\n\n"[..], b"1", b"% \n", b"%%EOF\n"]);
        let before = revision.bytes.len();
        revision.bytes.extend(prefix);
        revision.unnamed(target, 0, &body);
        let shift = usize::from(prefix == b"1");
        revision.rows.push((target, Said::At(before + shift, 0)));
        self.end(revision);
    }
}

/// Returns the ranges of the signatures' values, which the signatures do not cover.
fn gaps(pdf: &[u8]) -> Vec<std::ops::Range<usize>> {
    const KEY: &[u8] = b"/Contents<";
    (0..pdf.len())
        .filter(|at| pdf[*at..].starts_with(KEY))
        .map(|at| {
            let length = pdf[at..].iter().position(|byte| *byte == b'>').expect("its end");
            at..at + length + 1
        })
        .collect()
}

fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut changed = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(old.len()).position(|window| window == old) {
        changed.extend(&rest[..at]);
        changed.extend(new);
        rest = &rest[at + old.len()..];
    }
    changed.extend(rest);
    changed
}
