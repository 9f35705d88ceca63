//! The tables `public_link` and `public_link_use`.

crate::statements! {
    pub static INSERT = "INSERT INTO public_link (company_id, member_id, template_id, workflow_name, language, request, most, \
             until, once, is_embed, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING id";

    pub static FIND = "SELECT l.id, l.company_id, l.member_id, l.template_id, l.workflow_name, l.language, l.request, l.most, l.used, l.until, \
             l.once, l.is_embed, l.created_at, l.closed_at, m.role, m.disabled_at, t.archived_at FROM public_link l \
             JOIN member m ON m.company_id = l.company_id AND m.id = l.member_id \
             LEFT JOIN template t ON t.company_id = l.company_id AND t.id = l.template_id WHERE l.company_id = $1 AND l.id = $2";

    /// The token itself authorizes opening its link.
    pub static OPEN = "SELECT l.id, l.company_id, l.member_id, l.template_id, l.workflow_name, l.language, l.request, l.most, l.used, l.until, \
             l.once, l.is_embed, l.created_at, l.closed_at, m.role, m.disabled_at, t.archived_at FROM public_link l \
             JOIN member m ON m.company_id = l.company_id AND m.id = l.member_id \
             LEFT JOIN template t ON t.company_id = l.company_id AND t.id = l.template_id WHERE l.id = $1";

    /// A page of the company's links, newest first.
    pub static LIST = "SELECT l.id, l.company_id, l.member_id, l.template_id, l.workflow_name, l.language, l.request, l.most, l.used, l.until, \
             l.once, l.is_embed, l.created_at, l.closed_at, m.role, m.disabled_at, t.archived_at FROM public_link l \
             JOIN member m ON m.company_id = l.company_id AND m.id = l.member_id \
             LEFT JOIN template t ON t.company_id = l.company_id AND t.id = l.template_id WHERE l.company_id = $1 AND l.id < $2 ORDER BY l.id DESC LIMIT $3";

    /// Counts a use while the link is open. Two simultaneous uses wait for each other here.
    pub static TAKE = "UPDATE public_link SET used = used + 1 WHERE company_id = $1 AND id = $2 AND closed_at IS NULL \
             AND (until IS NULL OR until > $3) AND (most IS NULL OR used < most) RETURNING used";

    /// Records who used the link. Returns no row if the link accepts each person once and this one has used it before.
    pub static USED = "INSERT INTO public_link_use (link_id, number, person, workflow_id, at, addressee) \
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (link_id, person) DO NOTHING";

    /// Lets a person use the link again if their document ended early. The visitor's address is unproven, so a stranger
    /// who enters it and declines does not use it up.
    pub static RELEASE = "UPDATE public_link_use SET person = NULL WHERE link_id = $1 AND person = $2 \
             AND workflow_id IN (SELECT w.id FROM workflow w WHERE w.id = public_link_use.workflow_id \
                 AND w.status IN ('Rejected', 'Canceled', 'Expired'))";

    /// The time of one use.
    pub static USED_AT = "SELECT at FROM public_link_use WHERE link_id = $1 AND number = $2";

    /// The times of the latest uses for a recipient's address, over all links of the company.
    pub static ADDRESSEE_AT = "SELECT u.at FROM public_link_use u JOIN public_link l ON l.id = u.link_id \
             WHERE l.company_id = $4 AND u.addressee = $1 AND u.at > $2 ORDER BY u.at DESC LIMIT $3";

    pub static CLOSE = "UPDATE public_link SET closed_at = $3 WHERE company_id = $1 AND id = $2 AND closed_at IS NULL";
}
