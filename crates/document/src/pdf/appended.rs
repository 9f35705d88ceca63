//! Checks the data appended to a signed file (ISO 32000-2, 7.5.6).
//!
//! Programs repair damaged files in different ways. A program that distrusts an entry, a `/Size` or an `/XRefStm`
//! searches the whole file for objects and uses the last one that it finds for a number. So we account for every
//! appended byte, and no reference from one revision to another may need repair.

use std::ops::Range;

use super::defect::{Deviation, DeviationKind, PdfDefect, Rule, defect};
use super::file::{File, Place, Revision, Version};
use super::lex::{Lexer, is_white, run};
use super::object::{Dict, Object, Ref};
use super::section::{Entry, Section, SectionKind, last_start};

/// Maximum number of reserved but unused object numbers, which `/Size` includes.
const MAX_RESERVED: usize = 256;
/// Number of bytes at the end of a file that programs search for `startxref`.
const TAIL: usize = 1024;

impl File {
    /// Returns the index of the revision that consists of the first `end` bytes of the body. `None` if these are no
    /// complete revision.
    pub fn revision_that_ends(&self, end: usize) -> Option<usize> {
        let body = self.body().get(..end)?;
        let (start, _) = last_start(body).ok()?;
        let start = start + run(body.get(start..)?, is_white);
        let newest = |revision: &Revision| revision.sections.first().map(|section| section.start);
        let number = self
            .revisions
            .iter()
            .rposition(|revision| newest(revision) == Some(start))?;
        let sections = self
            .revisions
            .iter()
            .take(number + 1)
            .flat_map(|revision| &revision.sections);
        let are_sections_within = sections.flat_map(Section::spans).all(|span| span.end <= end);
        let is_within = |place: &Place| match place {
            Place::At(_) => self.read(*place).is_ok_and(|read| read.span.end <= end),
            Place::Within { container, .. } => *container < end,
        };
        let mut slots = self.slots.iter().filter(|(_, slot)| slot.revision <= number);
        let is_whole = are_sections_within && slots.all(|(place, _)| is_within(place));
        (is_whole && self.at(number).catalog().is_ok()).then_some(number)
    }

    /// Checks that everything after the first `from` bytes of the body, where the revision `first` begins, consists of
    /// strictly formed revisions, each of which lists exactly the objects that it contains.
    pub fn is_appended_strictly(&self, first: usize, from: usize) -> Result<(), PdfDefect> {
        let spans = self.spans_of_appended(first, from)?;
        for (number, versions) in &self.history {
            let later = versions.partition_point(|version| version.revision < first);
            let mut was_freed = false;
            for version in versions.get(later..).unwrap_or_default() {
                let span = spans.get(version.revision - first).cloned().unwrap_or_default();
                is_its_own(*number, version, &span)?;
                was_freed |= version.object.is_none();
                if version.object.is_some() && was_freed {
                    return Err(PdfDefect::new(span.start, Rule::AppendedAgain).within(Ref::new(*number, 0)));
                }
            }
        }
        self.lists_all_members(from)?;
        self.has_no_loose_bytes(from)?;
        // Bytes after the last end are reported as loose bytes.
        let is_lax = |lax: &Deviation| lax.offset >= from && lax.kind != DeviationKind::BytesAfterEnd;
        match self.deviations().into_iter().find(is_lax) {
            Some(lax) => defect(lax.offset, Rule::AppendedLaxly(lax.kind)),
            None => Ok(()),
        }
    }

    /// Returns whether the newest revision is followed only by white space, and by so little that every program still
    /// finds its start.
    pub fn ends_with_newest_revision(&self) -> bool {
        const START: &[u8] = b"startxref";
        let body = self.body();
        let tail = body.get(body.len().saturating_sub(TAIL)..).unwrap_or_default();
        let end = self.revisions.last().and_then(|newest| newest.end);
        let rest = end.and_then(|end| body.get(end..));
        let is_white_behind = rest.is_some_and(|rest| rest.iter().all(|byte| is_white(*byte)));
        is_white_behind && tail.windows(START.len()).any(|window| window == START)
    }

    /// Returns the ranges of the appended revisions.
    fn spans_of_appended(&self, first: usize, from: usize) -> Result<Vec<Range<usize>>, PdfDefect> {
        let mut size = self
            .history
            .iter()
            .rfind(|(_, versions)| versions.first().is_some_and(|version| version.revision < first))
            .and_then(|(number, _)| usize::try_from(*number).ok()?.checked_add(1))
            .unwrap_or(0);
        let mut spans: Vec<Range<usize>> = Vec::new();
        for number in first..self.revisions.len() {
            let begin = spans.last().map_or(from, |span| span.end);
            let revision = self.revisions.get(number);
            let before = number
                .checked_sub(1)
                .and_then(|before| self.revisions.get(before)?.sections.first());
            let (Some(revision), Some(before)) = (revision, before) else {
                return defect(begin, Rule::AppendedSection);
            };
            size = size.max(whole(&before.trailer, b"Size").unwrap_or(0));
            let section = self.appended_section(revision, begin)?;
            leads_back(self.body(), section, before)?;
            self.hides_only_what_is_new(section, number)?;
            has_right_size(section, size)?;
            spans.push(begin..revision.end.unwrap_or(section.end));
        }
        Ok(spans)
    }

    /// Returns the section of an appended revision, to which `startxref` points.
    fn appended_section<'f>(&self, revision: &'f Revision, begin: usize) -> Result<&'f Section, PdfDefect> {
        let [section] = revision.sections.as_slice() else {
            return defect(begin, Rule::AppendedSection);
        };
        if let Some(number) = section.at_zero {
            return Err(PdfDefect::new(section.start, Rule::StrayEntry).within(Ref::new(number, 0)));
        }
        let leads_here = |end: usize| {
            let named = self.body().get(..end).and_then(|body| last_start(body).ok());
            named.is_some_and(|(start, _)| start == section.start)
        };
        let is_behind = section.spans().all(|span| span.start >= begin);
        if is_behind && revision.end.is_some_and(leads_here) {
            Ok(section)
        } else {
            defect(section.start, Rule::AppendedSection)
        }
    }

    /// Some programs ignore objects that are listed only in the stream of a hybrid file.
    fn hides_only_what_is_new(&self, section: &Section, revision: usize) -> Result<(), PdfDefect> {
        let Some(beside) = &section.hybrid else { return Ok(()) };
        let before = self.at(revision.saturating_sub(1));
        let agrees = |key: &[u8]| {
            beside
                .trailer
                .get(key)
                .is_none_or(|own| Some(own) == section.trailer.get(key))
        };
        let is_new = |(number, entry): (&u32, &Entry)| {
            *entry == Entry::Free || (section.entries.get(number) == Some(entry) && before.place(*number).is_none())
        };
        if agrees(b"Root") && agrees(b"Prev") && beside.at_zero.is_none() && beside.entries.iter().all(is_new) {
            Ok(())
        } else {
            defect(beside.start, Rule::AppendedHybrid)
        }
    }

    fn lists_all_members(&self, from: usize) -> Result<(), PdfDefect> {
        for place in self.slots.keys() {
            let Place::At(offset) = *place else { continue };
            let read = self.read(*place)?;
            let is_object_stream = |object: &Object| object.as_stream().is_some_and(|own| own.dict.is_type(b"ObjStm"));
            if offset >= from && is_object_stream(&read.object) {
                let are_listed = self
                    .places_within(offset)
                    .is_some_and(|mut members| members.all(|member| self.slots.contains_key(&member)));
                if !are_listed {
                    return Err(PdfDefect::new(offset, Rule::AppendedMember).within(read.id));
                }
            }
        }
        Ok(())
    }

    fn has_no_loose_bytes(&self, from: usize) -> Result<(), PdfDefect> {
        for gap in self.loose(from..self.body().len())? {
            // A comment between listed objects is allowed if a searching program finds no object in it.
            let mut lexer = Lexer::new(self.body().get(..gap.end).unwrap_or_default(), gap.start);
            lexer.space();
            if lexer.at() != gap.end || lexer.word_in_comment().is_some() {
                return defect(gap.start, Rule::AppendedBytes);
            }
        }
        Ok(())
    }
}

/// Checks that a revision marks a number as free, or contains its object.
fn is_its_own(number: u32, version: &Version, span: &Range<usize>) -> Result<(), PdfDefect> {
    match version.object {
        Some((Place::At(offset) | Place::Within { container: offset, .. }, _)) if !span.contains(&offset) => {
            Err(PdfDefect::new(offset, Rule::StrayEntry).within(Ref::new(number, 0)))
        }
        _ => Ok(()),
    }
}

/// Checks that a revision refers only to the section before it, and to the same document.
fn leads_back(body: &[u8], section: &Section, before: &Section) -> Result<(), PdfDefect> {
    let trailer = &section.trailer;
    // The signed bytes may have white space at this position.
    let behind_space = |at: usize| body.get(at..).map(|rest| at + run(rest, is_white));
    if whole(trailer, b"Prev").and_then(behind_space) != Some(before.start) {
        return defect(section.start, Rule::AppendedPrevious);
    }
    if trailer.get(b"Root") != before.trailer.get(b"Root") {
        return defect(section.start, Rule::AppendedRoot);
    }
    if section.kind == SectionKind::Stream && trailer.has(b"XRefStm") {
        return defect(section.start, Rule::AppendedSection);
    }
    Ok(())
}

/// Checks that `/Size` exceeds every used number, but not by so much that programs distrust it.
fn has_right_size(section: &Section, before: usize) -> Result<(), PdfDefect> {
    let in_use = section.entries.iter().rfind(|(_, entry)| **entry != Entry::Free);
    let least = in_use
        .and_then(|(number, _)| usize::try_from(*number).ok()?.checked_add(1))
        .unwrap_or(0);
    let most = least.max(before).saturating_add(MAX_RESERVED);
    match whole(&section.trailer, b"Size") {
        Some(size) if (least..=most).contains(&size) => Ok(()),
        _ => defect(section.start, Rule::AppendedSize),
    }
}

/// Reads a number that is written only with digits.
fn whole(dict: &Dict, key: &[u8]) -> Option<usize> {
    match dict.get(key)? {
        Object::Number(number) if number.spelling().iter().all(u8::is_ascii_digit) => number.as_i64()?.try_into().ok(),
        _ => None,
    }
}
