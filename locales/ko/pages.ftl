## 모든 화면
page-skip = 본문으로 바로가기
page-language = 언어
page-close = 닫기
page-cancel = 취소
page-needs-script = 이 화면을 이용하려면 JavaScript와 최신 브라우저(Safari 15.4, Chrome 92, Firefox 98 이상)가 필요합니다. 그렇지 않으면 입력란과 입력된 내용이 표시되지 않습니다. 새로고침하거나 다른 브라우저에서 링크를 열어 주세요.
page-footer = Countersign으로 보호됩니다

## 서명 화면: 시작 전
sign-title = 서명: { $document }
sign-asks = { $sender }에서 문서 작성과 서명을 요청했습니다.
sign-asks-view = { $sender }에서 보낸 문서입니다.
sign-for = { $name } 님
sign-until = 기한: { $date }
sign-details = 자세히
sign-comment = 보낸 사람의 메시지
sign-writer-of-step = { $step }단계 서명자
sign-step = { $steps }단계 중 { $step }단계
sign-about = 문서 안내
sign-pages = 총 { $count }페이지
sign-returned = { $act ->
    [sign] { $name } 님이 이 문서를 돌려보냈습니다. 내용을 수정한 뒤 다시 서명해 주세요.
   *[approve] { $name } 님이 이 문서를 돌려보냈습니다. 내용을 수정한 뒤 다시 승인해 주세요.
}
sign-returned-own = { $name } 님이 돌려보낸 뒤 다시 작성된 문서입니다. 내용을 다시 확인해 주세요.
sign-continued = 이전에 작성하던 내용을 불러왔습니다.
sign-original = 현재 상태의 문서 다운로드
sign-preview = 미리보기입니다. 여기에 입력한 내용은 저장되거나 전송되지 않습니다.
sign-sender-view = 보낸 사람용 화면입니다. 지금까지 작성된 내용을 볼 수 있으며, 여기서는 작성하거나 승인할 수 없습니다.
sign-sender-view-waiting = { $name } 님의 작성을 기다리는 중입니다({ $step }단계)
sign-ended-complete = 모두 승인하여 문서가 완료되었습니다.
sign-ended-canceled = 보낸 사람이 취소한 문서입니다.
sign-ended-expired = { $date }⁠에 기한이 지난 문서입니다.
sign-ended-rejected = 서명자가 반려한 문서입니다.
sign-ended-rejected-by = { $name } 님이 반려한 문서입니다.

## 서명 화면: 접근 암호
sign-code-title = 접근 암호를 입력하세요
sign-code-text = 보낸 사람이 이 문서에 접근 암호를 설정했습니다.
sign-code-hint = 힌트: { $hint }
sign-code-label = 접근 암호
sign-code-submit = 문서 열기
sign-code-wrong = 접근 암호가 올바르지 않습니다.
sign-tries-left = { $count }번 더 시도할 수 있습니다.
sign-code-locked-title = 링크가 잠겼습니다
sign-code-locked = 암호나 인증번호를 여러 번 잘못 입력했습니다. 보낸 사람에게 문서를 다시 보내 달라고 요청하세요.

## 서명 화면: 일회용 인증번호
sign-one-time-title = 본인 확인이 필요합니다
sign-one-time-text = 문서를 열기 전에 { $to } 앞으로 인증번호를 보내 드립니다.
sign-one-time-sent = { $to } 앞으로 6자리 인증번호를 보냈습니다. { $minutes }분 동안 사용할 수 있습니다.
sign-one-time-send = 인증번호 받기
sign-one-time-label = 인증번호
sign-one-time-submit = 문서 열기
sign-one-time-again = 새 인증번호 받기
sign-one-time-help = 인증번호가 오지 않았나요? 스팸함과 차단된 메시지를 확인해 주세요. 새 인증번호를 받으면 이전 번호는 사용할 수 없습니다.
sign-one-time-wrong = 인증번호가 올바르지 않습니다.
sign-one-time-used-up = 인증번호를 여러 번 잘못 입력했습니다. 새 인증번호를 받으세요.
sign-one-time-expired = 이 인증번호는 더 이상 사용할 수 없습니다. 새 인증번호를 받으세요.
sign-one-time-too-many = 이 주소로 보낸 인증번호가 여러 번 잘못 입력되었습니다. 다른 사람이 입력했을 수도 있습니다. { $wait } 뒤에 다시 시도해 주세요. 이 문서를 메시지로 받으셨다면 그 메시지의 링크는 지금 바로 여실 수 있습니다.
sign-one-time-wait-seconds = 방금 인증번호를 보냈습니다. { $count }초 뒤에 다시 받을 수 있습니다.
sign-one-time-wait-minutes = 인증번호를 이미 여러 번 보냈습니다. { $count }분 뒤에 다시 받을 수 있습니다.

## 서명 화면: 동의
sign-consent-title = 전자서명 동의
sign-consent-text = 이 문서의 전자서명은 종이 문서의 서명과 마찬가지로 법에서 정한 효력을 가집니다.
sign-consent-point-agree = 이 문서를 전자적으로 받아 작성하고 서명하는 데 동의합니다.
sign-consent-point-copy = 모든 서명이 완료되면 완료된 문서의 사본을 보관할 수 있습니다.
sign-consent-point-evidence = 서명 시각, 네트워크 주소, 브라우저 정보가 증거로 기록됩니다.
sign-consent-point-decline = 원하지 않으면 사유를 적어 문서를 반려할 수 있습니다.
sign-consent-version = 동의문 버전: { $version }
sign-consent-agree = 동의합니다
sign-decline = 전자서명을 원하지 않습니다
sign-decline-reason = 전자서명에 동의하지 않습니다.

## 서명 화면: 입력 항목
sign-page-of = { $pages }페이지 중 { $page }페이지
sign-page-image = 문서 { $page }페이지
page-text-none = 이미지로만 된 페이지입니다. 소리 내어 읽거나 검색할 수 있는 글자가 없습니다.
sign-field-required = 필수
sign-field-other = { $name } 님이 작성함
sign-field-waiting = { $name } 님이 작성할 항목
sign-field-given = 보낸 사람이 입력함
sign-field-choose = 선택하세요
sign-field-signature = 서명하기
sign-field-initials = 이니셜
sign-field-seal = 도장 찍기
sign-field-company-seal = 회사 도장 찍기
sign-field-image = 이미지 추가
sign-field-attachment = 파일 첨부
sign-field-change = 변경
sign-field-remove = 삭제
sign-field-today = 오늘
sign-field-filled = 작성함
sign-field-checked = 체크함
sign-progress = 필수 항목 { $total }개 중 { $done }개 완료
sign-progress-none = 필수 항목이 없습니다
sign-next-field = 다음 필수 항목

## 서명 화면: 하나씩 입력하기와 도구
sign-tools = 문서 도구
sign-page-jump = 페이지
sign-page-go = { $page } 페이지로 이동
sign-thumbnails = 페이지 목록
sign-zoom = 확대/축소
sign-zoom-in = 확대
sign-zoom-out = 축소
sign-guide = 하나씩 입력
sign-guide-off = 문서에서 입력
sign-guide-count = { $total }개 항목 중 { $at }번째
sign-guide-back = 이전 항목
sign-guide-next = 다음
sign-guide-skip = 건너뛰기
sign-guide-later = 나중에 입력
sign-guide-open = 아직 입력하지 않은 필수 항목({ $count }개): { $fields }
sign-field-optional = 선택

## 서명 화면: 서명 입력창
sign-pad-title-signature = 서명 입력
sign-pad-title-initials = 이니셜 입력
sign-pad-title-seal = 도장 입력
sign-pad-title-company-seal = 회사 도장 입력
sign-pad-title-image = 이미지 추가
sign-pad-draw = 그리기
sign-pad-picture = 이미지
sign-pad-area = 그리는 영역입니다. 키보드를 사용한다면 ‘입력’이나 ‘도장’을 선택하세요.
sign-pad-here = 손가락, 펜 또는 마우스로 그리세요
sign-pad-type = 입력
sign-pad-type-label = 서명으로 쓸 이름
sign-pad-undo = 되돌리기
sign-pad-clear = 지우기
sign-pad-choose = PNG 또는 JPEG 이미지 선택
sign-pad-limit = { $megabytes }MB가 넘는 이미지는 줄여서 넣습니다
sign-pad-use = 사용하기
sign-pad-empty = 먼저 그리거나 이미지를 선택하세요.
sign-pad-not-picture = PNG 또는 JPEG 이미지가 아니거나 손상된 파일입니다. 다른 파일을 선택하세요.
sign-pad-too-large = 크기를 줄여도 이미지가 너무 큽니다. 다른 이미지를 선택하세요.
sign-pad-preview = 미리보기
sign-pad-seal = 도장
sign-pad-last = 최근 사용
sign-pad-last-image = 최근에 사용한 것
sign-pad-last-where = 이 브라우저에만 저장되어 있습니다. 다른 사람과 함께 쓰는 기기라면 삭제해 주세요.
sign-pad-forget = 이 기기에서 삭제
sign-pad-hands = 글씨체 선택
sign-hand-nanum-pen = 펜글씨
sign-hand-gaegu = 또박또박한 글씨
sign-hand-yuji-syuku = 붓글씨
sign-hand-zen-kurenaido = 가는 펜글씨
sign-hand-caveat = 빠른 펜글씨
sign-hand-dancing-script = 이어 쓴 글씨
sign-pad-seal-of = 도장 종류
sign-pad-seal-person = 개인 도장
sign-pad-seal-company = 회사 도장
sign-pad-seal-name = 도장에 새길 이름
sign-pad-company = 회사 이름
sign-pad-company-title = 도장 가운데 문구(선택)
sign-pad-company-title-example = 예: 대표이사
sign-pad-seals = 도장 모양 선택
sign-seal-round = 원형: { $words }
sign-seal-oval = 타원형: { $words }
sign-seal-square = 사각형: { $words }
sign-seal-double-ring = 겹원형: { $words }
sign-pad-choices-failed = 미리보기를 불러오지 못했습니다. 인터넷 연결을 확인하세요. 다시 연결되거나 이름을 바꾸면 다시 불러옵니다.
sign-pad-no-name = 먼저 이름을 입력하세요.
sign-pad-camera = 사진 찍기
sign-pad-clean = 종이 배경을 지우고 여백 자르기
sign-pad-threshold = 잉크로 인식할 진하기
sign-pad-turn = 회전
sign-pad-no-ink = 남은 부분이 없습니다. 슬라이더를 오른쪽으로 옮기거나 배경을 그대로 두세요.
sign-pad-keep = 다음에도 쓰도록 저장
sign-pad-keep-where = 서버가 아니라 이 기기에만 저장되며, 언제든지 여기에서 삭제할 수 있습니다.
sign-pad-not-kept = 이번에는 사용했지만, 다음에 쓸 수 있도록 이 기기에 저장하지는 못했습니다.

## 서명 화면: 입력 규칙
sign-rule-number = 1200, 3.5처럼 숫자를 입력하세요.
sign-rule-date = 날짜를 입력하세요.
sign-rule-too-long = 최대 { $limit }자까지 입력할 수 있습니다.
sign-rule-decimals = 소수점 아래 { $limit }자리까지 입력할 수 있습니다.
sign-rule-refused = 사용할 수 없는 값입니다. 다시 확인해 주세요.
sign-rule-choose = 하나를 선택하세요.
sign-rule-check = 체크해 주세요.
sign-rule-picture = PNG 또는 JPEG 이미지, 최대 5MB
sign-rule-file = 파일 1개, 최대 10MB

## 서명 화면: 임시 저장
sign-draft-saving = 저장 중…
sign-draft-saved = 저장됨
sign-draft-offline = 연결이 끊겼습니다. 입력한 내용은 이 기기에 보관되며 다시 연결되면 저장됩니다.
sign-draft-offline-open = 연결이 끊겼습니다. 이 기기에는 입력한 내용을 모두 보관할 수 없으니 저장될 때까지 이 화면을 닫지 마세요.
sign-draft-failed = 아직 저장하지 못했습니다. 다시 시도합니다.
sign-draft-failed-open = 아직 저장하지 못했습니다. 다시 시도합니다. 이 기기에는 입력한 내용을 모두 보관할 수 없으니 저장될 때까지 이 화면을 닫지 마세요.
sign-transfer-sending = { $file } 보내는 중: { $percent }%
sign-transfer-waiting = { $file }: 아직 보내지 못했습니다.
sign-transfer-again = 지금 다시 시도
sign-transfer-cancel = 보내기 취소
sign-transfer-sent = { $file }: 보냈습니다.
sign-transfer-cancelled = { $file }: 보내기를 취소했습니다.
sign-file-refused = “{ $file }” 파일은 첨부되지 않았습니다. { $reason }
sign-file-unreadable = 기기에서 이 파일을 읽을 수 없습니다. 다시 선택해 주세요.

## 서명 화면: 다시 확인할 내용
sign-settle-title = 다시 한번 확인해 주세요
sign-settle-text = 다른 곳에서 변경되었거나 저장하지 못한 내용이 있습니다.
sign-settle-theirs = 다른 화면이나 기기에서 저장한 내용: { $value }
sign-settle-mine = 여기에서 입력한 내용: { $value }
sign-settle-changed = 다른 화면이나 기기에서 변경되었습니다. 현재 내용: { $value }, 이 화면에 있던 내용: { $before }
sign-settle-changed-picture = 다른 화면이나 기기에서 변경되었습니다. 현재 내용은 다음과 같습니다.
sign-settle-stays-empty = 이 항목은 비어 있습니다.
sign-settle-holds = 문서에는 “{ $value }” 파일이 그대로 있습니다.
sign-settle-holds-picture = 문서에는 아래 이미지가 그대로 있습니다.
sign-settle-ticked = 선택함
sign-settle-not-ticked = 선택 안 함
sign-settle-empty = (비어 있음)
sign-settle-told = 다른 화면이나 기기에서 변경된 항목: { $fields }
sign-settle-back = 문서로 돌아가기
sign-settle-go = 이대로 계속

## 서명 화면: 승인과 반려
sign-approve = { $act ->
    [sign] 서명
   *[approve] 승인
}
sign-approve-title = { $act ->
    [sign] 문서 서명
   *[approve] 문서 승인
}
sign-approve-text = { $act ->
    [sign] 서명한 뒤에는 작성한 내용을 바꿀 수 없습니다.
   *[approve] 승인한 뒤에는 작성한 내용을 바꿀 수 없습니다.
}
sign-approve-add-comment = 보낸 사람에게 메시지 남기기
sign-approve-comment = 보낸 사람에게 보낼 메시지(선택)
sign-approve-comment-where = 이력증명서에도 표시됩니다.
sign-comment-limit = 최대 { $limit }자
sign-reject = 반려
sign-reject-title = 문서 반려
sign-reject-text = 사유를 보낸 사람에게 알리고 문서를 종료합니다. 반려한 뒤에는 되돌릴 수 없습니다.
sign-reject-text-return = 사유와 함께 이전 단계로 문서를 돌려보냅니다. 이전 단계에서 수정해 다시 승인하면 차례가 돌아옵니다.
sign-reject-reason = 반려 사유
sign-reject-needed = 사유를 입력하세요.
sign-reject-confirm = 문서 반려
sign-return-title = 문서 돌려보내기
sign-return-confirm = 돌려보내기
sign-hand-over = 다른 사람에게 넘기기
sign-hand-over-text = { $act ->
    [sign] 새 담당자가 따로 링크를 받아 대신 작성하고 서명합니다. 지금 링크는 더 이상 쓸 수 없고, 지금까지 입력한 내용은 전달되지 않습니다.
   *[approve] 새 담당자가 따로 링크를 받아 대신 작성하고 승인합니다. 지금 링크는 더 이상 쓸 수 없고, 지금까지 입력한 내용은 전달되지 않습니다.
}
sign-hand-over-name = 이름
sign-hand-over-email = 이메일
sign-hand-over-confirm = 넘기기
sign-failed = 처리하지 못했습니다. 입력한 내용은 그대로 있으니 다시 시도해 주세요.
sign-failed-offline = 연결이 끊겼습니다. 다시 연결되면 시도해 주세요.

## 서명 화면: 완료 후
sign-done-title = { $act ->
    [sign] 서명했습니다. 감사합니다.
   *[approve] 승인했습니다. 감사합니다.
}
sign-done-next = 다음 서명자에게 문서가 전달됩니다.
sign-done-next-named = 다음 서명자에게 문서가 전달됩니다: { $names }
sign-done-others = 같은 단계의 다른 서명자가 아직 승인하지 않았습니다. 모두 승인하면 다음 서명자에게 문서가 전달됩니다.
sign-done-complete = 모두 승인하여 문서가 완료되었습니다.
sign-done-copy = 모두 승인하면 완료된 문서를 보내 드립니다.
sign-done-rejected-title = 이 문서를 반려했습니다
sign-done-rejected = 보낸 사람에게 알렸습니다.
sign-done-returned = 문서를 이전 단계로 돌려보냈습니다.
sign-done-returned-title = 이 문서를 돌려보냈습니다
sign-done-preview-title = 미리보기를 마쳤습니다
sign-done-preview = 실제 문서라면 여기에서 승인됩니다. 저장되거나 전송된 내용은 없습니다.
sign-done-preview-rejected = 실제 문서라면 여기에서 반려됩니다. 저장되거나 전송된 내용은 없습니다.
sign-done-next-document = 다음 문서
sign-done-close = 닫기
sign-done-download = 사본 내려받기
sign-done-may-close = 이제 창을 닫아도 됩니다.

## 서명 화면을 대신하는 안내
end-signed-title = 이미 처리한 문서입니다
end-signed-text = { $date }⁠에 처리했습니다. 추가로 하실 일은 없습니다.
end-signed-plain = 이미 처리했습니다. 추가로 하실 일은 없습니다.
end-waiting-title = 아직 차례가 아닙니다
end-waiting-text = 앞 순서의 서명자가 승인하면 알려 드립니다.
end-complete-title = 완료된 문서입니다
end-complete-text = 모두 승인했습니다. 완료된 문서는 봉인되어 더 이상 바꿀 수 없습니다.
end-rejected-title = 반려된 문서입니다
end-rejected-text = 서명자가 반려하여 진행이 종료되었습니다.
end-rejected-by-text = { $name } 님이 반려하여 진행이 종료되었습니다.
end-rejected-own-title = 이 문서를 반려했습니다
end-rejected-own-text = 문서의 진행이 종료되었습니다. 추가로 하실 일은 없습니다.
end-canceled-title = 취소된 문서입니다
end-canceled-text = 보낸 사람이 취소했습니다. 추가로 하실 일은 없습니다.
end-expired-title = 기한이 지난 문서입니다
end-expired-text = { $date }⁠에 기한이 지났습니다. 보낸 사람에게 다시 보내 달라고 요청하세요.
end-expired-plain = 보낸 사람에게 다시 보내 달라고 요청하세요.
end-old-title = 더 이상 쓸 수 없는 링크입니다
end-old-text = 새 링크로 바뀌었습니다. 가장 최근에 받은 메시지의 링크를 사용하거나 보낸 사람에게 다시 요청하세요.
end-handed-over-title = 다른 사람에게 넘긴 문서입니다
end-handed-over-text = 새 담당자에게 작성과 서명을 요청했습니다. 추가로 하실 일은 없습니다.
end-unknown-title = 열 수 없는 링크입니다
end-unknown-text = 주소가 빠짐없이 복사되었는지 확인하거나 보낸 사람에게 다시 요청하세요.
end-document = 문서: { $document }
end-open-document = 완료된 문서 열기
end-trouble-title = 문제가 발생했습니다
end-trouble-text = 서비스에 문제가 생겼습니다. 잃어버린 내용은 없으니 잠시 후 다시 시도해 주세요.
end-doubt-title = 처리되었는지 확인할 수 없습니다
end-doubt-text = 처리 결과를 확인하기 전에 데이터베이스 연결이 끊겼습니다. 다시 진행하기 전에 링크를 열어 처리되었는지 확인해 주세요.
end-busy-title = 잠시 후 다시 시도해 주세요
end-busy-text = 지금 요청이 너무 많습니다.
end-missing-title = 페이지를 찾을 수 없습니다
end-missing-text = 주소가 올바른지 확인해 주세요.
end-forbidden-title = 볼 수 없는 페이지입니다
end-forbidden-text = 이 계정에는 이 페이지를 볼 권한이 없습니다.

## 문서 보기
view-title-document = 완료된 문서
view-title-certificate = 이력증명서
view-download = PDF 다운로드
view-completed = { $date } 완료
view-sealed = 봉인된 문서입니다. 이후에 변경되면 알아낼 수 있습니다.
view-verify = PDF 검증하기
view-expired-title = 더 이상 사용할 수 없는 링크입니다
view-expired-text = 만료되었거나 보낸 사람이 갱신하거나 폐기한 링크입니다. 보낸 사람에게 새 링크를 요청하세요.
view-locked = 암호나 인증번호를 여러 번 잘못 입력했습니다. 보낸 사람에게 이 문서의 링크를 갱신해 달라고 요청하세요.

## 문서 확인
verify-title = 문서 검증
verify-text = 이 서비스나 다른 곳에서 서명한 PDF를 선택하세요. 변경되지 않았는지, 누가 언제 서명했는지 알려 드립니다. 파일은 저장하지 않습니다.
verify-drop = 파일을 선택하거나 여기에 놓으세요
verify-drop-more = 문서와 이력증명서를 함께 선택할 수 있습니다.
verify-submit = 검증하기
verify-checking = 검증하는 중…
verify-hash = 파일의 SHA-256
verify-name = 파일
verify-again = 다른 파일 검증하기
verify-too-large = 파일이 너무 큽니다. 최대 { $megabytes }MB까지 검증할 수 있습니다.
verify-broken = 파일이 끝까지 전송되지 않았습니다. 다시 보내 주세요.
verify-no-file = 먼저 파일을 선택하세요.
verify-too-many = 한 번에 파일을 { $count }개까지 확인할 수 있습니다.
verify-details = 자세히

## 구성원
login-title = 로그인
login-company = 회사 ID
login-email = 이메일
login-password = 비밀번호
login-submit = 로그인
login-wrong = 회사 ID, 이메일 또는 비밀번호가 올바르지 않습니다.
login-throttled = 시도 횟수가 너무 많습니다. 몇 분 뒤에 다시 시도해 주세요.
login-stale = 화면을 연 지 오래되었습니다. 다시 시도해 주세요.
logout = 로그아웃
console-navigation = 메뉴
documents-title = 문서
documents-search = 검색
documents-search-hint = 문서 이름, 사람, 입력값
documents-period = 기간
documents-from = 시작일(부터)
documents-to = 시작일(까지)
documents-find = 검색
documents-clear = 검색 조건 지우기
documents-shown = 표시할 문서
documents-tab-all = 전체
documents-tab-in-progress = 진행 중
documents-tab-complete = 완료
documents-tab-ended = 중단됨
documents-status-in-progress = 진행 중
documents-status-complete = 완료
documents-status-declined = 거부됨
documents-status-cancelled = 취소됨
documents-status-expired = 만료됨
documents-waits = { $names } 님 차례 ({ $step }/{ $steps }단계)
documents-and-others = { $names } 외 { $count }명
documents-sender = 보낸 사람: { $name }
documents-expires = { $date }에 만료
documents-message-failed = 메일이나 문자를 보내지 못했습니다
documents-webhook-failed = 웹훅을 보내지 못했습니다
documents-pages = 페이지
documents-none-found = 찾는 문서가 없습니다
documents-none-found-text = 다른 단어로 검색하거나 기간을 넓혀 보세요. 방금 바뀐 내용은 몇 초 뒤에 검색됩니다.
documents-none = 아직 문서가 없습니다
documents-none-text = API로 보낸 문서가 여기에 표시됩니다. 빠른 시작을 따라 첫 문서를 보내 보세요.
documents-none-docs = 빠른 시작 열기
documents-none-here = 여기에 해당하는 문서가 없습니다
document-back = 문서 목록으로
document-file = 완료 문서 다운로드
document-view = 문서 보기
document-certificate = 이력증명서
document-sender = 보낸 사람
document-started = 시작
document-expires = 만료
document-ended = 종료
document-comment = 보낸 사람의 메시지
document-number = 문서 번호
document-signers = 서명자
document-step = { $step }단계
document-signer-signed = { $date }에 완료
document-signer-declined = { $date }에 거부
document-signer-turn = 차례가 되어 요청을 받았습니다. 아직 열어 보지 않았습니다.
document-signer-viewed = 문서를 열어 보았습니다.
document-signer-later = 아직 차례가 아닙니다
document-signer-not-signed = 서명하지 않음
document-correct = 이름이나 연락처 고치기
document-correct-text = 이전 링크는 더 이상 열리지 않습니다. 차례인 사람이라면 새 요청이 바로 전송됩니다.
document-name = 이름
document-contact = 이메일 또는 휴대전화 번호
document-correct-save = 저장
document-copies = 완료 후 사본을 받는 사람
document-remind = 다시 알리기
document-more = 문서 관리
document-extend = 만료일 바꾸기
document-extend-date = 새 만료일(그날 끝까지)
document-extend-save = 만료일 바꾸기
document-cancel = 문서 취소
document-cancel-text = 서명자에게 취소되었다고 알리고, 링크로 더 이상 서명할 수 없게 합니다. 되돌릴 수 없습니다.
document-cancel-reason = 사유(선택, 서명자에게 표시됨)
document-cancel-do = 문서 취소
document-links = 링크 관리
document-links-text = 이 문서로 연결되는 링크를 새로 만들거나 모두 막을 수 있습니다. 이전 링크는 열리지 않습니다.
document-links-renew = 링크 새로 만들기
document-links-revoke = 링크 모두 막기
document-discard = 목록에서 숨기기
document-discard-text = 문서가 목록과 검색에서 사라지고 링크가 막힙니다. 봉인된 파일과 증거는 그대로 보관됩니다.
document-discard-do = 숨기기
document-messages = 메일과 문자
document-values = 입력값
document-events = 이력
document-done-remind = 서명자에게 다시 알렸습니다.
document-done-extend = 만료일을 바꾸었습니다.
document-done-cancel = 문서를 취소했습니다.
document-done-correct = 서명자 정보를 고쳤습니다.
document-done-renew = 링크를 새로 만들었습니다.
document-done-revoke = 링크를 모두 막았습니다.
document-done-discard = 문서를 숨겼습니다.
document-done-discarded = 문서를 숨겼습니다.
outbox-title = 보낼 편지함
outbox-text = 문서에 관한 메시지입니다. 보내지 못한 메시지는 열어서 링크를 복사한 뒤 직접 전달해 주세요.
outbox-seal-ends = 문서를 봉인하는 인증서가 { $date }에 만료됩니다. 만료 후에는 문서를 완료할 수 없으며, 기한이 그보다 늦은 문서는 지금도 시작할 수 없습니다. 서비스 운영자에게 봉인 키 갱신을 요청해 주세요.
outbox-seal-ended = 문서를 봉인하는 인증서가 { $date }에 만료되어 문서를 시작하거나 완료할 수 없습니다. 서비스 운영자에게 봉인 키 갱신을 요청해 주세요.
outbox-empty = 아직 메시지가 없습니다
outbox-empty-text = 문서를 보내면 서명자에게 보내는 메시지가 여기에 표시됩니다.
outbox-shown = 표시할 메시지
outbox-tab-failed = 전달 실패
outbox-tab-all = 전체
outbox-none-failed = 전달하지 못한 메시지가 없습니다
outbox-none-failed-text = 받는 사람에게 전달되지 않은 메시지가 여기에 표시됩니다.
outbox-to = 받는 사람
outbox-created = 시각
outbox-hidden = 일회용 인증번호가 들어 있는 메시지입니다. 받는 사람만 볼 수 있으므로 여기에는 표시하지 않습니다.
outbox-link-note = 이 메시지의 링크는 서명자만 사용할 수 있으므로 여기에는 표시하지 않습니다.
outbox-copy = 링크 복사
outbox-copy-text = 이 메시지를 보내지 못했습니다. 서명 링크를 복사해 서명자에게 직접 전달할 수 있습니다. 링크를 복사했다는 기록이 이력과 이력증명서에 남습니다.
outbox-copied = 서명 링크
outbox-copied-text = 이 링크는 서명자에게만 전달하세요. 링크가 있으면 누구나 대신 서명할 수 있습니다.
outbox-channel = 전송 방법
outbox-channel-mail = 메일
outbox-channel-messenger = 메시지
outbox-status = 상태
outbox-status-sent = 보냄
outbox-status-kept = 보내지 않음: 메일 서버나 문자 메시지 발송 서비스가 설정되지 않았습니다
outbox-status-failed = 전달하지 못함
outbox-status-again = 실패, 다시 시도합니다
outbox-status-waiting = 대기 중
outbox-back = 보낼 편지함으로 돌아가기
outbox-older = 이전 메시지
outbox-newest = 최신 메시지

## 공개 링크
link-title = { $document }
link-text = { $company }에서 이 문서의 작성과 서명을 요청합니다. 먼저 이름과 연락처를 입력해 주세요.
link-copy = 모두 승인하면 여기에 입력한 연락처로 완료된 문서의 사본을 보내 드립니다.
link-name = 이름
link-contact = 이메일 주소 또는 휴대전화 번호
link-agree = 이름과 연락처를 { $company }에 제공하고 문서와 함께 보관하는 데 동의합니다.
link-agree-missing = 계속하려면 동의해 주세요.
link-required = 입력해 주세요.
link-go-on = 문서로 이동
link-send = 링크 받기
link-closed-title = 사용이 중지된 링크입니다
link-closed-text = 이 링크로는 더 이상 문서를 시작할 수 없습니다. 링크를 보낸 분께 새 링크를 요청하세요.
link-used-up-title = 사용 횟수를 모두 쓴 링크입니다
link-used-up-text = 이 링크로는 더 이상 문서를 시작할 수 없습니다. 링크를 보낸 분께 새 링크를 요청하세요.
link-ended-title = 만료된 링크입니다
link-ended-text = 이 링크로는 더 이상 문서를 시작할 수 없습니다. 링크를 보낸 분께 새 링크를 요청하세요.
link-taken = 이 이메일 주소나 전화번호로 이미 문서가 시작되었습니다. 받은 메시지에서 문서 링크를 찾거나 링크를 보낸 분께 문의하세요.
link-sent-title = 메시지를 확인하세요
link-sent-text = 입력한 연락처로 문서 링크를 보냈습니다. 이 페이지는 닫아도 됩니다.

## API 문서
docs-title = API 레퍼런스
docs-contents = 목차
docs-find = 호출, 객체, 오류 ID 검색
docs-find-key = / 키를 누르면 검색창으로 이동하고, Enter 키를 누르면 첫 결과를 엽니다.
docs-found = 검색 결과 { $count }개
docs-found-none = 검색 결과가 없습니다. Esc 키를 누르면 전체를 다시 표시합니다.
docs-document = 프로그램용:
docs-reference = 레퍼런스
docs-objects = 객체
docs-errors = 오류 ID
docs-errors-text = HTTP 상태별 오류 code입니다. 422 응답에는 잘못된 항목별 code도 errors에 들어 있습니다.
docs-token = 액세스 토큰
docs-token-hint = 이 탭에만 보관되며 탭을 닫으면 사라집니다. 아래에서 로그인을 호출하면 받은 토큰이 여기에 들어갑니다.
docs-token-none = 토큰이 없습니다. 토큰이 필요한 호출은 거부됩니다.
docs-token-kept = 토큰이 필요한 호출에 이 토큰을 함께 보냅니다.
docs-token-of-login = 로그인에서 받은 토큰을 넣었습니다.
docs-forget = 지우기
docs-warning = 여기에서 호출하면 실제로 실행되어, 문서가 시작되고 메시지가 발송됩니다.
docs-start-title = 빠른 시작
docs-start-login = 로그인합니다. 응답에 액세스 토큰이 들어 있습니다.
docs-start-send = 문서를 시작합니다. 응답에 문서 ID와 첫 서명자의 링크가 들어 있습니다.
docs-start-sign = 링크를 열어 작성하고 서명합니다. 상태 조회로 진행 상황을 확인할 수 있습니다.
docs-start-fetch = 모두 서명하면 봉인된 문서와 이력증명서를 내려받습니다.
docs-start-program = { $language } 전체 예제
docs-who = 호출 권한:
docs-who-public = 누구나
docs-who-read = 모든 구성원(감사 담당자 포함)
docs-who-send = 발송 권한이 있는 구성원: owner, admin, sender
docs-parameters = 매개변수
docs-required = 필수
docs-request = 요청
docs-request-example = 요청: 수정해서 보내 보세요
docs-or-form = 또는 양식으로:
docs-answers = 응답
docs-answer-example = 응답 예시
docs-ids = 오류 ID { $count }개
docs-usual = 비슷한 호출과 마찬가지로 다음과 같이 응답할 수도 있습니다:
docs-try = 호출해 보기
docs-send = 보내기
docs-sending = 보내는 중…
docs-no-answer = 응답이 없습니다. 서버에 연결할 수 없습니다.
docs-copy = curl 명령으로 복사
docs-copied = 복사했습니다.
docs-webhooks = 웹훅
docs-webhooks-text = 이 서버가 문서의 엔드포인트(export_api_info.url)로 보내는 내용입니다.
docs-webhook-name = 문서 이벤트
docs-headers = 헤더
docs-body = 본문
docs-your-answer = 응답에 따른 처리

## API 문서: 묶음
docs-tag-login = 로그인
docs-tag-workflows = 문서
docs-tag-templates = 템플릿
docs-tag-bulk-send = 대량 발송
docs-tag-public-links = 공개 링크
docs-tag-export-api = Export API
docs-tag-verification = 문서 검증
docs-tag-service = 서비스

## API 문서: 호출
docs-call-login = 로그인
docs-call-start = 문서 시작
docs-call-send = 템플릿 없이 PDF 보내기
docs-call-list_workflows = 문서 목록
docs-call-search_with_value = 값으로 문서 찾기
docs-call-get_workflow = 문서 조회
docs-call-approve = 서명자를 대신하여 승인
docs-call-reject = 서명자를 대신하여 반려
docs-call-cancel = 문서 취소
docs-call-extend = 만료일 변경
docs-call-remind = 서명자에게 재요청
docs-call-discard = 끝난 문서 숨기기
docs-call-change_links = 문서 링크 갱신 또는 폐기
docs-call-correct_recipient = 수신자 정정
docs-call-document = 봉인된 문서 다운로드
docs-call-certificate = 이력증명서 다운로드
docs-call-field_file = 필드의 파일 다운로드
docs-call-list_templates = 템플릿 목록
docs-call-create_template = 템플릿 만들기
docs-call-get_template = 템플릿 조회
docs-call-replace_template = 템플릿의 새 버전 만들기
docs-call-copy_template = 템플릿 복사
docs-call-archive_template = 템플릿 보관
docs-call-bulk_start = 대량 발송 시작
docs-call-bulk_sheet = 입력용 시트 다운로드
docs-call-get_bulk = 대량 발송 조회
docs-call-cancel_bulk = 대량 발송 취소
docs-call-start_link = 공개 링크 만들기
docs-call-list_links = 공개 링크 목록
docs-call-get_link = 공개 링크 조회
docs-call-close_link = 공개 링크 사용 중지
docs-call-list_exports = 전송 기록
docs-call-resend_export = 재전송
docs-call-resend_exports = 범위를 정해 재전송
docs-call-test_export = 엔드포인트 테스트
docs-call-list_endpoints = 실패하는 엔드포인트 목록
docs-call-pause_endpoint = 엔드포인트 일시 중지
docs-call-start_endpoint = 중지된 엔드포인트 다시 시작
docs-call-verify = PDF 검증
docs-call-health = 서비스 상태 확인
docs-call-live = 프로세스 응답 확인
docs-call-ready = 요청 처리 준비 상태 확인
docs-call-root_certificate = 루트 인증서 다운로드
docs-call-revocation_list = 인증서 폐지 목록 다운로드
docs-call-openapi = OpenAPI 문서 다운로드
