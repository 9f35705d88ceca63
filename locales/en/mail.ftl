## Every mail
mail-greeting = Hello { $name },
mail-document = Document
mail-sender = From
mail-deadline = Due
mail-at = Time
mail-link-help = If a button does not open, paste the address below into your browser.
mail-hidden-link = [signing link]
mail-personal = The links in this mail are yours alone. Please do not pass them on.
mail-shared = Anyone who has the links in this mail can open the finished document. Pass them on only to people who may see it.
mail-footer = This mail was sent by { $company }.

## Request to sign
mail-request-subject = [{ $company }] Please sign: { $document }
mail-request-title = A document is waiting for your signature
mail-request-text = { $sender } asks you to fill in and sign "{ $document }".
mail-request-comment = Message from the sender
mail-request-code = You need the access code to open the document.
mail-request-code-hint = You need the access code to open the document. Hint: { $hint }
mail-request-open = Open and sign
mail-request-message = [{ $company }] Please sign "{ $document }". Due: { $deadline }

## Reminder
mail-reminder-subject = [{ $company }] Reminder: { $document }
mail-reminder-title = A document is still waiting for you
mail-reminder-text = "{ $document }", sent by { $sender }, is still waiting for you.
mail-reminder-message = [{ $company }] "{ $document }" is still waiting for your signature. Due: { $deadline }

## Completed
mail-completed-subject = [{ $company }] Completed: { $document }
mail-completed-title = The document is complete
mail-completed-text = Everyone has approved "{ $document }"; it is signed and sealed.
mail-completed-document = View the signed document
mail-completed-certificate = View the history certificate
mail-completed-message = [{ $company }] "{ $document }" is complete.

## Rejected
mail-rejected-subject = [{ $company }] Rejected: { $document }
mail-rejected-title = The document was rejected
mail-rejected-text = { $writer } rejected "{ $document }", and it has ended.
mail-rejected-reason = Reason
mail-rejected-message = [{ $company }] "{ $document }" was rejected and has ended.

## Given back to the step before
mail-returned-subject = [{ $company }] Returned to you: { $document }
mail-returned-title = The document came back to you
mail-returned-text = { $writer } returned "{ $document }". Please correct it and approve it again.
mail-returned-reason = Reason
mail-returned-message = [{ $company }] "{ $document }" came back to you. Please correct it and approve it again. Due: { $deadline }

## Cancelled
mail-canceled-subject = [{ $company }] Cancelled: { $document }
mail-canceled-title = The document was cancelled
mail-canceled-text = { $sender } cancelled "{ $document }". There is nothing left for you to do.
mail-canceled-reason = Reason
mail-canceled-message = [{ $company }] "{ $document }" was cancelled.

## Expired
mail-expired-subject = [{ $company }] Expired: { $document }
mail-expired-title = The document has expired
mail-expired-text = "{ $document }" was not completed in time and has ended.
mail-expired-message = [{ $company }] "{ $document }" has expired.

## Webhook endpoint stopped
mail-stopped-subject = [{ $company }] Webhook deliveries were stopped
mail-stopped-title = Webhook deliveries were stopped
mail-stopped-gone = The receiving server answered that this address is gone for good (410), so deliveries to it were stopped.
mail-stopped-failing = Every delivery of the last five days has failed, so deliveries to this address were stopped.
mail-stopped-lost = What could not be delivered is kept, and goes out when deliveries are switched on again.
mail-stopped-url = Address
mail-stopped-message = [{ $company }] Webhook deliveries were stopped: { $url }

## One-time code
mail-code-subject = [{ $company }] Your code
mail-code-failure = This message was not delivered. The server's answer is not shown, because it may quote the code.
mail-code-title = Your code
mail-code-text = To open "{ $document }", enter this code on the page that asked for it. It can be used for { $minutes } minutes.
mail-code-secret = Give the code to nobody. If you did not ask for it, you can ignore this mail.
mail-code-message = [{ $company }] Code: { $code } (for { $minutes } minutes). Give it to nobody.
