## Failures
error-not-json = The body is not valid JSON.
error-broken-body = The body did not arrive as a whole. Send it again.
error-unauthenticated = No access token was sent, or it is unknown or has expired. Log in to get one.
error-not-found = Not found: { $subject }.
error-method-not-allowed = This address does not support this method.
error-unprocessable = The request breaks a rule.
error-too-large = The body is larger than { $limit } bytes.
error-unsupported = { $expected ->
    [none] Compressed bodies are not supported here. Send the body without a Content-Encoding.
   *[other] The Content-Type is not supported here. Send { $expected }, in UTF-8.
}
error-asked-lately = They were asked less than 10 minutes ago. You can ask them again in { $wait }, at { $time }.
error-throttled = Too many attempts. Try again in { $wait }.
error-link-network-throttled = There were too many attempts from the network that you are using. Try again in { $wait }.
error-link-addressee-throttled = Too many documents were started for this e-mail address or telephone number. Try again in { $wait }.
error-link-uses-throttled = Too many documents were started with this link. Try again in { $wait }.
error-wrong-codes-throttled = Too many wrong codes were entered for this e-mail address or telephone number. Try again in { $wait }, or open the link in the message that we sent there.
error-unavailable = The service is busy. Try again in { $wait }.
error-outcome-unknown = It is not known whether this was done: the database went away at the last moment. Look before you ask again. A request with an Idempotency-Key can be sent again safely.
error-file-lost = A file of this document is missing or damaged on the server. Its operator has to put it back from a backup.
error-internal = Something went wrong on our side. It has been logged; try again, or ask the operator.

## Why the caller may not
error-api-off = The company is not allowed to call the API. Contact an administrator.
error-role = Your role does not allow this.
error-cross-site = The request came from another site. Open the page again and repeat it there.
error-access-code = Enter the access code first.
error-one-time-code = Give the one-time code first.
error-not-the-sender = Only the member who sent this document or an administrator can do this.

## Why the state does not allow it
error-finished = The document is finished ({ $state }) and does not change any more.
error-not-your-turn = It is not this writer's turn.
error-already-approved = This writer has approved already.
error-not-complete = { $state ->
    [Playing] The document is not complete yet.
   *[other] The document ended without being completed ({ $state }): there is no such file. Its history certificate says what happened.
}
error-still-playing = The document is still being written ({ $state }).
error-embedded = Writers of an embedded document get no messages.
error-changed = Something else changed it at the same moment. Look at its state and try again.
error-draft-changed = What is filled in was changed on another page or device. Look at it once more, then approve.
error-company-exists = A company of this id exists already.
error-member-exists = The company has a member with this e-mail address already.
error-archived = The template is archived. Choose another or restore it.
error-locked = The code was tried too often. The sender must send the document again.
error-link-replaced = This link was replaced by a newer one. Use the link in the newest message.
error-link-was-sent = You can copy the signing link only if it could not be sent. A message with this link was sent, or is still being tried.
error-handed-over = This document was handed over to another person.
error-no-handing-over = This document cannot be handed over to another person.
error-bulk-waiting = Too many rows wait to be started already. Send these once some of them are done.
error-bulk-finished = This bulk start is over ({ $state }): none of its rows waits to be started.
error-link-closed = This link was closed.
error-link-used-up = This link was used as often as it can be.
error-link-ended = The time of this link is over.
error-too-many-secrets = Five secrets sign the webhooks of this client, and no more may: the newest, and each one before it for a day after its rotation. Rotate again after { $state }, when the oldest of them ends.
error-link-taken = This link was already used with this e-mail address or telephone number.
error-under-way = This delivery is being tried at this moment, or is about to be for the first time. Look at the history again in a moment.
error-endpoint-stopped = Deliveries to this address were stopped. Start the address again: what is held for it then goes out.
error-last-owner = A company keeps at least one owner.

## What is wrong with a value
error-required = This must be given.
error-one-required = At least one of these must be given: { $allowed }.
error-not-together = This cannot be given together with { $name }. Give one of the two.
error-empty-range = This lies after { $name }, so that nothing can lie between them.
error-field-required = The field “{ $name }” must be filled in.
error-unexpected-member = There is no member or parameter with this name here.
error-wrong-type = { $expected ->
    [string] This must be a string.
    [integer] This must be a whole number.
    [boolean] This must be true or false.
    [array] This must be a list.
    [object] This must be an object.
   *[other] This must be of the JSON type { $expected }.
}
error-too-long = { $max ->
    [one] At most 1 character is allowed.
   *[other] At most { $max } characters are allowed.
}
error-too-short = { $min ->
    [one] At least 1 character is needed.
   *[other] At least { $min } characters are needed.
}
error-password-too-short = Use at least { $min } characters, for example four unrelated words.
error-password-too-long = This password is longer than { $max } bytes. Use a shorter one.
error-password-too-weak = This password is easy to guess. Use several unrelated words, or more random characters. Avoid names, dates, common passwords and keyboard patterns.
error-password-names-owner = This password contains your e-mail address or your company’s name. Leave them out.
error-too-many = { $max ->
    [one] At most 1 entry is allowed.
   *[other] At most { $max } entries are allowed.
}
error-out-of-range = This must be from { $min } to { $max }.
error-control-character = This holds a control character, such as U+0000, which no text may hold.
error-direction-control = Remove the invisible characters that change the direction of writing.
error-overlong-character = A character carries more accents or parts than any script writes. Write it with fewer.
error-not-allowed = This must be one of: { $allowed }.
error-duplicate = This is given twice.
error-invalid-email = This is not an e-mail address.
error-invalid-contact = This is neither an e-mail address nor a telephone number.
error-invalid-phone = This is not a telephone number.
error-same-person = This person has the document already. Name somebody else.
error-no-mobile-number = Give a mobile number. Landline numbers and those at special rates cannot be used here.
error-phone-country = Only mobile numbers of these countries can be used here: { $allowed }. Or give an e-mail address.
error-invalid-country = This is not a country code of two letters, such as KR.
error-unknown-place = Only these may stand in braces: { $allowed }.
error-address-in-name = Write your name without a web or e-mail address.
error-invalid-date-time = This is not a date and time of the form YYYY-MM-DD HH:MM:SS, nor a day of the form YYYY-MM-DD.
error-past-date-time = This time has passed already.
error-invalid-offset = This is not a UTC offset of the form +HH:MM.
error-invalid-language = This must be ko, en or ja.
error-unknown-template = There is no such template.
error-unknown-client = There is no such API client.
error-unknown-field = There is no field of this name.
error-unknown-step = There is no such step or role.
error-missing-recipient = Nobody is named for step { $order }.
error-too-many-recipients = More writers are named than this step has.
error-order-gap = Orders begin at 1 and leave no gap.
error-field-not-writable = This field belongs to another writer, or nobody may change it.
error-invalid-number = This is not a number that the field takes.
error-too-many-decimals = { $max ->
    [0] This field takes no digits after the decimal point.
    [one] At most 1 digit after the decimal point.
   *[other] At most { $max } digits after the decimal point.
}
error-invalid-date = This is not a date of the form YYYY-MM-DD.
error-invalid-check = This must be Y or N (or 1, 0, true, false).
error-invalid-option = This is not one of the field’s options, which are: { $allowed }.
error-invalid-picture = This is not a PNG or JPEG picture. Save the picture as one of them.
error-picture-not-base64 = This is not base64. Send the PNG or JPEG file encoded in base64, with or without “data:…;base64,” before it.
error-picture-too-large = The picture is too large. Make it smaller: at most 5 MiB and 20 million pixels, no side longer than 10,000.
error-picture-damaged = The picture is damaged and cannot be read. Save it anew, or choose another.
error-picture-blank = Nothing can be seen on this picture: it is white or transparent. Send a picture of the signature or seal in dark ink.
error-invalid-file = This is not a file in base64, or it is too large.
error-files-too-large = One signing link can hold up to { $megabytes } MB in up to { $files } files. Send fewer or smaller files. A file that you replaced or removed stops counting after about { $minutes } minutes.
error-draft-too-large = What was filled in may have at most { $limit } bytes in all.
error-no-value-taken = A field of this kind takes no value.
error-missing-glyph = No font has these characters: { $characters }. Leave them out or write them otherwise.
error-does-not-fit = The text does not fit into its field, even in the smallest letters. Shorten it, or let the sender make the field larger.
error-one-time-code-unreachable = No one-time code can be sent to this person: for an e-mail address a mail server must be set up, for a telephone number a messenger that reaches it. Give another address, or ask for an access code instead.
error-calculation-does-not-fit = With this number “{ $value }” would stand in the field “{ $name }” later, where it does not fit. Give a number with fewer digits, or let the sender make that field larger.
error-field-not-stampable = The template’s field “{ $name }” cannot show “{ $value }”: it is too long for its box, or no font has one of its characters. Change that in the template, or make the box larger.
error-field-too-small = The box of the field “{ $name }” is too small: { $width } × { $height } points. A field of this kind needs at least { $least_width } × { $least_height } points to be legible. On this page, make its width at least { $width_millionths } and its height at least { $height_millionths } millionths.
error-callback-malformed = This is not an address that webhooks can be sent to.
error-callback-scheme = The address must begin with https://.
error-callback-userinfo = The address must not hold a user name or password.
error-callback-fragment = The address must not hold a fragment (#).
error-callback-port = This port is not allowed.
error-callback-host = The host name is not a valid DNS name.
error-callback-not-public = The address is not publicly reachable.
error-name-collision = Two fields would have this name.
error-idempotency-key-reused = This idempotency key was used with another request: another body, or another offset.
error-document-refused = The file cannot be taken: { $reason }
error-no-form-fields = The PDF has no form fields. Say with FIELDS.json where its fields are.
error-unknown-form-field = The PDF's form has no field of this name. An entry without page is laid over a field of the form.
error-fields-not-json = This is not JSON: it cannot be read at line { $line }, column { $column }.
error-unknown-member = There is no member of this name here. There are: { $allowed }.
error-step-gap = Step { $order } is missing. Steps count from 1 without gaps.
error-role-needed = This step has several writers. Give each of them a role.
error-field-role-needed = The step has several writers. Name the role that fills in this field.
error-box-off-page = The box must have an area and lie within the page. Its measures are millionths of the page, at most 1000000.
error-name-of-other-kind = A field of another kind has this name. Choose another name.
error-boxes-disagree = Boxes of one name are one field: they must have the same kind, step and role.
error-member-not-for-kind = Only fields of these kinds take this: { $allowed }. Leave it out.
error-cells-or-lines = A text has either cells or lines. Leave one of them out.
error-invalid-date-pattern = This is not a date pattern: it needs yyyy, yy, MMMM, MMM, MM, M, dd or d. Put other Latin letters in single quotes.
error-invalid-color = This is not a color such as #1a2b3c.
error-unknown-font = There is no font “{ $value }” here. There are: { $allowed }.
error-embed-in-signed = The PDF is signed already, so no file can be put inside it. Leave embed out.
error-formula-unreadable = The formula cannot be read from character { $position } on.
error-formula-name = The formula names “{ $name }”, which is not a field of kind number or calc.
error-formula-later = The formula names “{ $name }”, which is filled in at a later step. Name only what is filled in before or by the same writer.
error-formula-beside = The formula names “{ $name }”, which another role of the same step fills in. Name only what is filled in before or by the same writer.
error-formula-circle = The formula of “{ $name }” needs its own result.
error-page-out-of-range = { $pages ->
    [one] The document has no such page; it has 1 page.
   *[other] The document has no such page; it has { $pages } pages.
}
error-not-sealable = The document could not be sealed later: { $reason }
error-logo-refused = This picture cannot be the logo: { $reason }
error-invalid-company-id = This cannot be a company id: { $reason }
error-consent-required = Agree to sign electronically first.
error-agreement-required = Agree first that name and address are passed on and kept with the document.
error-visitors-place = This is the place of the visitor who opens the link: leave it out.
error-wrong-access-code = { $left ->
    [one] The access code is wrong; 1 try is left.
   *[other] The access code is wrong; { $left } tries are left.
}
error-sheet-not-utf8 = The encoding of the CSV file is not known. Save it as “CSV UTF-8”.
error-sheet-quote = In line { $row } a quotation mark opens that does not close, or text stands behind it: the rows after it could not be told apart. Save the file again in a spreadsheet program, or double the quotation marks within the text.
error-sheet-cell = This cell holds an error such as #N/A, a date beyond the calendar, or a formula whose result is not in the file. Open the file in a spreadsheet program, put it right and save it.
error-sheet-empty = The sheet has no rows below its header. Write each document into a row of its own.
error-sheet-unreadable = { $kind ->
    [pdf] This is a PDF file. A CSV file or an XLSX workbook is needed.
    [picture] This is a picture. A CSV file or an XLSX workbook is needed.
    [xls] This is a file of an older office format (XLS), or a workbook that needs a password. Save it without password as an XLSX workbook or as “CSV UTF-8”.
    [open_document] This is an OpenDocument file. Save it as an XLSX workbook or as “CSV UTF-8”.
   *[other] This is neither a CSV file nor an XLSX workbook that can be read. Save the sheet as one of them in a spreadsheet program.
}
error-not-json-text = This part of the form is not valid JSON.
error-wrong-one-time-code = { $left ->
    [0] The one-time code is wrong and was tried too often; ask for a new one.
    [one] The one-time code is wrong; 1 try is left.
   *[other] The one-time code is wrong; { $left } tries are left.
}
error-one-time-code-expired = This one-time code can no longer be used. Ask for a new one.
error-invalid-cursor = This cursor is not known. Begin again without one.

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
error-subject-bulk = bulk start
error-subject-callback-address = callback address of a document
error-subject-public-link = public link
error-subject-link = link
error-subject-endpoint = endpoint

## Results of a login
api-login-success = Logged in.
api-login-wrong-credentials = The login information is incorrect.
api-login-throttled = Too many attempts with wrong login information. Try again later.
api-login-busy = The service is busy. Try again in a moment.
api-login-wrong-form = The body of the message has a wrong form and could not be read.
api-login-api-off = The company is not allowed to call the API. Contact an administrator.
api-login-failure = Something went wrong on our side. Try again later.

## How long to wait, in other sentences
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
