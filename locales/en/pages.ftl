## On every page
page-skip = Skip to the content
page-language = Language
page-close = Close
page-cancel = Cancel
page-needs-script = This page needs JavaScript and a current browser: Safari 15.4, Chrome 92, Firefox 98 or newer. Without them, you cannot see or fill in the fields. Reload the page, or open the link in another browser.
page-footer = Secured by Countersign

## Signing page: before
sign-title = Sign: { $document }
sign-asks = { $sender } asks you to fill in and sign this document.
sign-asks-view = You are viewing a document sent by { $sender }.
sign-for = For { $name }
sign-until = Due { $date }
sign-details = Details
sign-comment = Message from the sender
sign-writer-of-step = the signer at step { $step }
sign-step = Step { $step } of { $steps }
sign-about = About this document
sign-pages = { $count ->
    [one] 1 page
   *[other] { $count } pages
}
sign-returned = { $act ->
    [sign] { $name } returned this document. Please make the changes needed and sign it again.
   *[approve] { $name } returned this document. Please make the changes needed and approve it again.
}
sign-returned-own = { $name } returned this document, and it has been filled in again since. Please review it.
sign-continued = Your earlier entries have been restored.
sign-original = Download the document as it is now
sign-preview = Preview. Nothing you enter here is saved or sent.
sign-sender-view = Sender’s view. You see the fields as they are now, but you cannot fill in or approve anything here.
sign-sender-view-waiting = Waiting for { $name } (step { $step })
sign-ended-complete = Everyone has approved. The document is complete.
sign-ended-canceled = The sender cancelled this document.
sign-ended-expired = This document expired on { $date }.
sign-ended-rejected = A signer declined this document.
sign-ended-rejected-by = { $name } declined this document.

## Signing page: access code
sign-code-title = Enter the access code
sign-code-text = The sender protected this document with an access code.
sign-code-hint = Hint: { $hint }
sign-code-label = Access code
sign-code-submit = Open the document
sign-code-wrong = This access code is not correct.
sign-tries-left = { $count ->
    [one] 1 try left.
   *[other] { $count } tries left.
}
sign-code-locked-title = This link is locked
sign-code-locked = Too many wrong codes were entered. Ask the sender to send you the document again.

## Signing page: one-time code
sign-one-time-title = Confirm that it’s you
sign-one-time-text = Before the document opens, we’ll send a code to { $to }.
sign-one-time-sent = We sent a 6-digit code to { $to }. It expires in { $minutes } minutes.
sign-one-time-send = Send me the code
sign-one-time-label = Code
sign-one-time-submit = Open the document
sign-one-time-again = Send me a new code
sign-one-time-help = No code yet? Check your spam folder and blocked messages. A new code replaces the old one.
sign-one-time-wrong = This code is not correct.
sign-one-time-used-up = Too many wrong codes were entered. Request a new code.
sign-one-time-expired = This code no longer works. Request a new one.
sign-one-time-too-many = Too many wrong codes were entered for this address, possibly by someone else. Try again in { $wait }. If we sent you this document in a message, you can open the link in that message now.
sign-one-time-wait-seconds = { $count ->
    [one] We just sent a code. You can request another in 1 second.
   *[other] We just sent a code. You can request another in { $count } seconds.
}
sign-one-time-wait-minutes = { $count ->
    [one] We already sent several codes. You can request another in 1 minute.
   *[other] We already sent several codes. You can request another in { $count } minutes.
}

## Signing page: consent
sign-consent-title = Sign electronically
sign-consent-text = Your electronic signature on this document has the effect that the law gives it, just like your signature on paper.
sign-consent-point-agree = You agree to receive, fill in and sign this document electronically.
sign-consent-point-copy = You can keep a copy of the finished document when everyone has signed.
sign-consent-point-evidence = The time, your network address and your browser are recorded as evidence.
sign-consent-point-decline = If you prefer not to sign electronically, you can decline the document and say why.
sign-consent-version = Text of this consent: version { $version }
sign-consent-agree = I agree
sign-decline = I do not want to sign electronically
sign-decline-reason = I do not agree to sign electronically.

## Signing page: fields
sign-page-of = Page { $page } of { $pages }
sign-page-image = Page { $page } of the document
page-text-none = This page is only a picture. It has no text to search or read aloud.
sign-field-required = required
sign-field-other = Filled in by { $name }
sign-field-waiting = { $name } fills this in
test-mark = TEST
sign-test = This is a test document. We send no messages about it, and it is not meant to bind anybody.
sign-field-given = Filled in by the sender
sign-field-automatic = Filled in automatically
sign-field-signed-on = Date of signing, filled in automatically
sign-field-choose = Choose
sign-field-signature = Sign here
sign-field-initials = Initials
sign-field-seal = Add your stamp
sign-field-company-seal = Add the company’s stamp
sign-field-image = Add a picture
sign-field-attachment = Add a file
sign-field-change = Change
sign-field-remove = Remove
sign-field-today = Today
sign-field-filled = filled in
sign-field-checked = checked
sign-progress = Required fields: { $done } of { $total } done
sign-progress-none = No required fields
sign-next-field = Next required field

## Signing page: the guided way, and the tools
sign-tools = Document tools
sign-page-jump = Page
sign-page-go = Go to page { $page }
sign-thumbnails = Pages
sign-zoom = Zoom
sign-zoom-in = Zoom in
sign-zoom-out = Zoom out
sign-guide = Step by step
sign-guide-off = Back to the page
sign-guide-count = Field { $at } of { $total }
sign-guide-back = Previous field
sign-guide-next = Next
sign-guide-skip = Skip
sign-guide-later = Fill in later
sign-guide-open = Required fields left ({ $count }): { $fields }
sign-field-optional = optional

## Signing page: signature pad
sign-pad-title-signature = Your signature
sign-pad-title-initials = Your initials
sign-pad-title-seal = Your signature stamp
sign-pad-title-company-seal = The company’s signature stamp
sign-pad-title-image = Your picture
sign-pad-draw = Draw
sign-pad-picture = Picture
sign-pad-area = Drawing area. If you use a keyboard, choose “Type” or “Stamp” instead.
sign-pad-here = Draw with your finger, pen or mouse
sign-pad-type = Type
sign-pad-type-label = Your name as signature
sign-pad-undo = Undo
sign-pad-clear = Clear
sign-pad-choose = Choose a PNG or JPEG picture
sign-pad-limit = Pictures over { $megabytes } MB are made smaller
sign-pad-use = Use this
sign-pad-empty = Draw or choose something first.
sign-pad-not-picture = This file is not a PNG or JPEG picture, or it is damaged. Choose another.
sign-pad-too-large = This picture is too large, even after we made it smaller. Choose another.
sign-pad-preview = Preview
sign-pad-seal = Stamp
sign-pad-last = Last used
sign-pad-last-image = The image you used last
sign-pad-last-where = It is saved only in this browser. If other people use this device, remove it.
sign-pad-forget = Remove from this device
sign-pad-hands = Choose a handwriting style
sign-hand-nanum-pen = Felt pen
sign-hand-gaegu = Round letters
sign-hand-yuji-syuku = Brush
sign-hand-zen-kurenaido = Fine pen
sign-hand-caveat = Quick pen
sign-hand-dancing-script = Cursive
sign-pad-seal-of = Stamp type
sign-pad-seal-person = Person
sign-pad-seal-company = Company
sign-pad-seal-name = Name on the stamp
sign-pad-company = Company name
sign-pad-company-title = Text in the middle (optional)
sign-pad-company-title-example = for example SEAL
sign-pad-seals = Choose a stamp
sign-seal-round = Round: { $words }
sign-seal-oval = Oval: { $words }
sign-seal-square = Square: { $words }
sign-seal-double-ring = Double ring: { $words }
sign-pad-choices-failed = The previews could not be loaded. Check your connection. We’ll try again when you’re back online or change the name.
sign-pad-no-name = Enter a name first.
sign-pad-camera = Take a photo
sign-pad-clean = Remove the paper background and crop to the ink
sign-pad-threshold = Ink sensitivity
sign-pad-turn = Rotate
sign-pad-no-ink = Nothing is left of this picture. Move the slider to the right, or keep the background.
sign-pad-keep = Save for next time
sign-pad-keep-where = Only on this device, not on our server. You can remove it here at any time.
sign-pad-not-kept = It was added here, but could not be saved on this device for next time.

## Signing page: rules in words
sign-rule-number = Enter a number, such as 1200 or 3.5.
sign-rule-date = Enter a date.
sign-rule-too-long = Use at most { $limit } characters.
sign-rule-decimals = Maximum digits after the decimal point: { $limit }.
sign-rule-refused = This value was not accepted. Please check it.
sign-rule-choose = Choose an option.
sign-rule-check = Tick this box.
sign-rule-picture = Add a PNG or JPEG picture of up to 5 MB.
sign-rule-file = Add a file of up to 10 MB.

## Signing page: drafts
sign-draft-saving = Saving…
sign-draft-saved = Saved
sign-draft-offline = No connection. Your entries are kept on this device and saved when you’re back online.
sign-draft-offline-open = No connection. This device cannot keep all your entries. Leave this page open until they are saved.
sign-draft-failed = Not saved yet. Trying again.
sign-draft-failed-open = Not saved yet. Trying again. This device cannot keep all your entries. Leave this page open until they are saved.
sign-transfer-sending = Sending { $file }: { $percent }%
sign-transfer-waiting = { $file } has not been sent yet.
sign-transfer-again = Try again now
sign-transfer-cancel = Cancel sending
sign-transfer-sent = { $file } has been sent.
sign-transfer-cancelled = { $file } was not sent.
sign-file-refused = “{ $file }” was not added. { $reason }
sign-file-unreadable = Your device could not read this file. Please choose it again.

## Signing page: what must be looked at once more
sign-settle-title = Please review these entries
sign-settle-text = Some entries were changed elsewhere or could not be saved.
sign-settle-theirs = Saved on another page or device: { $value }
sign-settle-mine = Entered here: { $value }
sign-settle-changed = Changed on another page or device. Now: { $value }. Before, on this page: { $before }
sign-settle-changed-picture = Changed on another page or device. It now shows:
sign-settle-stays-empty = The field is empty.
sign-settle-holds = The document still contains “{ $value }”.
sign-settle-holds-picture = The document still contains this picture:
sign-settle-ticked = ticked
sign-settle-not-ticked = not ticked
sign-settle-empty = (empty)
sign-settle-told = Changed on another page or device: { $fields }
sign-settle-back = Back to the document
sign-settle-go = Continue with these entries

## Signing page: approve and reject
sign-approve = { $act ->
    [sign] Sign
   *[approve] Approve
}
sign-approve-title = { $act ->
    [sign] Sign this document
   *[approve] Approve this document
}
sign-approve-text = { $act ->
    [sign] After you sign, you cannot change your entries.
   *[approve] After you approve, you cannot change your entries.
}
sign-approve-add-comment = Add a message to the sender
sign-approve-comment = Message to the sender (optional)
sign-approve-comment-where = It also appears in the history certificate.
sign-comment-limit = At most { $limit } characters
sign-reject = Decline
sign-reject-title = Decline this document
sign-reject-text = We notify the sender with your reason, and the document ends here. You cannot undo this.
sign-reject-text-return = This returns the document to the previous step with your reason. When it has been corrected and approved, it is your turn again.
sign-reject-reason = Reason
sign-reject-needed = Enter a reason.
sign-reject-confirm = Decline the document
sign-return-title = Return this document
sign-return-confirm = Return the document
sign-hand-over = Assign to someone else
sign-hand-over-text = { $act ->
    [sign] They fill in and sign the document instead of you, with a link of their own. Your link stops working, and your entries so far are not passed on.
   *[approve] They fill in and approve the document instead of you, with a link of their own. Your link stops working, and your entries so far are not passed on.
}
sign-hand-over-name = Name
sign-hand-over-email = E-mail
sign-hand-over-confirm = Assign
sign-failed = Something went wrong, but nothing was lost. Please try again.
sign-failed-offline = No connection. Try again when you’re online.

## Signing page: after
sign-done-title = { $act ->
    [sign] Signed. Thank you.
   *[approve] Approved. Thank you.
}
sign-done-next = The document now goes to the next person.
sign-done-next-named = The document now goes to { $names }.
sign-done-others = Other people at this step still have to approve. Then the document goes to the next person.
sign-done-complete = Everyone has approved. The document is complete.
sign-done-copy = When everyone has approved, we’ll send you the finished document.
sign-done-rejected-title = You declined this document
sign-done-rejected = We notified the sender.
sign-done-returned = The document was returned to the previous step.
sign-done-returned-title = You returned this document
sign-done-preview-title = End of the preview
sign-done-preview = This is where the document would be approved. Nothing was saved or sent.
sign-done-preview-rejected = This is where the document would be declined. Nothing was saved or sent.
sign-done-next-document = Next document
sign-done-continue = Continue
sign-done-redirecting = You will be taken to { $host } in a few seconds.
sign-done-close = Close
sign-done-download = Download copy
sign-done-may-close = You can close this window now.

## Signing page: instead of it
end-signed-title = Your part is done
end-signed-text = You completed your part on { $date }. You do not need to do anything else.
end-signed-plain = You completed your part. You do not need to do anything else.
end-waiting-title = It is not your turn yet
end-waiting-text = We’ll notify you when the people before you have approved.
end-complete-title = This document is complete
end-complete-text = Everyone has approved. The finished document is sealed and can no longer be changed.
end-rejected-title = This document was declined
end-rejected-text = A signer declined it, so it has ended.
end-rejected-by-text = { $name } declined it, so it has ended.
end-rejected-own-title = You declined this document
end-rejected-own-text = The document has ended. You do not need to do anything else.
end-canceled-title = This document was cancelled
end-canceled-text = The sender cancelled it. You do not need to do anything else.
end-expired-title = This document has expired
end-expired-text = It expired on { $date }. Ask the sender to send it again.
end-expired-plain = Ask the sender to send it again.
end-old-title = This link is no longer valid
end-old-text = A newer link replaced this one. Use the link in your latest message, or ask the sender to send it again.
end-new-link-text = We can send a new link to the email address or phone number that we have for you.
end-new-link = Send me a new link
end-new-link-asked = If the document is still waiting for you, we have sent a new link to the email address or phone number that we have for you, and earlier links no longer work. Nothing there? Check your spam folder, or ask the sender.
end-handed-over-title = You assigned this document to someone else
end-handed-over-text = We asked them to fill it in and sign it. You do not need to do anything else.
end-unknown-title = This link does not work
end-unknown-text = Check that you copied the whole address, or ask the sender to send it again.
end-document = Document: { $document }
end-open-document = Open the finished document
end-trouble-title = Something went wrong
end-trouble-text = This is our fault, not yours. Nothing was lost. Please try again in a moment.
end-doubt-title = We could not confirm this
end-doubt-text = We lost the database connection before we could confirm this. Open your link again and check before you retry.
end-busy-title = Please try again in a moment
end-busy-text = There are too many requests right now.
end-missing-title = Page not found
end-missing-text = Please check the address.
end-forbidden-title = You do not have access
end-forbidden-text = Your account does not have access to this page.

## Viewer
view-title-document = Finished document
view-title-certificate = History certificate
view-download = Download PDF
view-completed = Completed on { $date }
view-sealed = Sealed. Any later change can be detected.
view-verify = Verify a PDF
view-expired-title = This link no longer works
view-expired-text = It has expired, or the sender replaced or revoked it. Ask the sender for a new one.
view-locked = Too many wrong codes were entered. Ask the sender to renew the links to this document.

## Verify page
verify-title = Verify a document
verify-text = Choose a signed PDF, sealed here or elsewhere, to see whether it was changed, who signed it and when. We do not keep the file.
verify-drop = Choose a file or drop it here
verify-drop-more = You can choose a document and its history certificate together.
verify-submit = Verify
verify-checking = Verifying…
verify-hash = SHA-256 of the file
verify-name = File
verify-again = Verify another file
verify-too-large = The file is too large. You can verify files of up to { $megabytes } MB here.
verify-broken = The upload was cut off. Choose the file again.
verify-no-file = Choose a file first.
verify-too-many = You can verify up to { $count } files at a time.
verify-details = Details

## Members
first-run-title = Set up Countersign
first-run-text = Create your company and the account of its owner. You can change everything else later.
first-run-where = Open the address that the server printed when it started. It contains a one-time code, so only someone who can read the server’s output can create the first company. If you no longer have the address, restart the server.
first-run-company-name = Company name
first-run-company = Company ID
first-run-company-hint = Used to sign in and in API addresses: lower-case letters, digits and hyphens. You cannot change it later.
first-run-name = Your name
first-run-email = E-mail
first-run-password = Password
first-run-password-hint = At least 12 characters. A few unrelated words are easy to remember and hard to guess.
first-run-zone = Time zone
first-run-submit = Create company
login-title = Sign in
login-company = Company ID
login-email = E-mail
login-password = Password
login-submit = Sign in
login-wrong = The company ID, e-mail or password is not correct.
login-throttled = Too many attempts. Please wait a few minutes and try again.
login-stale = This page was open for too long. Please try again.
logout = Sign out
console-navigation = Navigation
documents-title = Documents
documents-search = Search
documents-search-hint = Title, person or entry
documents-period = Period
documents-from = Started from
documents-to = Started until
documents-find = Search
documents-clear = Clear search
documents-shown = Documents shown
documents-tab-all = All
documents-tab-in-progress = In progress
documents-tab-complete = Complete
documents-tab-ended = Ended early
documents-status-in-progress = In progress
documents-status-complete = Complete
documents-status-declined = Declined
documents-status-cancelled = Cancelled
documents-status-expired = Expired
documents-waits = waiting for { $names } (step { $step } of { $steps })
documents-and-others = { $names } and { $count } more
documents-sender = Sent by { $name }
documents-expires = Expires { $date }
documents-message-failed = A mail or text message was not delivered
documents-webhook-failed = A webhook was not delivered
documents-pages = Pages
documents-none-found = No documents found
documents-none-found-text = Try other words or a longer period. Recent changes can be found after a few seconds.
documents-none = No documents yet
documents-none-text = Documents that your programs send appear here. Follow the quick start to send the first one.
documents-none-docs = Open the quick start
documents-none-here = No documents here
document-back = Back to documents
document-file = Download document
document-view = View pages
document-certificate = History certificate
document-sender = Sent by
document-started = Started
document-expires = Expires
document-ended = Ended
document-comment = Message to the signers
document-number = Document ID
document-signers = Signers
document-step = Step { $step }
document-signer-signed = Done on { $date }
document-signer-declined = Declined on { $date }
document-signer-turn = It is their turn. They have not opened the document yet.
document-signer-viewed = They have opened the document.
document-signer-later = Not their turn yet
document-signer-not-signed = Did not sign
document-correct = Correct name or contact
document-correct-text = The old link stops working. If it is their turn, a new request is sent at once.
document-name = Name
document-contact = E-mail or mobile number
document-correct-save = Save
document-copies = Receive a copy at the end
document-remind = Send a reminder
document-more = Manage
document-extend = Change the expiry date
document-extend-date = New date (until the end of that day)
document-extend-save = Change date
document-cancel = Cancel the document
document-cancel-text = The signers are notified and can no longer sign. You cannot undo this.
document-cancel-reason = Reason (optional, shown to the signers)
document-cancel-do = Cancel document
document-links = Links
document-links-text = Renew the links to this document or revoke them all. Old links stop working.
document-links-renew = Renew links
document-links-revoke = Revoke links
document-discard = Hide from lists
document-discard-text = The document disappears from lists and searches, and its links are revoked. The sealed files and the evidence are kept.
document-discard-do = Hide
document-messages = Mails and text messages
document-values = Entries
document-events = Audit trail
document-done-remind = The reminder is on its way.
document-done-extend = The expiry date has been changed.
document-done-cancel = The document has been cancelled.
document-done-correct = The signer has been corrected.
document-done-renew = The links have been renewed.
document-done-revoke = The links have been revoked.
document-done-discard = The document has been hidden.
document-done-discarded = The document has been hidden.
outbox-title = Outbox
outbox-text = Messages about documents. If one could not be sent, open it to copy its link and pass it on yourself.
outbox-seal-ends = The certificate that seals your documents expires on { $date }. After that, documents cannot be completed. New documents with a later deadline are already refused. Ask the operator of this service to renew the seal key.
outbox-seal-ended = The certificate that seals your documents expired on { $date }, so documents cannot be started or completed. Ask the operator of this service to renew the seal key.
outbox-empty = No messages yet
outbox-empty-text = When a document is sent, the messages to its signers appear here.
outbox-shown = Messages shown
outbox-tab-failed = Failed
outbox-tab-all = All
outbox-none-failed = No failed messages
outbox-none-failed-text = Messages that could not be delivered appear here.
outbox-to = To
outbox-created = Time
outbox-hidden = This message contains a one-time code. Only its recipient may see it, so it is not shown here.
outbox-link-note = Only the signer may use the link in this message, so it is not shown here.
outbox-copy = Copy link
outbox-copy-text = This message could not be sent. You can copy its signing link and pass it on to the signer yourself. The audit trail and the history certificate will show that you copied it.
outbox-copied = Signing link
outbox-copied-text = Pass this link on to the signer only. Anyone who has it can sign in their place.
outbox-channel = Channel
outbox-channel-mail = Mail
outbox-channel-messenger = Text message
outbox-status = Status
outbox-status-sent = sent
outbox-status-kept = not sent: no mail server or text message gateway is set up for it
outbox-status-failed = not delivered
outbox-status-again = failed, will be tried again
outbox-status-waiting = waiting
outbox-back = Back to the outbox
outbox-older = Older
outbox-newest = Newest

## Public link
link-title = { $document }
link-text = { $company } asks you to fill in and sign this document. First, please enter your name and contact details.
link-copy = When everyone has approved, we’ll send a copy to the address or number you enter here.
link-name = Your name
link-contact = E-mail address or mobile number
link-agree = I agree that my name and contact details are shared with { $company } and kept with the document.
link-agree-missing = Please agree to continue.
link-required = Please fill this in.
link-go-on = Continue to the document
link-send = Send me the link
link-closed-title = This link was closed
link-closed-text = It can no longer start documents. Ask the person who gave it to you for a new one.
link-used-up-title = This link has reached its limit
link-used-up-text = It can no longer start documents. Ask the person who gave it to you for a new one.
link-ended-title = This link has expired
link-ended-text = It can no longer start documents. Ask the person who gave it to you for a new one.
link-taken = A document was already started with this e-mail address or phone number. Find its link in your messages, or ask the person who gave you this link.
link-sent-title = Check your messages
link-sent-text = We sent the link to your document to the address or number you entered. You can close this page.

## The API to read and to try
docs-title = API reference
docs-contents = Contents
docs-find = Find a call, an object or an error ID
docs-find-key = Press / to search, Enter to open the first result.
docs-found = Results: { $count }
docs-found-none = No results. Press Esc to show everything again.
docs-document = For programs:
docs-reference = Reference
docs-objects = Objects
docs-errors = Error IDs
docs-errors-text = Error codes by HTTP status. For 422, errors contains a code for each invalid member.
docs-token = Access token
docs-token-hint = Kept only in this tab, until you close it. If you try the login call below, its token is filled in here.
docs-token-none = No token. Calls that need one are refused.
docs-token-kept = The token is sent with the calls that need one.
docs-token-of-login = The token from your login was filled in.
docs-forget = Forget
docs-warning = Calls you try here are real: they start documents and send messages.
docs-start-title = Quick start
docs-start-login = Log in. The response contains an access token.
docs-start-send = Start a document. The response contains its ID and the first signer’s link.
docs-start-sign = Open the link, fill in the fields and sign. Use the status call to follow the document’s progress.
docs-start-fetch = When everyone has signed, download the sealed document and its history certificate.
docs-start-program = All steps in { $language }
docs-who = Available to:
docs-who-public = anyone
docs-who-read = all members, including auditors
docs-who-send = members who can send: owner, admin, sender
docs-parameters = Parameters
docs-required = required
docs-request = Request
docs-request-example = Request: edit and send it
docs-or-form = Or as a form:
docs-answers = Responses
docs-answer-example = Example response
docs-ids = { $count } error IDs
docs-usual = Like similar calls, it can also return:
docs-try = Try it
docs-send = Send
docs-sending = Sending…
docs-no-answer = No response: the server could not be reached.
docs-copy = Copy as curl
docs-copied = Copied.
docs-webhooks = Webhooks
docs-webhooks-text = Requests that this server sends to a document’s endpoint (export_api_info.url).
docs-webhook-name = Document event
docs-headers = Headers
docs-body = Body
docs-your-answer = How we handle your response

## The API: groups
docs-tag-login = Login
docs-tag-workflows = Workflows
docs-tag-templates = Templates
docs-tag-bulk-send = Bulk send
docs-tag-public-links = Public links
docs-tag-export-api = Export API
docs-tag-verification = Verification
docs-tag-service = Service

## The API: calls
docs-call-login = Log in
docs-call-workflows_start = Start a workflow
docs-call-workflows_preview = Preview a start
docs-call-workflows_send = Send a PDF without a template
docs-call-workflows_list = List workflows
docs-call-workflows_search = Find workflows by a value
docs-call-workflows_get = Get a workflow
docs-call-workflows_approve = Approve on behalf of a signer
docs-call-workflows_reject = Decline on behalf of a signer
docs-call-workflows_cancel = Cancel a workflow
docs-call-workflows_extend = Change the expiry date
docs-call-workflows_remind = Remind the signers
docs-call-workflows_discard = Hide a finished document
docs-call-workflows_change_links = Renew or revoke the links to a document
docs-call-workflows_correct_recipient = Correct a recipient
docs-call-workflows_get_document = Download the sealed document
docs-call-workflows_get_certificate = Download the history certificate
docs-call-workflows_get_field_file = Download the file in a field
docs-call-templates_list = List templates
docs-call-templates_create = Create a template
docs-call-templates_get = Get a template
docs-call-templates_replace = Create a new version of a template
docs-call-templates_copy = Copy a template
docs-call-templates_archive = Archive a template
docs-call-bulk_start = Start a bulk send
docs-call-bulk_get_sheet = Download a sheet to fill in
docs-call-bulk_get = Get a bulk send
docs-call-bulk_cancel = Cancel a bulk send
docs-call-links_create = Create a public link
docs-call-links_list = List public links
docs-call-links_get = Get a public link
docs-call-links_close = Close a public link
docs-call-exports_list = List deliveries
docs-call-exports_resend = Resend a delivery
docs-call-exports_resend_many = Resend a range of deliveries
docs-call-exports_test = Test an endpoint
docs-call-endpoints_list = List failing endpoints
docs-call-endpoints_pause = Pause an endpoint
docs-call-endpoints_start = Start a stopped endpoint
docs-call-verification_verify = Verify a PDF
docs-call-service_health = Check the health of the service
docs-call-service_live = Check that the process responds
docs-call-service_ready = Check that the service is ready for requests
docs-call-service_root_certificate = Download the root certificate
docs-call-service_revocation_list = Download the revocation list
docs-call-service_openapi = Download the OpenAPI document
