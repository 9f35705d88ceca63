//! Who is behind a request: known before its body is read, so that everything that it takes counts as theirs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use app::{App, Error, LinkPurpose, LinkToken};
use domain::CompanyId;

use crate::blocking::{Blocking, Party};
use crate::bodies::Sender;

/// The most links of which is remembered who made them; then all are forgotten, and asked for again.
const MOST_REMEMBERED: usize = 20_000;

/// Which companies made which links. That never changes.
#[derive(Debug, Default)]
pub struct Makers(Mutex<HashMap<String, CompanyId>>);

impl Makers {
    /// The party of a request. A link is its company's; one to what is gone is a stranger's.
    pub async fn party(&self, sender: &Sender, app: &Arc<App>, threads: &Blocking) -> Result<Party, Error> {
        let token = match sender {
            Sender::Stranger => return Ok(Party::Stranger),
            Sender::Program(company) => return Ok(Party::Company(company.clone())),
            Sender::Link(token) => *token,
        };
        let own = named(token);
        let known = self.lock().get(&own).cloned();
        let company = if known.is_some() {
            known
        } else {
            let app = Arc::clone(app);
            // Until it is known whose it is, it is as good as a stranger's.
            let found = threads.run(move || app.company_behind_link(token));
            let found = Party::Stranger.answering(found).await?;
            if let Some(company) = &found {
                self.remember(&own, company);
            }
            found
        };
        Ok(match company {
            Some(company) => Party::Link { own, company },
            None => Party::Stranger,
        })
    }

    fn remember(&self, own: &str, company: &CompanyId) {
        let mut known = self.lock();
        if known.len() >= MOST_REMEMBERED {
            known.clear();
        }
        known.insert(own.to_owned(), company.clone());
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, CompanyId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A link by what it leads to: all links to one signer or one document share what one link may use, whatever they are for.
fn named(token: LinkToken) -> String {
    let kind = match token.purpose {
        LinkPurpose::Sign
        | LinkPurpose::SignDelivered
        | LinkPurpose::SignersDocument
        | LinkPurpose::SignersCertificate => "signer",
        LinkPurpose::View | LinkPurpose::Watch | LinkPurpose::Document | LinkPurpose::Certificate => "document",
        LinkPurpose::Preview => "preview",
        LinkPurpose::Start => "public link",
    };
    format!("{kind} {}", token.subject)
}
