# What intake says of an upload: to the sender.

intake-verdict-taken = Accepted as is
intake-verdict-taken-with-changes = Accepted. Hidden parts of the file were changed.
intake-verdict-taken-with-values-drawn = Accepted. Form values that the file left to viewers are now drawn on the pages.
intake-verdict-taken-with-warnings = Accepted. Please read the warning.
intake-verdict-refused = Not accepted
intake-pages = { $count ->
    [one] { $count } page
   *[other] { $count } pages
}
intake-fields = { $count ->
    [one] { $count } form field found: { $names }
   *[other] { $count } form fields found: { $names }
}
intake-change-decrypted = The encryption was removed.
intake-change-repaired = The damaged structure of the file was repaired.
intake-change-page-size-assumed = Pages without a valid size were given the size that viewers show: { $count }.
intake-change-damage-dropped = Damaged parts that no viewer can show were removed: { $count }.
intake-change-hidden-layers-removed = Hidden layers were removed with their content: { $count }.
intake-change-layers-merged = Visible layers became part of the pages: { $count }.
intake-change-pages-redrawn = Pages that are drawn differently but look the same: { $count }.
intake-change-form-flattened = Form fields became part of the pages: { $count }.
intake-change-annotations-merged = Annotations beneath form fields became part of the pages: { $count }.
intake-change-appearances-made = Form values that the file left to viewers to draw are now drawn on the pages: { $count }.
intake-change-annotations-drawn = Marks that the file left for viewers to draw, such as lines through words, are now drawn on the pages: { $count }.
intake-change-annotations-removed = { $kind ->
    [popup] Pop-up windows of comments were removed: { $count }.
    [sound] Sounds were removed: { $count }.
    [movie] Videos were removed: { $count }.
    [screen] Media players without a picture were removed: { $count }.
    [three_d] 3D scenes without a picture were removed: { $count }.
    [rich_media] Embedded media without a picture were removed: { $count }.
    [printer_mark] Printer’s marks without a picture were removed: { $count }.
    [trap_net] Settings for printing presses were removed: { $count }.
    [watermark] Watermarks without a picture were removed: { $count }.
    [hidden] Annotations that are hidden on screen and on paper were removed: { $count }.
   *[empty] Annotations that show nothing were removed: { $count }.
}
intake-change-screen-only-printed = Marks that appeared only on screen are now printed too: { $count }.
intake-change-print-alternates-removed = Images that would have printed differently now print as they look on screen: { $count }.
intake-change-form-fields-enlarged = Form fields that were too small to fill in now have larger boxes: { $count }.
intake-change-usage-rights-removed = The usage rights that the form’s author granted to certain viewers were removed. They are not a signature.
intake-change-xfa-removed = The XFA copy of the form was removed. Its ordinary fields remain.
intake-change-damaged-metadata-removed = The file’s description (XMP metadata) could not be read and was removed. The pages look the same.
intake-change-scripts-removed = Scripts were removed: { $count }.
intake-change-actions-removed = Actions that open, send, play or hide something were removed: { $count }.
intake-change-embedded-files-removed = Embedded files were removed: { $count }.
intake-change-multimedia-removed = Videos, sounds and 3D scenes were removed: { $count }. The pages look the same.
intake-warning-already-signed = This file is already signed (signatures: { $count }). The signatures stay valid. Anything entered here is added after them, and viewers will show that.
intake-warning-signatures-removed = This copy of your file has no signatures. Removed: { $count ->
    [0] any that the file may have had
   *[other] { $count }
}. Their appearance stays as a picture, and the audit trail and the history certificate name the original file.
intake-warning-rebuilt = The file was damaged, and we rebuilt it: { $parts }. Parts whose end or length we guessed: { $guessed }. Lost parts that do not appear on any page: { $lost }. Check every page before you send it.
intake-part-references = the index of its parts
intake-part-no-header = the beginning of the file
intake-part-catalog-guessed = its starting point was guessed (object { $object })
intake-part-length-guessed = object { $object }: its length was guessed
intake-part-end-guessed = object { $object }: its end was guessed
intake-part-lost = object { $object } cannot be read and is lost
intake-part-lost-somewhere = an object cannot be read and is lost
intake-part-missing = object { $object } is missing
intake-warning-deleted-content-gone = Viewers show this file differently: some still show content that it marks as deleted. We removed that content. Check the pages before you send it.
intake-warning-not-compared = Viewers may show this file differently. We could compare them only after cleaning it up. Check the pages before you send it.
intake-warning-form-kept = The form stays in the file, because it would look different as part of page { $page }. Nobody can fill it in here. To make it part of the page, print the file to a new PDF.
intake-warning-embedded-files-kept = The signed file keeps its embedded files ({ $count }). Signers do not see them.
intake-warning-form-fields-too-small = We left out these form fields because they are too small to see: { $fields }. If someone should fill one in, place a larger field instead.
intake-warning-form-values-kept = We left out these form fields because their values cannot be changed here: { $fields }. They stay on the pages as they look. If someone should change one, clear it in the form or place a field instead.
intake-warning-form-values-not-shown = These form fields have a value that the file does not show, so the pages do not show it either: { $fields }. To show it, open the form, enter the value again and save.
intake-warning-claims-removed = The file claimed to conform to { $claims }. We removed that claim, because a filled-in and sealed file may no longer conform.
intake-warning-notes-removed = We removed comments that signers would not see ({ $count }): { $notes }. If signers need one, write it on the page.
intake-warning-attachments-removed = We removed files attached to the pages ({ $count }): { $files }. If signers need one, send it separately.

intake-refused-too-large = The file has { $length } bytes. The limit is { $limit } bytes.
intake-remedy-too-large = Save a smaller version, for example with lower-resolution pictures.
intake-refused-not-pdf = The file is not a PDF, or is damaged beyond repair.
intake-remedy-not-pdf = Print it to a new PDF.
intake-refused-incomplete = Parts of the file are missing, or it ends too early.
intake-remedy-incomplete = Download the file again, or ask for a complete copy.
intake-refused-rebuilt = The file is damaged ({ $detail }), and we can accept it only as we rebuilt it: { $parts }.
intake-remedy-rebuilt = Get an undamaged copy of the file.
intake-accept-rebuilt = Or review every page and accept the rebuilt file. (API: accept=rebuilt, and is_preview shows you the pages first; command line: --accept-rebuilt)
intake-refused-content-lost = Content of page { $page } is missing from the file or cannot be read.
intake-remedy-content-lost = Get a complete copy, or print it to a new PDF on a computer that shows all of it.
intake-refused-needs-password = The file needs a password.
intake-remedy-needs-password = Enter the password, or save the file without one.
intake-refused-wrong-password = The password does not open the file.
intake-remedy-wrong-password = Enter the correct password, or save the file without one.
intake-refused-unsupported-encryption = The file’s encryption is not supported.
intake-remedy-unsupported-encryption = Save it without encryption.
intake-refused-signed-and-encrypted = The file is signed and encrypted, so nothing can be added to it.
intake-remedy-signed-and-encrypted = Send the unsigned version.
intake-refused-signed-and-damaged = The file is signed, and its structure is damaged ({ $detail }). Repairing it would break the signatures.
intake-remedy-signed-and-damaged = Send the unsigned version.
intake-refused-signed-laxly = The file is signed, and a later change does not follow the PDF standard ({ $detail }), so programs may show different content.
intake-remedy-signed-laxly = Send the unsigned version.
intake-refused-weak-signature = A signature in the file ({ $field }) proves nothing, because it uses an algorithm that is no longer secure: { $algorithm }
intake-remedy-weak-signature = Have the file signed again with SHA-256 and, for RSA, a key of at least 2,048 bits. Or send the unsigned version.
intake-refused-signed-and-read-differently = The file is signed, and programs show different content on page { $page }.
intake-remedy-signed-and-read-differently = Send the unsigned version.
intake-refused-damaged-and-maybe-signed = The structure of the file is damaged, so programs may show different content, and the file may contain a signature.
intake-remedy-damaged-and-maybe-signed = Send the unsigned version, or print the file to a new PDF.
intake-accept-without-signatures = Or send a copy without the signatures. It looks the same, and the audit trail and the certificate name the original. (API: accept=without_signatures; command line: --without-signatures)
intake-refused-broken-signature = A signature in the file is not valid ({ $field }): { $detail }
intake-remedy-broken-signature = Send the unsigned version.
intake-refused-certification-forbids = The file is certified, and its certification (level { $level }) does not allow additions to its pages.
intake-remedy-certification-forbids = Send the version from before it was certified.
intake-refused-lock-forbids = A signature ({ $field }) locks the file’s form, so no more signatures can be added.
intake-remedy-lock-forbids = Send the version from before it was locked.
intake-refused-cannot-be-extended = Nothing can be added to the file without breaking a signature in it ({ $field }): { $detail }
intake-detail-not-extensible = The file’s structure does not allow additions.
intake-remedy-cannot-be-extended = Send the unsigned version.
intake-refused-signed-with-damaged-metadata = The file is signed, and its description (XMP metadata) cannot be read. After any addition, other programs would report its signature as invalid.
intake-remedy-signed-with-damaged-metadata = Send the unsigned version.
intake-refused-signed-with-unusable-validation-data = The file is signed. Its validation data (certificates and revocation lists) cannot be read or leaves no room for ours.
intake-remedy-signed-with-unusable-validation-data = Send the version from before the validation data was added, or the unsigned version.
intake-refused-signed-and-active = The file is signed and contains scripts, actions, videos, layers or XFA that we would have to remove.
intake-remedy-signed-and-active = Send the unsigned version.
intake-refused-external-content = Part of the content is in another file, which was not sent with it.
intake-remedy-external-content = Print it to a new PDF on a computer that has the other file.
intake-refused-dynamic-xfa = The file is a dynamic XFA form, which most programs cannot show.
intake-remedy-dynamic-xfa = Print it to a new PDF.
intake-refused-no-pages = The file has no pages.
intake-remedy-no-pages = Choose another file.
intake-refused-too-many-pages = The file has { $pages } pages. The limit is { $limit }.
intake-remedy-too-many-pages = Split it into several files.
intake-refused-page-size = Page { $page } has no valid size. Each side must have { $shortest } to { $longest } points.
intake-remedy-page-size = Print it to a new PDF with a standard paper size.
intake-refused-hidden-content = Page { $page } hides content that we cannot remove without changing how the page looks.
intake-remedy-hidden-content = Print it to a new PDF.
intake-refused-form-value-not-drawn = We cannot draw the value of the form field { $field } the way viewers do.
intake-remedy-form-value-not-drawn = Print it to a new PDF.
intake-refused-annotation-not-drawn = Page { $page } has an annotation ({ $kind }) that we cannot draw the way other programs do.
intake-remedy-annotation-not-drawn = Delete the annotation, or print the file to a new PDF.
intake-refused-annotation-prints-unseen = Page { $page } has an element ({ $kind }) that prints but does not show on screen.
intake-remedy-annotation-prints-unseen = Delete it, or print the file to a new PDF.
intake-refused-unreadable-content = Part of page { $page } is compressed in a way that we cannot read ({ $filter }).
intake-remedy-unreadable-content = Print it to a new PDF in the program that created it.
intake-refused-text-not-shown = Page { $page } uses a font that is not embedded ({ $font }), so we cannot show its text correctly.
intake-remedy-text-not-shown = Save the file with its fonts embedded, or print it to a new PDF in the program that created it.
intake-refused-blending-not-shown = Page { $page } has a transparent part that blends with the content below it in a way that we cannot show.
intake-remedy-blending-not-shown = Print it to a new PDF.
intake-refused-signed-with-unseen = The file is signed, and page { $page } has an element ({ $kind }) that other programs show but signers would not see here.
intake-remedy-signed-with-unseen = Send the unsigned version.
intake-refused-signed-with-missing-font = The file is signed, and page { $page } uses a font that is not embedded ({ $font }). Some programs show its text, and others leave it out.
intake-remedy-signed-with-missing-font = Send the unsigned version.
intake-refused-page-would-change = We cannot keep page { $page } exactly as it looks.
intake-remedy-page-would-change = Print it to a new PDF.
intake-refused-too-demanding = Reading the file takes too much time or memory.
intake-remedy-too-demanding = Print it to a new PDF.
intake-refused-too-much-time = Reading and showing the file takes more than { $seconds } seconds of processor time.
intake-remedy-too-much-time = Print it to a new PDF.
intake-refused-too-much-memory = Reading and showing the file takes more than { $megabytes } MB of memory.
intake-remedy-too-much-memory = Print it to a new PDF.
intake-refused-too-many-pixels = A picture in the file has { $pixels } pixels. The limit is { $limit }.
intake-remedy-too-many-pixels = Save the file with lower-resolution pictures.
field-without-name = Field { $number }
template-warning-boxes-on-one-spot = { $first } and { $second } on page { $page } are both required, but their boxes cover the same spot. Move one of them; otherwise the entries will overlap on the page.
