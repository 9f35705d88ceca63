## Failures
error-not-json = The body is not valid JSON.
error-broken-body = The request body was cut off. Send it again.
error-unauthenticated = The access token is missing, unknown or expired. Log in to get a new one.
error-not-found = Not found: { $subject }.
error-method-not-allowed = This address does not support this method.
error-range-not-satisfiable = No part of the file is in this range. Its length is in Content-Range.
error-unprocessable = The request is invalid.
error-too-large = The body is larger than { $limit } bytes. Send a smaller one.
error-unsupported = { $expected ->
    [none] Compressed bodies are not supported here. Send the body without a Content-Encoding.
   *[other] The Content-Type is not supported here. Send { $expected }, in UTF-8.
}
error-asked-lately = We contacted them less than 10 minutes ago. Try again in { $wait }, at { $time }.
error-throttled = Too many attempts. Try again in { $wait }.
error-link-network-throttled = Too many attempts from your network. Try again in { $wait }.
error-link-addressee-throttled = Too many documents were started for this e-mail address or phone number. Try again in { $wait }.
error-link-uses-throttled = Too many documents were started with this link. Try again in { $wait }.
error-wrong-codes-throttled = Too many wrong codes were entered for this e-mail address or phone number. Try again in { $wait }, or open the link in the message that we sent there.
error-unavailable = The service is busy. Try again in { $wait }.
error-outcome-unknown = We lost the database connection before we could confirm this. Check the current state before you retry. A request with an Idempotency-Key is safe to retry.
error-file-lost = A file of this document is missing or damaged on the server. Ask the operator to restore it from a backup.
error-internal = Something went wrong on our side, and we logged it. Try again, or ask the operator.

## Why the caller may not
error-api-off = The company is not allowed to call the API. Contact an administrator.
error-role = Your role does not allow this. Ask an owner or administrator of your company.
error-admins-only = Only an owner or administrator can do this. Ask one of them, or ask for that role.
error-owners-only = Only an owner can do this. Ask an owner of your company.
error-members-only = Only a member can do this. Sign in with a member’s account.
error-operator-only = Only the operator of this installation can do this, on the command line.
error-cross-site = This request came from another website. Open the page again and try there.
error-access-code = Enter the access code first.
error-one-time-code = Enter the one-time code first.
error-not-the-sender = Only the member who sent this document, or an administrator, can do this.

## Why the state does not allow it
error-finished = The document has ended ({ $state }) and can no longer be changed.
error-not-your-turn = It is not this signer’s turn.
error-already-approved = This signer has already approved.
error-not-complete = { $state ->
    [Playing] The document is not complete yet.
   *[other] The document ended before it was complete ({ $state }), so this file does not exist. Its history certificate shows what happened.
}
error-still-playing = The document is still in progress ({ $state }).
error-embedded = Signers of embedded documents do not receive messages.
error-changed = This was changed in the meantime. Check its current state and try again.
error-draft-changed = Some entries were changed on another page or device. Review them, then approve.
error-company-exists = A company with this ID already exists.
error-member-exists = The company already has a member with this e-mail address.
error-archived = The template is archived. Choose another template, or restore this one.
error-locked = Too many wrong codes were entered. Ask the sender to send the document again.
error-link-replaced = A newer link replaced this one. Use the link in your latest message.
error-link-was-sent = You can copy the signing link only if it could not be sent. A message with this link was already sent, or we are still trying to send it.
error-handed-over = This document was assigned to someone else.
error-no-handing-over = This document cannot be assigned to someone else.
error-bulk-waiting = Too many rows are already waiting to start. Try again when some of them have started.
error-bulk-finished = This bulk send has ended ({ $state }). No rows are waiting to start.
error-link-closed = This link was closed.
error-link-used-up = This link has reached its limit.
error-link-ended = This link has expired.
error-too-many-secrets = This client already has five active signing secrets, which is the limit. An older secret stays active for a day after its rotation. You can rotate again after { $state }, when the oldest one expires.
error-link-taken = This link was already used with this e-mail address or phone number.
error-under-way = This delivery is already in progress or about to start. Check the history again in a moment.
error-endpoint-stopped = Deliveries to this endpoint are stopped. Start the endpoint again to send the webhooks that are waiting.
error-last-owner = A company needs at least one owner.

## What is wrong with a value
error-required = This is required.
error-one-required = At least one of these is required: { $allowed }.
error-not-together = This cannot be combined with { $name }. Use only one of them.
error-empty-range = This is later than { $name }. Choose an earlier value.
error-field-required = Fill in the field “{ $name }”.
error-unexpected-member = Unknown member or parameter. Check its spelling or remove it.
error-wrong-type = { $expected ->
    [string] This must be a string.
    [integer] This must be a whole number.
    [boolean] This must be true or false.
    [array] This must be a list.
    [object] This must be an object.
   *[other] This must be a JSON { $expected }.
}
error-too-long = { $max ->
    [one] Use at most 1 character.
   *[other] Use at most { $max } characters.
}
error-too-short = { $min ->
    [one] Use at least 1 character.
   *[other] Use at least { $min } characters.
}
error-password-too-short = Use at least { $min } characters, for example four unrelated words.
error-password-too-long = This password is longer than { $max } bytes. Use a shorter one.
error-password-too-weak = This password is easy to guess. Use several unrelated words, or more random characters. Avoid names, dates, common passwords and keyboard patterns.
error-password-names-owner = This password contains your e-mail address or your company’s name. Choose one without them.
error-too-many = { $max ->
    [one] At most 1 entry is allowed.
   *[other] At most { $max } entries are allowed.
}
error-out-of-range = This must be from { $min } to { $max }.
error-control-character = Remove the control characters, such as U+0000. Text cannot contain them.
error-direction-control = Remove the invisible characters that change the text direction.
error-overlong-character = A character has too many accents or other marks. Use fewer.
error-not-allowed = This must be one of: { $allowed }.
error-duplicate = This appears more than once. Remove the duplicate.
error-invalid-email = Enter a valid e-mail address.
error-invalid-contact = Enter a valid e-mail address or phone number.
error-invalid-phone = Enter a valid phone number.
error-same-person = This person already has the document. Choose someone else.
error-no-mobile-number = Enter a mobile number. Landline and premium-rate numbers cannot be used here.
error-phone-country = Only mobile numbers from these countries can be used here: { $allowed }. You can also enter an e-mail address.
error-invalid-country = Enter a two-letter country code, such as KR.
error-unknown-place = Unknown placeholder. You can use: { $allowed }.
error-address-in-name = Enter your name without a web or e-mail address.
error-invalid-date-time = Enter a date and time as YYYY-MM-DD HH:MM:SS, or a day as YYYY-MM-DD.
error-past-date-time = This time is in the past. Enter a later one.
error-invalid-offset = Enter a UTC offset as +HH:MM.
error-invalid-language = This must be ko, en or ja.
error-unknown-template = There is no such template.
error-unknown-client = There is no such API client.
error-unknown-field = There is no field with this name.
error-unknown-step = There is no such step or role.
error-missing-recipient = Step { $order } has no recipient. Add one.
error-too-many-recipients = This step has more recipients than roles. Remove a recipient.
error-order-gap = Number the steps from 1 without gaps.
error-field-not-writable = This field belongs to another signer or is read-only.
error-invalid-number = This field does not accept this number.
error-too-many-decimals = { $max ->
    [0] This field does not accept digits after the decimal point.
    [one] Use at most 1 digit after the decimal point.
   *[other] Use at most { $max } digits after the decimal point.
}
error-invalid-date = Enter a date as YYYY-MM-DD.
error-invalid-check = Enter Y or N (or 1, 0, true, false).
error-invalid-option = Choose one of the field’s options: { $allowed }.
error-invalid-picture = This is not a PNG or JPEG picture. Save it in one of these formats.
error-picture-not-base64 = This is not base64. Send the PNG or JPEG file in base64, with or without the prefix “data:…;base64,”.
error-picture-too-large = The picture is too large. Make it smaller: up to 5 MiB and 20 million pixels, no side longer than 10,000 pixels.
error-picture-damaged = The picture is damaged and cannot be read. Save it again, or choose another.
error-picture-blank = This picture is blank. Choose one that shows the signature or stamp in dark ink.
error-invalid-file = This file is not valid base64, or it is too large. Check the encoding, or send a smaller file.
error-files-too-large = A signing link accepts up to { $megabytes } MB in up to { $files } files. Send fewer or smaller files. Files that you replace or remove still count for about { $minutes } minutes.
error-draft-too-large = Your entries are too long: together they exceed { $limit } bytes. Shorten some of them.
error-no-value-taken = You cannot enter a value in this kind of field.
error-missing-glyph = None of our fonts has these characters: { $characters }. Remove or replace them.
error-does-not-fit = The text does not fit in its field, even at the smallest size. Shorten it, or ask the sender to enlarge the field.
error-one-time-code-unreachable = We cannot send a one-time code to this person. An e-mail address needs a mail server, and a phone number needs a text message gateway that reaches it. Enter another address, or use an access code instead.
error-calculation-does-not-fit = With this number, “{ $name }” would show “{ $value }”, which is too long for its box. Enter a shorter number, or ask the sender to enlarge that field.
error-field-not-stampable = The template’s field “{ $name }” cannot show “{ $value }”. The value is too long for its box, or contains a character that no font has. Change it in the template, or make the box larger.
error-field-too-small = The box of the field “{ $name }” is too small: { $width } × { $height } points. To be legible, this kind of field needs at least { $least_width } × { $least_height } points. On this page, set its width to at least { $width_millionths } and its height to at least { $height_millionths } millionths.
error-callback-malformed = This is not a valid webhook address.
error-embedded-too-large = The files in this document can take up { $megabytes } MB in total, and { $left } MB are left. Send a smaller file.
error-callback-scheme = The address must begin with https://.
error-callback-userinfo = The address must not contain a user name or password.
error-callback-fragment = The address must not contain a fragment (#).
error-callback-port = This port is not allowed. Use another port, or ask the operator to allow it.
error-callback-host = The host name is not a valid DNS name.
error-callback-not-public = The address is not publicly reachable. Use a public one.
error-redirect-malformed = This is not a valid address. Write it as https://host/path.
error-redirect-host = Your company does not allow { $name } as a place to lead signers to. Ask your administrator to add it.
error-name-collision = Two fields would have this name. Choose another.
error-idempotency-key-reused = This idempotency key was already used with another body or offset. Use a new key.
error-document-refused = The file was not accepted: { $reason }
error-no-form-fields = The PDF has no form fields. Use FIELDS.json to place its fields.
error-unknown-form-field = The PDF’s form has no field with this name. An entry without page refers to a field of the form.
error-fields-not-json = This is not valid JSON. See line { $line }, column { $column }.
error-unknown-member = Unknown member. You can use: { $allowed }.
error-step-gap = Step { $order } is missing. Number the steps from 1 without gaps.
error-role-needed = This step has several signers. Give each of them a role.
error-field-role-needed = This step has several signers. Name the role that fills in this field.
error-box-off-page = Give the box a width and a height, and keep it on the page. Values are millionths of the page, up to 1000000.
error-name-of-other-kind = A field of another kind already has this name. Choose another name.
error-boxes-disagree = Boxes with the same name are one field. Give them the same kind, step and role.
error-member-not-for-kind = Only these kinds of fields accept this: { $allowed }. Remove it.
error-cells-or-lines = A text field can have cells or lines, but not both. Remove one of them.
error-invalid-date-pattern = This is not a date pattern. Use at least one of yyyy, yy, MMMM, MMM, MM, M, dd and d, and put other Latin letters in single quotes.
error-invalid-color = Enter a colour such as #1a2b3c.
error-unknown-font = No font has the name “{ $value }”. You can use: { $allowed }.
error-embed-in-signed = The PDF is already signed, so files cannot be embedded in it. Remove embed.
error-formula-unreadable = The formula has an error at character { $position }.
error-formula-name = The formula uses “{ $name }”, which is not a number or calc field.
error-formula-later = The formula uses “{ $name }”, which is filled in at a later step. Use only fields that are filled in earlier or by the same signer.
error-formula-beside = The formula uses “{ $name }”, which another role of the same step fills in. Use only fields that are filled in earlier or by the same signer.
error-formula-circle = The formula of “{ $name }” depends on its own result.
error-page-out-of-range = { $pages ->
    [one] The document has only 1 page.
   *[other] The document has only { $pages } pages.
}
error-not-sealable = This cannot be used for sealing: { $reason }
error-logo-refused = This picture cannot be used as the logo: { $reason }
error-invalid-company-id = This cannot be used as a company ID: { $reason }
error-not-drawable = We cannot show this in its field. Enter it differently, or ask the sender to check the field.
error-seal-ends-before = The company’s seal certificate expires on { $date }, before this document would. Choose an earlier expiry date, or ask the operator to renew the seal key.
error-consent-required = Agree to sign electronically first.
error-agreement-required = To continue, agree that your name and contact details are shared and kept with the document.
error-visitors-place = This step belongs to the person who opens the link. Remove this recipient.
error-wrong-access-code = { $left ->
    [one] The access code is wrong. 1 try left.
   *[other] The access code is wrong. { $left } tries left.
}
error-sheet-not-utf8 = The encoding of the CSV file is unknown. Save it as “CSV UTF-8”.
error-sheet-quote = A quotation mark in line { $row } is not closed, or its closing mark is followed by text, so we cannot separate the rows below it. Save the file again in a spreadsheet program, or double the quotation marks inside the text.
error-sheet-cell = This cell contains an error such as #N/A, an impossible date, or a formula without a saved result. Open the file in a spreadsheet program, fix the cell and save.
error-sheet-empty = The sheet has no rows below its header. Add one row for each document.
error-sheet-unreadable = { $kind ->
    [pdf] This is a PDF file. Choose a CSV file or an XLSX workbook.
    [picture] This is a picture. Choose a CSV file or an XLSX workbook.
    [xls] This file is in an older Office format (XLS), or it needs a password. Save it without a password as an XLSX workbook or as “CSV UTF-8”.
    [open_document] This is an OpenDocument file. Save it as an XLSX workbook or as “CSV UTF-8”.
   *[other] This is not a readable CSV file or XLSX workbook. Save the sheet as one of them in a spreadsheet program.
}
error-not-json-text = This part of the form is not valid JSON.
error-wrong-one-time-code = { $left ->
    [0] Too many wrong one-time codes were entered. Request a new one.
    [one] The one-time code is wrong. 1 try left.
   *[other] The one-time code is wrong. { $left } tries left.
}
error-one-time-code-expired = This one-time code no longer works. Request a new one.
error-invalid-cursor = This cursor is not valid. Start again without it.

## Why a company cannot seal
error-seal-key-missing = The company has no seal key, so its documents cannot be sealed. Ask the operator to create one with “countersign company key renew”.
error-seal-certificate-not-yet-valid = The company’s seal certificate is not valid until { $date }. Wait until then, or ask the operator to use another seal key.
error-seal-certificate-expired = The company’s seal certificate expired on { $date }, so its documents cannot be sealed. Ask the operator to renew the seal key or import a new one.
error-seal-certificate-revoked = The company’s seal certificate was revoked, so its documents cannot be sealed. Ask the operator to renew the seal key or import a new one.
error-seal-key-pin-refused = The token that contains the company’s seal key refused the PIN. Ask the operator to correct the PIN and restart the service.
error-seal-token-away = The token that contains the company’s seal key is not connected. Ask the operator to connect it, and try again in { $wait }.
error-seal-key-unusable = The company’s seal key cannot be used. Ask the operator to run “countersign doctor”, which shows why.

## What signers read where only the sender or the operator can help
error-signer-cannot-complete = The document cannot be completed right now. Your entries are saved. Try again in { $wait }, or contact the sender.
error-signer-file-lost = A file of this document is missing on our side. Contact the sender.
error-signer-internal = Something went wrong on our side. Try again in a moment. If it happens again, contact the sender.
error-signer-outcome-unknown = We lost the connection before we could confirm this. Open your link again and check before you retry.

## What was not found
error-subject-company = company
error-subject-member = member
error-subject-client = API client
error-subject-token = access token
error-subject-template = template
error-subject-workflow = workflow
error-subject-recipient = recipient
error-subject-field = field
error-subject-page = page
error-subject-file = file
error-subject-delivery = delivery
error-subject-bulk = bulk send
error-subject-callback-address = endpoint of a document
error-subject-public-link = public link
error-subject-link = link
error-subject-endpoint = API path

## Results of a login
api-login-success = Logged in.
api-login-wrong-credentials = The login information is incorrect.
api-login-throttled = Too many attempts with wrong login information. Try again later.
api-login-busy = The service is busy. Try again in a moment.
api-login-wrong-form = The request body could not be read. Check its format.
api-login-api-off = The company is not allowed to call the API. Contact an administrator.
api-login-failure = Something went wrong on our side. Try again later.

## How long to wait, in other sentences
deadline-never = no deadline
wait-seconds = { $count ->
    [one] 1 second
   *[other] { $count } seconds
}
wait-minutes = { $count ->
    [one] 1 minute
   *[other] { $count } minutes
}
wait-hours = { $count ->
    [one] 1 hour
   *[other] { $count } hours
}
