# /api/docs 페이지가 보여 주는 API 설명. 영어는 OpenAPI 문서의 문장이며, 시험이 이를 확인합니다.

## 전체
docs-intro =
    전자서명 API입니다. 로그인하고, 템플릿으로 문서를 시작하고, 서명자의 서명을 받은 뒤, 봉인된 문서와 이력증명서를 다운로드합니다.

    성공하면 결과만 JSON으로 응답합니다. 실패하면 잘못된 항목을 한 번에 모두 알려 주는 RFC 9457 형식으로 응답하며, `code`는 정해진 목록의 값입니다. 알 수 없는 항목과 쿼리 매개변수는 무시하고 응답의 `Ignored-Members` 헤더로 알려 줍니다(쉼표로 구분한 경로, ASCII가 아닌 문자는 퍼센트 인코딩, 최대 2,000바이트). `Prefer: handling=strict`를 보내면 거부합니다(422, `unexpected-member`). 미리보기, 시험 실행, 새 공개 링크에서는 `ignored_members`로도 알려 줍니다. 본문은 압축하지 않은 UTF-8로 보내 주세요. HTTP가 아닌 요청(400)이나 헤더가 너무 긴 요청(431)은 서비스에 도달하기 전에 일반 텍스트로 거부됩니다. 파일은 나누어 받을 수 있고(`Range`, `If-Range`), `HEAD`는 크기를 알려 줍니다. 429는 언제 다시 시도할지를 `Retry-After`와 `RateLimit`(draft-ietf-httpapi-ratelimit-headers)에 담습니다. 사람이 읽는 메시지는 모든 호출에서 쓸 수 있는 쿼리 매개변수 `lang`(`ko`, `en`, `ja`)의 언어로, 없으면 `Accept-Language`의 언어로, 그것도 없으면 회사의 언어로 응답합니다.

## 묶음
docs-tag-text-login = 다른 호출에 쓸 액세스 토큰입니다.
docs-tag-text-workflows = 서명자에게 전달 중인 문서와 봉인된 결과입니다.
docs-tag-text-templates = 필드와 단계 순서를 정해 둔 PDF입니다. 템플릿으로 문서를 시작합니다.
docs-tag-text-bulk-send = 목록이나 스프레드시트로 여러 문서를 한 번에 보냅니다.
docs-tag-text-public-links = 누구나 열어서 문서를 시작할 수 있는 링크입니다.
docs-tag-text-export-api = 엔드포인트로 보낸 웹훅과 시도별 결과를 확인하고, 다시 보냅니다.
docs-tag-text-verification = 봉인된 파일이 변경되지 않았는지 확인합니다.
docs-tag-text-service = 서비스 자체에 관한 호출입니다.

## 호출
docs-text-login = 다른 호출에 쓸 액세스 토큰을 발급합니다. 응답은 항상 HTTP 200이며, 결과는 `header.result_code`로 확인합니다. 다만 로그인에 너무 많이 실패하면 429, 서비스가 너무 바쁘면 503으로 응답합니다.
docs-text-workflows_start = 서명이 끝난 뒤에 실패할 수 있는 요청은 여기에서 미리 거부합니다. `Idempotency-Key`를 지정하면 24시간 동안 본문과 `offset`이 같은 호출에 첫 호출과 같은 응답을 보냅니다.
docs-text-workflows_preview = 시작 요청과 같은 본문을 받지만 아무것도 시작하지 않습니다. 미리 보기는 `field_list`의 값이 찍힐 자리에 표시된 페이지를 보여 줍니다. 시작할 때 거부될 요청은 여기서도 거부됩니다.
docs-text-workflows_send = 한 번만 보낼 문서를 시작합니다. 템플릿 목록에는 추가되지 않습니다. `Idempotency-Key`를 지정하면 24시간 동안 폼과 `offset`이 같은 호출에 첫 호출과 같은 응답을 보냅니다.
docs-text-workflows_list = 최신순입니다. 다음 목록은 `next_cursor`를 `cursor`로 지정하거나 `page`로 페이지 번호를 지정해 조회합니다.
docs-text-workflows_search = 한 템플릿으로 시작한 문서 중 필드의 값이 일치하는 문서를 최신순으로 찾습니다. 값은 문서를 시작할 때와 같은 방식으로 해석하므로 표기가 다른 숫자도 같은 수로 보며, 체크는 `Y`, `1`, `true` 중 어느 것이든 됩니다. 다음 목록은 `next_cursor`를 `cursor`로 지정해 조회합니다.
docs-text-workflows_get = 단계, 이력, 지금까지 입력된 모든 값을 함께 조회합니다. `download_url`과 `certificate_url`은 호출할 때마다 새로 만들어지며, 문서가 완료되기 전이나 링크가 폐기된 동안에는 비어 있습니다.
docs-text-workflows_approve = 현재 차례인 서명자를 대신하여 승인합니다. 마지막 승인이면 문서를 봉인한 뒤 응답합니다.
docs-text-workflows_reject = 현재 차례인 서명자를 대신하여 반려합니다. 문서가 종료되며, 템플릿에 설정되어 있으면 이전 단계로 돌려보냅니다.
docs-text-workflows_cancel = 진행 중인 문서를 종료합니다.
docs-text-workflows_extend = 진행 중인 문서에만 사용할 수 있습니다. 현재 만료일과 같은 날짜를 지정하면 아무것도 바뀌지 않습니다.
docs-text-workflows_remind = 현재 차례인 서명자에게 요청을 다시 보냅니다. 최근 10분 안에 재요청을 받았거나 정정 후 새 요청을 받은 서명자는 제외하며, 모두 제외되면 429로 응답합니다. 임베드 문서의 서명자에게는 메시지를 보내지 않으므로 409로 응답합니다.
docs-text-workflows_discard = 문서가 목록에서 사라지고 링크를 더 이상 사용할 수 없습니다. 파일과 이력은 그대로 보관됩니다.
docs-text-workflows_change_links = 모든 상태에서 사용할 수 있습니다. 보낸 사람용 보기와 완료된 파일의 모든 링크에 적용되며, 이미 보낸 메일과 웹훅에 들어 있는 링크도 포함됩니다. 서명자의 서명 링크(`sign_url`)는 계속 사용할 수 있습니다. `revoke` 후에는 `renew`할 때까지 새 링크도 만들어지지 않으며, 두 번 폐기해도 달라지는 것은 없습니다. `renew`는 이전 링크를 무효로 하고 유효 기간을 새로 시작하며, 완료된 문서라면 서명자의 코드 잠금을 풀고 새 주소를 응답합니다. 문서를 숨기면 링크도 폐기됩니다.
docs-text-workflows_correct_recipient = 아직 서명하지 않은 수신자를 정정합니다. 이전 링크는 사용할 수 없게 되며, 그 수신자의 차례이면 새 링크를 보냅니다. 이전 수신자가 입력하거나 서명한 내용은 지워지고, 이력에는 그 사람의 이름으로 남습니다. 일회용 인증번호는 이전 수신자의 휴대전화 번호로 보내지 않습니다. 번호가 그대로라면 `mobile`을 다시 지정하세요. 바뀐 내용이 없으면 아무 일도 일어나지 않고 링크도 그대로입니다. 최근 10분 안에 재요청이나 새 요청을 받은 주소이면 429로 응답합니다.
docs-text-workflows_get_document = 모든 값이 페이지에 표시되고 회사가 봉인한 완성 PDF입니다. 완료되기 전에는 409로 응답합니다.
docs-text-workflows_get_certificate = 누가 언제 무엇을 했는지 기록하고 봉인한 PDF입니다. 완료되지 않고 종료된 문서에도 있습니다. 진행 중에는 409로 응답합니다.
docs-text-workflows_get_field_file = 서명, 도장, 이미지, 첨부 파일을 제출된 그대로 응답합니다.
docs-text-templates_list = 최신순입니다. 다음 목록은 `next_cursor`를 `cursor`로 지정해 조회합니다.
docs-text-templates_create = PDF는 격리된 프로세스에서 읽고, 서명한 뒤에 내용이 실행되거나 바뀌지 않도록 한 번 다시 씁니다. 바뀐 내용은 `intake`에서 확인할 수 있습니다. 이미 서명된 PDF는 한 바이트도 바꾸지 않습니다. 받을 수 없는 파일이면 `file`을 가리키는 422 오류로 응답합니다. `reason`에 이유의 ID가, 메시지에 이유와 해결 방법이 들어 있습니다.
docs-text-templates_get = 새 문서에 쓰이는 버전을 조회합니다. `name`, `on_reject`, `steps`, `fields`는 FIELDS.json과 같은 형식이므로, 수정해서 다음 버전을 만들 수 있습니다.
docs-text-templates_replace = 이후에 시작하는 문서는 새 버전을 사용하고, 진행 중인 문서는 시작할 때의 버전을 그대로 사용합니다. `file`이 없으면 PDF는 그대로 두고 필드만 바꿉니다.
docs-text-templates_copy = 현재 버전의 PDF, 단계, 필드를 복사하며, 사본의 버전은 1부터 시작합니다. 보관된 템플릿도 복사할 수 있고, 사본은 보관 상태가 아닙니다.
docs-text-templates_archive = 이 템플릿으로는 더 이상 문서를 시작할 수 없습니다. 진행 중인 문서는 계속됩니다. 두 번 보관해도 달라지는 것은 없습니다.
docs-text-bulk_start = `dry_run`을 지정하면 아무것도 시작하지 않고, 거부될 행과 그 이유를 모두 응답합니다. 지정하지 않으면 행을 저장하고 `bulk_id`를 응답한 뒤 백그라운드에서 하나씩 시작합니다. 잘못된 행은 진행 상황에서 확인할 수 있으며, 다른 행에 영향을 주지 않습니다. 모든 행에 적용되는 항목이 잘못되면 바로 422로 응답합니다. `Idempotency-Key`를 지정하면 본문과 `offset`이 같은 호출은 24시간에 한 번만 받습니다.
docs-text-bulk_get_sheet = 템플릿에 보통 필요한 열과 예시 행 하나가 들어 있는 CSV 파일입니다. 스프레드시트 프로그램에서 열 수 있으며, CSV UTF-8 또는 XLSX로 저장해 주세요. 다음 열을 추가할 수 있습니다: `1.mobile`, `1.language`, `1.password`, `1.password_hint`, `1.one_time_code`, 다른 단계의 같은 열, `cc.name`, `cc.email`.
docs-text-bulk_get = 행을 순서대로 한 페이지씩 함께 조회합니다. `status=failed`를 지정하면 시작하지 못한 행과 그 이유만 조회합니다. 종료 후 30일 동안 보관합니다.
docs-text-bulk_cancel = 아직 시작하지 않은 행은 시작하지 않습니다. 이미 시작한 문서는 계속되며, 필요하면 하나씩 취소하세요.
docs-text-links_create = 링크를 연 사람은 이름과 이메일 주소 또는 전화번호를 입력하고 정보 제공에 동의한 뒤, 새 문서의 첫 서명자로 서명 페이지로 이동합니다. 보낼 수 없는 문서는 여기에서 거부합니다. `Idempotency-Key`를 지정하면 24시간 동안 같은 요청에 첫 호출과 같은 응답을 보냅니다.
docs-text-links_list = 최신순입니다. 다음 목록은 `next_cursor`를 `cursor`로 지정해 조회합니다. 읽기 권한만 있는 구성원에게는 `link_url`이 보이지 않습니다.
docs-text-links_close = 사용을 중지한 링크는 다시 열 수 없습니다. 이 링크로 시작한 문서는 계속됩니다.
docs-text-exports_list = 모든 웹훅과 시도를 최신순으로 조회합니다. 운영자가 다른 기간을 설정하지 않았다면 30일 동안 보관합니다. 다음 목록은 `next_cursor`를 `cursor`로 지정해 조회합니다.
docs-text-exports_resend = 같은 이벤트를 같은 `webhook-id`와 같은 내용으로 다시 보내며, 시도를 처음부터 다시 합니다. 전송을 포기한 웹훅은 다시 살리고, 전송된 웹훅은 한 번 더 보내며, 대기 중인 웹훅은 지금 보냅니다.
docs-text-exports_resend_many = 오래된 것부터 한 번에 최대 1,000건을 다시 보냅니다. `more`가 true이면 `next_cursor`를 `cursor`로 지정해 이어서 호출하세요. 중지된 엔드포인트로 가는 웹훅은 엔드포인트를 다시 시작할 때까지 보류합니다.
docs-text-exports_test = 서명된 웹훅 하나(`workflow_id` 0, `comment` ‘Test delivery’)를 보내고 최대 15초 동안 기다려, 엔드포인트의 응답을 돌려줍니다. 다시 시도하지 않으며 전송 기록에도 남지 않습니다.
docs-text-endpoints_list = 마지막 성공 이후 계속 실패한 엔드포인트와, 410 응답이나 5일간의 연속 실패 또는 일시 중지로 멈춘 엔드포인트입니다.
docs-text-endpoints_pause = 이 엔드포인트로 더 이상 보내지 않습니다. 웹훅은 다시 시작할 때까지 보류되며 사라지지 않습니다. 이미 중지되었거나 일시 중지된 엔드포인트이면 달라지는 것은 없습니다. 앞으로 만들 문서만 사용할 엔드포인트도 일시 중지할 수 있으며, 이미 사용하는 문서가 있는지는 `known`으로 확인할 수 있습니다.
docs-text-endpoints_start = 이 엔드포인트로 보류된 웹훅을 보냅니다. 중지되지 않은 엔드포인트이면 달라지는 것은 없습니다.
docs-text-verification_verify = 본문은 파일 자체 또는 폼(`multipart/form-data`)이며, 폼이면 첫 파일을 검증합니다. 이 서버의 루트를 신뢰하고, 그 루트가 폐지한 인증서를 반영합니다.
docs-text-service_health = 로드 밸런서를 위한 호출입니다. 디스크가 가득 찬 것도 알 수 있도록 데이터베이스와 파일 저장소에 많아야 1초에 한 번 써 봅니다.
docs-text-service_live = 멈춘 프로세스를 다시 시작하는 오케스트레이터를 위한 호출입니다. 다시 시작해도 데이터베이스가 복구되지는 않으므로 다른 것은 확인하지 않습니다.
docs-text-service_ready = 로드 밸런서와 오케스트레이터를 위한 호출입니다. `/healthz`의 조건에 더해 문서를 읽을 수 있어야 합니다. 이유는 알려 주지 않으며, 운영자용 메트릭 주소에서 확인할 수 있습니다.
docs-text-service_root_certificate = 이 인증서를 신뢰하면 이 서버의 모든 봉인을 검증할 수 있습니다.
docs-text-service_revocation_list = 더 이상 유효하지 않은 봉인 인증서의 목록이며, 매일 갱신됩니다. 운영자가 주소를 설정했으면 봉인 인증서에 이 주소가 들어갑니다.
