//! The links to a workflow's finished files and the sender's view.

crate::statements! {
    /// The links stop working. Nothing where they are revoked already.
    pub static REVOKE = "UPDATE workflow SET links_revoked_at = $3, link_version = link_version + 1 \
         WHERE company_id = $1 AND id = $2 AND links_revoked_at IS NULL";

    /// New links take the place of the old ones.
    pub static RENEW = "UPDATE workflow SET links_revoked_at = NULL, links_renewed_at = $3, link_version = link_version + 1 \
         WHERE company_id = $1 AND id = $2";

    /// Recipients may try their access codes again, for the finished files alone: a member who unlocked the signing of a running
    /// document as often as they liked could guess the code and sign in a signer's place.
    pub static UNLOCK = "UPDATE recipient SET access_failures = 0 \
         WHERE company_id = $1 AND workflow_id = $2 AND access_failures <> 0 \
         AND EXISTS (SELECT 1 FROM workflow WHERE workflow.company_id = $1 AND workflow.id = $2 AND workflow.status = 'Complete')";
}
