## On every page
page-skip = Skip to the content
page-language = Language
page-close = Close
page-cancel = Cancel
page-needs-script = This page needs JavaScript. Please switch it on in your browser and load the page again.
page-footer = Secured by Countersign

## Signing page: before
sign-title = Sign: { $document }
sign-asks = { $sender } asks you to fill in and sign this document.
sign-asks-view = You are looking at a document sent by { $sender }.
sign-for = For { $name }
sign-until = Please approve by { $date }
sign-comment = Message from the sender
sign-writer-of-step = the writer of step { $step }
sign-step = Step { $step } of { $steps }
sign-about = About this document
sign-pages = { $count ->
    [one] 1 page
   *[other] { $count } pages
}
sign-returned = { $name } has given this document back. Please change what is needed and approve it again.
sign-returned-own = { $name } gave this document back, and it has been filled in again since. Please read it once more.
sign-continued = What you filled in earlier is here again.
sign-original = Download the document as it is now
sign-preview = Preview. Nothing that you enter here is kept or sent.
sign-sender-view = Sender’s view. The fields are shown as they stand now; you cannot fill in or approve anything here.
sign-sender-view-waiting = Waiting for { $name } (step { $step })

## Signing page: access code
sign-code-title = Enter the access code
sign-code-text = The sender protected this document with an access code.
sign-code-hint = Hint: { $hint }
sign-code-label = Access code
sign-code-submit = Open the document
sign-code-wrong = That is not the right code.
sign-tries-left = { $count ->
    [one] 1 try left.
   *[other] { $count } tries left.
}
sign-code-locked-title = This link is locked
sign-code-locked = The code was wrong too many times. Ask the sender to send you the document again.

## Signing page: one-time code
sign-one-time-title = Confirm that it is you
sign-one-time-text = Before the document opens, we send a code to { $to }.
sign-one-time-sent = We sent a code with 6 digits to { $to }. It can be used for { $minutes } minutes.
sign-one-time-send = Send me the code
sign-one-time-label = Code
sign-one-time-submit = Open the document
sign-one-time-again = Send a new code
sign-one-time-help = Nothing has come? Look among unwanted mails or blocked messages as well. A new code makes the old one useless.
sign-one-time-wrong = That is not the right code.
sign-one-time-used-up = The code was wrong too many times. Ask for a new one.
sign-one-time-expired = This code can no longer be used. Ask for a new one.
sign-one-time-too-many = Too many wrong codes were entered for this address, perhaps by somebody else. Try again in { $wait }. If we sent you this document in a message, you can open the link in that message now.
sign-one-time-wait-seconds = { $count ->
    [one] A code was sent a moment ago. You can ask for another one in 1 second.
   *[other] A code was sent a moment ago. You can ask for another one in { $count } seconds.
}
sign-one-time-wait-minutes = { $count ->
    [one] Several codes were sent already. You can ask for another one in 1 minute.
   *[other] Several codes were sent already. You can ask for another one in { $count } minutes.
}

## Signing page: consent
sign-consent-title = Sign electronically
sign-consent-text = Your electronic signature on this document has the effect that the law gives to it, as your signature on paper would.
sign-consent-point-agree = You agree to receive, fill in and sign this document electronically.
sign-consent-point-copy = You can keep a copy of the finished document when everybody has signed.
sign-consent-point-evidence = The time, your network address and your browser are recorded as evidence.
sign-consent-point-decline = If you would rather not, you can reject the document and say why.
sign-consent-version = Text of this consent: version { $version }
sign-consent-agree = I agree
sign-decline = I do not want to sign electronically
sign-decline-reason = I do not agree to sign electronically.

## Signing page: fields
sign-page-of = Page { $page } of { $pages }
sign-page-image = Page { $page } of the document
page-text-none = This page has no text that can be read aloud or searched. It is a picture only.
sign-field-required = required
sign-field-other = Filled in by { $name }
sign-field-waiting = { $name } fills this in
sign-field-given = Given by the sender
sign-field-choose = Choose
sign-field-signature = Sign here
sign-field-initials = Initials
sign-field-seal = Add your seal
sign-field-company-seal = Add the company’s seal
sign-field-image = Add a picture
sign-field-attachment = Add a file
sign-field-change = Change
sign-field-remove = Remove
sign-field-filled = filled in
sign-field-checked = checked
sign-progress = Required fields: { $done } of { $total } done
sign-progress-none = No required fields
sign-next-field = Next required field

## Signing page: the guided way, and the tools
sign-tools = Tools for this document
sign-page-jump = Page
sign-page-go = Go to page { $page }
sign-thumbnails = Pages
sign-zoom = Size of the pages
sign-zoom-in = Larger
sign-zoom-out = Smaller
sign-guide = Step by step
sign-guide-off = Back to the page
sign-guide-count = Field { $at } of { $total }
sign-guide-back = Previous field
sign-guide-next = Next
sign-guide-skip = Skip
sign-guide-later = Fill in later
sign-guide-open = Required fields still open ({ $count }): { $fields }
sign-field-optional = optional

## Signing page: signature pad
sign-pad-title-signature = Your signature
sign-pad-title-initials = Your initials
sign-pad-title-seal = Your seal
sign-pad-title-company-seal = The company’s seal
sign-pad-title-image = Your picture
sign-pad-draw = Draw
sign-pad-picture = Picture
sign-pad-area = Area to draw in. With a keyboard, choose “Type” or “Seal” instead.
sign-pad-here = Draw with your finger, pen or mouse
sign-pad-type = Type
sign-pad-type-label = Your name as signature
sign-pad-undo = Undo
sign-pad-clear = Clear
sign-pad-choose = Choose a PNG or JPEG picture
sign-pad-limit = More than { $megabytes } MB is made smaller
sign-pad-use = Use it
sign-pad-empty = Draw or choose something first.
sign-pad-not-picture = This file is not a PNG or JPEG picture that can be read.
sign-pad-too-large = This picture is too large, even after making it smaller.
sign-pad-preview = Preview
sign-pad-seal = Seal
sign-pad-last = Last one
sign-pad-last-image = The one you used last
sign-pad-last-where = It is kept in this browser only. Forget it if others use this device too.
sign-pad-forget = Forget it on this device
sign-pad-hands = Choose a handwriting
sign-hand-nanum-pen = Felt pen
sign-hand-gaegu = Round letters
sign-hand-yuji-syuku = Brush
sign-hand-zen-kurenaido = Fine pen
sign-hand-caveat = Quick pen
sign-hand-dancing-script = Joined letters
sign-pad-seal-of = Whose seal
sign-pad-seal-person = Person
sign-pad-seal-company = Company
sign-pad-seal-name = Name in the seal
sign-pad-company = Company name
sign-pad-company-title = In the middle of the seal (optional)
sign-pad-company-title-example = for example SEAL
sign-pad-seals = Choose a seal
sign-seal-round = Round: { $words }
sign-seal-oval = Oval: { $words }
sign-seal-square = Square: { $words }
sign-seal-double-ring = Double ring: { $words }
sign-pad-choices-failed = The previews could not be loaded. Check your connection; they are tried again once you are online or change the name.
sign-pad-no-name = Write a name first.
sign-pad-camera = Take a photo
sign-pad-clean = Make the paper transparent and cut to the ink
sign-pad-threshold = How much counts as ink
sign-pad-no-ink = Nothing is left of this picture. Move the slider to the right, or keep the paper.
sign-pad-keep = Keep it for next time
sign-pad-keep-where = On this device only, not on the server. You can remove it here at any time.
sign-pad-not-kept = It is used here, but this device could not keep it for next time.

## Signing page: rules in words
sign-rule-number = Please enter a number, such as 1200 or 3.5.
sign-rule-date = Please enter a date.
sign-rule-too-long = At most { $limit } characters.
sign-rule-decimals = Digits after the decimal point: { $limit } at most.
sign-rule-refused = This value cannot be taken. Please check it.
sign-rule-choose = Please choose.
sign-rule-check = Please tick this.
sign-rule-picture = A PNG or JPEG picture, at most 5 MB.
sign-rule-file = A file of at most 10 MB.

## Signing page: drafts
sign-draft-saving = Saving…
sign-draft-saved = Saved
sign-draft-offline = No connection. What you enter is kept on this device and saved when the connection is back.
sign-draft-offline-open = No connection. This device cannot keep all that you entered: leave this page open until it is saved.
sign-draft-failed = Not saved yet. Trying again.
sign-draft-failed-open = Not saved yet. Trying again. This device cannot keep all that you entered: leave this page open until it is saved.
sign-transfer-sending = Sending { $file }: { $percent }%
sign-transfer-waiting = { $file } has not been sent yet.
sign-transfer-again = Try again now
sign-transfer-cancel = Cancel sending
sign-transfer-sent = { $file } has been sent.
sign-transfer-cancelled = { $file } was not sent.
sign-file-refused = “{ $file }” was not taken. { $reason }
sign-file-unreadable = Your device could not read this file. Please choose it again.

## Signing page: what must be looked at once more
sign-settle-title = Please look once more
sign-settle-text = Some of what is filled in was changed elsewhere, or could not be taken.
sign-settle-theirs = Saved on another page or device: { $value }
sign-settle-mine = Entered here: { $value }
sign-settle-changed = Changed on another page or device. Now: { $value }. This page showed: { $before }
sign-settle-changed-picture = Changed on another page or device. This is there now:
sign-settle-stays-empty = The field is empty.
sign-settle-holds = The document still holds “{ $value }”.
sign-settle-holds-picture = The document still holds this picture:
sign-settle-ticked = ticked
sign-settle-not-ticked = not ticked
sign-settle-empty = (empty)
sign-settle-told = Changed on another page or device: { $fields }
sign-settle-back = Back to the document
sign-settle-go = Continue with this

## Signing page: approve and reject
sign-approve = Approve
sign-approve-title = Approve this document
sign-approve-text = After this you cannot change what you filled in.
sign-approve-comment = Message to the sender (optional)
sign-approve-comment-where = It appears in the history certificate, too.
sign-comment-limit = At most { $limit } characters
sign-reject = Reject
sign-reject-title = Reject this document
sign-reject-text = The sender is told, with your reason, and the document ends here. You cannot take this back.
sign-reject-text-return = The document goes back to the step before, with your reason. When it has been corrected and approved, it is your turn again.
sign-reject-reason = Reason
sign-reject-needed = Please give a reason.
sign-reject-confirm = Reject the document
sign-hand-over = Hand over to another person
sign-hand-over-text = The other person fills in and approves in your place and gets a link of their own. Yours stops working, and what you filled in so far is not passed on.
sign-hand-over-name = Name
sign-hand-over-email = E-mail
sign-hand-over-confirm = Hand over
sign-failed = That did not work. Nothing was lost; please try again.
sign-failed-offline = No connection. Please try again when you are online.

## Signing page: after
sign-done-title = Approved. Thank you.
sign-done-next = The next person now gets the document.
sign-done-others = Others of this step still have to approve. After them the next person gets the document.
sign-done-complete = Everybody has approved. The document is complete.
sign-done-copy = When everybody has approved, you will be sent the finished document.
sign-done-rejected-title = You rejected this document
sign-done-rejected = The sender has been told.
sign-done-returned = The document went back to the writer of the step before.
sign-done-preview-title = End of the preview
sign-done-preview = Here the document would be approved. Nothing was kept or sent.
sign-done-preview-rejected = Here the document would be rejected. Nothing was kept or sent.
sign-done-next-document = Next document
sign-done-close = Close
sign-done-may-close = You can close this window now.

## Signing page: instead of it
end-signed-title = You have already approved
end-signed-text = You approved this document on { $date }. Nothing more is needed from you.
end-signed-plain = You have approved this document. Nothing more is needed from you.
end-waiting-title = It is not your turn yet
end-waiting-text = You will be told when the people before you have approved.
end-complete-title = This document is complete
end-complete-text = Everybody has approved. The finished document is sealed and can no longer be changed.
end-rejected-title = This document was rejected
end-rejected-text = A writer rejected it, and it has ended.
end-rejected-by-text = { $name } rejected it, and it has ended.
end-rejected-own-title = You rejected this document
end-rejected-own-text = The document has ended. Nothing more is needed from you.
end-canceled-title = This document was cancelled
end-canceled-text = The sender cancelled it. Nothing more is needed from you.
end-expired-title = This document has expired
end-expired-text = Its time ran out on { $date }. Ask the sender to send it again.
end-expired-plain = Its time ran out. Ask the sender to send it again.
end-old-title = This link is no longer valid
end-old-text = It was replaced by a newer one. Use the link from the latest message, or ask the sender to send it again.
end-handed-over-title = You handed this document over
end-handed-over-text = The other person has been asked to fill it in and sign it. Nothing more is needed from you.
end-unknown-title = This link does not work
end-unknown-text = Please check that the address was copied completely, or ask the sender to send it again.
end-document = Document: { $document }
end-open-document = Open the finished document
end-trouble-title = Something went wrong
end-trouble-text = This is our fault, not yours. Nothing was lost; please try again in a moment.
end-doubt-title = It is not known whether this was done
end-doubt-text = The connection to our database broke at the last moment. Open your link again to see whether it was done before you do it once more.
end-busy-title = Please try again in a moment
end-busy-text = There are too many requests right now.
end-missing-title = Page not found
end-missing-text = Please check the address.
end-forbidden-title = You may not see this
end-forbidden-text = Your account may not open this page.

## Viewer
view-title-document = Finished document
view-title-certificate = History certificate
view-download = Download PDF
view-completed = Completed on { $date }
view-sealed = Sealed. Any later change can be detected.
view-verify = Check a PDF
view-expired-title = This link no longer works
view-expired-text = It has expired, or the sender replaced or revoked it. Ask the sender for a new one.
view-locked = The code was wrong too many times. Ask the sender to renew the links to this document.

## Verify page
verify-title = Check a document
verify-text = Choose a signed PDF, sealed here or elsewhere. You learn whether it is unchanged, who signed it and when. The file is checked and then forgotten.
verify-drop = Choose a file or drop it here
verify-submit = Check
verify-checking = Checking…
verify-hash = SHA-256 of the file
verify-name = File
verify-again = Check another file
verify-too-large = The file is too large. At most { $megabytes } MB can be checked here.
verify-broken = The file did not arrive as a whole. Send it again.
verify-no-file = Please choose a file first.

## Members
login-title = Sign in
login-company = Company ID
login-email = E-mail
login-password = Password
login-submit = Sign in
login-wrong = Company, e-mail or password is not right.
login-throttled = Too many attempts. Please wait a few minutes and try again.
login-stale = The page was open for too long. Please try again.
logout = Sign out
outbox-title = Outbox
outbox-text = Messages about documents. If one could not be sent, open it to copy its link and pass it on yourself.
outbox-empty = No messages yet
outbox-empty-text = When a document is sent, the message to each writer appears here.
outbox-to = To
outbox-created = Time
outbox-hidden = This message holds a one-time code. Only the addressee may see it, so it is not shown here.
outbox-link-note = Only the signer may use the link in this message, so it is not shown here.
outbox-copy = Copy link
outbox-copy-text = This message could not be sent. You can copy its signing link and pass it on to the signer yourself. The audit trail and the certificate will say that you copied it.
outbox-copied = Signing link
outbox-copied-text = Pass this link on to the signer only. Anyone who has it can sign in their place.
outbox-channel = Sent by
outbox-channel-mail = Mail
outbox-channel-messenger = Messenger
outbox-status = State
outbox-status-sent = sent
outbox-status-kept = not sent: no mail server or messenger is set up for it
outbox-status-failed = not delivered
outbox-status-again = failed, is tried again
outbox-status-waiting = waiting
outbox-back = Back to the outbox
outbox-older = Older
outbox-newest = Newest
outbox-signed-in = { $email }, { $company }

## Public link
link-title = { $document }
link-text = { $company } asks you to fill in and sign this document. Please say who you are first.
link-copy = When everybody has approved, you get a copy at the address that you give here.
link-name = Your name
link-contact = E-mail address or mobile number
link-agree = I agree that my name and address are passed on to { $company } and kept with the document.
link-agree-missing = Please agree to go on.
link-required = Please fill this in.
link-go-on = Go on to the document
link-send = Send me the link
link-closed-title = This link was closed
link-closed-text = No more documents can be started with it. Ask whoever gave it to you for another one.
link-used-up-title = This link is used up
link-used-up-text = It was used as often as it can be. Ask whoever gave it to you for another one.
link-ended-title = The time of this link is over
link-ended-text = No more documents can be started with it. Ask whoever gave it to you for another one.
link-taken = A document was started with this e-mail address or telephone number before. Look for its link in your messages, or ask whoever gave you this link.
link-sent-title = Look into your messages
link-sent-text = The link to your document was sent to the address that you gave. You can close this page.

## The API to read and to try
docs-title = The API, to read and to try
docs-contents = Contents
docs-find = Find a call, an object or an error id
docs-find-key = Press / to get here, Enter to open the first.
docs-found = Found: { $count }
docs-found-none = Nothing found. Esc shows everything again.
docs-document = The same for programs:
docs-reference = Reference
docs-objects = Objects
docs-errors = Error ids
docs-errors-text = The code of a failure, by the HTTP status with which it is answered. With 422 the codes of single members stand in errors.
docs-token = Access token
docs-token-hint = Kept for this tab only, and gone when it is closed. A login that is tried below puts its token here.
docs-token-none = No token: calls that need one are refused.
docs-token-kept = The token is sent with the calls that need one.
docs-token-of-login = The token of your login is set.
docs-forget = Forget
docs-warning = What you try here happens: documents are started, and messages are sent.
docs-who = Who may call it:
docs-who-public = everybody
docs-who-read = every member, auditors too
docs-who-send = members who send: owner, admin, sender
docs-parameters = Parameters
docs-required = required
docs-request = Request
docs-request-example = Request: change it and send it
docs-or-form = Or as a form:
docs-answers = Answers
docs-answer-example = Example of the answer
docs-ids = { $count } error ids
docs-usual = As every call of its kind, it may also be answered:
docs-try = Try it
docs-send = Send
docs-sending = Sending…
docs-no-answer = No answer: the server could not be reached.
docs-copy = Copy as curl
docs-copied = Copied.
docs-webhooks = Webhooks
docs-webhooks-text = What this server sends to the callback address of a document (export_api_info.url).
docs-webhook-name = What happened to a document
docs-headers = Headers
docs-body = Body
docs-your-answer = What your answer means

## The API: groups
docs-tag-login = Login
docs-tag-workflows = Workflows
docs-tag-templates = Templates
docs-tag-bulk-start = Bulk start
docs-tag-public-links = Public links
docs-tag-export-api = Export API
docs-tag-verification = Verification
docs-tag-service = Service

## The API: calls
docs-call-login = Log in
docs-call-start = Start a workflow
docs-call-send = Send a PDF without a template
docs-call-list_workflows = List workflows
docs-call-search_with_value = Find workflows by a value
docs-call-get_workflow = One workflow
docs-call-approve = Approve for a writer
docs-call-reject = Reject for a writer
docs-call-cancel = Cancel a workflow
docs-call-extend = Set another expiry date
docs-call-remind = Remind the writers
docs-call-discard = Hide a finished document
docs-call-change_links = Renew or revoke the links to a document
docs-call-correct_recipient = Correct a recipient
docs-call-document = The sealed document
docs-call-certificate = The history certificate
docs-call-field_file = The file in a field
docs-call-list_templates = List templates
docs-call-create_template = Make a template
docs-call-get_template = Read a template
docs-call-replace_template = Make a new version of a template
docs-call-copy_template = Copy a template
docs-call-archive_template = Archive a template
docs-call-bulk_start = Start many workflows
docs-call-bulk_sheet = A sheet to fill in
docs-call-get_bulk = How far a bulk start is
docs-call-cancel_bulk = Cancel a bulk start
docs-call-start_link = Make a public link
docs-call-list_links = List public links
docs-call-get_link = One public link
docs-call-close_link = Close a public link
docs-call-list_exports = List deliveries
docs-call-resend_export = Send a delivery again
docs-call-resend_exports = Send a range of deliveries again
docs-call-test_export = Try a callback address
docs-call-list_endpoints = List failing callback addresses
docs-call-pause_endpoint = Pause a callback address
docs-call-start_endpoint = Start a stopped callback address
docs-call-verify = Verify a PDF
docs-call-health = Is the service well?
docs-call-root_certificate = The installation's root certificate
docs-call-revocation_list = The root's revocation list
docs-call-openapi = The OpenAPI document
