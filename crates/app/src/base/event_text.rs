//! Names of events for people: keys of `locales/*/certificate.ftl`.

use domain::EventKind;
use domain::event::{DeliveryChannel, IdentityMethod};

/// The key of an event's name.
pub(crate) fn event_text_key(event: &EventKind) -> String {
    let way = match event {
        EventKind::IdentityChecked {
            method: IdentityMethod::OneTimeCode,
            ..
        }
        | EventKind::IdentityRefused {
            method: IdentityMethod::OneTimeCode,
            ..
        } => "-one-time",
        EventKind::Delivered {
            channel: Some(channel), ..
        } => match channel {
            DeliveryChannel::Webhook => "-webhook",
            DeliveryChannel::Mail => "-mail",
            DeliveryChannel::Message => "-message",
        },
        _ => "",
    };
    format!("event-{}{way}", event.code().replace('_', "-"))
}
