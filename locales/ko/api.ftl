# /api/docs 페이지가 보여 주는 API 설명. 영어는 OpenAPI 문서의 문장이며, 시험이 이를 확인합니다.

## 전체
docs-intro =
    전자 서명 API입니다. 로그인하고, 템플릿으로 문서를 시작하고, 작성자의 서명을 받고, 봉인된 문서와 이력 증명서를 가져옵니다.

    성공하면 결과만 그대로 응답합니다. 실패하면 잘못된 멤버를 한 번에 모두 알려 주는 RFC 9457 형식으로 응답하며, `code`는 정해진 목록 가운데 하나입니다. 알 수 없는 멤버와 쿼리 매개변수는 무시하며, 미리 보기, 시험 실행, 새 공개 링크에서는 그런 멤버를 `ignored_members`로 알려 줍니다. 본문은 압축하지 않은 UTF-8이어야 합니다. HTTP가 아닌 것(400), 너무 긴 주소(414)나 헤더(431)는 서비스에 닿기 전에 본문 없이 거부됩니다. 사람이 읽는 말은 모든 호출이 받는 쿼리 매개변수 `lang`(`ko`, `en`, `ja`)의 언어로, 없으면 `Accept-Language`의 언어로, 그것도 없으면 회사의 언어로 응답합니다.

## 묶음
docs-tag-text-login = 다른 호출에 쓸 액세스 토큰입니다.
docs-tag-text-workflows = 작성자에게 가고 있는 문서와, 봉인된 결과입니다.
docs-tag-text-templates = 필드의 자리와 단계의 순서가 정해진 PDF이며, 이것으로 문서를 시작합니다.
docs-tag-text-bulk-start = 목록이나 스프레드시트로 여러 문서를 한 번에 시작합니다.
docs-tag-text-public-links = 여는 사람마다 문서가 시작되는 링크입니다.
docs-tag-text-export-api = 콜백 주소로 무엇을 보냈고 각 시도가 어떻게 되었는지 보고, 다시 보냅니다.
docs-tag-text-verification = 봉인된 파일이 그대로인지 확인합니다.
docs-tag-text-service = 서비스 자체에 관한 호출입니다.

## 호출
docs-text-login = 다른 호출에 쓸 액세스 토큰을 발급합니다. 결과와 관계없이 응답은 HTTP 200이며, 결과는 `header.result_code`로 알 수 있습니다. 잘못된 로그인 정보가 너무 많으면 429로, 서비스가 너무 바쁘면 503으로 응답합니다.
docs-text-start = 서명이 끝난 뒤에 실패할 수 있는 것은 모두 여기에서 미리 거부합니다. `Idempotency-Key`를 주면 본문과 `offset`이 같은 호출에 24시간 동안 첫 호출과 같은 응답을 보냅니다.
docs-text-send = 한 번만 보내는 문서를 시작합니다. 템플릿 목록에는 아무것도 남지 않습니다. `Idempotency-Key`를 주면 양식과 `offset`이 같은 호출에 24시간 동안 첫 호출과 같은 응답을 보냅니다.
docs-text-list_workflows = 최신순입니다. `next_cursor`를 `cursor`로 주어 이어서 조회하거나, `page`로 쪽 번호를 지정합니다.
docs-text-search_with_value = 한 템플릿의 문서 가운데 필드의 값이 이 값인 것을 최신순으로 찾습니다. 값은 시작할 때와 같은 방식으로 읽으므로 숫자는 어떻게 쓰든 같은 수로 보며, 체크는 `Y`, `1`, `true` 중 어느 것이든 됩니다. 다음 페이지는 `next_cursor`를 `cursor`로 주면 됩니다.
docs-text-get_workflow = 단계, 이력, 지금까지 작성된 모든 값을 함께 보여 줍니다. `download_url`과 `certificate_url`은 완료되기 전에는 비어 있으며, 호출할 때마다 새로 만들어집니다.
docs-text-approve = 차례가 된 작성자를 대신하여 승인합니다. 마지막 승인이면 문서를 봉인한 다음에 응답합니다.
docs-text-reject = 차례가 된 작성자를 대신하여 반려합니다. 문서를 끝내거나, 템플릿에 정해져 있으면 앞 단계로 돌려보냅니다.
docs-text-cancel = 진행 중인 문서를 끝냅니다.
docs-text-extend = 진행 중인 문서에만 쓸 수 있습니다. 이미 정해진 날짜를 다시 주면 아무것도 바뀌지 않습니다.
docs-text-remind = 차례가 된 작성자에게 요청을 한 번 더 보냅니다. 최근 10분 안에 다시 알렸거나 정정 후 새로 요청한 작성자는 제외하며, 모두 제외되면 429로 응답합니다. 임베드 문서의 작성자에게는 메시지를 보내지 않으므로 409로 응답합니다.
docs-text-discard = 목록에서 사라지며, 파일과 증거는 그대로 남습니다.
docs-text-correct_recipient = 아직 작성하지 않은 수신자를 정정합니다. 이전 링크는 쓸 수 없게 되며, 그 작성자의 차례이면 새 링크를 보냅니다. 이전 사람이 입력하거나 서명한 내용은 지워지고, 이력에는 그 사람의 이름으로 남습니다. 바뀐 것이 없으면 아무 일도 일어나지 않고 링크도 그대로입니다. 최근 10분 안에 다시 알렸거나 새로 요청한 주소에는 또 요청하지 않으며 429로 응답합니다.
docs-text-document = 모든 값이 페이지에 들어간, 회사가 봉인한 완성 PDF입니다. 완료되기 전에는 409로 응답합니다.
docs-text-certificate = 누가 언제 무엇을 했는지를 담아 봉인한 PDF입니다. 완료되지 않고 끝난 문서에도 있습니다. 진행 중에는 409로 응답합니다.
docs-text-field_file = 서명, 도장, 이미지, 첨부 파일을 받은 그대로 응답합니다.
docs-text-list_templates = 최신순입니다. `next_cursor`를 `cursor`로 주어 이어서 조회합니다.
docs-text-create_template = PDF는 격리된 프로세스에서 읽으며, 서명한 뒤에 그 안의 무엇도 동작하거나 바뀌지 않도록 한 번 다시 씁니다. 무엇이 바뀌었는지는 `intake`에 있습니다. 다른 사람이 이미 서명한 PDF는 한 바이트도 바꾸지 않습니다. 받을 수 없는 파일이면 422로 응답하며, 오류는 `file`을 가리키고 `reason`에 그 이유의 ID가, 메시지에 이유와 해결 방법이 있습니다.
docs-text-get_template = 새 문서에 쓰이는 버전입니다. `name`, `on_reject`, `steps`, `fields`는 FIELDS.json의 형식 그대로이므로, 고쳐서 다음 버전을 만들 수 있습니다.
docs-text-replace_template = 이후에 시작하는 문서는 새 버전을 쓰고, 진행 중인 문서는 시작할 때의 버전을 그대로 씁니다. `file`이 없으면 PDF는 그대로 두고 필드만 바꿉니다.
docs-text-copy_template = 현재 버전의 PDF, 단계, 필드를 가진 사본을 만들며, 사본의 버전은 1부터 시작합니다. 보관된 템플릿도 복사할 수 있고, 사본으로는 문서를 시작할 수 있습니다.
docs-text-archive_template = 이 템플릿으로는 더 이상 문서를 시작할 수 없습니다. 진행 중인 문서는 계속됩니다. 두 번 호출해도 결과는 같습니다.
docs-text-bulk_start = `dry_run`을 주면 아무것도 시작하지 않고, 거부될 행과 그 이유를 모두 응답합니다. 주지 않으면 행을 보관하고 `bulk_id`를 응답한 뒤 백그라운드에서 하나씩 시작합니다. 잘못된 행은 그 진행 상황에서 알려 주며, 다른 행을 막지 않습니다. 모든 행에 적용되는 항목이 잘못되면 바로 응답합니다(422). `Idempotency-Key`를 주면 본문과 `offset`이 같은 호출은 24시간에 한 번만 받습니다.
docs-text-bulk_sheet = 템플릿에 흔히 필요한 열과 첫 행이 있는 CSV 파일입니다. 스프레드시트 프로그램에서 열 수 있으며, CSV UTF-8 또는 XLSX로 저장해 주세요. 열을 더할 수 있습니다: `1.mobile`, `1.language`, `1.password`, `1.password_hint`, `1.one_time_code`와 다른 단계의 같은 열, `cc.name`, `cc.email`.
docs-text-get_bulk = 행을 순서대로 한 쪽씩 함께 보여 줍니다. `status=failed`를 주면 시작하지 못한 행과 그 이유만 보여 줍니다. 끝난 뒤 30일 동안 보관합니다.
docs-text-cancel_bulk = 아직 시작하지 않은 것은 시작하지 않습니다. 이미 시작한 문서는 계속되며, 각각 따로 취소할 수 있습니다.
docs-text-start_link = 링크를 여는 사람은 이름과 이메일 주소 또는 전화번호를 입력하고, 그 정보가 전달되는 데 동의한 뒤 새 문서의 첫 작성자로서 서명 페이지로 갑니다. 보낼 수 없는 문서는 여기에서 거부합니다. `Idempotency-Key`를 주면 같은 요청에 24시간 동안 첫 호출과 같은 응답을 보냅니다.
docs-text-list_links = 최신순입니다. `next_cursor`를 `cursor`로 주어 이어서 조회합니다. 읽기만 할 수 있는 구성원에게는 `link_url`이 보이지 않습니다.
docs-text-close_link = 다시 열 수 없습니다. 이 링크로 시작한 문서는 계속됩니다.
docs-text-list_exports = 모든 웹훅과 그 시도를 최신순으로 보여 줍니다. 설치 설정에 다른 기간이 없으면 30일 동안 보관합니다. `next_cursor`를 `cursor`로 주어 이어서 조회합니다.
docs-text-resend_export = 같은 사건을 다시 보냅니다. `webhook-id`와 내용이 한 바이트까지 같고, 시도를 처음부터 다시 합니다. 포기한 전송은 되살리고, 전송된 것은 한 번 더 보내며, 기다리는 것은 지금 시도합니다.
docs-text-resend_exports = 오래된 것부터 한 번에 최대 1,000건을 다시 보냅니다. `more`가 true이면 `next_cursor`를 `cursor`로 주어 이어서 호출합니다. 중지된 주소로 가는 것은 주소를 다시 시작할 때까지 보류합니다.
docs-text-test_export = 서명된 웹훅 하나(`workflow_id` 0, `comment` ‘Test delivery’)를 보내고 최대 15초 동안 기다려, 돌아온 것을 응답합니다. 다시 시도하지 않으며 전송 기록에도 남지 않습니다.
docs-text-list_endpoints = 마지막 성공 이후 실패한 주소와, 410 응답, 5일 동안 이어진 실패, 일시 중지로 멈춘 주소입니다.
docs-text-pause_endpoint = 이 주소로는 더 이상 보내지 않으며, 잃는 것도 없습니다. 보낼 것은 주소를 다시 시작할 때까지 보류합니다. 이미 중지되었거나 일시 중지된 주소는 그대로입니다. 앞으로 만들 문서만 알릴 주소도 보류할 수 있으며, 이미 알리는 문서가 있는지는 `known`으로 알 수 있습니다.
docs-text-start_endpoint = 이 주소로 보류된 것을 보냅니다. 중지되지 않은 주소는 그대로입니다.
docs-text-verify = 본문은 파일 자체이거나 양식(`multipart/form-data`)이며, 양식에서는 첫 파일을 검증합니다. 이 서버의 루트를 신뢰하며, 그 루트가 폐기한 인증서를 알고 있습니다.
docs-text-health = 로드 밸런서를 위한 호출입니다. 디스크가 가득 찬 것도 알 수 있도록 데이터베이스와 파일 저장소에 많아야 1초에 한 번 써 봅니다.
docs-text-root_certificate = 이 인증서를 신뢰하면 이 서버의 모든 봉인을 검증할 수 있습니다.
docs-text-revocation_list = 더 이상 유효하지 않은 봉인 인증서의 목록이며, 매일 갱신됩니다. 운영자가 주소를 설정했으면 봉인 인증서에 이 주소가 적힙니다.
