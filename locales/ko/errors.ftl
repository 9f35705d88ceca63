## 요청을 처리하지 못한 까닭
error-not-json = 요청 본문이 올바른 JSON이 아닙니다.
error-broken-body = 요청 본문이 끝까지 전송되지 않았습니다. 다시 보내 주세요.
error-unauthenticated = 액세스 토큰이 없거나 알 수 없는 토큰이거나 만료되었습니다. 로그인하여 새 토큰을 받으세요.
error-not-found = 찾을 수 없습니다: { $subject }.
error-method-not-allowed = 이 주소에서는 지원하지 않는 메서드입니다.
error-range-not-satisfiable = 이 범위에는 파일 내용이 없습니다. 파일 길이는 Content-Range에 있습니다.
error-unprocessable = 요청이 규칙에 맞지 않습니다.
error-too-large = 요청 본문이 { $limit }바이트를 넘습니다. 크기를 줄여 보내 주세요.
error-unsupported = { $expected ->
    [none] 압축한 본문은 지원하지 않습니다. Content-Encoding 없이 보내 주세요.
   *[other] 지원하지 않는 Content-Type입니다. { $expected } 형식의 UTF-8로 보내 주세요.
}
error-asked-lately = 요청을 보낸 지 10분이 지나지 않았습니다. { $wait } 뒤인 { $time }부터 다시 보낼 수 있습니다.
error-throttled = 시도가 너무 많습니다. { $wait } 뒤에 다시 시도하세요.
error-link-network-throttled = 지금 사용하는 네트워크에서 너무 많이 시도했습니다. { $wait } 뒤에 다시 시도하세요.
error-link-addressee-throttled = 이 이메일 주소나 전화번호로 시작된 문서가 너무 많습니다. { $wait } 뒤에 다시 시도하세요.
error-link-uses-throttled = 이 링크로 시작된 문서가 너무 많습니다. { $wait } 뒤에 다시 시도하세요.
error-wrong-codes-throttled = 이 이메일 주소나 전화번호로 보낸 인증번호가 여러 번 잘못 입력되었습니다. { $wait } 뒤에 다시 시도하거나, 보내 드린 메시지의 링크를 여세요.
error-unavailable = 서비스 이용이 많아 지금은 처리할 수 없습니다. { $wait } 뒤에 다시 시도하세요.
error-outcome-unknown = 처리 결과를 확인하기 전에 데이터베이스 연결이 끊겼습니다. 다시 요청하기 전에 현재 상태를 확인하세요. Idempotency-Key가 있는 요청은 그대로 다시 보내도 됩니다.
error-file-lost = 이 문서의 파일이 서버에서 없어졌거나 손상되었습니다. 운영자가 백업에서 복구해야 합니다.
error-internal = 서버에서 문제가 발생해 로그에 기록했습니다. 다시 시도하거나 운영자에게 문의하세요.

## 권한이 없는 까닭
error-api-off = API를 사용할 수 없는 회사입니다. 관리자에게 문의하세요.
error-role = 현재 역할로는 할 수 없는 작업입니다. 회사의 소유자나 관리자에게 문의하세요.
error-admins-only = 소유자나 관리자만 할 수 있는 작업입니다. 소유자나 관리자에게 요청하세요.
error-owners-only = 소유자만 할 수 있는 작업입니다. 회사의 소유자에게 요청하세요.
error-members-only = 누가 했는지 기록해야 하는 작업입니다. 구성원으로 로그인해서 진행하세요.
error-operator-only = 이 서비스의 운영자만 명령줄에서 할 수 있는 작업입니다.
error-cross-site = 다른 사이트에서 온 요청입니다. 화면을 다시 열고 시도하세요.
error-access-code = 먼저 접근 암호를 입력하세요.
error-one-time-code = 먼저 일회용 인증번호를 입력하세요.
error-not-the-sender = 이 문서를 보낸 구성원이나 관리자만 할 수 있습니다.

## 현재 상태에서 할 수 없는 까닭
error-finished = 이미 종료된 문서입니다({ $state }). 더 이상 변경할 수 없습니다.
error-not-your-turn = 이 서명자의 차례가 아닙니다.
error-already-approved = 이 서명자는 이미 승인했습니다.
error-not-complete = { $state ->
    [Playing] 아직 완료되지 않은 문서입니다.
   *[other] 완료되지 않고 종료된 문서({ $state })이므로 이 파일이 없습니다. 경과는 이력증명서에서 확인하세요.
}
error-still-playing = 아직 진행 중인 문서입니다({ $state }).
error-embedded = 임베드 방식의 문서에서는 서명자에게 알림을 보내지 않습니다.
error-changed = 다른 요청이 먼저 처리되어 문서가 변경되었습니다. 상태를 확인하고 다시 시도하세요.
error-draft-changed = 다른 화면이나 기기에서 입력 내용이 변경되었습니다. 변경된 내용을 확인한 뒤 다시 승인해 주세요.
error-company-exists = 이 ID의 회사가 이미 있습니다.
error-member-exists = 이 이메일을 사용하는 구성원이 이미 있습니다.
error-archived = 보관된 템플릿입니다. 다른 템플릿을 고르거나 복원하세요.
error-locked = 암호나 인증번호를 너무 많이 틀렸습니다. 보낸 사람에게 문서를 다시 보내 달라고 요청하세요.
error-link-replaced = 새 링크로 바뀌어 이 링크는 쓸 수 없습니다. 가장 최근에 받은 링크를 사용하세요.
error-link-was-sent = 서명 링크는 링크를 보내지 못한 경우에만 복사할 수 있습니다. 이 링크가 담긴 메시지는 이미 보냈거나 아직 보내는 중입니다.
error-handed-over = 다른 사람에게 넘긴 문서입니다.
error-no-handing-over = 이 문서는 다른 사람에게 넘길 수 없습니다.
error-bulk-waiting = 시작을 기다리는 행이 이미 너무 많습니다. 일부가 처리된 뒤 다시 보내세요.
error-bulk-finished = 이미 종료된 대량 발송입니다({ $state }). 시작을 기다리는 행이 없습니다.
error-link-closed = 사용이 중지된 링크입니다.
error-link-used-up = 사용 횟수를 모두 쓴 링크입니다.
error-link-ended = 만료된 링크입니다.
error-too-many-secrets = 이 클라이언트의 웹훅은 이미 최대 개수인 비밀 키 5개로 서명되고 있습니다. 교체된 키도 교체 후 하루 동안 서명에 사용됩니다. 가장 오래된 키가 만료되는 { $state } 이후에 다시 교체하세요.
error-link-taken = 이 이메일 주소나 전화번호로 이미 사용된 링크입니다.
error-under-way = 이 웹훅은 지금 전송 중이거나 첫 전송을 기다리고 있습니다. 잠시 후 기록을 다시 확인하세요.
error-endpoint-stopped = 이 엔드포인트로의 전송이 중지되었습니다. 엔드포인트를 다시 시작하면 보류된 웹훅이 전송됩니다.
error-last-owner = 회사에는 소유자가 한 명 이상 있어야 합니다.

## 값이 거절된 까닭
error-required = 필수 항목입니다.
error-one-required = 다음 중 하나 이상을 지정해야 합니다: { $allowed }.
error-not-together = 다음 항목과 함께 지정할 수 없습니다: { $name }. 둘 중 하나만 지정하세요.
error-empty-range = 다음 값보다 뒤일 수 없습니다: { $name }. 더 앞선 값을 지정하세요.
error-field-required = 필수 입력란입니다: { $name }
error-unexpected-member = 여기에는 이런 이름의 항목이나 매개변수가 없습니다. 이름을 확인하거나 빼 주세요.
error-wrong-type = { $expected ->
    [string] 문자열이어야 합니다.
    [integer] 정수여야 합니다.
    [boolean] true 또는 false여야 합니다.
    [array] 목록(배열)이어야 합니다.
    [object] 객체여야 합니다.
   *[other] 다음 JSON 형식이어야 합니다: { $expected }
}
error-too-long = 최대 { $max }자까지 입력할 수 있습니다.
error-too-short = { $min }자 이상이어야 합니다.
error-password-too-short = 비밀번호는 { $min }자 이상이어야 합니다. 서로 관련 없는 단어 네 개를 이어 쓰면 좋습니다.
error-password-too-long = 비밀번호가 { $max }바이트를 넘습니다. 더 짧은 비밀번호를 사용하세요.
error-password-too-weak = 추측하기 쉬운 비밀번호입니다. 서로 관련 없는 단어를 여러 개 쓰거나 무작위 문자를 늘려 주세요. 이름, 날짜, 흔한 비밀번호, 키보드 배열 순서는 피하세요.
error-password-names-owner = 비밀번호에 본인의 이메일 주소나 회사 이름이 들어 있습니다. 다른 비밀번호를 정해 주세요.
error-too-many = 최대 { $max }개까지 넣을 수 있습니다.
error-out-of-range = { $min } 이상 { $max } 이하여야 합니다.
error-control-character = 사용할 수 없는 제어 문자(U+0000 등)가 들어 있습니다. 지워 주세요.
error-direction-control = 글자 방향을 바꾸는 보이지 않는 문자를 지워 주세요.
error-overlong-character = 한 글자에 붙은 기호가 너무 많습니다. 기호를 줄여서 쓰세요.
error-not-allowed = 다음 중 하나여야 합니다: { $allowed }.
error-duplicate = 같은 항목이 두 번 이상 들어 있습니다. 하나만 남겨 주세요.
error-invalid-email = 올바른 이메일 주소를 입력하세요.
error-invalid-contact = 올바른 이메일 주소나 전화번호를 입력하세요.
error-invalid-phone = 올바른 전화번호를 입력하세요.
error-same-person = 이미 이 문서를 받은 사람입니다. 다른 사람을 입력하세요.
error-no-mobile-number = 휴대전화 번호를 입력하세요. 유선전화나 유료 서비스 번호는 사용할 수 없습니다.
error-phone-country = 다음 국가의 휴대전화 번호만 사용할 수 있습니다: { $allowed }. 이메일 주소를 입력해도 됩니다.
error-invalid-country = KR처럼 두 글자로 된 국가 코드를 입력하세요.
error-unknown-place = 중괄호에는 다음만 쓸 수 있습니다: { $allowed }.
error-address-in-name = 이름에 웹 주소나 이메일 주소를 쓸 수 없습니다. 이름만 입력하세요.
error-invalid-date-time = 날짜와 시각은 YYYY-MM-DD HH:MM:SS, 날짜만 입력할 때는 YYYY-MM-DD 형식으로 입력하세요.
error-past-date-time = 이미 지난 시각입니다. 이후의 시각을 입력하세요.
error-invalid-offset = UTC 오프셋을 +HH:MM 형식으로 입력하세요.
error-invalid-language = ko, en, ja 중 하나여야 합니다.
error-unknown-template = 템플릿을 찾을 수 없습니다.
error-unknown-client = API 클라이언트를 찾을 수 없습니다.
error-unknown-field = 이런 이름의 필드가 없습니다.
error-unknown-step = 해당하는 단계 또는 역할이 없습니다.
error-missing-recipient = { $order }단계의 수신자가 없습니다. 수신자를 지정하세요.
error-too-many-recipients = 이 단계의 역할 수보다 수신자가 많습니다. 수신자를 줄여 주세요.
error-order-gap = order는 1부터 번호를 빠뜨리지 않고 이어져야 합니다.
error-field-not-writable = 다른 서명자의 필드이거나 바꿀 수 없는 필드입니다.
error-invalid-number = 이 필드에 입력할 수 있는 숫자가 아닙니다.
error-too-many-decimals = 소수점 아래 { $max }자리까지 입력할 수 있습니다.
error-invalid-date = 날짜를 YYYY-MM-DD 형식으로 입력하세요.
error-invalid-check = Y 또는 N을 입력하세요(1, 0, true, false도 가능).
error-invalid-option = 필드의 선택지에 없는 값입니다. 다음 중에서 선택하세요: { $allowed }
error-invalid-picture = PNG 또는 JPEG 이미지가 아닙니다. 둘 중 한 형식으로 다시 저장하세요.
error-picture-not-base64 = base64가 아닙니다. PNG 또는 JPEG 파일을 base64로 보내세요(앞에 data:…;base64,는 있어도 되고 없어도 됩니다).
error-picture-too-large = 이미지가 너무 큽니다. 5MiB, 2천만 화소, 한 변 10,000픽셀을 넘지 않게 줄이세요.
error-picture-damaged = 이미지가 손상되어 읽을 수 없습니다. 다시 저장하거나 다른 이미지를 선택하세요.
error-picture-blank = 이미지가 흰색이거나 투명하여 아무것도 보이지 않습니다. 서명이나 도장이 진하게 보이는 이미지를 보내 주세요.
error-invalid-file = base64로 된 파일이 아니거나 너무 큽니다.
error-files-too-large = 서명 링크 하나에는 파일을 최대 { $files }개, 합계 { $megabytes }MB까지 올릴 수 있습니다. 파일 수나 크기를 줄여 주세요. 교체하거나 삭제한 파일은 약 { $minutes }분 뒤에 한도에서 제외됩니다.
error-draft-too-large = 입력한 내용이 너무 깁니다. 모두 합쳐 { $limit }바이트까지 저장할 수 있습니다.
error-no-value-taken = 이 종류의 필드에는 값을 입력할 수 없습니다.
error-missing-glyph = 글꼴에 없는 문자가 있습니다: { $characters }. 빼거나 다른 문자로 바꾸세요.
error-does-not-fit = 글자를 가장 작게 해도 필드에 다 들어가지 않습니다. 내용을 줄이거나, 보낸 사람에게 필드를 키워 달라고 요청하세요.
error-embedded-too-large = 이 문서 안에 넣는 파일은 모두 합쳐 { $megabytes }MB까지이며, 이 파일에는 { $left }MB가 남아 있습니다. 더 작은 파일을 보내 주세요.
error-one-time-code-unreachable = 이 사람에게는 일회용 인증번호를 보낼 수 없습니다. 이메일 주소라면 메일 서버가, 전화번호라면 그 번호로 보낼 수 있는 메시지 서비스가 설정되어 있어야 합니다. 다른 주소를 입력하거나 접근 암호를 사용하세요.
error-calculation-does-not-fit = 이 숫자를 입력하면 ‘{ $name }’ 필드의 값 ‘{ $value }’이(가) 너무 길어 칸에 들어가지 않습니다. 자릿수를 줄이거나, 보낸 사람에게 그 필드를 키워 달라고 요청하세요.
error-field-not-stampable = 템플릿의 ‘{ $name }’ 필드에 ‘{ $value }’ 값을 표시할 수 없습니다. 너무 길어 칸에 들어가지 않거나 글꼴에 없는 문자가 있습니다. 템플릿에서 내용을 고치거나 칸을 키우세요.
error-field-too-small = ‘{ $name }’ 필드의 칸이 너무 작습니다({ $width } × { $height }포인트). 이 종류의 필드는 { $least_width } × { $least_height }포인트 이상이어야 알아볼 수 있습니다. 이 페이지에서는 width를 { $width_millionths } 이상, height를 { $height_millionths } 이상(백만분율)으로 지정하세요.
error-callback-malformed = 올바른 웹훅 주소가 아닙니다.
error-callback-scheme = https://로 시작하는 주소여야 합니다.
error-callback-userinfo = 주소에 사용자 이름이나 비밀번호를 넣을 수 없습니다.
error-callback-fragment = 주소에 프래그먼트(#)를 넣을 수 없습니다.
error-callback-port = 허용되지 않은 포트입니다.
error-callback-host = 호스트 이름이 올바른 DNS 이름이 아닙니다.
error-callback-not-public = 외부에서 접근할 수 있는 공개 주소가 아닙니다.
error-redirect-malformed = 올바른 주소가 아닙니다. https://호스트/경로 형식으로 입력해 주세요.
error-redirect-host = 회사 설정에서 { $name }(으)로의 이동을 허용하지 않습니다. 관리자에게 추가를 요청해 주세요.
error-name-collision = 두 필드의 이름이 같아집니다. 다른 이름을 지정하세요.
error-idempotency-key-reused = 이 멱등 키(Idempotency-Key)는 본문이나 offset이 다른 요청에 이미 사용되었습니다. 새 키를 사용하세요.
error-document-refused = 받을 수 없는 파일입니다: { $reason }
error-no-form-fields = PDF에 양식 필드가 없습니다. FIELDS.json으로 필드를 배치하세요.
error-unknown-form-field = PDF 양식에 이런 이름의 필드가 없습니다. page가 없는 항목은 양식의 필드를 가리킵니다.
error-fields-not-json = 올바른 JSON이 아닙니다. { $line }번째 줄, { $column }번째 글자를 확인하세요.
error-unknown-member = 여기에는 이런 이름의 항목이 없습니다. 쓸 수 있는 이름: { $allowed }
error-step-gap = { $order }단계가 없습니다. 단계 번호를 1부터 빠짐없이 지정하세요.
error-role-needed = 이 단계에는 서명자가 여러 명입니다. 서명자마다 역할을 지정해 주세요.
error-field-role-needed = 이 단계에는 서명자가 여러 명입니다. 이 필드를 작성할 역할을 지정해 주세요.
error-box-off-page = 칸은 크기가 있어야 하고 페이지 안에 있어야 합니다. 위치와 크기는 페이지의 백만분율(최대 1000000)로 지정합니다.
error-name-of-other-kind = 종류가 다른 필드가 이 이름을 쓰고 있습니다. 다른 이름을 지정해 주세요.
error-boxes-disagree = 이름이 같은 칸은 하나의 필드입니다. 종류, 단계, 역할이 모두 같아야 합니다.
error-member-not-for-kind = 다음 종류의 필드에만 쓸 수 있습니다: { $allowed }. 이 필드에서는 빼 주세요.
error-cells-or-lines = cells와 lines는 함께 쓸 수 없습니다. 둘 중 하나를 빼 주세요.
error-invalid-date-pattern = 날짜 형식이 아닙니다. yyyy, yy, MMMM, MMM, MM, M, dd, d 중 하나 이상이 있어야 합니다. 그 밖의 로마자는 작은따옴표로 묶어 주세요.
error-invalid-color = #1a2b3c와 같은 형식으로 색을 입력하세요.
error-unknown-font = ‘{ $value }’ 글꼴이 없습니다. 쓸 수 있는 글꼴: { $allowed }
error-embed-in-signed = 이미 서명된 PDF이므로 안에 파일을 넣을 수 없습니다. embed를 빼 주세요.
error-formula-unreadable = 수식의 { $position }번째 글자부터 읽을 수 없습니다.
error-formula-name = 수식에 number나 calc 종류가 아닌 필드가 있습니다: { $name }
error-formula-later = 수식에 나중 단계에서 작성하는 필드가 있습니다: { $name }. 앞 단계의 필드나 같은 서명자의 필드만 사용하세요.
error-formula-beside = 수식에 같은 단계의 다른 역할이 작성하는 필드가 있습니다: { $name }. 앞 단계의 필드나 같은 서명자의 필드만 사용하세요.
error-formula-circle = ‘{ $name }’의 수식이 자기 자신의 결과를 사용합니다.
error-page-out-of-range = 문서에 없는 페이지입니다. 문서는 총 { $pages }페이지입니다.
error-not-sealable = 봉인에 사용할 수 없습니다: { $reason }
error-logo-refused = 이 이미지는 로고로 쓸 수 없습니다: { $reason }
error-not-drawable = 이 값은 입력란에 표시할 수 없습니다. 다르게 입력하거나 보낸 사람에게 입력란 확인을 요청해 주세요.
error-seal-ends-before = 회사의 봉인 인증서가 이 문서의 기한보다 먼저 만료됩니다({ $date }). 기한을 앞당기거나 운영자에게 봉인 키 갱신을 요청해 주세요.
error-invalid-company-id = 회사 ID로 쓸 수 없습니다: { $reason }
error-consent-required = 먼저 전자서명에 동의해야 합니다.
error-agreement-required = 이름과 연락처를 제공하고 문서와 함께 보관하는 데 먼저 동의해야 합니다.
error-visitors-place = 링크를 여는 사람의 자리이므로 지정하지 마세요.
error-wrong-access-code = 접근 암호가 올바르지 않습니다. { $left }번 더 시도할 수 있습니다.
error-sheet-not-utf8 = CSV 파일의 문자 인코딩을 알 수 없습니다. ‘CSV UTF-8’ 형식으로 저장하세요.
error-sheet-quote = { $row }번째 줄의 따옴표가 닫히지 않았거나 닫힌 따옴표 뒤에 글자가 이어져, 다음 행을 구분할 수 없습니다. 스프레드시트 프로그램에서 다시 저장하거나 내용 안의 따옴표를 두 번 쓰세요.
error-sheet-cell = 이 셀에는 #N/A 같은 오류나 달력에 없는 날짜, 또는 결과가 저장되지 않은 수식이 있습니다. 스프레드시트 프로그램에서 열어 바로잡은 뒤 저장하세요.
error-sheet-empty = 시트의 머리글 아래에 행이 없습니다. 문서마다 한 행씩 입력하세요.
error-sheet-unreadable = { $kind ->
    [pdf] PDF 파일입니다. CSV 파일이나 XLSX 통합 문서를 선택하세요.
    [picture] 이미지 파일입니다. CSV 파일이나 XLSX 통합 문서를 선택하세요.
    [xls] 이전 오피스 형식(XLS)의 파일이거나 암호가 필요한 통합 문서입니다. 암호 없이 XLSX 통합 문서나 ‘CSV UTF-8’ 형식으로 저장하세요.
    [open_document] OpenDocument 파일입니다. XLSX 통합 문서나 ‘CSV UTF-8’ 형식으로 저장하세요.
   *[other] 읽을 수 있는 CSV 파일이나 XLSX 통합 문서가 아닙니다. 스프레드시트 프로그램에서 둘 중 한 형식으로 저장하세요.
}
error-not-json-text = 폼의 이 항목이 올바른 JSON이 아닙니다.
error-wrong-one-time-code = { $left ->
    [0] 일회용 인증번호를 너무 많이 틀렸습니다. 새 인증번호를 요청하세요.
   *[other] 일회용 인증번호가 올바르지 않습니다. { $left }번 더 시도할 수 있습니다.
}
error-one-time-code-expired = 이 일회용 인증번호는 더 이상 사용할 수 없습니다. 새 인증번호를 요청하세요.
error-invalid-cursor = 알 수 없는 커서입니다. 커서 없이 처음부터 조회하세요.

## 회사가 봉인할 수 없는 이유
error-seal-key-missing = 회사에 봉인 키가 없어 문서를 봉인할 수 없습니다. 운영자에게 “countersign company key renew”로 봉인 키를 만들어 달라고 요청해 주세요.
error-seal-certificate-not-yet-valid = 회사의 봉인 인증서는 { $date }부터 유효합니다. 그때까지 기다리거나 운영자에게 다른 봉인 키를 사용하도록 요청해 주세요.
error-seal-certificate-expired = 회사의 봉인 인증서가 { $date }에 만료되어 문서를 봉인할 수 없습니다. 운영자에게 봉인 키를 갱신하거나 새 키를 가져오도록 요청해 주세요.
error-seal-certificate-revoked = 회사의 봉인 인증서가 폐지되어 문서를 봉인할 수 없습니다. 운영자에게 봉인 키를 갱신하거나 새 키를 가져오도록 요청해 주세요.
error-seal-key-pin-refused = 회사의 봉인 키가 있는 토큰이 PIN을 거부했습니다. 운영자에게 PIN을 바로잡고 서비스를 다시 시작하도록 요청해 주세요.
error-seal-token-away = 회사의 봉인 키가 있는 토큰이 연결되어 있지 않습니다. 운영자에게 토큰 연결을 요청하고 { $wait } 후에 다시 시도해 주세요.
error-seal-key-unusable = 회사의 봉인 키를 사용할 수 없습니다. 운영자에게 “countersign doctor”로 원인을 확인하도록 요청해 주세요.

## 보낸 사람이나 운영자만 해결할 수 있는 문제에 대해 서명자가 읽는 글
error-signer-cannot-complete = 지금은 문서를 완료할 수 없습니다. 입력하신 내용은 저장되어 있습니다. { $wait } 후에 다시 시도하거나 보낸 사람에게 문의해 주세요.
error-signer-file-lost = 서버에서 이 문서의 파일을 찾을 수 없습니다. 보낸 사람에게 문의해 주세요.
error-signer-internal = 서비스에 문제가 발생했습니다. 잠시 후 다시 시도해 주세요. 계속되면 보낸 사람에게 문의해 주세요.
error-signer-outcome-unknown = 처리 결과를 확인하기 전에 연결이 끊어졌습니다. 다시 시도하기 전에 링크를 다시 열어 처리되었는지 확인해 주세요.

## 찾을 수 없는 것
error-subject-company = 회사
error-subject-member = 구성원
error-subject-client = API 클라이언트
error-subject-token = 액세스 토큰
error-subject-template = 템플릿
error-subject-workflow = 문서
error-subject-recipient = 수신자
error-subject-field = 필드
error-subject-page = 페이지
error-subject-file = 파일
error-subject-delivery = 전송 기록
error-subject-bulk = 대량 발송
error-subject-callback-address = 문서의 엔드포인트
error-subject-public-link = 공개 링크
error-subject-link = 링크
error-subject-endpoint = API 경로

## 로그인 결과
api-login-success = 로그인되었습니다.
api-login-wrong-credentials = 로그인 정보가 올바르지 않습니다.
api-login-throttled = 잘못된 로그인 정보로 너무 많이 시도했습니다. 잠시 뒤에 다시 시도하세요.
api-login-busy = 서비스 이용이 많아 지금은 처리할 수 없습니다. 잠시 뒤에 다시 시도하세요.
api-login-wrong-form = 요청 본문의 형식이 올바르지 않아 처리할 수 없습니다.
api-login-api-off = API를 호출할 수 없는 회사입니다. 관리자에게 문의하세요.
api-login-failure = 예기치 않은 오류가 발생했습니다. 잠시 뒤에 다시 시도하세요.

## 기다릴 시간 (다른 문장 안에서)
deadline-never = 없음
wait-seconds = { $count }초
wait-minutes = { $count }분
wait-hours = { $count }시간
