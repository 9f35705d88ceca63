## すべての画面
page-skip = 本文へ移動
page-language = 言語
page-close = 閉じる
page-cancel = キャンセル
page-needs-script = この画面には JavaScript が必要です。ブラウザーで有効にしてから、もう一度開いてください。
page-footer = Countersign により保護されています

## 署名画面：開始前
sign-title = 署名：{ $document }
sign-asks = { $sender } から文書の記入と署名の依頼が届いています。
sign-asks-view = { $sender } が送信した文書です。
sign-for = { $name } 様
sign-until = { $date } までに完了してください
sign-comment = 送信者からのメッセージ
sign-writer-of-step = ステップ { $step } の記入者
sign-step = 全 { $steps } ステップ中 { $step } 番目
sign-about = この文書について
sign-pages = 全 { $count } ページ
sign-returned = { $name } 様がこの文書を差し戻しました。内容を修正のうえ、もう一度承認してください。
sign-returned-own = { $name } 様が差し戻した後、内容があらためて記入された文書です。最初からもう一度ご確認ください。
sign-continued = 前回入力した内容を呼び出しました。
sign-original = 署名前の文書をダウンロード
sign-preview = プレビューです。ここで入力した内容は保存も送信もされません。
sign-sender-view = 送信者用の画面です。現在までの記入内容を表示しています。ここでは署名できません。
sign-sender-view-waiting = { $name } 様の記入を待っています（ステップ { $step }）

## 署名画面：アクセスコード
sign-code-title = アクセスコードを入力してください
sign-code-text = この文書には、送信者がアクセスコードを設定しています。
sign-code-hint = ヒント：{ $hint }
sign-code-label = アクセスコード
sign-code-submit = 文書を開く
sign-code-wrong = アクセスコードが正しくありません。
sign-tries-left = あと { $count } 回入力できます。
sign-code-locked-title = リンクがロックされました
sign-code-locked = コードの誤りが続きました。送信者に文書の再送を依頼してください。

## 署名画面: 確認コード
sign-one-time-title = ご本人の確認
sign-one-time-text = 文書を開く前に、{ $to } 宛に確認コードをお送りします。
sign-one-time-sent = { $to } 宛に 6 桁の確認コードを送信しました。{ $minutes } 分間有効です。
sign-one-time-send = 確認コードを受け取る
sign-one-time-label = 確認コード
sign-one-time-submit = 文書を開く
sign-one-time-again = 新しい確認コードを受け取る
sign-one-time-help = 届かない場合は、迷惑メールフォルダーや受信拒否したメッセージもご確認ください。新しいコードを受け取ると、前のコードは使えなくなります。
sign-one-time-wrong = 確認コードが正しくありません。
sign-one-time-used-up = 確認コードの誤りが続きました。新しいコードを受け取ってください。
sign-one-time-expired = この確認コードはもう使えません。新しいコードを受け取ってください。
sign-one-time-wait-seconds = 確認コードを送信したばかりです。{ $count } 秒後にもう一度受け取れます。
sign-one-time-wait-minutes = 確認コードをすでに何度か送信しました。{ $count } 分後にもう一度受け取れます。

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
page-text-none = このページには、読み上げや検索ができる文字がありません。画像だけのページです。
sign-field-required = 必須
sign-field-other = { $name } 様が記入しました
sign-field-waiting = { $name } 様が記入する欄
sign-field-given = 送信者が記入しました
sign-field-choose = 選択してください
sign-field-signature = 署名する
sign-field-initials = イニシャル
sign-field-seal = 押印する
sign-field-image = 画像を追加
sign-field-attachment = ファイルを追加
sign-field-change = 変更
sign-field-remove = 削除
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
sign-zoom = 表示サイズ
sign-zoom-in = 拡大
sign-zoom-out = 縮小
sign-guide = 1項目ずつ入力
sign-guide-off = 文書上で入力
sign-guide-count = 全 { $total } 項目中 { $at } 番目
sign-guide-back = 前の項目
sign-guide-next = 次へ
sign-guide-skip = スキップ
sign-guide-later = あとで入力
sign-field-optional = 任意

## 署名画面：署名の入力
sign-pad-title-signature = 署名の入力
sign-pad-title-initials = イニシャルの入力
sign-pad-title-seal = 印影の入力
sign-pad-title-image = 画像の追加
sign-pad-draw = 手書き
sign-pad-picture = 画像
sign-pad-area = 手書きの領域です。キーボードをお使いの場合は「文字入力」か「印鑑」を選んでください。
sign-pad-here = 指、ペン、またはマウスで書いてください
sign-pad-type = 文字入力
sign-pad-type-label = 署名にする名前
sign-pad-undo = 元に戻す
sign-pad-clear = 消去
sign-pad-choose = PNG または JPEG の画像を選択
sign-pad-limit = { $megabytes } MB を超えると縮小します
sign-pad-use = 使用する
sign-pad-empty = 先に手書きするか、画像を選んでください。
sign-pad-not-picture = 読み取れる PNG または JPEG の画像ではありません。
sign-pad-too-large = 縮小しても画像が大きすぎます。
sign-pad-preview = プレビュー
sign-pad-seal = 印鑑
sign-pad-last = 前回のもの
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
sign-pad-seals = 印影を選ぶ
sign-seal-round = 丸印：{ $words }
sign-seal-oval = 小判形：{ $words }
sign-seal-square = 角印：{ $words }
sign-seal-double-ring = 二重丸：{ $words }
sign-pad-choices-failed = プレビューを読み込めませんでした。接続を確認してください。オンラインに戻るか名前を変えると、もう一度読み込みます。
sign-pad-no-name = 先に名前を入力してください。
sign-pad-camera = 写真を撮る
sign-pad-clean = 紙の背景を透明にして余白を切り取る
sign-pad-threshold = インクとみなす濃さ
sign-pad-no-ink = 何も残りません。スライダーを右へ動かすか、背景を残してください。
sign-pad-keep = 次回のために保存
sign-pad-keep-where = サーバーではなく、この端末にだけ保存されます。いつでもここから削除できます。
sign-pad-not-kept = この欄には使われましたが、次回のためにこの端末に保存することはできませんでした。

## 署名画面：入力の規則
sign-rule-number = 1200 や 3.5 のような数値を入力してください。
sign-rule-date = 日付を入力してください。
sign-rule-too-long = { $limit } 文字まで入力できます。
sign-rule-decimals = 小数点以下は { $limit } 桁までです。
sign-rule-refused = この値は使用できません。確認してください。
sign-rule-choose = 1つ選んでください。
sign-rule-check = チェックを入れてください。
sign-rule-picture = PNG または JPEG の画像、5 MB まで
sign-rule-file = ファイル1つ、10 MB まで

## 署名画面：下書き
sign-draft-saving = 保存しています…
sign-draft-saved = 保存しました
sign-draft-offline = 接続が切れました。入力内容はこの端末に保持され、再接続後に保存されます。
sign-draft-offline-open = 接続が切れました。この端末には入力内容をすべて保持できないため、保存されるまでこのページを閉じないでください。
sign-draft-failed = まだ保存できていません。再試行します。
sign-draft-failed-open = まだ保存できていません。再試行します。この端末には入力内容をすべて保持できないため、保存されるまでこのページを閉じないでください。
sign-transfer-sending = { $file } を送信中：{ $percent }%
sign-transfer-waiting = { $file } はまだ送信されていません。
sign-transfer-again = 今すぐ再試行
sign-transfer-cancel = 送信をやめる
sign-transfer-sent = { $file } を送信しました。
sign-transfer-cancelled = { $file } の送信を取り消しました。
sign-file-refused = 「{ $file }」は添付できませんでした。{ $reason }
sign-file-unreadable = このファイルを端末から読み取れませんでした。もう一度選択してください。

## 署名画面：再確認する内容
sign-settle-title = もう一度ご確認ください
sign-settle-text = 別の場所で変更された内容、または受け付けられなかった内容があります。
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
sign-approve = 承認して完了
sign-approve-title = 記入の完了
sign-approve-text = 完了すると、記入した内容は変更できません。
sign-approve-comment = メッセージ（任意）
sign-approve-confirm = 承認
sign-comment-limit = { $limit } 文字まで
sign-reject = 却下
sign-reject-title = 文書の却下
sign-reject-text = 理由とともに送信者に伝えられ、文書は終了します。取り消すことはできません。
sign-reject-text-return = 理由とともに前のステップの記入者に差し戻します。修正のうえ承認されると、再びあなたの番になります。
sign-reject-reason = 却下の理由
sign-reject-needed = 理由を入力してください。
sign-reject-confirm = 文書を却下
sign-hand-over = 別の人に引き継ぐ
sign-hand-over-text = 引き継いだ人が代わりに署名し、新しいリンクを受け取ります。このリンクは使えなくなり、これまでの入力内容は引き継がれません。
sign-hand-over-name = 名前
sign-hand-over-email = メールアドレス
sign-hand-over-confirm = 引き継ぐ
sign-failed = 処理できませんでした。入力内容は残っています。もう一度お試しください。
sign-failed-offline = 接続が切れています。接続してからもう一度お試しください。

## 署名画面：完了後
sign-done-title = 完了しました。ありがとうございます。
sign-done-next = 次の記入者に文書が送られます。
sign-done-others = 同じ順番の他の記入者の署名がまだ残っています。全員の署名が済むと、次の記入者に文書が送られます。
sign-done-complete = すべての署名が完了しました。
sign-done-copy = 全員の署名が済むと、完了した文書をお送りします。
sign-done-rejected-title = 文書を却下しました
sign-done-rejected = 送信者に通知しました。
sign-done-returned = 文書を前のステップの記入者に差し戻しました。
sign-done-preview-title = プレビューの終わりです
sign-done-preview = 実際の文書では、ここで承認されます。保存も送信もされていません。
sign-done-next-document = 次の文書
sign-done-close = 閉じる
sign-done-may-close = このウィンドウは閉じてかまいません。

## 署名画面の代わりに
end-signed-title = すでに署名済みです
end-signed-text = { $date } に記入を完了しています。これ以上の操作は必要ありません。
end-signed-plain = すでに記入を完了しています。これ以上の操作は必要ありません。
end-waiting-title = まだ順番ではありません
end-waiting-text = 前の記入者が完了すると、お知らせします。
end-complete-title = 完了した文書です
end-complete-text = すべての署名が完了しました。完了した文書は封印され、変更できません。
end-rejected-title = 却下された文書です
end-rejected-text = 記入者が却下したため、署名できません。
end-canceled-title = 取り消された文書です
end-canceled-text = 送信者が取り消しました。これ以上の操作は必要ありません。
end-expired-title = 期限が切れた文書です
end-expired-text = { $date } に期限が切れました。送信者に再送を依頼してください。
end-expired-plain = 期限が切れました。送信者に再送を依頼してください。
end-old-title = このリンクは無効になりました
end-old-text = 新しいリンクに置き換えられています。最新のメッセージのリンクを使うか、送信者に再送を依頼してください。
end-handed-over-title = この文書は引き継ぎ済みです
end-handed-over-text = 引き継いだ人に記入と署名を依頼しました。これ以上の操作は必要ありません。
end-unknown-title = このリンクは開けません
end-unknown-text = アドレスが最後までコピーされているか確認するか、送信者に再送を依頼してください。
end-document = 文書：{ $document }
end-open-document = 完了した文書を開く
end-trouble-title = 問題が発生しました
end-trouble-text = サービス側の問題です。失われた内容はありません。しばらくしてからもう一度お試しください。
end-doubt-title = 処理が完了したか確認できませんでした
end-doubt-text = 最後の段階でデータベースとの接続が切れました。もう一度操作する前に、リンクを開き直して、完了しているかどうかをご確認ください。
end-busy-title = しばらくしてからもう一度お試しください
end-busy-text = 現在、リクエストが多すぎます。
end-missing-title = ページが見つかりません
end-missing-text = アドレスを確認してください。
end-forbidden-title = 表示できない画面です
end-forbidden-text = このアカウントにはこの画面を見る権限がありません。

## 文書の表示
view-title-document = 完了した文書
view-title-certificate = 履歴証明書
view-download = PDF をダウンロード
view-completed = { $date } 完了
view-sealed = 封印された文書です。以後の変更はすべて検出できます。
view-verify = PDF を検証する
view-expired-title = リンクの期限が切れています
view-expired-text = 完了した文書のリンクには期限があります。送信者に新しいリンクを依頼してください。

## 文書の検証
verify-title = 文書の検証
verify-text = このサービスや他のサービスで署名された PDF を選んでください。変更されていないか、誰がいつ署名したかが分かります。ファイルは検証後に保存されません。
verify-drop = ファイルを選ぶか、ここにドロップしてください
verify-submit = 検証する
verify-checking = 検証しています…
verify-hash = ファイルの SHA-256
verify-name = ファイル
verify-again = 別のファイルを検証する
verify-too-large = ファイルが大きすぎます。{ $megabytes } MB まで検証できます。
verify-broken = ファイルが最後まで届きませんでした。もう一度送信してください。
verify-no-file = 先にファイルを選んでください。

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
outbox-title = 送信トレイ
outbox-text = 文書に関するメッセージです。未送信のものは、開いてご自身でお伝えください。
outbox-empty = メッセージはまだありません
outbox-empty-text = 文書を送ると、記入者へのメッセージがここに表示されます。
outbox-to = 宛先
outbox-created = 日時
outbox-hidden = 確認コードを含むメッセージです。受取人だけが見られるように、ここには表示しません。
outbox-channel = 送信方法
outbox-channel-mail = メール
outbox-channel-messenger = メッセンジャー
outbox-status = 状態
outbox-status-sent = 送信済み
outbox-status-kept = 未送信: 送信できるメールサーバーやメッセンジャーが設定されていません
outbox-status-failed = 配信できませんでした
outbox-status-again = 失敗、再試行します
outbox-status-waiting = 待機中
outbox-back = 送信トレイに戻る
outbox-older = 古いメッセージ
outbox-newest = 最新のメッセージ
outbox-signed-in = { $email }、{ $company }

## 公開リンク
link-title = { $document }
link-text = { $company } がこの文書への記入と署名をお願いしています。はじめにお名前と連絡先をご入力ください。
link-copy = 全員の署名が終わると、ここで入力した連絡先に完成した文書の控えをお送りします。
link-name = お名前
link-contact = メールアドレスまたは携帯電話番号
link-agree = 氏名と連絡先を { $company } に提供し、文書とともに保管することに同意します。
link-agree-missing = 続けるには同意が必要です。
link-required = 入力してください。
link-go-on = 文書へ進む
link-send = リンクを受け取る
link-closed-title = このリンクは閉じられています
link-closed-text = このリンクで新しい文書を始めることはできません。リンクの送り主に新しいリンクをご依頼ください。
link-used-up-title = このリンクは使い切られました
link-used-up-text = 利用できる回数に達しました。リンクの送り主に新しいリンクをご依頼ください。
link-ended-title = このリンクの有効期間は終了しました
link-ended-text = このリンクで新しい文書を始めることはできません。リンクの送り主に新しいリンクをご依頼ください。
link-taken = このメールアドレスまたは電話番号で、すでに文書が始められています。届いたメッセージのリンクをご確認いただくか、リンクの送り主にお問い合わせください。
link-sent-title = メッセージをご確認ください
link-sent-text = ご入力の連絡先に文書へのリンクをお送りしました。このページは閉じてかまいません。
