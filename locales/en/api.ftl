# The API, as /api/docs shows it. English is the wording of the OpenAPI document, to which a test holds it.

## The whole
docs-intro =
    Electronic signing. Log in, start a workflow from a template, let its writers sign, fetch the sealed document and the history certificate.

    Success is answered flat. Failure is RFC 9457 problem details that name every bad member at once; its `code` is one of a closed list. Unknown members and query parameters are ignored, and named in the header `Ignored-Members` of the answer (paths separated by commas, percent-encoded where they are not plain ASCII, at most 2,000 bytes); with `Prefer: handling=strict` they are refused (422, `unexpected-member`). Previews, dry runs and new public links also name them in `ignored_members`. Bodies are UTF-8, not compressed. What is no HTTP (400) or has too long a head (431) is refused before the service sees it, in plain text. Words for people are in the language of the query parameter `lang` (`ko`, `en`, `ja`), which every call takes, else of `Accept-Language`, else the company's.

## Groups
docs-tag-text-login = An access token for the other calls.
docs-tag-text-workflows = Documents on their way to their writers, and their sealed results.
docs-tag-text-templates = PDFs with placed fields and ordered steps, of which documents are started.
docs-tag-text-bulk-start = Many documents at once, from a list or a spreadsheet.
docs-tag-text-public-links = Links that start a document for whoever opens them.
docs-tag-text-export-api = What was sent to callback addresses, how each try went, and sending it again.
docs-tag-text-verification = Whether a sealed file is what it was.
docs-tag-text-service = The service itself.

## Calls
docs-text-login = Issues an access token for the other calls. The answer is HTTP 200 whatever the result, which `header.result_code` tells; only too many wrong credentials are answered 429, and where the service is too busy 503.
docs-text-start = Everything that could fail after people have signed is refused here. With an `Idempotency-Key` the same body and `offset` answer for 24 hours what the first call answered.
docs-text-send = As a start, for a document that is sent once: nothing is kept in the list of templates. With an `Idempotency-Key` the same form and `offset` answer for 24 hours what the first call answered.
docs-text-list_workflows = Newest first. Go on with `next_cursor` as `cursor`, or count with `page`.
docs-text-search_with_value = Those of a template in which a field has this value, newest first. It is read as a start reads it: a number counts however it is written, a check may be `Y`, `1` or `true`. Go on with `next_cursor` as `cursor`.
docs-text-get_workflow = With its steps, its history and every value written so far. `download_url` and `certificate_url` are empty until it is complete and while its links are revoked, and new at every call.
docs-text-approve = On behalf of the writer whose turn it is. The last approval seals the document before it is answered.
docs-text-reject = On behalf of the writer whose turn it is. Ends the document, or gives it back to the step before where the template says so.
docs-text-cancel = Ends a document that is under way.
docs-text-extend = For a document that is under way. The date that it has already changes nothing.
docs-text-remind = Sends the request once more to the writers whose turn it is, but those who were reminded, or asked anew after a correction, within the last ten minutes; where that is all of them, the answer is 429. 409 for an embedded document, whose writers get no messages.
docs-text-discard = The document no longer appears in lists, and its links stop working. Its files and its audit trail are kept.
docs-text-change_links = Works in any state. It affects the sender's view and every link to the finished files, including those in mails and webhooks that were already sent. Signers' links to sign (`sign_url`) keep working. After `revoke`, no new links are made until you `renew` them; revoking twice changes nothing. `renew` replaces the links, starts a new lifetime, unlocks signers' codes if the document is complete, and returns the new addresses. Discarding a document revokes its links.
docs-text-correct_recipient = Corrects a recipient who has not signed yet. Their old link stops working; if it is their turn, a new one is sent. Anything that the earlier person filled in or signed is removed, and the history keeps it under their name. One-time codes never go to the earlier person's mobile number: repeat `mobile` if it is still right. If nothing changes, nothing happens and the link stays. An address that was reminded or asked again within the last ten minutes is not asked again: that is 429.
docs-text-document = The finished PDF with every value on its pages, sealed by the company. 409 before completion.
docs-text-certificate = Who did what and when, sealed. Documents that ended early have one too. 409 while under way.
docs-text-field_file = A signature, a seal, an image or an attachment, as it was given.
docs-text-list_templates = Newest first. Go on with `next_cursor` as `cursor`.
docs-text-create_template = Intake reads the PDF in a confined process, and rewrites it once, so that nothing in it acts or changes after people have signed; `intake` says what was changed. A PDF that others have signed is kept byte for byte. What cannot be taken is a 422 whose error names `file`, with intake's own id in `reason`, and reason and remedy in words.
docs-text-get_template = The version that new documents take. `name`, `on_reject`, `steps` and `fields` are as FIELDS.json has them: changed, they make the next version.
docs-text-replace_template = Documents that are started from then on take it; those under way keep the version that they began with. Without `file` the PDF stays, and the fields are new.
docs-text-copy_template = The copy has the current version's PDF, steps and fields, and a version 1 of its own. An archived template can be copied, too; the copy takes documents.
docs-text-archive_template = No document can be started from it any more; those under way go on. Twice is once.
docs-text-bulk_start = With `dry_run` nothing is started: the answer names every row that would be refused, and why. Without it the rows are kept, the answer is their `bulk_id`, and they are started one after the other in the background; rows that are wrong are reported there and hold up no other. What is wrong with the members that hold for all rows is answered at once (422). With an `Idempotency-Key` the same body and `offset` are accepted once in 24 hours.
docs-text-bulk_sheet = A CSV file with the columns of a template that most need and one row to begin with. It opens in spreadsheet programs; save it as CSV UTF-8 or as XLSX. Columns can be added: `1.mobile`, `1.language`, `1.password`, `1.password_hint`, `1.one_time_code`, and so on for the other steps, `cc.name` and `cc.email`.
docs-text-get_bulk = With a page of its rows, in order; `status=failed` lists those that cannot be started, with the reasons. It is kept for 30 days after its end.
docs-text-cancel_bulk = What was not started yet will not be. What was started goes on: each has its own cancel.
docs-text-start_link = Whoever opens it gives a name and an e-mail address or telephone number, agrees that both are passed on, and goes on to the signing page as the first writer of a new document. What could not be sent is refused here. With an `Idempotency-Key` the same request answers for 24 hours what the first call answered.
docs-text-list_links = Newest first. Go on with `next_cursor` as `cursor`. Who may only read sees no `link_url`.
docs-text-close_link = For good. The documents that it started go on.
docs-text-list_exports = Every webhook and every try of it, newest first, for 30 days unless the installation keeps another time. Go on with `next_cursor` as `cursor`.
docs-text-resend_export = The same event: the same `webhook-id`, the same bytes, in a new round of tries. A dead letter is revived, one that was delivered goes out once more, one that waits is tried now.
docs-text-resend_exports = Oldest first, at most 1,000 a call; where `more` is true, go on with `next_cursor` as `cursor`. Deliveries to a stopped address are held until it is started.
docs-text-test_export = Sends one signed webhook (`workflow_id` 0, `comment` 'Test delivery'), waits at most 15 seconds, and answers what came back. Nothing is repeated, and the history does not show it.
docs-text-list_endpoints = Those that have failed since their last success, and those that were stopped: by a 410, after five days of nothing but failures, or by a pause.
docs-text-pause_endpoint = Nothing is sent there any more, and nothing is lost: what comes is held until the address is started again. An address that is stopped or paused already stays so. One that only documents to come tell is held for them; `known` says whether any tells it.
docs-text-start_endpoint = What was held for it goes out. An address that is not stopped stays as it is.
docs-text-verify = The body is the file itself, or a form (`multipart/form-data`) whose first file counts. The root trusted is this installation's, and what that has revoked is known.
docs-text-health = For load balancers: database and file store are written to, at most once a second, so that a full disk is told as well.
docs-text-root_certificate = Who trusts it can verify every seal of this installation.
docs-text-revocation_list = Which seal certificates are no longer good; renewed every day. Seal certificates name this address where the operator has set one.
