## 모든 메일
mail-greeting = { $name } 님, 안녕하세요.
mail-document = 문서
mail-sender = 보낸 사람
mail-deadline = 기한
mail-at = 일시
mail-link-help = 버튼이 눌리지 않으면 아래 주소를 브라우저에 붙여 넣으세요.
mail-hidden-link = [서명 링크]
mail-personal = 이 메일의 링크는 받는 분만 사용할 수 있습니다. 다른 사람에게 전달하지 마세요.
mail-shared = 이 메일의 링크가 있으면 누구나 완료된 문서를 볼 수 있습니다. 문서를 보아도 되는 분에게만 전달하세요.
mail-footer = { $company }에서 보낸 메일입니다.

## 서명 요청
mail-request-subject = [{ $company }] 서명 요청: { $document }
mail-request-title = 서명할 문서가 도착했습니다
mail-request-text = { $sender } 님이 "{ $document }" 문서의 작성과 서명을 요청했습니다.
mail-request-comment = 보낸 사람의 메시지
mail-request-code = 문서를 열려면 접근 암호가 필요합니다.
mail-request-code-hint = 문서를 열려면 접근 암호가 필요합니다. 힌트: { $hint }
mail-request-open = 문서 열고 서명하기
mail-request-message = [{ $company }] "{ $document }" 서명 요청이 도착했습니다. 기한: { $deadline }

## 다시 알림
mail-reminder-subject = [{ $company }] 서명 재요청: { $document }
mail-reminder-title = 아직 서명하지 않은 문서가 있습니다
mail-reminder-text = { $sender } 님이 요청한 "{ $document }" 문서의 작성과 서명이 아직 완료되지 않았습니다.
mail-reminder-message = [{ $company }] "{ $document }" 문서의 서명이 아직 완료되지 않았습니다. 기한: { $deadline }

## 완료
mail-completed-subject = [{ $company }] 완료: { $document }
mail-completed-title = 문서가 완료되었습니다
mail-completed-text = "{ $document }" 문서가 모두 승인되어 봉인되었습니다.
mail-completed-document = 완료된 문서 보기
mail-completed-certificate = 이력증명서 보기
mail-completed-message = [{ $company }] "{ $document }" 문서가 완료되었습니다.

## 반려
mail-rejected-subject = [{ $company }] 반려: { $document }
mail-rejected-title = 문서가 반려되었습니다
mail-rejected-text = { $writer } 님이 "{ $document }" 문서를 반려하여 진행이 종료되었습니다.
mail-rejected-reason = 반려 사유
mail-rejected-message = [{ $company }] "{ $document }" 문서가 반려되어 종료되었습니다.

## 이전 단계로 돌려보냄
mail-returned-subject = [{ $company }] 재작성 요청: { $document }
mail-returned-title = 다시 작성할 문서가 있습니다
mail-returned-text = { $writer } 님이 "{ $document }" 문서를 돌려보냈습니다. 내용을 수정한 뒤 다시 승인해 주세요.
mail-returned-reason = 돌려보낸 사유
mail-returned-message = [{ $company }] "{ $document }" 문서를 돌려받았습니다. 수정한 뒤 다시 승인해 주세요. 기한: { $deadline }

## 취소
mail-canceled-subject = [{ $company }] 취소: { $document }
mail-canceled-title = 문서가 취소되었습니다
mail-canceled-text = { $sender } 님이 "{ $document }" 문서를 취소했습니다. 추가로 하실 일은 없습니다.
mail-canceled-reason = 취소 사유
mail-canceled-message = [{ $company }] "{ $document }" 문서가 취소되었습니다.

## 기한 만료
mail-expired-subject = [{ $company }] 기한 만료: { $document }
mail-expired-title = 문서의 기한이 지났습니다
mail-expired-text = "{ $document }" 문서가 기한 안에 완료되지 않아 종료되었습니다.
mail-expired-message = [{ $company }] "{ $document }" 문서의 기한이 지났습니다.

## 전달 실패
mail-undelivered-subject = [{ $company }] 전달 실패: { $document }
mail-undelivered-title = 메시지를 전달하지 못했습니다
mail-undelivered-text = { $person } 님에게 보낸 "{ $document }" 문서 관련 메시지가 전달되지 않았으며, 다시 보내지 않습니다.
mail-undelivered-remedy = 주소를 확인해 받는 사람을 수정하거나, 보낼 편지함에서 메시지를 열어 링크를 복사한 뒤 직접 전달해 주세요.
mail-undelivered-reason = 사유
mail-undelivered-address = 주소
mail-undelivered-open = 보낼 편지함 열기
mail-undelivered-message = [{ $company }] "{ $document }" 문서 관련 메시지를 전달하지 못했습니다.

## 웹훅 주소 중지
mail-stopped-subject = [{ $company }] 웹훅 전송이 중지되었습니다
mail-stopped-title = 웹훅 전송이 중지되었습니다
mail-stopped-gone = 엔드포인트가 더 이상 사용하지 않는 주소(410)라고 응답하여 전송을 중지했습니다.
mail-stopped-failing = 최근 5일 동안 모든 전송이 실패하여 전송을 중지했습니다.
mail-stopped-lost = 아직 보내지 못한 웹훅은 보관되며, 엔드포인트를 다시 시작하면 전송됩니다.
mail-stopped-url = 엔드포인트
mail-stopped-message = [{ $company }] 웹훅 전송이 중지되었습니다: { $url }

## 일회용 인증번호
mail-code-subject = [{ $company }] 인증번호 안내
mail-code-failure = 이 메시지를 전달하지 못했습니다. 서버의 응답에 인증번호가 들어 있을 수 있어 표시하지 않습니다.
mail-code-title = 인증번호 안내
mail-code-text = "{ $document }" 문서를 열려면 인증번호를 요청한 화면에 아래 번호를 입력하세요. { $minutes }분 동안 사용할 수 있습니다.
mail-code-secret = 인증번호를 다른 사람에게 알려 주지 마세요. 직접 요청하지 않았다면 이 메일을 무시하셔도 됩니다.
mail-code-message = [{ $company }] 인증번호 { $code } ({ $minutes }분간 유효). 다른 사람에게 알려 주지 마세요.

## 봉인 인증서 만료 예정
mail-sealing-subject = [{ $company }] { $days ->
    [0] 봉인 인증서가 오늘 만료됩니다
   *[other] 봉인 인증서가 { $days }일 후 만료됩니다
}
mail-sealing-title = 봉인 인증서가 곧 만료됩니다
mail-sealing-text = { $days ->
    [0] 회사 문서를 봉인하는 인증서가 오늘 만료됩니다.
   *[other] 회사 문서를 봉인하는 인증서가 { $days }일 후 만료됩니다.
} 만료 후에는 문서를 완료할 수 없으며, 기한이 그보다 늦은 문서는 지금도 시작할 수 없습니다.
mail-sealing-remedy = 서비스 운영자에게 봉인 키 갱신을 요청해 주세요. 회사가 자체 인증서를 사용한다면 새 인증서를 가져오도록 요청해 주세요.
mail-sealing-sealed = 이미 봉인된 문서는 계속 유효합니다.
mail-sealing-ends = 인증서 만료
mail-sealing-message = [{ $company }] 봉인 인증서가 곧 만료됩니다. 서비스 운영자에게 봉인 키 갱신을 요청해 주세요.
