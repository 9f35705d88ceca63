# /api/docs のページに表示する API の説明。英語は OpenAPI 文書の文で、テストが一致を確かめます。

## 全体
docs-intro =
    電子署名の API です。ログインし、テンプレートから文書を開始し、署名者の署名を集め、封印された文書と履歴証明書をダウンロードします。

    成功すると、結果だけを JSON で返します。失敗すると、誤りのある項目を一度にすべて示す RFC 9457 の形式で返します。`code` は決められた一覧の値です。不明な項目とクエリパラメーターは無視し、レスポンスの `Ignored-Members` ヘッダーで知らせます（コンマ区切りのパス、ASCII 以外はパーセントエンコード、最大 2,000 バイト）。`Prefer: handling=strict` を送ると拒否します（422、`unexpected-member`）。プレビュー、試行、新しい公開リンクでは `ignored_members` でも知らせます。本文は圧縮せず、UTF-8 で送信してください。HTTP でないリクエスト（400）やヘッダーが長すぎるリクエスト（431）は、サービスに届く前にプレーンテキストで拒否されます。ファイルは分割してダウンロードでき（`Range`、`If-Range`）、`HEAD` はその大きさを返します。429 は、いつ再試行できるかを `Retry-After` と `RateLimit`（draft-ietf-httpapi-ratelimit-headers）で示します。人が読むメッセージの言語は、すべての呼び出しで使えるクエリパラメーター `lang`（`ko`、`en`、`ja`）、`Accept-Language`、会社の言語の順に決まります。

## グループ
docs-tag-text-login = ほかの呼び出しに使うアクセストークンです。
docs-tag-text-workflows = 署名者に送られている文書と、封印された結果です。
docs-tag-text-templates = フィールドとステップの順序を設定した PDF です。テンプレートから文書を開始します。
docs-tag-text-bulk-send = 一覧や表計算シートから、多数の文書を一度に送信します。
docs-tag-text-public-links = 誰でも開いて文書を開始できるリンクです。
docs-tag-text-export-api = エンドポイントに送った Webhook と試行ごとの結果を確認し、再送します。
docs-tag-text-verification = 封印されたファイルが変更されていないことを確認します。
docs-tag-text-service = サービスそのものに関する呼び出しです。

## 呼び出し
docs-text-login = ほかの呼び出しに使うアクセストークンを発行します。ステータスは常に HTTP 200 で、結果は `header.result_code` で確認します。ただし、ログインに何度も失敗した場合は 429、サービスが混み合っている場合は 503 を返します。
docs-text-workflows_start = 署名後に失敗するおそれのあるリクエストは、ここで拒否します。`Idempotency-Key` を指定すると、本文と `offset` が同じ呼び出しには、24 時間、最初の呼び出しと同じレスポンスを返します。
docs-text-workflows_preview = 開始と同じ本文を受け取り、何も開始しません。プレビューでは、`field_list` の値が印字される位置に表示されたページを確認できます。開始時に拒否される内容は、ここでも拒否されます。
docs-text-workflows_send = 一度だけ送る文書を開始します。テンプレートの一覧には追加されません。`Idempotency-Key` を指定すると、フォームと `offset` が同じ呼び出しには、24 時間、最初の呼び出しと同じレスポンスを返します。
docs-text-workflows_list = 新しい順です。続きは `next_cursor` を `cursor` に指定するか、`page` でページ番号を指定して取得します。
docs-text-workflows_search = 一つのテンプレートの文書のうち、フィールドの値が一致するものを新しい順に探します。値は開始時と同じように解釈されるため、数値は表記が違っても同じ数とみなし、チェックは `Y`、`1`、`true` のどれでも指定できます。続きは `next_cursor` を `cursor` に指定して取得します。
docs-text-workflows_get = ステップ、履歴、これまでに入力されたすべての値も返します。`download_url` と `certificate_url` は呼び出すたびに新しくなり、文書が完了するまでと、リンクが無効化されている間は空です。
docs-text-workflows_approve = 現在の順番の署名者に代わって承認します。最後の承認では、文書を封印してからレスポンスを返します。
docs-text-workflows_reject = 現在の順番の署名者に代わって却下します。文書は終了します。テンプレートの設定によっては、前のステップに差し戻されます。
docs-text-workflows_cancel = 進行中の文書を終了します。
docs-text-workflows_extend = 進行中の文書に使えます。現在と同じ期限を指定しても、何も変わりません。
docs-text-workflows_remind = 現在の順番の署名者に、依頼をもう一度送ります。直近 10 分以内にリマインドした署名者や、訂正後に改めて依頼した署名者には送りません。送る相手がいない場合は 429 を返します。埋め込みの文書では署名者にメッセージを送らないため、409 を返します。
docs-text-workflows_discard = 一覧に表示されなくなり、リンクは使えなくなります。ファイルと履歴は残ります。
docs-text-workflows_change_links = どの状態でも使えます。対象は送信者用の閲覧リンクと、完了したファイルへのすべてのリンクで、送信済みのメールや Webhook に含まれるものも対象です。署名者の署名用リンク（`sign_url`）はそのまま使えます。`revoke` の後は、`renew` するまで新しいリンクも発行されません。2 回無効化しても何も変わりません。`renew` は以前のリンクを無効にして有効期間を改めて開始し、文書が完了していれば署名者のコードのロックを解除し、新しいアドレスを返します。文書を非表示にするとリンクも無効になります。
docs-text-workflows_correct_recipient = まだ署名していない受信者を訂正します。以前のリンクは使えなくなり、その受信者の順番であれば新しいリンクを送ります。以前の受信者が入力・署名した内容は削除され、履歴にはその人の名前で残ります。確認コードが以前の受信者の携帯電話番号に送られることはありません。番号に変わりがなければ `mobile` をもう一度指定してください。内容が変わらない場合は何も起こらず、リンクもそのままです。直近 10 分以内にリマインドした、または改めて依頼した宛先の場合は 429 を返します。
docs-text-workflows_get_document = すべての値がページに反映され、会社が封印した完成版の PDF です。完了前は 409 を返します。
docs-text-workflows_get_certificate = 誰がいつ何をしたかを記録し、封印した PDF です。完了せずに終了した文書にもあります。進行中は 409 を返します。
docs-text-workflows_get_field_file = 署名、印鑑、画像、添付ファイルを、提出されたままの形で返します。
docs-text-templates_list = 新しい順です。続きは `next_cursor` を `cursor` に指定して取得します。
docs-text-templates_create = PDF は隔離されたプロセスで読み取り、署名後に中のものが動作したり変わったりしないよう、一度書き直します。変更した内容は `intake` で確認できます。すでに署名されている PDF は 1 バイトも変えません。受け付けられないファイルの場合は、`file` を示す 422 エラーを返します。`reason` に理由の ID、メッセージに理由と対処方法が入ります。
docs-text-templates_get = 新しい文書に使われる版を返します。`name`、`on_reject`、`steps`、`fields` は FIELDS.json と同じ形式なので、編集して次の版を作成できます。
docs-text-templates_replace = これから開始する文書には新しい版を使い、進行中の文書は開始時の版のままです。`file` がなければ PDF はそのままで、フィールドだけが置き換わります。
docs-text-templates_copy = 現在の版の PDF、ステップ、フィールドをコピーします。コピーの版は 1 から始まります。アーカイブしたテンプレートもコピーでき、コピーはアーカイブされていない状態になります。
docs-text-templates_archive = このテンプレートからは文書を開始できなくなります。進行中の文書は続きます。2 回アーカイブしても何も変わりません。
docs-text-bulk_start = `dry_run` を指定すると何も開始せず、拒否される行とその理由をすべて返します。指定しない場合は行を保存して `bulk_id` を返し、バックグラウンドで一つずつ開始します。誤りのある行は進捗で確認でき、ほかの行には影響しません。すべての行に共通する項目に誤りがある場合は、すぐに 422 を返します。`Idempotency-Key` を指定すると、本文と `offset` が同じ呼び出しは 24 時間に一度だけ受け付けます。
docs-text-bulk_get_sheet = テンプレートで通常必要な列と、見本の 1 行が入った CSV ファイルです。表計算ソフトで開けます。CSV UTF-8 または XLSX で保存してください。次の列を追加できます: `1.mobile`、`1.language`、`1.password`、`1.password_hint`、`1.one_time_code`、ほかのステップの同じ列、`cc.name`、`cc.email`。
docs-text-bulk_get = 行を順番に 1 ページずつ返します。`status=failed` を指定すると、開始できなかった行とその理由だけを返します。終了後 30 日間保存します。
docs-text-bulk_cancel = まだ開始していない行は開始しません。開始済みの文書は続きます。必要に応じて個別に取り消してください。
docs-text-links_create = リンクを開いた人は、名前とメールアドレスまたは電話番号を入力し、情報の提供に同意して、新しい文書の最初の署名者として署名ページに進みます。送れない文書はここで拒否します。`Idempotency-Key` を指定すると、同じリクエストには、24 時間、最初の呼び出しと同じレスポンスを返します。
docs-text-links_list = 新しい順です。続きは `next_cursor` を `cursor` に指定して取得します。閲覧権限だけのメンバーには `link_url` は表示されません。
docs-text-links_close = 受付を終了したリンクは再開できません。このリンクから開始した文書は続きます。
docs-text-exports_list = すべての Webhook とその試行を新しい順に返します。運用者が別の期間を設定していなければ、30 日間保存します。続きは `next_cursor` を `cursor` に指定して取得します。
docs-text-exports_resend = 同じイベントを、同じ `webhook-id` と同じ内容で再送し、試行を最初からやり直します。配信を断念した Webhook は復活し、配信済みのものはもう一度送られ、待機中のものは今すぐ送られます。
docs-text-exports_resend_many = 古いものから、1 回に最大 1,000 件を再送します。`more` が true であれば、`next_cursor` を `cursor` に指定して続けてください。停止したエンドポイントへの Webhook は、再開するまで保留します。
docs-text-exports_test = 署名した Webhook を 1 件（`workflow_id` 0、`comment` は「Test delivery」）送り、最大 15 秒待って、エンドポイントのレスポンスを返します。再試行はせず、配信履歴にも残りません。
docs-text-endpoints_list = 最後の成功以降に失敗しているエンドポイントと、410 のレスポンス、5 日間続いた失敗、または一時停止によって停止したエンドポイントです。
docs-text-endpoints_pause = このエンドポイントには送信しなくなります。Webhook は再開するまで保留され、失われません。すでに停止または一時停止している場合は何も変わりません。これから作る文書だけが使うエンドポイントも一時停止できます。使っている文書がすでにあるかどうかは `known` で確認できます。
docs-text-endpoints_start = このエンドポイント宛てに保留していた Webhook を送信します。停止していない場合は何も変わりません。
docs-text-verification_verify = 本文はファイルそのもの、またはフォーム（`multipart/form-data`）で、フォームの場合は最初のファイルを検証します。このサーバーのルートを信頼し、ルートが失効させた証明書も考慮します。
docs-text-service_health = ロードバランサーのための呼び出しです。ディスクの空き容量不足も検知できるよう、データベースとファイルの保管先に、多くても 1 秒に 1 回書き込みます。
docs-text-service_live = 応答しなくなったプロセスを再起動するオーケストレーターのための呼び出しです。再起動してもデータベースは復旧しないため、ほかの確認は行いません。
docs-text-service_ready = ロードバランサーとオーケストレーターのための呼び出しです。`/healthz` の条件に加えて、文書を読み取れることも必要です。理由は返しません。運用者用のメトリクスのアドレスで確認できます。
docs-text-service_root_certificate = この証明書を信頼すると、このサーバーのすべての封印を検証できます。
docs-text-service_revocation_list = 無効になった封印証明書の一覧で、毎日更新されます。運用者がアドレスを設定している場合、封印証明書にこのアドレスが記載されます。
