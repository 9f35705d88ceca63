//! The labels. Their values are `&'static str` or numbers, so no outside input can become a label.

use prometheus_client::encoding::EncodeLabelSet;

macro_rules! labels {
    ($($(#[$meta:meta])* $name:ident { $($label:ident: $kind:ty),* })*) => {
        $($(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
        pub struct $name {
            $(pub $label: $kind,)*
        })*
    };
}

labels! {
    Build { version: &'static str, commit: &'static str }
    Check { check: &'static str }
    /// `route` is a pattern such as `/api/{company}/login`, and `status` a class such as `2xx`.
    Request { method: &'static str, route: &'static str, status: &'static str }
    Outcome { outcome: &'static str }
    Job { job: &'static str, outcome: &'static str }
    Queue { kind: &'static str }
    Delivery { kind: &'static str, outcome: &'static str }
    Seal { level: &'static str }
    Certificate { certificate: i64, of: &'static str }
    State { state: &'static str }
    Cache { cache: &'static str, result: &'static str }
    Volume { volume: &'static str }
}
