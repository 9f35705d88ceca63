## すべての画面
page-skip = 本文へ移動
page-language = 言語
page-close = 閉じる
page-cancel = キャンセル
page-needs-script = この画面を使うには、JavaScript と新しいブラウザー（Safari 15.4、Chrome 92、Firefox 98 以降）が必要です。ない場合、入力欄と入力済みの内容は表示されません。再読み込みするか、別のブラウザーでリンクを開いてください。
page-footer = Countersign により保護されています

## 署名画面：開始前
sign-title = 署名：{ $document }
sign-asks = { $sender } から文書の記入と署名の依頼が届いています。
sign-asks-view = { $sender } が送信した文書です。
sign-for = { $name } 様
sign-until = 期限：{ $date }
sign-details = 詳細
sign-comment = 送信者からのメッセージ
sign-writer-of-step = ステップ { $step } の署名者
sign-step = 全 { $steps } ステップ中 { $step } 番目
sign-about = この文書について
sign-pages = 全 { $count } ページ
sign-returned = { $act ->
    [sign] { $name } 様がこの文書を差し戻しました。内容を修正のうえ、もう一度署名してください。
   *[approve] { $name } 様がこの文書を差し戻しました。内容を修正のうえ、もう一度承認してください。
}
sign-returned-own = { $name } 様が差し戻した後、再度記入された文書です。内容をもう一度ご確認ください。
sign-continued = 前回の入力内容を復元しました。
sign-original = 現在の文書をダウンロード
sign-preview = プレビューです。ここで入力した内容は保存も送信もされません。
sign-sender-view = 送信者用の画面です。現在までの記入内容を確認できます。ここでは記入も承認もできません。
sign-sender-view-waiting = { $name } 様の記入を待っています（ステップ { $step }）
sign-ended-complete = 全員が承認し、文書が完了しました。
sign-ended-canceled = 送信者がこの文書を取り消しました。
sign-ended-expired = この文書は { $date } に期限が切れました。
sign-ended-rejected = 署名者がこの文書を却下しました。
sign-ended-rejected-by = { $name } 様がこの文書を却下しました。

## 署名画面：アクセスコード
sign-code-title = アクセスコードを入力してください
sign-code-text = この文書には、送信者がアクセスコードを設定しています。
sign-code-hint = ヒント：{ $hint }
sign-code-label = アクセスコード
sign-code-submit = 文書を開く
sign-code-wrong = アクセスコードが正しくありません。
sign-tries-left = あと { $count } 回入力できます。
sign-code-locked-title = リンクがロックされました
sign-code-locked = コードを何度も間違えたため、開けません。送信者に文書の再送を依頼してください。

## 署名画面: 確認コード
sign-one-time-title = 本人確認
sign-one-time-text = 文書を開く前に、{ $to } 宛に確認コードをお送りします。
sign-one-time-sent = { $to } 宛に 6 桁の確認コードを送信しました。{ $minutes } 分間有効です。
sign-one-time-send = 確認コードを受け取る
sign-one-time-label = 確認コード
sign-one-time-submit = 文書を開く
sign-one-time-again = 新しい確認コードを受け取る
sign-one-time-help = 確認コードが届かない場合は、迷惑メールフォルダーや受信拒否の設定をご確認ください。新しいコードを受け取ると、前のコードは使えなくなります。
sign-one-time-wrong = 確認コードが正しくありません。
sign-one-time-used-up = 確認コードを何度も間違えました。新しいコードを受け取ってください。
sign-one-time-expired = この確認コードはもう使えません。新しいコードを受け取ってください。
sign-one-time-too-many = この宛先に送った確認コードが、何度も誤って入力されました。ほかの方が入力した可能性もあります。{ $wait }後にもう一度お試しください。この文書をメッセージで受け取られた場合は、そのメッセージのリンクを今すぐ開けます。
sign-one-time-wait-seconds = 確認コードを送信したばかりです。{ $count } 秒後にもう一度受け取れます。
sign-one-time-wait-minutes = 確認コードをすでに何度か送信しています。{ $count } 分後にもう一度受け取れます。

## 署名画面：同意
sign-consent-title = 電子署名への同意
sign-consent-text = この文書への電子署名は、紙の文書への署名と同じように、法律が定める効力を持ちます。
sign-consent-point-agree = この文書を電子的に受け取り、記入し、署名することに同意します。
sign-consent-point-copy = すべての署名が完了すると、完了した文書の控えを保管できます。
sign-consent-point-evidence = 日時、ネットワークアドレス、ブラウザーの情報が証拠として記録されます。
sign-consent-point-decline = 希望しない場合は、理由を添えて文書を却下できます。
sign-consent-version = 同意文のバージョン：{ $version }
sign-consent-agree = 同意する
sign-decline = 電子署名を希望しません
sign-decline-reason = 電子署名に同意しません。

## 署名画面：入力欄
sign-page-of = { $pages } ページ中 { $page } ページ目
sign-page-image = 文書の { $page } ページ目
page-text-none = 画像だけのページです。読み上げや検索ができる文字はありません。
sign-field-required = 必須
sign-field-other = { $name } 様が記入しました
sign-field-waiting = { $name } 様が記入する欄
sign-field-given = 送信者が記入しました
sign-field-choose = 選択してください
sign-field-signature = 署名する
sign-field-initials = イニシャル
sign-field-seal = 押印する
sign-field-company-seal = 会社印を押す
sign-field-image = 画像を追加
sign-field-attachment = ファイルを追加
sign-field-change = 変更
sign-field-remove = 削除
sign-field-today = 今日
sign-field-filled = 記入済み
sign-field-checked = チェックあり
sign-progress = 必須項目 { $total } 件中 { $done } 件完了
sign-progress-none = 必須項目はありません
sign-next-field = 次の必須項目

## 署名画面：1項目ずつの入力とツール
sign-tools = 文書のツール
sign-page-jump = ページ
sign-page-go = { $page } ページ目へ移動
sign-thumbnails = ページ一覧
sign-zoom = 拡大・縮小
sign-zoom-in = 拡大
sign-zoom-out = 縮小
sign-guide = 1 項目ずつ入力
sign-guide-off = 文書上で入力
sign-guide-count = 全 { $total } 項目中 { $at } 番目
sign-guide-back = 前の項目
sign-guide-next = 次へ
sign-guide-skip = スキップ
sign-guide-later = あとで入力
sign-guide-open = 未入力の必須項目（{ $count } 件）：{ $fields }
sign-field-optional = 任意

## 署名画面：署名の入力
sign-pad-title-signature = 署名の入力
sign-pad-title-initials = イニシャルの入力
sign-pad-title-seal = 印鑑の入力
sign-pad-title-company-seal = 会社印の入力
sign-pad-title-image = 画像の追加
sign-pad-draw = 手書き
sign-pad-picture = 画像
sign-pad-area = 手書きの領域です。キーボードをお使いの場合は「文字入力」または「印鑑」を選んでください。
sign-pad-here = 指、ペン、またはマウスで書いてください
sign-pad-type = 文字入力
sign-pad-type-label = 署名にする名前
sign-pad-undo = 元に戻す
sign-pad-clear = 消去
sign-pad-choose = PNG または JPEG の画像を選択
sign-pad-limit = { $megabytes } MB を超える画像は縮小されます
sign-pad-use = 使用する
sign-pad-empty = 先に手書きするか、画像を選んでください。
sign-pad-not-picture = PNG または JPEG の画像ではないか、ファイルが壊れています。別のファイルを選んでください。
sign-pad-too-large = 縮小しても画像が大きすぎます。別の画像を選んでください。
sign-pad-preview = プレビュー
sign-pad-seal = 印鑑
sign-pad-last = 前回使用
sign-pad-last-image = 前回使用したもの
sign-pad-last-where = このブラウザーにだけ保存されています。ほかの人と共用している端末では削除してください。
sign-pad-forget = この端末から削除
sign-pad-hands = 書体を選ぶ
sign-hand-nanum-pen = フェルトペン
sign-hand-gaegu = 丸い文字
sign-hand-yuji-syuku = 筆文字
sign-hand-zen-kurenaido = 細いペン
sign-hand-caveat = 走り書き
sign-hand-dancing-script = 続け字
sign-pad-seal-of = 印鑑の種類
sign-pad-seal-person = 個人の印
sign-pad-seal-company = 会社の印
sign-pad-seal-name = 印鑑に彫る名前
sign-pad-company = 会社名
sign-pad-company-title = 中央の文字（任意）
sign-pad-company-title-example = 例：代表取締役印
sign-pad-seals = 印鑑を選ぶ
sign-seal-round = 丸印：{ $words }
sign-seal-oval = 小判形：{ $words }
sign-seal-square = 角印：{ $words }
sign-seal-double-ring = 二重丸：{ $words }
sign-pad-choices-failed = プレビューを読み込めませんでした。接続を確認してください。接続が戻るか名前を変更すると、もう一度読み込みます。
sign-pad-no-name = 先に名前を入力してください。
sign-pad-camera = 写真を撮る
sign-pad-clean = 紙の背景を消して余白を切り取る
sign-pad-threshold = インクとして認識する濃さ
sign-pad-turn = 回転
sign-pad-no-ink = 何も残りません。スライダーを右へ動かすか、背景を残してください。
sign-pad-keep = 次回のために保存
sign-pad-keep-where = サーバーではなく、この端末にだけ保存されます。いつでもここから削除できます。
sign-pad-not-kept = 今回は使用しましたが、次回のためにこの端末に保存することはできませんでした。

## 署名画面：入力の規則
sign-rule-number = 1200 や 3.5 のような数値を入力してください。
sign-rule-date = 日付を入力してください。
sign-rule-too-long = { $limit } 文字まで入力できます。
sign-rule-decimals = 小数点以下は { $limit } 桁まで入力できます。
sign-rule-refused = この値は使用できません。確認してください。
sign-rule-choose = 1 つ選んでください。
sign-rule-check = チェックを入れてください。
sign-rule-picture = PNG または JPEG の画像、5 MB まで
sign-rule-file = ファイル 1 つ、10 MB まで

## 署名画面：下書き
sign-draft-saving = 保存しています…
sign-draft-saved = 保存しました
sign-draft-offline = 接続が切れました。入力内容はこの端末に保存され、再接続すると送信されます。
sign-draft-offline-open = 接続が切れました。この端末には入力内容をすべて保存できません。送信されるまで、このページを閉じないでください。
sign-draft-failed = まだ保存できていません。再試行します。
sign-draft-failed-open = まだ保存できていません。再試行します。この端末には入力内容をすべて保存できません。送信されるまで、このページを閉じないでください。
sign-transfer-sending = { $file } を送信中：{ $percent }%
sign-transfer-waiting = { $file } はまだ送信されていません。
sign-transfer-again = 今すぐ再試行
sign-transfer-cancel = 送信をキャンセル
sign-transfer-sent = { $file } を送信しました。
sign-transfer-cancelled = { $file } の送信をキャンセルしました。
sign-file-refused = 「{ $file }」は添付できませんでした。{ $reason }
sign-file-unreadable = このファイルを端末から読み取れませんでした。もう一度選択してください。

## 署名画面：再確認する内容
sign-settle-title = もう一度ご確認ください
sign-settle-text = 別の場所で変更された内容、または保存できなかった内容があります。
sign-settle-theirs = 別の画面または端末で保存した内容：{ $value }
sign-settle-mine = この画面で入力した内容：{ $value }
sign-settle-changed = 別の画面または端末で変更されました。現在の内容：{ $value }、この画面に表示されていた内容：{ $before }
sign-settle-changed-picture = 別の画面または端末で変更されました。現在の内容は次のとおりです。
sign-settle-stays-empty = この項目は空欄です。
sign-settle-holds = 文書には「{ $value }」がそのまま残っています。
sign-settle-holds-picture = 文書には次の画像がそのまま残っています。
sign-settle-ticked = チェックあり
sign-settle-not-ticked = チェックなし
sign-settle-empty = （空欄）
sign-settle-told = 別の画面または端末で変更された項目：{ $fields }
sign-settle-back = 文書に戻る
sign-settle-go = この内容で続ける

## 署名画面：承認と却下
sign-approve = { $act ->
    [sign] 署名
   *[approve] 承認
}
sign-approve-title = { $act ->
    [sign] 文書への署名
   *[approve] 文書の承認
}
sign-approve-text = { $act ->
    [sign] 署名後は、記入した内容を変更できません。
   *[approve] 承認後は、記入した内容を変更できません。
}
sign-approve-add-comment = 送信者へのメッセージを追加
sign-approve-comment = 送信者へのメッセージ（任意）
sign-approve-comment-where = 履歴証明書にも記載されます。
sign-comment-limit = { $limit } 文字まで
sign-reject = 却下
sign-reject-title = 文書の却下
sign-reject-text = 理由とともに送信者に通知され、文書は終了します。却下後は取り消せません。
sign-reject-text-return = 理由とともに前のステップに差し戻します。修正のうえ再び承認されると、あなたの番になります。
sign-reject-reason = 却下の理由
sign-reject-needed = 理由を入力してください。
sign-reject-confirm = 文書を却下
sign-return-title = 文書の差し戻し
sign-return-confirm = 差し戻す
sign-hand-over = 別の人に引き継ぐ
sign-hand-over-text = { $act ->
    [sign] 引き継いだ人が新しいリンクを受け取り、代わりに記入と署名を行います。このリンクは使えなくなり、これまでの入力内容は引き継がれません。
   *[approve] 引き継いだ人が新しいリンクを受け取り、代わりに記入と承認を行います。このリンクは使えなくなり、これまでの入力内容は引き継がれません。
}
sign-hand-over-name = 名前
sign-hand-over-email = メールアドレス
sign-hand-over-confirm = 引き継ぐ
sign-failed = 処理できませんでした。入力内容は残っています。もう一度お試しください。
sign-failed-offline = 接続が切れています。接続してからもう一度お試しください。

## 署名画面：完了後
sign-done-title = { $act ->
    [sign] 署名しました。ありがとうございます。
   *[approve] 承認しました。ありがとうございます。
}
sign-done-next = 次の署名者に文書が送られます。
sign-done-next-named = 次の署名者に文書が送られます：{ $names }
sign-done-others = 同じステップのほかの署名者の承認がまだ残っています。全員が承認すると、次の署名者に文書が送られます。
sign-done-complete = 全員が承認し、文書が完了しました。
sign-done-copy = 全員が承認すると、完了した文書をお送りします。
sign-done-rejected-title = この文書を却下しました
sign-done-rejected = 送信者に通知しました。
sign-done-returned = 文書を前のステップに差し戻しました。
sign-done-returned-title = この文書を差し戻しました
sign-done-preview-title = プレビューの終わりです
sign-done-preview = 実際の文書では、ここで承認されます。保存も送信もされていません。
sign-done-preview-rejected = 実際の文書では、ここで却下されます。保存も送信もされていません。
sign-done-next-document = 次の文書
sign-done-close = 閉じる
sign-done-download = 控えをダウンロード
sign-done-may-close = このウィンドウは閉じてかまいません。

## 署名画面の代わりに
end-signed-title = すでに対応済みです
end-signed-text = { $date } に対応済みです。これ以上の操作は必要ありません。
end-signed-plain = すでに対応済みです。これ以上の操作は必要ありません。
end-waiting-title = まだ順番ではありません
end-waiting-text = 前の署名者が承認すると、お知らせします。
end-complete-title = 完了した文書です
end-complete-text = 全員が承認しました。完了した文書は封印され、変更できません。
end-rejected-title = 却下された文書です
end-rejected-text = 署名者が却下したため、手続きは終了しました。
end-rejected-by-text = { $name } 様が却下したため、手続きは終了しました。
end-rejected-own-title = この文書を却下しました
end-rejected-own-text = この文書の手続きは終了しました。これ以上の操作は必要ありません。
end-canceled-title = 取り消された文書です
end-canceled-text = 送信者が取り消しました。これ以上の操作は必要ありません。
end-expired-title = 期限が切れた文書です
end-expired-text = { $date } に期限が切れました。送信者に再送を依頼してください。
end-expired-plain = 送信者に再送を依頼してください。
end-old-title = このリンクは無効になりました
end-old-text = 新しいリンクに置き換えられています。最新のメッセージのリンクを使うか、送信者に再送を依頼してください。
end-handed-over-title = この文書は引き継ぎ済みです
end-handed-over-text = 引き継いだ人に記入と署名を依頼しました。これ以上の操作は必要ありません。
end-unknown-title = このリンクは開けません
end-unknown-text = URL が最後までコピーされているかご確認いただくか、送信者に再送を依頼してください。
end-document = 文書：{ $document }
end-open-document = 完了した文書を開く
end-trouble-title = 問題が発生しました
end-trouble-text = サービス側で問題が発生しました。失われた内容はありません。しばらくしてからもう一度お試しください。
end-doubt-title = 処理が完了したか確認できませんでした
end-doubt-text = 処理結果を確認する前に、データベースとの接続が切れました。もう一度操作する前に、リンクを開き直して、完了しているかどうかをご確認ください。
end-busy-title = しばらくしてからもう一度お試しください
end-busy-text = 現在、リクエストが多すぎます。
end-missing-title = ページが見つかりません
end-missing-text = URL を確認してください。
end-forbidden-title = アクセス権がありません
end-forbidden-text = このアカウントには、この画面を見る権限がありません。

## 文書の表示
view-title-document = 完了した文書
view-title-certificate = 履歴証明書
view-download = PDF をダウンロード
view-completed = { $date } 完了
view-sealed = 封印された文書です。以後の変更は検出できます。
view-verify = PDF を検証する
view-expired-title = このリンクは使えなくなりました
view-expired-text = 期限が切れたか、送信者が更新または無効化したリンクです。送信者に新しいリンクを依頼してください。
view-locked = コードを何度も間違えたため、開けません。送信者に、この文書のリンクの更新を依頼してください。

## 文書の検証
verify-title = 文書の検証
verify-text = 署名された PDF を選んでください。ほかのサービスで署名されたものも検証できます。変更の有無、署名者、署名日時が分かります。ファイルは保存しません。
verify-drop = ファイルを選ぶか、ここにドロップしてください
verify-drop-more = 文書と履歴証明書を一緒に選べます。
verify-submit = 検証する
verify-checking = 検証しています…
verify-hash = ファイルの SHA-256
verify-name = ファイル
verify-again = 別のファイルを検証する
verify-too-large = ファイルが大きすぎます。{ $megabytes } MB まで検証できます。
verify-broken = ファイルが最後まで届きませんでした。もう一度送信してください。
verify-no-file = 先にファイルを選んでください。
verify-too-many = 一度に確認できるファイルは { $count } 件までです。
verify-details = 詳細

## メンバー
login-title = ログイン
login-company = 会社 ID
login-email = メールアドレス
login-password = パスワード
login-submit = ログイン
login-wrong = 会社 ID、メールアドレス、パスワードのいずれかが正しくありません。
login-throttled = 試行回数が多すぎます。数分待ってからもう一度お試しください。
login-stale = 画面を開いてから時間が経ちすぎました。もう一度お試しください。
logout = ログアウト
console-navigation = メニュー
documents-title = 文書
documents-search = 検索
documents-search-hint = 文書名、人名、入力内容
documents-period = 期間
documents-from = 開始日(から)
documents-to = 開始日(まで)
documents-find = 検索
documents-clear = 検索条件をクリア
documents-shown = 表示する文書
documents-tab-all = すべて
documents-tab-in-progress = 進行中
documents-tab-complete = 完了
documents-tab-ended = 終了
documents-status-in-progress = 進行中
documents-status-complete = 完了
documents-status-declined = 辞退
documents-status-cancelled = 取り消し
documents-status-expired = 期限切れ
documents-waits = { $names } さんの対応待ち (ステップ { $step }/{ $steps })
documents-and-others = { $names } 他 { $count } 名
documents-sender = 送信者: { $name }
documents-expires = { $date } に期限切れ
documents-message-failed = メールまたは SMS が届いていません
documents-webhook-failed = Webhook が届いていません
documents-pages = ページ
documents-none-found = 該当する文書がありません
documents-none-found-text = 別の言葉で検索するか、期間を広げてください。変更した内容は数秒後に検索できます。
documents-none = 文書はまだありません
documents-none-text = API で送信した文書がここに表示されます。クイックスタートに沿って最初の文書を送信してください。
documents-none-docs = クイックスタートを開く
documents-none-here = ここに表示する文書はありません
document-back = 文書一覧へ戻る
document-file = 完了文書をダウンロード
document-view = 文書を見る
document-certificate = 履歴証明書
document-sender = 送信者
document-started = 開始
document-expires = 期限
document-ended = 終了
document-comment = 署名者へのメッセージ
document-number = 文書番号
document-signers = 署名者
document-step = ステップ { $step }
document-signer-signed = { $date } に完了
document-signer-declined = { $date } に辞退
document-signer-turn = 順番が来ています。文書はまだ開かれていません。
document-signer-viewed = 文書を開きました。
document-signer-later = まだ順番ではありません
document-signer-not-signed = 未署名
document-correct = 名前や連絡先を修正
document-correct-text = 以前のリンクは使えなくなります。順番が来ている場合は、新しい依頼がすぐに送信されます。
document-name = 名前
document-contact = メールアドレスまたは携帯電話番号
document-correct-save = 保存
document-copies = 完了後に控えを受け取る人
document-remind = リマインドを送る
document-more = 文書の管理
document-extend = 期限を変更
document-extend-date = 新しい期限(その日の終わりまで)
document-extend-save = 期限を変更
document-cancel = 文書を取り消す
document-cancel-text = 署名者に通知され、署名できなくなります。元に戻すことはできません。
document-cancel-reason = 理由(任意、署名者に表示されます)
document-cancel-do = 文書を取り消す
document-links = リンクの管理
document-links-text = この文書へのリンクを作り直すか、すべて無効にできます。以前のリンクは使えなくなります。
document-links-renew = リンクを作り直す
document-links-revoke = リンクを無効にする
document-discard = 一覧から隠す
document-discard-text = 文書は一覧と検索に表示されなくなり、リンクは無効になります。封印されたファイルと証拠は保管されます。
document-discard-do = 隠す
document-messages = メールと SMS
document-values = 入力内容
document-events = 履歴
document-done-remind = リマインドを送信しました。
document-done-extend = 期限を変更しました。
document-done-cancel = 文書を取り消しました。
document-done-correct = 署名者の情報を修正しました。
document-done-renew = リンクを作り直しました。
document-done-revoke = リンクを無効にしました。
document-done-discard = 文書を隠しました。
document-done-discarded = 文書を隠しました。
outbox-title = 送信トレイ
outbox-text = 文書に関するメッセージです。送信できなかったものは、開いてリンクをコピーし、直接お渡しください。
outbox-seal-ends = 文書を封印する証明書の有効期限は { $date } です。期限が切れると文書を完了できません。締め切りがそれより後の文書は、現在すでに開始できません。サービスの運用担当者に封印鍵の更新を依頼してください。
outbox-seal-ended = 文書を封印する証明書の有効期限が { $date } に切れたため、文書の開始も完了もできません。サービスの運用担当者に封印鍵の更新を依頼してください。
outbox-empty = メッセージはまだありません
outbox-empty-text = 文書を送ると、署名者へのメッセージがここに表示されます。
outbox-shown = 表示するメッセージ
outbox-tab-failed = 配信失敗
outbox-tab-all = すべて
outbox-none-failed = 配信に失敗したメッセージはありません
outbox-none-failed-text = 届かなかったメッセージがここに表示されます。
outbox-to = 宛先
outbox-created = 日時
outbox-hidden = 確認コードを含むメッセージです。受取人だけが確認できるため、ここには表示しません。
outbox-link-note = このメッセージのリンクは署名者だけが使えるため、ここには表示しません。
outbox-copy = リンクをコピー
outbox-copy-text = このメッセージは送信できませんでした。署名用リンクをコピーして、署名者に直接渡すことができます。リンクをコピーしたことは、履歴と履歴証明書に記録されます。
outbox-copied = 署名用リンク
outbox-copied-text = このリンクは署名者だけに渡してください。リンクを持っている人は誰でも代わりに署名できます。
outbox-channel = 送信方法
outbox-channel-mail = メール
outbox-channel-messenger = メッセージ
outbox-status = 状態
outbox-status-sent = 送信済み
outbox-status-kept = 未送信: メールサーバーまたはメッセージの配信サービスが設定されていません
outbox-status-failed = 配信失敗
outbox-status-again = 失敗（再試行します）
outbox-status-waiting = 待機中
outbox-back = 送信トレイに戻る
outbox-older = 古いメッセージ
outbox-newest = 最新のメッセージ

## 公開リンク
link-title = { $document }
link-text = { $company } から、この文書への記入と署名のお願いです。はじめにお名前と連絡先をご入力ください。
link-copy = 全員が承認すると、ここで入力した連絡先に完了した文書の控えをお送りします。
link-name = お名前
link-contact = メールアドレスまたは携帯電話番号
link-agree = 氏名と連絡先を { $company } に提供し、文書とともに保管することに同意します。
link-agree-missing = 続けるには同意が必要です。
link-required = 入力してください。
link-go-on = 文書へ進む
link-send = リンクを受け取る
link-closed-title = このリンクは受付を終了しました
link-closed-text = このリンクで新しい文書を始めることはできません。リンクの送り主に新しいリンクをご依頼ください。
link-used-up-title = このリンクは利用上限に達しました
link-used-up-text = このリンクで新しい文書を始めることはできません。リンクの送り主に新しいリンクをご依頼ください。
link-ended-title = このリンクは有効期限が切れています
link-ended-text = このリンクで新しい文書を始めることはできません。リンクの送り主に新しいリンクをご依頼ください。
link-taken = このメールアドレスまたは電話番号で、すでに文書が始められています。届いたメッセージのリンクをご確認いただくか、リンクの送り主にお問い合わせください。
link-sent-title = メッセージをご確認ください
link-sent-text = ご入力の連絡先に文書へのリンクをお送りしました。このページは閉じてかまいません。

## API リファレンス
docs-title = API リファレンス
docs-contents = 目次
docs-find = 呼び出し・オブジェクト・エラー ID を検索
docs-find-key = / キーで検索欄へ移動し、Enter キーで最初の結果を開きます。
docs-found = 検索結果: { $count } 件
docs-found-none = 見つかりませんでした。Esc キーで全体の表示に戻ります。
docs-document = プログラム用:
docs-reference = リファレンス
docs-objects = オブジェクト
docs-errors = エラー ID
docs-errors-text = HTTP ステータスごとのエラー code です。422 では、誤りのある項目ごとの code も errors に入ります。
docs-token = アクセストークン
docs-token-hint = このタブにだけ保持され、タブを閉じると消えます。下でログインを実行すると、取得したトークンがここに入ります。
docs-token-none = トークンがありません。トークンが必要な呼び出しは拒否されます。
docs-token-kept = トークンが必要な呼び出しに、このトークンを付けて送信します。
docs-token-of-login = ログインで受け取ったトークンを設定しました。
docs-forget = 消去
docs-warning = ここで実行した呼び出しは本番として処理され、文書の開始やメッセージの送信が行われます。
docs-start-title = クイックスタート
docs-start-login = ログインします。応答にアクセストークンが含まれます。
docs-start-send = 文書を開始します。応答に文書の ID と最初の署名者のリンクが含まれます。
docs-start-sign = リンクを開き、記入して署名します。状態の取得で進み具合を確認できます。
docs-start-fetch = 全員の署名が済んだら、封印された文書と履歴証明書をダウンロードします。
docs-start-program = { $language } の全手順
docs-who = 呼び出せるユーザー:
docs-who-public = 誰でも
docs-who-read = すべてのメンバー（監査担当者を含む）
docs-who-send = 送信できるメンバー: owner、admin、sender
docs-parameters = パラメーター
docs-required = 必須
docs-request = リクエスト
docs-request-example = リクエスト: 編集して送信できます
docs-or-form = またはフォームとして:
docs-answers = レスポンス
docs-answer-example = レスポンスの例
docs-ids = エラー ID { $count } 件
docs-usual = 似た呼び出しと同じく、次のレスポンスを返すこともあります:
docs-try = 試してみる
docs-send = 送信
docs-sending = 送信しています…
docs-no-answer = 応答がありません。サーバーに接続できませんでした。
docs-copy = curl コマンドとしてコピー
docs-copied = コピーしました。
docs-webhooks = Webhook
docs-webhooks-text = このサーバーが文書のエンドポイント（export_api_info.url）に送る内容です。
docs-webhook-name = 文書のイベント
docs-headers = ヘッダー
docs-body = 本文
docs-your-answer = レスポンスに応じた動作

## API リファレンス: グループ
docs-tag-login = ログイン
docs-tag-workflows = 文書
docs-tag-templates = テンプレート
docs-tag-bulk-send = 一括送信
docs-tag-public-links = 公開リンク
docs-tag-export-api = Export API
docs-tag-verification = 文書の検証
docs-tag-service = サービス

## API リファレンス: 呼び出し
docs-call-login = ログイン
docs-call-start = 文書を開始
docs-call-send = テンプレートなしで PDF を送信
docs-call-list_workflows = 文書の一覧
docs-call-search_with_value = 値で文書を検索
docs-call-get_workflow = 文書の詳細
docs-call-approve = 署名者に代わって承認
docs-call-reject = 署名者に代わって却下
docs-call-cancel = 文書を取り消し
docs-call-extend = 有効期限を変更
docs-call-remind = 署名者にリマインド
docs-call-discard = 終了した文書を非表示
docs-call-change_links = 文書のリンクを更新・無効化
docs-call-correct_recipient = 受信者を訂正
docs-call-document = 封印された文書をダウンロード
docs-call-certificate = 履歴証明書をダウンロード
docs-call-field_file = フィールドのファイルをダウンロード
docs-call-list_templates = テンプレートの一覧
docs-call-create_template = テンプレートを作成
docs-call-get_template = テンプレートの詳細
docs-call-replace_template = テンプレートの新しい版を作成
docs-call-copy_template = テンプレートをコピー
docs-call-archive_template = テンプレートをアーカイブ
docs-call-bulk_start = 一括送信を開始
docs-call-bulk_sheet = 記入用のシートをダウンロード
docs-call-get_bulk = 一括送信の詳細
docs-call-cancel_bulk = 一括送信を取り消し
docs-call-start_link = 公開リンクを作成
docs-call-list_links = 公開リンクの一覧
docs-call-get_link = 公開リンクの詳細
docs-call-close_link = 公開リンクの受付を終了
docs-call-list_exports = 配信履歴
docs-call-resend_export = 再配信
docs-call-resend_exports = 範囲を指定して再配信
docs-call-test_export = エンドポイントをテスト
docs-call-list_endpoints = 失敗しているエンドポイントの一覧
docs-call-pause_endpoint = エンドポイントを一時停止
docs-call-start_endpoint = 停止したエンドポイントを再開
docs-call-verify = PDF を検証
docs-call-health = サービスの状態
docs-call-live = プロセスの応答確認
docs-call-ready = リクエストを受け付けられる状態か確認
docs-call-root_certificate = ルート証明書をダウンロード
docs-call-revocation_list = 失効リストをダウンロード
docs-call-openapi = OpenAPI 文書をダウンロード
