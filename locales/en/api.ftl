# The API, as /api/docs shows it. English is the wording of the OpenAPI document, to which a test holds it.

## The whole
docs-intro =
    Electronic signing. Log in, start a workflow from a template, let its signers sign, then download the sealed document and the history certificate.

    Successful calls return flat JSON. Failed calls return RFC 9457 problem details that list every invalid member at once. Each `code` is from a fixed list. Unknown members and query parameters are ignored and listed in the response header `Ignored-Members` (comma-separated paths, percent-encoded if they are not plain ASCII, up to 2,000 bytes). With `Prefer: handling=strict` they are refused (422, `unexpected-member`). Previews, dry runs and new public links also list them in `ignored_members`. Send bodies in UTF-8, without compression. A request that is not valid HTTP (400) or whose head is too long (431) is refused in plain text before it reaches the service. Messages for people are in the language of the query parameter `lang` (`ko`, `en`, `ja`), which every call accepts. Without it, they are in the language of `Accept-Language`, or else in the company's language.

## Groups
docs-tag-text-login = Get an access token for the other calls.
docs-tag-text-workflows = Documents in progress, and the sealed results.
docs-tag-text-templates = PDFs with fields and ordered steps. You start documents from them.
docs-tag-text-bulk-send = Send many documents at once, from a list or a spreadsheet.
docs-tag-text-public-links = Links that start a document for anyone who opens them.
docs-tag-text-export-api = See what was sent to endpoints and how each try went, and send webhooks again.
docs-tag-text-verification = Check that a sealed file is unchanged.
docs-tag-text-service = Health checks, certificates and the description of the API.

## Calls
docs-text-login = Issues an access token for the other calls. The status is always HTTP 200, and `header.result_code` contains the result. There are two exceptions: 429 after too many wrong credentials, and 503 when the service is too busy.
docs-text-workflows_start = Refuses anything that could fail after people have signed. With an `Idempotency-Key`, repeating the same body and `offset` within 24 hours returns the response of the first call.
docs-text-workflows_preview = Accepts the body of a start and starts nothing. The preview shows the pages with the values of `field_list` where they will be stamped. Whatever a start would refuse is refused here, too.
docs-text-workflows_send = Like a start, but for a document that is sent once. Nothing is added to the list of templates. With an `Idempotency-Key`, repeating the same form and `offset` within 24 hours returns the response of the first call.
docs-text-workflows_list = Newest first. To get more, pass `next_cursor` as `cursor`, or use `page`.
docs-text-workflows_search = Returns documents of one template in which a field has this value, newest first. The value is read as in a start: a number matches in any notation, and a check can be `Y`, `1` or `true`. To get more, pass `next_cursor` as `cursor`.
docs-text-workflows_get = Includes its steps, its history and every value entered so far. `download_url` and `certificate_url` are new in every response. They are empty until the document is complete, and while its links are revoked.
docs-text-workflows_approve = Approves on behalf of the signer whose turn it is. The last approval also seals the document before the call returns.
docs-text-workflows_reject = Declines on behalf of the signer whose turn it is. This ends the document, or returns it to the previous step if the template says so.
docs-text-workflows_cancel = Ends a document that is in progress.
docs-text-workflows_extend = Works while the document is in progress. If you pass the current date, nothing changes.
docs-text-workflows_remind = Sends the request again to the signers whose turn it is. Skips signers who were reminded, or asked again after a correction, within the last ten minutes. If no signers are left, it returns 429. For an embedded document it returns 409, because its signers receive no messages.
docs-text-workflows_discard = The document no longer appears in lists, and its links stop working. Its files and its audit trail are kept.
docs-text-workflows_change_links = Works in any state. It affects the sender's view and every link to the finished files, including links in mails and webhooks that were already sent. Signers' signing links (`sign_url`) keep working. After `revoke`, no new links are created until you `renew` them. Revoking again changes nothing. `renew` replaces the links, starts a new lifetime, unlocks signers' codes if the document is complete, and returns the new addresses. Discarding a document revokes its links.
docs-text-workflows_correct_recipient = Corrects a recipient who has not signed yet. Their old link stops working, and if it is their turn, a new one is sent. The earlier person's values and signatures are removed, but the history keeps them under that person's name. One-time codes are never sent to the earlier person's mobile number, so repeat `mobile` if it is still correct. If no data differs, nothing happens and the link stays the same. If the address was reminded or asked again within the last ten minutes, this returns 429.
docs-text-workflows_get_document = The finished PDF with every value on its pages, sealed by the company. Before completion, this returns 409.
docs-text-workflows_get_certificate = A sealed PDF that shows each action with its actor and time. Documents that ended early also have one. While the document is in progress, this returns 409.
docs-text-workflows_get_field_file = A signature, stamp, image or attachment, exactly as it was submitted.
docs-text-templates_list = Newest first. To get more, pass `next_cursor` as `cursor`.
docs-text-templates_create = We read the PDF in a confined process and rewrite it once, so that nothing in it can run or change after people have signed. `intake` lists the changes. A PDF that is already signed is kept byte for byte. If the PDF is not accepted, this returns a 422 whose error names `file`. Its `reason` contains the ID of the reason, and its message explains the reason and how to fix it.
docs-text-templates_get = Returns the version that new documents use. `name`, `on_reject`, `steps` and `fields` have the format of FIELDS.json. Edit them to create the next version.
docs-text-templates_replace = New documents use the new version. Documents in progress keep the version they started with. Without `file`, the PDF stays the same and only the fields are replaced.
docs-text-templates_copy = The copy has the PDF, steps and fields of the current version, and starts at version 1. You can also copy an archived template. The copy is not archived.
docs-text-templates_archive = You can no longer start documents from it. Documents in progress continue. Archiving again changes nothing.
docs-text-bulk_start = With `dry_run`, nothing is started: the response lists every row that would be refused, with the reasons. Without it, we store the rows, return their `bulk_id`, and start them one by one in the background. Rows with errors are reported there and do not hold up the others. Errors in members that apply to all rows return 422 at once. With an `Idempotency-Key`, the same body and `offset` are accepted only once in 24 hours.
docs-text-bulk_get_sheet = A CSV file with the usual columns of a template and one sample row. It opens in spreadsheet programs; save it as CSV UTF-8 or as XLSX. You can add columns: `1.mobile`, `1.language`, `1.company`, `1.password`, `1.password_hint`, `1.one_time_code`, the same for other steps, `cc.name` and `cc.email`.
docs-text-bulk_get = Includes one page of its rows, in order. `status=failed` lists the rows that could not be started, with the reasons. A bulk send is kept for 30 days after its end.
docs-text-bulk_cancel = Rows that have not started yet will not start. Documents that have started continue. Cancel them individually.
docs-text-links_create = Anyone who opens the link enters a name and an e-mail address or phone number, consents to sharing both, and continues to the signing page as the first signer of a new document. If its documents could not be sent, the link is refused. With an `Idempotency-Key`, repeating the same request within 24 hours returns the response of the first call.
docs-text-links_list = Newest first. To get more, pass `next_cursor` as `cursor`. Members who can only read do not see `link_url`.
docs-text-links_close = A closed link cannot be reopened. Documents that it started continue.
docs-text-exports_list = Lists every webhook and each of its tries, newest first. They are kept for 30 days unless the operator sets a different time. To get more, pass `next_cursor` as `cursor`.
docs-text-exports_resend = Sends the same event, with the same `webhook-id` and the same bytes, in a new round of tries. A dead delivery is revived, a delivered webhook is sent again, and a waiting one is tried now.
docs-text-exports_resend_many = Oldest first, up to 1,000 per call. If `more` is true, pass `next_cursor` as `cursor` to continue. Deliveries to a stopped endpoint are held until you start it.
docs-text-exports_test = Sends one signed webhook (`workflow_id` 0, `comment` 'Test delivery'), waits up to 15 seconds, and returns the endpoint's response. It is not retried and does not appear in the history.
docs-text-endpoints_list = Endpoints whose deliveries have failed since their last success, and endpoints that are stopped: by a 410, after five days in which every delivery failed, or by a pause.
docs-text-endpoints_pause = Webhooks are held until you start the endpoint again, so nothing is lost. If the endpoint is already stopped or paused, nothing changes. You can also pause an endpoint that only future documents will use. `known` says whether any document uses it.
docs-text-endpoints_start = Sends the webhooks that were held for the endpoint. If the endpoint is not stopped, nothing changes.
docs-text-verification_verify = The body is the file itself, or a form (`multipart/form-data`) whose first file is verified. We trust this installation's root, and know which of its certificates have been revoked.
docs-text-service_health = For load balancers. It writes to the database and the file store, at most once a second, so that it also detects a full disk.
docs-text-service_live = For orchestrators that restart a hung process. It checks nothing else, because a restart would not fix a database failure.
docs-text-service_ready = For load balancers and orchestrators. Like `/healthz`, but documents must also be readable. The response gives no reasons. The operator's own metrics address does.
docs-text-service_root_certificate = Anyone who trusts it can verify every seal of this installation.
docs-text-service_revocation_list = Lists seal certificates that are no longer valid. It is renewed every day. If the operator has configured its address, seal certificates contain it.
