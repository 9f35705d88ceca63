//! Lists and revokes access tokens.

use store::access_token::TokenRow;

use crate::App;
use crate::base::actor::Actor;
use crate::base::audit_log::Action;
use crate::base::error::{Error, Subject};

impl App {
    /// Lists a company's tokens: active ones, and those that ended recently. The tokens themselves are not stored.
    pub fn tokens(&self, actor: &Actor) -> Result<Vec<TokenRow>, Error> {
        let company = actor.must_administer()?.company().clone();
        self.store
            .read(move |tx| store::access_token::list(tx, &company).map_err(Error::from))
    }

    /// Revokes a token. Returns `false` if it was already revoked.
    pub fn revoke_token(&self, actor: &Actor, id: i64) -> Result<bool, Error> {
        let by = actor.must_administer()?;
        let (company, wanted, at) = (by.company(), by.company().clone(), self.now());
        let logged = by.logs(Action::TokenRevoked, at).about(id);
        let revoked = self.store.write(move |tx| {
            let revoked = store::access_token::revoke(tx, &wanted, id, at)?.ok_or(Error::NotFound(Subject::Token))?;
            if revoked {
                logged.write(tx)?;
            }
            Ok::<_, Error>(revoked)
        })?;
        tracing::info!(%company, token = id, revoked, "token revoked");
        Ok(revoked)
    }
}
