# What intake says of an upload: to the sender.

intake-verdict-taken = Taken as it is
intake-verdict-taken-with-changes = Taken; something that does not show was changed
intake-verdict-taken-with-values-drawn = Taken; values that the form leaves to viewers to show were drawn
intake-verdict-taken-with-warnings = Taken; please read the warning
intake-verdict-refused = Not taken
intake-pages = { $count ->
    [one] { $count } page
   *[other] { $count } pages
}
intake-fields = { $count ->
    [one] { $count } form field found
   *[other] { $count } form fields found
}
intake-change-decrypted = The encryption was removed.
intake-change-repaired = The damaged structure of the file was repaired.
intake-change-page-size-assumed = Pages without a valid size are now as large as viewers show them: { $count }.
intake-change-damage-dropped = Damaged parts that no viewer can show were dropped: { $count }.
intake-change-hidden-layers-removed = Hidden layers were removed with what they hid: { $count }.
intake-change-layers-merged = Visible layers became part of the pages: { $count }.
intake-change-pages-redrawn = Pages that are drawn in other steps than in the upload, and look the same: { $count }.
intake-change-form-flattened = Form fields became part of the pages: { $count }.
intake-change-annotations-merged = Annotations that lay beneath form fields became part of the pages: { $count }.
intake-change-appearances-made = Form values that the file did not show by itself were drawn: { $count }.
intake-change-annotations-drawn = Marks that the file left for viewers to draw, such as lines through words, are now drawn on the pages: { $count }.
intake-change-annotations-removed = { $kind ->
    [popup] Pop-up windows of comments were removed: { $count }.
    [sound] Sounds were removed: { $count }.
    [movie] Videos were removed: { $count }.
    [screen] Media players without a picture were removed: { $count }.
    [three_d] 3D scenes without a picture were removed: { $count }.
    [rich_media] Embedded media without a picture were removed: { $count }.
    [printer_mark] Printer's marks without a picture were removed: { $count }.
    [trap_net] Settings for printing presses were removed: { $count }.
    [watermark] Watermarks without a picture were removed: { $count }.
    [hidden] Annotations that are hidden on screen and on paper were removed: { $count }.
   *[empty] Annotations that show nothing were removed: { $count }.
}
intake-change-screen-only-printed = Marks that showed only on screen are now printed too: { $count }.
intake-change-print-alternates-removed = Images that would have printed differently now print as they show: { $count }.
intake-change-form-fields-enlarged = Form fields that were too small to be filled in have larger boxes: { $count }.
intake-change-usage-rights-removed = The usage rights that the form's maker granted to certain readers were removed. They are no signature.
intake-change-xfa-removed = The XFA copy of the form was removed; its ordinary fields stay.
intake-change-damaged-metadata-removed = The file's description (XMP metadata), which programs could not read, was removed; the pages look the same.
intake-change-scripts-removed = Scripts were removed: { $count }.
intake-change-actions-removed = Actions that open, send, play or hide something were removed: { $count }.
intake-change-embedded-files-removed = Embedded files were removed: { $count }.
intake-change-multimedia-removed = Films, sounds and 3D scenes were removed; what shows on the page stays: { $count }.
intake-warning-already-signed = Others have signed this file already (signatures: { $count }). Their signatures are kept and stay valid. What is filled in here is added after them, and viewers will show that.
intake-warning-signatures-removed = This is a copy without the signatures of the file that you uploaded. Signatures removed: { $count ->
    [0] any that it may have had
   *[other] { $count }
}. What they showed stays as a picture, and the audit trail and the history certificate name the original file.
intake-warning-rebuilt = The file was damaged and has been rebuilt: { $parts }. Parts whose end or length had to be guessed: { $guessed }. Lost parts that no page shows: { $lost }. Look at every page before you send it.
intake-part-references = the table that says where its parts are
intake-part-no-header = the beginning of the file
intake-part-catalog-guessed = its starting point was guessed (object { $object })
intake-part-length-guessed = object { $object }: its length was guessed
intake-part-end-guessed = object { $object }: its end was guessed
intake-part-lost = object { $object } cannot be read and is lost
intake-part-lost-somewhere = an object cannot be read and is lost
intake-part-missing = object { $object } is missing
intake-warning-deleted-content-gone = Viewers differ on this file: some still show what it calls deleted. Here it is gone. Look at the pages before you send it.
intake-warning-not-compared = Viewers may differ on this file: it could be compared only after it was put in order. Look at the pages before you send it.
intake-warning-form-kept = The form stays in the file, because as a part of the page it would look different (page { $page }). Nobody can fill it in here. If it is to become part of the page, print the file to a new PDF.
intake-warning-embedded-files-kept = The signed file keeps its embedded files ({ $count }); nobody is shown them while signing.
intake-warning-form-fields-too-small = Form fields that are too small for people to see did not become fields of the template: { $fields }. If somebody is to fill one in, place a larger field in its stead.
intake-warning-form-values-kept = The values of these form fields cannot be filled in here, so they stay on the pages as they look, and the fields did not become fields of the template: { $fields }. If somebody is to change one, clear it in the form or place a field in its stead.
intake-warning-form-values-not-shown = These form fields hold a value that the file does not show, so the pages do not show it either: { $fields }. If it is to be seen, open the form, enter the value anew and save it.
intake-warning-claims-removed = We removed what the file says about standards it conforms to ({ $claims }): a filled-in and sealed file may no longer conform.
intake-warning-notes-removed = We removed comments that signers would not see (number: { $count }): { $notes }. If signers need one, write it on the page.
intake-warning-attachments-removed = We removed files that were attached with an icon on the page (number: { $count }): { $files }. If signers need one, send it separately.

intake-refused-too-large = The file has { $length } bytes; at most { $limit } are taken.
intake-remedy-too-large = Save it smaller, for example with pictures of lower resolution.
intake-refused-not-pdf = The file is not a PDF, or is damaged beyond repair.
intake-remedy-not-pdf = Print it to a new PDF.
intake-refused-incomplete = Parts of the file are missing, or it ends too early.
intake-remedy-incomplete = Get the file anew, as a whole: download it or have it sent again.
intake-refused-rebuilt = The file is damaged ({ $detail }). We can only use it as we rebuilt it: { $parts }.
intake-remedy-rebuilt = Get the file again, undamaged.
intake-accept-rebuilt = Or look at every page and accept what was rebuilt. (API: accept=rebuilt, and is_preview shows you the pages first; command line: --accept-rebuilt)
intake-refused-content-lost = What page { $page } shows is missing from the file or cannot be read.
intake-remedy-content-lost = Get the file anew, or print it to a new PDF where it can be seen as a whole.
intake-refused-needs-password = The file needs a password to be opened.
intake-remedy-needs-password = Give the password, or save the file without one.
intake-refused-wrong-password = The password does not open the file.
intake-remedy-wrong-password = Give the right password, or save the file without one.
intake-refused-unsupported-encryption = The file's encryption is not supported.
intake-remedy-unsupported-encryption = Save it without encryption.
intake-refused-signed-and-encrypted = The file is signed and encrypted, so nothing can be added to it.
intake-remedy-signed-and-encrypted = Send it as it was before it was signed.
intake-refused-signed-and-damaged = The file is signed, and its structure is damaged ({ $detail }); repairing it would break the signatures.
intake-remedy-signed-and-damaged = Send it as it was before it was signed.
intake-refused-signed-laxly = The file is signed, and what was added to it later is not written the way the standard says ({ $detail }). Nothing proves that all programs read it alike.
intake-remedy-signed-laxly = Send it as it was before it was signed.
intake-refused-weak-signature = A signature in the file ({ $field }) uses an algorithm that is no longer secure, so it proves nothing: { $algorithm }
intake-remedy-weak-signature = Have the file signed again with SHA-256 and, for RSA, a key of at least 2,048 bits. Or send it as it was before it was signed.
intake-refused-signed-and-read-differently = The file is signed, and programs show different content on page { $page }.
intake-remedy-signed-and-read-differently = Send it as it was before it was signed.
intake-refused-damaged-and-maybe-signed = The structure of the file is damaged, so programs may show different content, and the file may contain a signature.
intake-remedy-damaged-and-maybe-signed = Send the file as it was before it was signed, or print it to a new PDF.
intake-accept-without-signatures = Or send a copy without the signatures: it shows what the file shows, and the audit trail and the certificate name the original. (API: accept=without_signatures; command line: --without-signatures)
intake-refused-broken-signature = A signature in the file is not valid ({ $field }): { $detail }
intake-remedy-broken-signature = Send the file without signatures.
intake-refused-certification-forbids = The file is certified, and its certification (level { $level }) forbids adding to its pages.
intake-remedy-certification-forbids = Send it as it was before it was certified.
intake-refused-lock-forbids = A signature ({ $field }) locks the file's form, so that no more signatures can be added.
intake-remedy-lock-forbids = Send it as it was before it was locked.
intake-refused-cannot-be-extended = Nothing can be added to the file without breaking a signature in it ({ $field }): { $detail }
intake-detail-not-extensible = Its structure does not allow it.
intake-remedy-cannot-be-extended = Send it as it was before it was signed.
intake-refused-signed-with-damaged-metadata = The file is signed, and its description (XMP metadata) cannot be read, so that other programs would call its signature broken as soon as anything is added.
intake-remedy-signed-with-damaged-metadata = Send it as it was before it was signed.
intake-refused-signed-with-unusable-validation-data = The file is signed, and the validation data in it (certificates and revocation lists) cannot be read, or are so many that ours could not be added.
intake-remedy-signed-with-unusable-validation-data = Send it as it was before the validation data were added, or before it was signed.
intake-refused-signed-and-active = The file is signed, and holds scripts, actions, films, layers or XFA that would have to be removed.
intake-remedy-signed-and-active = Send it as it was before it was signed.
intake-refused-external-content = A part of what the file shows lies in another file, which was not sent with it.
intake-remedy-external-content = Print it to a new PDF where that other file can be found.
intake-refused-dynamic-xfa = The file is a dynamic XFA form, which shows only in one product.
intake-remedy-dynamic-xfa = Print it to a new PDF.
intake-refused-no-pages = The file has no pages.
intake-remedy-no-pages = Choose another file.
intake-refused-too-many-pages = The file has { $pages } pages; at most { $limit } are taken.
intake-remedy-too-many-pages = Divide it into several files.
intake-refused-page-size = Page { $page } has no valid size; its sides must have from { $shortest } to { $longest } points.
intake-remedy-page-size = Print it to a new PDF in an ordinary paper size.
intake-refused-hidden-content = Page { $page } hides content that cannot be removed without changing what shows.
intake-remedy-hidden-content = Print it to a new PDF.
intake-refused-form-value-not-drawn = The value of the form field { $field } cannot be drawn as viewers draw it.
intake-remedy-form-value-not-drawn = Print it to a new PDF.
intake-refused-annotation-not-drawn = Page { $page } has an annotation ({ $kind }) that we cannot draw the way other programs do.
intake-remedy-annotation-not-drawn = Delete the annotation, or print the file to a new PDF.
intake-refused-annotation-prints-unseen = Page { $page } has something ({ $kind }) that is printed but does not show on screen.
intake-remedy-annotation-prints-unseen = Delete it, or print the file to a new PDF.
intake-refused-unreadable-content = Part of page { $page } uses a compression that we cannot read ({ $filter }).
intake-remedy-unreadable-content = Print it to a new PDF in the program that made it.
intake-refused-signed-with-unseen = The file is signed, and page { $page } has something ({ $kind }) that other programs show but signers would not see here.
intake-remedy-signed-with-unseen = Send it as it was before it was signed.
intake-refused-page-would-change = Page { $page } cannot be kept exactly as it looks.
intake-remedy-page-would-change = Print it to a new PDF.
intake-refused-too-demanding = The file needs too much time or memory to be read.
intake-remedy-too-demanding = Print it to a new PDF.
intake-refused-too-much-time = The file needs more than { $seconds } seconds of a processor to be read and shown.
intake-remedy-too-much-time = Print it to a new PDF.
intake-refused-too-much-memory = The file needs more than { $megabytes } MB of memory to be read and shown.
intake-remedy-too-much-memory = Print it to a new PDF.
intake-refused-too-many-pixels = A picture in the file has { $pixels } pixels; at most { $limit } are taken.
intake-remedy-too-many-pixels = Save it with pictures of lower resolution.
