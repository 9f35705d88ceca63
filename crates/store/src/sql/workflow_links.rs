//! The links to a workflow's finished files and to the sender's view.

crate::statements! {
    /// Revokes the links. Returns nothing if they are already revoked.
    pub static REVOKE = "UPDATE workflow SET links_revoked_at = $3, link_version = link_version + 1 \
         WHERE company_id = $1 AND id = $2 AND links_revoked_at IS NULL";

    /// Replaces the links with new ones.
    pub static RENEW = "UPDATE workflow SET links_revoked_at = NULL, links_renewed_at = $3, link_version = link_version + 1 \
         WHERE company_id = $1 AND id = $2";

    /// Lets recipients try their access codes again, but only for the finished files. If a member could unlock a
    /// running document without limit, they could guess a signer's code and sign in that signer's place.
    pub static UNLOCK = "UPDATE recipient SET access_failures = 0 \
         WHERE company_id = $1 AND workflow_id = $2 AND access_failures <> 0 \
         AND EXISTS (SELECT 1 FROM workflow WHERE workflow.company_id = $1 AND workflow.id = $2 AND workflow.status = 'Complete')";
}
