## Every mail
mail-greeting = Hello { $name },
mail-document = Document
mail-sender = From
mail-deadline = Due
mail-at = Time
mail-link-help = If a button does not work, paste the address below into your browser.
mail-hidden-link = [signing link]
mail-personal = The links in this mail are for you only. Please do not forward them.
mail-shared = Anyone with the links in this mail can open the finished document. Share them only with people who may see it.
mail-footer = This mail was sent by { $company }.

## Request to sign
mail-request-subject = [{ $company }] Please sign: { $document }
mail-request-title = A document is waiting for your signature
mail-request-text = { $sender } asks you to fill in and sign “{ $document }”.
mail-request-comment = Message from the sender
mail-request-code = To open the document, you need the access code.
mail-request-code-hint = To open the document, you need the access code. Hint: { $hint }
mail-request-open = Open and sign
mail-request-message = [{ $company }] Please sign “{ $document }”. Due: { $deadline }

## Reminder
mail-reminder-subject = [{ $company }] Reminder: { $document }
mail-reminder-title = A document is still waiting for you
mail-reminder-text = “{ $document }”, sent by { $sender }, is still waiting for you.
mail-reminder-message = [{ $company }] “{ $document }” is still waiting for your signature. Due: { $deadline }

## Completed
mail-completed-subject = [{ $company }] Completed: { $document }
mail-completed-title = The document is complete
mail-completed-text = “{ $document }” is complete. Everyone has approved it, and it is sealed.
mail-completed-document = View the signed document
mail-completed-certificate = View the history certificate
mail-completed-message = [{ $company }] “{ $document }” is complete.

## Rejected
mail-rejected-subject = [{ $company }] Declined: { $document }
mail-rejected-title = The document was declined
mail-rejected-text = { $writer } declined “{ $document }”, so it has ended.
mail-rejected-reason = Reason
mail-rejected-message = [{ $company }] “{ $document }” was declined and has ended.

## Given back to the step before
mail-returned-subject = [{ $company }] Returned to you: { $document }
mail-returned-title = The document was returned to you
mail-returned-text = { $writer } returned “{ $document }”. Please correct it and approve it again.
mail-returned-reason = Reason
mail-returned-message = [{ $company }] “{ $document }” was returned to you. Please correct it and approve it again. Due: { $deadline }

## Cancelled
mail-canceled-subject = [{ $company }] Cancelled: { $document }
mail-canceled-title = The document was cancelled
mail-canceled-text = { $sender } cancelled “{ $document }”. You do not need to do anything else.
mail-canceled-reason = Reason
mail-canceled-message = [{ $company }] “{ $document }” was cancelled.

## Expired
mail-expired-subject = [{ $company }] Expired: { $document }
mail-expired-title = The document has expired
mail-expired-text = “{ $document }” was not completed in time and has ended.
mail-expired-message = [{ $company }] “{ $document }” has expired.

## Not delivered
mail-undelivered-subject = [{ $company }] Not delivered: { $document }
mail-undelivered-title = A message was not delivered
mail-undelivered-text = Our message about “{ $document }” to { $person } was not delivered, and we will not try again.
mail-undelivered-remedy = Check the address and correct the recipient. Or pass the link on yourself: open the message in the outbox and copy the link.
mail-undelivered-reason = Reason
mail-undelivered-address = Address
mail-undelivered-open = Open the outbox
mail-undelivered-message = [{ $company }] A message about “{ $document }” was not delivered.

## Webhook endpoint stopped
mail-stopped-subject = [{ $company }] Webhook deliveries were stopped
mail-stopped-title = Webhook deliveries were stopped
mail-stopped-gone = The endpoint responded with 410 (Gone), so we stopped sending webhooks to it.
mail-stopped-failing = Every delivery in the last five days failed, so we stopped sending webhooks to this endpoint.
mail-stopped-lost = Undelivered webhooks are kept. We send them when you start the endpoint again.
mail-stopped-url = Endpoint
mail-stopped-message = [{ $company }] Webhook deliveries were stopped: { $url }

## One-time code
mail-code-subject = [{ $company }] Your code
mail-code-failure = This message was not delivered. We do not show the server’s answer because it may contain the code.
mail-code-title = Your code
mail-code-text = To open “{ $document }”, enter this code on the page that asked for it. It expires in { $minutes } minutes.
mail-code-secret = Do not share this code with anyone. If you did not request it, you can ignore this mail.
mail-code-message = [{ $company }] Your code is { $code }. It expires in { $minutes } minutes. Do not share it.

## The seal certificate expires soon
mail-sealing-subject = [{ $company }] { $days ->
    [0] The seal certificate expires today
    [one] The seal certificate expires in 1 day
   *[other] The seal certificate expires in { $days } days
}
mail-sealing-title = The seal certificate expires soon
mail-sealing-text = { $days ->
    [0] The certificate that seals your company’s documents expires today. After that, documents cannot be completed.
    [one] The certificate that seals your company’s documents expires in 1 day. After that, documents cannot be completed.
   *[other] The certificate that seals your company’s documents expires in { $days } days. After that, documents cannot be completed.
} New documents with a later deadline are already refused.
mail-sealing-remedy = Ask the operator of this service to renew the seal key or, if your company uses its own certificate, to import a new one.
mail-sealing-sealed = Documents that are already sealed stay valid.
mail-sealing-ends = Certificate expires
mail-sealing-message = [{ $company }] The seal certificate expires soon. Ask the operator of this service to renew the seal key.
