//! The concepts and rules of signing workflows.
//!
//! Pure: no files, no network, no clock and no randomness here; the latter two are parameters ([`environment`]).
//! Anything wrong with a stranger's input is a typed error that names its position; nothing panics. All other crates
//! use these types; this crate depends on no other.
//!
//! - [`template`], [`field`], [`value`], [`fields_file`]: what must be filled in, and the values; [`field_names`],
//!   [`field_overlap`]: fields that people cannot name or read; [`number`],
//!   [`date_pattern`], [`formula`]: how values are calculated and shown; [`drawing`]: signatures and seals that we
//!   draw;
//! - [`workflow`]: who is at which step, and what may happen next;
//! - [`proved_contact`]: which addresses people have proved to be theirs;
//! - [`export`]: which events a webhook reports; [`public_address`]: where it may go;
//! - [`redirect`]: where signing pages may lead at the end;
//! - [`sealing`]: the level at which a finished document is sealed;
//! - [`look`]: how pages use a company's colour; [`mailing`]: a company's choices about its mails;
//! - [`folding`]: spellings that count as the same; [`search`]: the terms by which a text is found;
//! - [`requester`], [`turns`]: who uses the server, and who is next if many want the same; [`client_network`]: which
//!   addresses are one client;
//! - [`secret`]: a text that nothing shows; [`excerpt`]: what is shown of a text that another server wrote;
//! - [`event`], [`chain`]: what happened, in a form that cannot be changed unnoticed; [`people_over_time`]: whom it names;
//!   [`personal_text`]: which of its texts can be erased;
//!   [`terms`]: what a workflow is started with;
//!   [`replay`]: what the rows of a workflow must say by it; [`checkpoint`]: what all
//!   chains of a company had come to.

pub mod address_in_text;
pub mod chain;
pub mod checkpoint;
pub mod client_network;
pub mod contact;
pub mod date_pattern;
pub mod drawing;
pub mod environment;
pub mod event;
pub mod excerpt;
pub mod export;
pub mod field;
pub mod field_names;
pub mod field_overlap;
pub mod fields_file;
pub mod folding;
pub mod formula;
pub mod ids;
pub mod language;
pub mod links;
pub mod look;
pub mod mailing;
pub mod new_link;
pub mod number;
pub mod one_time_code;
pub mod people_over_time;
pub mod personal_text;
pub mod proved_contact;
pub mod public_address;
pub mod recent_times;
pub mod redirect;
pub mod replay;
pub mod requester;
pub mod role;
pub mod sealing;
pub mod search;
pub mod secret;
pub mod template;
pub mod terms;
pub mod text;
pub mod time;
pub mod turns;
pub mod value;
pub mod workflow;
pub mod zone;

pub use chain::{ChainFault, ChainFile, ChainFormat, Entry, Head, KeyedHead};
pub use client_network::ClientNetwork;
pub use contact::{Contact, Region};
pub use drawing::{Drawing, DrawnValue, Hand, Seal, SealShape, Writing};
pub use environment::{Clock, Random};
pub use event::{Actor, DeliveryChannel, Event, EventKind, FileKind, NamedMember, NamedRecipient, Who};
pub use export::{ApiType, CommandType, ExportSettings, FieldName, LinkType};
pub use field::{Alignment, Colour, Field, FieldKind, FontSize, Lines, Placement, TextPlace, WriterDetail};
pub use ids::{ClientId, CompanyId, MemberId, RecipientId, TemplateId, WorkflowId};
pub use language::Language;
pub use links::{Links, LiveLinks};
pub use look::Palette;
pub use mailing::{CompletedMails, Reminders};
pub use people_over_time::{NamedEvent, named_events};
pub use personal_text::{ClearText, PersonalText};
pub use proved_contact::{DeliveredLink, ProvedContact};
pub use redirect::{RedirectFault, RedirectHosts, RedirectUrl};
pub use requester::{LinkHolder, Requester};
pub use role::{Access, Role};
pub use sealing::{SealLevel, SealMark, WhenTsaIsDown};
pub use secret::Secret;
pub use template::{NamedWriter, OnReject, PageSize, TemplateStep, TemplateVersion};
pub use terms::{NamedCopy, PlaceTerms, TemplateContent, Terms};
pub use text::{Comment, PersonName, TextFault};
pub use time::UtcOffset;
pub use value::{BlobHash, FieldValue, FileValue, Picture, ValueFault};
pub use workflow::{
    Change, CopyRecipient, NewMobile, NewPerson, Outcome, Progress, Recipient, Refusal, State, Status, Transition,
    Workflow,
};
pub use zone::Zone;
