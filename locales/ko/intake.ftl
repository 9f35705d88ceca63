# 업로드를 받을 때 보낸 사람에게 하는 말.

intake-verdict-taken = 그대로 받았습니다
intake-verdict-taken-with-changes = 받았습니다. 보이지 않는 부분이 바뀌었습니다
intake-verdict-taken-with-values-drawn = 받았습니다. 뷰어가 표시하도록 남겨 둔 양식 값을 페이지에 그렸습니다
intake-verdict-taken-with-warnings = 받았습니다. 주의할 점이 있습니다
intake-verdict-refused = 받지 않았습니다
intake-pages = { $count }페이지
intake-fields = 양식 필드 { $count }개를 찾았습니다: { $names }
intake-change-decrypted = 암호화를 풀었습니다.
intake-change-repaired = 파일의 손상된 구조를 고쳤습니다.
intake-change-page-size-assumed = 크기가 올바르지 않은 페이지는 뷰어가 보여 주는 크기로 정했습니다: { $count }페이지.
intake-change-damage-dropped = 어떤 뷰어도 보여 줄 수 없는 손상된 부분을 뺐습니다: { $count }개.
intake-change-hidden-layers-removed = 숨겨진 레이어를 그 내용과 함께 지웠습니다: { $count }개.
intake-change-layers-merged = 보이는 레이어를 페이지에 합쳤습니다: { $count }개.
intake-change-pages-redrawn = 그리는 순서나 방식은 달라졌지만 모양은 그대로인 페이지: { $count }페이지.
intake-change-form-flattened = 양식 필드를 페이지에 합쳤습니다: { $count }개.
intake-change-annotations-merged = 양식 필드 아래에 있던 주석을 페이지에 합쳤습니다: { $count }개.
intake-change-appearances-made = 파일이 스스로 보여 주지 않던 양식 값을 그렸습니다: { $count }개.
intake-change-annotations-drawn = 취소선처럼 뷰어가 그리도록 남겨 둔 표시를 페이지에 그렸습니다: { $count }개.
intake-change-annotations-removed = { $kind ->
    [popup] 주석의 팝업 창을 지웠습니다: { $count }개.
    [sound] 소리를 지웠습니다: { $count }개.
    [movie] 동영상을 지웠습니다: { $count }개.
    [screen] 표시 이미지가 없는 미디어 재생 영역을 지웠습니다: { $count }개.
    [three_d] 표시 이미지가 없는 3D 장면을 지웠습니다: { $count }개.
    [rich_media] 표시 이미지가 없는 리치 미디어를 지웠습니다: { $count }개.
    [printer_mark] 표시 이미지가 없는 인쇄 표시를 지웠습니다: { $count }개.
    [trap_net] 인쇄기용 설정을 지웠습니다: { $count }개.
    [watermark] 표시 이미지가 없는 워터마크를 지웠습니다: { $count }개.
    [hidden] 화면과 인쇄물 모두에서 숨겨진 주석을 지웠습니다: { $count }개.
   *[empty] 아무것도 보이지 않는 주석을 지웠습니다: { $count }개.
}
intake-change-screen-only-printed = 화면에만 보이던 표시가 이제 인쇄도 됩니다: { $count }개.
intake-change-print-alternates-removed = 인쇄하면 다르게 나올 이미지를 화면에 보이는 대로 인쇄되게 했습니다: { $count }개.
intake-change-form-fields-enlarged = 너무 작아 입력할 수 없는 양식 필드의 칸을 키웠습니다: { $count }개.
intake-change-usage-rights-removed = 양식 작성자가 특정 뷰어에 준 사용 권한을 지웠습니다. 이 권한은 서명이 아닙니다.
intake-change-xfa-removed = 양식의 XFA 사본을 지웠습니다. 일반 필드는 남아 있습니다.
intake-change-damaged-metadata-removed = 프로그램이 읽을 수 없는 문서 정보(XMP 메타데이터)를 지웠습니다. 페이지의 모양은 그대로입니다.
intake-change-scripts-removed = 스크립트를 지웠습니다: { $count }개.
intake-change-actions-removed = 무언가를 열거나 보내거나 재생하거나 숨기는 동작을 지웠습니다: { $count }개.
intake-change-embedded-files-removed = 포함된 파일을 지웠습니다: { $count }개.
intake-change-multimedia-removed = 동영상, 소리, 3D 장면을 지웠습니다. 페이지에 보이는 이미지는 남습니다: { $count }개.
intake-warning-already-signed = 이 파일에는 이미 서명이 있습니다({ $count }개). 기존 서명은 그대로 유효합니다. 여기서 입력한 내용은 그 뒤에 추가되며, 뷰어에 그렇게 표시됩니다.
intake-warning-signatures-removed = 올리신 파일에서 서명을 뺀 사본입니다. 뺀 서명: { $count ->
    [0] 있었을 수 있는 서명 전부
   *[other] { $count }개
}. 서명이 보여 주던 모습은 이미지로 남고, 이력과 이력증명서에 원본 파일이 표시됩니다.
intake-warning-rebuilt = 손상된 파일을 복구했습니다: { $parts }. 끝이나 길이를 추정한 부분: { $guessed }개. 복구하지 못한 부분(페이지에는 나타나지 않음): { $lost }개. 보내기 전에 모든 페이지를 확인해 주세요.
intake-part-references = 각 부분의 위치를 적은 표
intake-part-no-header = 파일의 첫머리
intake-part-catalog-guessed = 문서의 시작점을 추정함(객체 { $object })
intake-part-length-guessed = 객체 { $object }의 길이를 추정함
intake-part-end-guessed = 객체 { $object }의 끝을 추정함
intake-part-lost = 객체 { $object }을(를) 읽을 수 없어 유실됨
intake-part-lost-somewhere = 객체 하나를 읽을 수 없어 유실됨
intake-part-missing = 객체 { $object }이(가) 없음
intake-warning-deleted-content-gone = 뷰어마다 다르게 보이는 파일입니다. 지운 것으로 표시된 내용을 아직 보여 주는 뷰어가 있어, 그 내용을 완전히 지웠습니다. 보내기 전에 페이지를 확인해 주세요.
intake-warning-not-compared = 뷰어마다 다르게 보일 수 있는 파일입니다. 정리한 뒤에야 비교할 수 있었으니, 보내기 전에 페이지를 확인해 주세요.
intake-warning-form-kept = 양식을 페이지에 합치면 모양이 달라지므로({ $page }페이지) 양식을 파일에 그대로 두었습니다. 여기서는 아무도 양식을 채울 수 없습니다. 페이지에 합치려면 새 PDF로 인쇄해 주세요.
intake-warning-embedded-files-kept = 서명된 파일이므로 포함된 파일({ $count }개)이 그대로 남습니다. 서명하는 사람에게는 보이지 않습니다.
intake-warning-form-fields-too-small = 너무 작아 눈에 보이지 않는 양식 필드는 템플릿 필드로 만들지 않았습니다: { $fields }. 입력받아야 한다면 그 자리에 더 큰 필드를 두세요.
intake-warning-form-values-kept = 다음 양식 필드에는 여기서 입력할 수 없는 값이 있어, 보이는 그대로 페이지에 남기고 템플릿 필드로 만들지 않았습니다: { $fields }. 바꿀 수 있어야 한다면 양식에서 값을 지우거나 그 자리에 필드를 두세요.
intake-warning-form-values-not-shown = 다음 양식 필드에는 파일에 표시되지 않는 값이 들어 있습니다. 페이지에도 표시되지 않습니다: { $fields }. 보여야 한다면 양식을 열어 값을 다시 입력하고 저장하세요.
intake-warning-claims-removed = 파일에 적힌 표준 준수 표시({ $claims })를 지웠습니다. 내용을 채우고 봉인한 파일은 더 이상 그 표준에 맞지 않을 수 있습니다.
intake-warning-notes-removed = 서명하는 사람에게 보이지 않을 메모를 지웠습니다({ $count }개): { $notes }. 서명하는 사람이 봐야 한다면 페이지에 직접 적어 주세요.
intake-warning-attachments-removed = 페이지에 아이콘으로 첨부된 파일을 지웠습니다({ $count }개): { $files }. 필요하다면 따로 보내 주세요.

intake-refused-too-large = 파일이 { $length }바이트입니다. { $limit }바이트까지 받습니다.
intake-remedy-too-large = 이미지 해상도를 낮추는 등 더 작게 저장해 주세요.
intake-refused-not-pdf = PDF가 아니거나 고칠 수 없을 만큼 손상된 파일입니다.
intake-remedy-not-pdf = 새 PDF로 인쇄해 주세요.
intake-refused-incomplete = 파일의 일부가 없거나 파일이 중간에서 끊겨 있습니다.
intake-remedy-incomplete = 전체 파일을 다시 받아 주세요.
intake-refused-rebuilt = 파일이 손상되었습니다({ $detail }). 복구한 상태로만 사용할 수 있습니다: { $parts }.
intake-remedy-rebuilt = 손상되지 않은 파일을 다시 받아 주세요.
intake-accept-rebuilt = 또는 모든 페이지를 확인한 뒤 복구된 내용을 수락할 수 있습니다. (API: accept=rebuilt, is_preview로 먼저 페이지를 볼 수 있습니다. 명령줄: --accept-rebuilt)
intake-refused-content-lost = { $page }페이지에 표시할 내용이 파일에 없거나 읽을 수 없습니다.
intake-remedy-content-lost = 파일을 다시 받거나, 내용이 모두 보이는 곳에서 새 PDF로 인쇄해 주세요.
intake-refused-needs-password = 파일을 열려면 비밀번호가 필요합니다.
intake-remedy-needs-password = 비밀번호를 입력하거나, 비밀번호 없이 저장해 주세요.
intake-refused-wrong-password = 비밀번호가 맞지 않아 파일을 열 수 없습니다.
intake-remedy-wrong-password = 올바른 비밀번호를 입력하거나, 비밀번호 없이 저장해 주세요.
intake-refused-unsupported-encryption = 지원하지 않는 암호화 방식입니다.
intake-remedy-unsupported-encryption = 암호화하지 않고 저장해 주세요.
intake-refused-signed-and-encrypted = 서명되고 암호화된 파일이라 아무것도 추가할 수 없습니다.
intake-remedy-signed-and-encrypted = 서명하기 전의 파일을 보내 주세요.
intake-refused-signed-and-damaged = 서명된 파일인데 구조가 손상되었습니다({ $detail }). 고치면 서명이 깨집니다.
intake-remedy-signed-and-damaged = 서명하기 전의 파일을 보내 주세요.
intake-refused-signed-laxly = 서명된 파일인데, 나중에 추가된 부분이 표준과 다르게 쓰여 있습니다({ $detail }). 모든 프로그램이 똑같이 읽는다고 볼 수 없습니다.
intake-remedy-signed-laxly = 서명하기 전의 파일을 보내 주세요.
intake-refused-weak-signature = 파일에 있는 서명({ $field })이 더 이상 안전하지 않은 알고리즘을 사용하여 아무것도 증명하지 못합니다: { $algorithm }
intake-remedy-weak-signature = SHA-256과 2,048비트 이상의 키(RSA의 경우)로 다시 서명받거나, 서명하기 전의 파일을 보내 주세요.
intake-refused-signed-and-read-differently = 서명된 파일인데 { $page }페이지의 내용이 프로그램마다 다르게 보입니다.
intake-remedy-signed-and-read-differently = 서명하기 전의 파일을 보내 주세요.
intake-refused-damaged-and-maybe-signed = 파일 구조가 손상되어 프로그램마다 다른 내용이 표시될 수 있으며, 파일에 서명이 들어 있을 수 있습니다.
intake-remedy-damaged-and-maybe-signed = 서명하기 전의 파일을 보내거나, 파일을 새 PDF로 인쇄해 주세요.
intake-accept-without-signatures = 또는 서명을 뺀 사본을 보낼 수 있습니다. 사본은 파일과 똑같이 보이며, 이력과 이력증명서에 원본이 표시됩니다. (API: accept=without_signatures, 명령줄: --without-signatures)
intake-refused-broken-signature = 파일에 있는 서명이 유효하지 않습니다({ $field }): { $detail }
intake-remedy-broken-signature = 서명이 없는 파일을 보내 주세요.
intake-refused-certification-forbids = 인증된 파일이며, 그 인증(수준 { $level })이 페이지에 내용을 더하는 것을 금지합니다.
intake-remedy-certification-forbids = 인증하기 전의 파일을 보내 주세요.
intake-refused-lock-forbids = 서명({ $field })이 양식을 잠가 서명을 추가할 수 없습니다.
intake-remedy-lock-forbids = 잠그기 전의 파일을 보내 주세요.
intake-refused-cannot-be-extended = 파일에 있는 서명({ $field })을 깨뜨리지 않고는 아무것도 추가할 수 없습니다: { $detail }
intake-detail-not-extensible = 파일의 구조 때문에 덧붙일 수 없습니다.
intake-remedy-cannot-be-extended = 서명하기 전의 파일을 보내 주세요.
intake-refused-signed-with-damaged-metadata = 서명된 파일인데 문서 정보(XMP 메타데이터)를 읽을 수 없습니다. 무언가를 추가하면 다른 프로그램이 서명이 깨진 것으로 봅니다.
intake-remedy-signed-with-damaged-metadata = 서명하기 전의 파일을 보내 주세요.
intake-refused-signed-with-unusable-validation-data = 서명된 파일인데 들어 있는 검증 자료(인증서와 폐지 목록)를 읽을 수 없거나, 너무 많아 더 추가할 수 없습니다.
intake-remedy-signed-with-unusable-validation-data = 검증 자료를 추가하기 전이나 서명하기 전의 파일을 보내 주세요.
intake-refused-signed-and-active = 서명된 파일인데, 지워야 할 스크립트, 동작, 동영상, 레이어 또는 XFA가 들어 있습니다.
intake-remedy-signed-and-active = 서명하기 전의 파일을 보내 주세요.
intake-refused-external-content = 표시할 내용의 일부가 함께 보내지 않은 다른 파일에 있습니다.
intake-remedy-external-content = 그 파일이 있는 곳에서 새 PDF로 인쇄해 주세요.
intake-refused-dynamic-xfa = 한 제품에서만 보이는 동적 XFA 양식입니다.
intake-remedy-dynamic-xfa = 새 PDF로 인쇄해 주세요.
intake-refused-no-pages = 페이지가 없는 파일입니다.
intake-remedy-no-pages = 다른 파일을 선택해 주세요.
intake-refused-too-many-pages = 파일이 { $pages }페이지입니다. { $limit }페이지까지 받습니다.
intake-remedy-too-many-pages = 여러 파일로 나눠 주세요.
intake-refused-page-size = { $page }페이지의 크기가 올바르지 않습니다. 각 변은 { $shortest }~{ $longest }포인트여야 합니다.
intake-remedy-page-size = 일반 용지 크기의 새 PDF로 인쇄해 주세요.
intake-refused-hidden-content = { $page }페이지에 숨겨진 내용이 있으며, 보이는 모습을 바꾸지 않고는 지울 수 없습니다.
intake-remedy-hidden-content = 새 PDF로 인쇄해 주세요.
intake-refused-form-value-not-drawn = 양식 필드 “{ $field }”의 값을 보이는 대로 그릴 수 없습니다.
intake-remedy-form-value-not-drawn = 새 PDF로 인쇄해 주세요.
intake-refused-annotation-not-drawn = { $page }페이지의 주석({ $kind })을 다른 프로그램과 같은 모양으로 그릴 수 없습니다.
intake-remedy-annotation-not-drawn = 주석을 지우거나, 새 PDF로 인쇄해 주세요.
intake-refused-annotation-prints-unseen = { $page }페이지에 화면에는 보이지 않지만 인쇄되는 내용({ $kind })이 있습니다.
intake-remedy-annotation-prints-unseen = 그 내용을 지우거나, 새 PDF로 인쇄해 주세요.
intake-refused-unreadable-content = { $page }페이지의 일부가 읽을 수 없는 방식({ $filter })으로 압축되어 있습니다.
intake-remedy-unreadable-content = 파일을 만든 프로그램에서 새 PDF로 인쇄해 주세요.
intake-refused-text-not-shown = { $page }페이지에 파일에 포함되지 않은 글꼴({ $font })을 쓴 글자가 있어 원래대로 표시할 수 없습니다.
intake-remedy-text-not-shown = 글꼴을 포함해 다시 저장하거나, 파일을 만든 프로그램에서 새 PDF로 인쇄해 주세요.
intake-refused-blending-not-shown = { $page }페이지에 아래 내용과 겹쳐 비치는 투명한 부분이 있는데, 여기서는 그대로 표시할 수 없습니다.
intake-remedy-blending-not-shown = 새 PDF로 인쇄해 주세요.
intake-refused-signed-with-unseen = 서명된 파일인데, 다른 프로그램에는 보이지만 여기서 서명하는 사람에게는 보이지 않을 내용({ $kind })이 { $page }페이지에 있습니다.
intake-remedy-signed-with-unseen = 서명하기 전의 파일을 보내 주세요.
intake-refused-signed-with-missing-font = 서명된 파일인데, { $page }페이지에 글꼴({ $font })이 파일에 없는 글자가 있어 프로그램에 따라 보이기도 하고 보이지 않기도 합니다.
intake-remedy-signed-with-missing-font = 서명하기 전의 파일을 보내 주세요.
intake-refused-page-would-change = { $page }페이지를 보이는 그대로 보존할 수 없습니다.
intake-remedy-page-would-change = 새 PDF로 인쇄해 주세요.
intake-refused-too-demanding = 파일을 읽는 데 시간이나 메모리가 너무 많이 듭니다.
intake-remedy-too-demanding = 새 PDF로 인쇄해 주세요.
intake-refused-too-much-time = 파일을 읽고 표시하는 데 프로세서 시간이 { $seconds }초보다 많이 필요합니다.
intake-remedy-too-much-time = 새 PDF로 인쇄해 주세요.
intake-refused-too-much-memory = 파일을 읽고 표시하는 데 메모리가 { $megabytes }MB보다 많이 필요합니다.
intake-remedy-too-much-memory = 새 PDF로 인쇄해 주세요.
intake-refused-too-many-pixels = 파일의 이미지가 { $pixels }화소입니다. { $limit }화소까지 받습니다.
intake-remedy-too-many-pixels = 이미지 해상도를 낮춰 저장해 주세요.
field-without-name = 입력란 { $number }
template-warning-boxes-on-one-spot = { $page }쪽의 { $first }와(과) { $second }은(는) 모두 필수 입력란인데 위치가 겹칩니다. 하나를 옮겨 주세요. 그대로 두면 입력한 내용이 겹쳐서 보입니다.
