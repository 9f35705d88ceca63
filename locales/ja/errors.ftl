## 失敗の理由
error-not-json = リクエスト本文が正しい JSON ではありません。
error-broken-body = リクエスト本文が最後まで届きませんでした。もう一度送信してください。
error-unauthenticated = アクセストークンがないか、無効か、有効期限が切れています。ログインして新しいトークンを取得してください。
error-not-found = 見つかりません: { $subject }
error-method-not-allowed = このアドレスではこのメソッドを使えません。
error-range-not-satisfiable = この範囲にはファイルの内容がありません。ファイルの長さは Content-Range にあります。
error-unprocessable = リクエストが規則に合っていません。
error-too-large = リクエスト本文が { $limit } バイトを超えています。サイズを小さくしてください。
error-unsupported = { $expected ->
    [none] 圧縮された本文には対応していません。Content-Encoding を付けずに送信してください。
   *[other] この Content-Type には対応していません。{ $expected } を UTF-8 で送信してください。
}
error-asked-lately = 依頼を送ってから 10 分経っていません。{ $wait }後の { $time } から再送できます。
error-throttled = 試行回数が多すぎます。{ $wait }後にもう一度お試しください。
error-link-network-throttled = ご利用中のネットワークからの試行が多すぎます。{ $wait }後にもう一度お試しください。
error-link-addressee-throttled = このメールアドレスまたは電話番号で始められた文書が多すぎます。{ $wait }後にもう一度お試しください。
error-link-uses-throttled = このリンクで始められた文書が多すぎます。{ $wait }後にもう一度お試しください。
error-wrong-codes-throttled = このメールアドレスまたは電話番号宛ての確認コードが、何度も誤って入力されました。{ $wait }後にもう一度お試しいただくか、お送りしたメッセージのリンクを開いてください。
error-unavailable = ただいま混み合っています。{ $wait }後にもう一度お試しください。
error-outcome-unknown = 処理結果を確認する前に、データベースとの接続が切れました。再度リクエストする前に、現在の状態をご確認ください。Idempotency-Key 付きのリクエストはそのまま再送できます。
error-file-lost = この文書のファイルがサーバー上で失われたか破損しています。運用担当者にバックアップからの復元を依頼してください。
error-internal = サーバー側で問題が発生し、ログに記録しました。もう一度お試しいただくか、運用担当者にお問い合わせください。

## 権限がない理由
error-api-off = この会社には API の利用が許可されていません。管理者にお問い合わせください。
error-role = 現在の役割ではこの操作はできません。会社の所有者または管理者にお問い合わせください。
error-admins-only = この操作は所有者または管理者だけが行えます。所有者または管理者に依頼してください。
error-owners-only = この操作は所有者だけが行えます。会社の所有者に依頼してください。
error-members-only = この操作には、行った人の記録が必要です。メンバーとしてログインして行ってください。
error-operator-only = この操作は、このサービスの運用者がコマンドラインでのみ行えます。
error-cross-site = 別のサイトからのリクエストです。ページを開き直してからもう一度お試しください。
error-access-code = 先にアクセスコードを入力してください。
error-one-time-code = 先に確認コードを入力してください。
error-not-the-sender = この操作は、文書を送信したメンバーまたは管理者だけが行えます。

## 現在の状態ではできない理由
error-finished = この文書はすでに終了しており（{ $state }）、これ以上変更できません。
error-not-your-turn = この署名者の番ではありません。
error-already-approved = この署名者はすでに承認しています。
error-not-complete = { $state ->
    [Playing] この文書はまだ完了していません。
   *[other] この文書は完了せずに終了したため（{ $state }）、このファイルはありません。経過は履歴証明書でご確認ください。
}
error-still-playing = この文書はまだ進行中です（{ $state }）。
error-embedded = 埋め込み方式の文書では、署名者に通知を送りません。
error-changed = ほかの操作が先に行われ、文書が変更されました。状態を確認して、もう一度お試しください。
error-draft-changed = 別の画面または端末で入力内容が変更されました。変更後の内容を確認してから、もう一度承認してください。
error-company-exists = この ID の会社はすでにあります。
error-member-exists = このメールアドレスのメンバーはすでにいます。
error-archived = このテンプレートはアーカイブされています。別のものを選ぶか、復元してください。
error-locked = コードを何度も間違えたため、開けません。送信者に文書の再送を依頼してください。
error-link-replaced = このリンクは新しいものに置き換えられました。最新のメッセージのリンクをお使いください。
error-link-was-sent = 署名用リンクをコピーできるのは、リンクを送信できなかった場合だけです。このリンクを含むメッセージは送信済みか、まだ送信中です。
error-handed-over = この文書は別の人に引き継がれました。
error-no-handing-over = この文書は別の人に引き継げません。
error-bulk-waiting = 開始待ちの行がすでに多すぎます。一部が処理されてから送信してください。
error-bulk-finished = この一括送信はすでに終了しています（{ $state }）。開始待ちの行はありません。
error-link-closed = このリンクは受付を終了しました。
error-link-used-up = このリンクは利用上限に達しました。
error-link-ended = このリンクは有効期限が切れています。
error-too-many-secrets = このクライアントの Webhook は、上限の 5 個のシークレットで署名されています。交換前のシークレットも、交換後 1 日間は署名に使われます。最も古いものの期限が切れる { $state } より後に、もう一度交換してください。
error-link-taken = このメールアドレスまたは電話番号では、すでにこのリンクが使われています。
error-under-way = この Webhook は現在送信中、または初回の送信待ちです。しばらくしてから履歴をもう一度ご確認ください。
error-endpoint-stopped = このエンドポイントへの送信は停止されています。エンドポイントを再開すると、保留中の Webhook が送信されます。
error-last-owner = 会社には 1 人以上の所有者が必要です。

## 値が受け付けられない理由
error-required = 必須項目です。
error-one-required = 次のうち 1 つ以上を指定してください: { $allowed }
error-not-together = { $name } と同時には指定できません。どちらか一方を指定してください。
error-empty-range = { $name } より後の値は指定できません。より前の値を指定してください。
error-field-required = 項目「{ $name }」は必須です。
error-unexpected-member = この名前の項目やパラメーターはここにはありません。名前を確認するか、削除してください。
error-wrong-type = { $expected ->
    [string] 文字列で指定してください。
    [integer] 整数で指定してください。
    [boolean] true か false で指定してください。
    [array] リスト（配列）で指定してください。
    [object] オブジェクトで指定してください。
   *[other] 次の JSON の型で指定してください: { $expected }
}
error-too-long = { $max } 文字以内で入力してください。
error-too-short = { $min } 文字以上で入力してください。
error-password-too-short = パスワードは { $min } 文字以上にしてください。関連のない単語を 4 つ並べる方法がおすすめです。
error-password-too-long = パスワードが { $max } バイトを超えています。短くしてください。
error-password-too-weak = 推測されやすいパスワードです。関連のない単語を複数並べるか、ランダムな文字を増やしてください。名前、日付、よく使われるパスワード、キーボードの並びは避けてください。
error-password-names-owner = パスワードにご自身のメールアドレスまたは会社名が含まれています。含めずに設定してください。
error-too-many = 最大 { $max } 件までです。
error-out-of-range = { $min } 以上 { $max } 以下で指定してください。
error-control-character = 使用できない制御文字（U+0000 など）が含まれています。削除してください。
error-direction-control = 文字の並ぶ方向を変える見えない文字を削除してください。
error-overlong-character = 1 文字に付いている記号が多すぎます。記号を減らして書いてください。
error-not-allowed = 次のいずれかを指定してください: { $allowed }
error-duplicate = 同じものが重複しています。1 つだけにしてください。
error-invalid-email = 正しいメールアドレスを入力してください。
error-invalid-contact = 正しいメールアドレスまたは電話番号を入力してください。
error-invalid-phone = 正しい電話番号を入力してください。
error-same-person = この方はすでに文書を受け取っています。別の方を入力してください。
error-no-mobile-number = 携帯電話の番号を入力してください。固定電話や有料サービスの番号は使えません。
error-phone-country = 次の国の携帯電話番号だけが使えます: { $allowed }。メールアドレスでもかまいません。
error-invalid-country = KR のような 2 文字の国コードを入力してください。
error-unknown-place = 波かっこに入れられるのは次だけです: { $allowed }。
error-address-in-name = お名前に URL やメールアドレスは使えません。お名前だけを入力してください。
error-invalid-date-time = 日時は YYYY-MM-DD HH:MM:SS、日付だけの場合は YYYY-MM-DD の形式で入力してください。
error-past-date-time = すでに過ぎた日時です。これからの日時を入力してください。
error-invalid-offset = UTC オフセットを +HH:MM の形式で入力してください。
error-invalid-language = ko、en、ja のいずれかを指定してください。
error-unknown-template = テンプレートが見つかりません。
error-unknown-client = API クライアントが見つかりません。
error-unknown-field = この名前のフィールドはありません。
error-unknown-step = 該当するステップまたは役割はありません。
error-missing-recipient = ステップ { $order } の受信者がいません。受信者を指定してください。
error-too-many-recipients = このステップの役割の数より受信者が多くなっています。受信者を減らしてください。
error-order-gap = order は 1 から連番にしてください。
error-field-not-writable = ほかの署名者のフィールドか、変更できないフィールドです。
error-invalid-number = このフィールドに入力できる数値ではありません。
error-too-many-decimals = 小数点以下は { $max } 桁まで入力できます。
error-invalid-date = 日付を YYYY-MM-DD の形式で入力してください。
error-invalid-check = Y または N を入力してください（1、0、true、false も可）。
error-invalid-option = フィールドの選択肢にない値です。次から選んでください: { $allowed }
error-invalid-picture = PNG または JPEG の画像ではありません。どちらかの形式で保存し直してください。
error-picture-not-base64 = base64 ではありません。PNG または JPEG のファイルを base64 で送ってください（先頭の data:…;base64, はあってもなくてもかまいません）。
error-picture-too-large = 画像が大きすぎます。5 MiB 以下、2,000 万画素以下、一辺 10,000 ピクセル以下に縮小してください。
error-picture-damaged = 画像が壊れていて読み取れません。保存し直すか、別の画像を選んでください。
error-picture-blank = 画像が白色または透明で、何も見えません。署名や印影が濃く写った画像を送ってください。
error-invalid-file = base64 のファイルではないか、大きすぎます。
error-files-too-large = 1 つの署名リンクで保存できるファイルは { $files } 個、合計 { $megabytes } MB までです。ファイルの数を減らすか、サイズを小さくしてください。差し替えたファイルや削除したファイルは、約 { $minutes } 分後に上限の計算から外れます。
error-draft-too-large = 入力内容が長すぎます。合計 { $limit } バイトまで保存できます。
error-no-value-taken = この種類のフィールドには値を入力できません。
error-missing-glyph = どのフォントにもない文字があります: { $characters }。削除するか、別の文字に置き換えてください。
error-embedded-too-large = この文書に埋め込むファイルは合計 { $megabytes } MB までで、このファイルに使えるのは残り { $left } MB です。より小さいファイルを送信してください。
error-does-not-fit = いちばん小さい文字でもフィールドに収まりません。短くするか、送信者にフィールドを大きくしてもらってください。
error-one-time-code-unreachable = この方には確認コードを送れません。メールアドレスの場合はメールサーバー、電話番号の場合はその番号に届くメッセージサービスの設定が必要です。別の連絡先を指定するか、アクセスコードをご利用ください。
error-calculation-does-not-fit = この数値では、フィールド「{ $name }」の値「{ $value }」が枠に収まりません。桁数の少ない数値にするか、送信者にそのフィールドを大きくしてもらってください。
error-field-not-stampable = テンプレートのフィールド「{ $name }」に「{ $value }」を表示できません。長すぎて枠に収まらないか、どのフォントにもない文字があります。テンプレートの内容を直すか、枠を大きくしてください。
error-field-too-small = フィールド「{ $name }」の枠が小さすぎます（{ $width } × { $height } ポイント）。この種類のフィールドが読めるようにするには、{ $least_width } × { $least_height } ポイント以上が必要です。このページでは、width を { $width_millionths } 以上、height を { $height_millionths } 以上（100 万分の 1 単位）にしてください。
error-callback-malformed = Webhook の送信先として正しい URL ではありません。
error-callback-scheme = https:// で始まる URL を指定してください。
error-callback-userinfo = URL にユーザー名やパスワードを含めることはできません。
error-callback-fragment = URL にフラグメント（#）を含めることはできません。
error-callback-port = 許可されていないポートです。
error-callback-host = ホスト名が正しい DNS 名ではありません。
error-callback-not-public = 外部からアクセスできる公開アドレスではありません。
error-redirect-malformed = 正しいアドレスではありません。https://ホスト/パス の形式で入力してください。
error-redirect-host = 会社の設定で { $name } への移動が許可されていません。管理者に追加を依頼してください。
error-name-collision = 2 つのフィールドが同じ名前になります。別の名前を指定してください。
error-idempotency-key-reused = この冪等キー（Idempotency-Key）は、本文または offset が異なるリクエストですでに使用されています。新しいキーを使ってください。
error-document-refused = 受け付けられないファイルです: { $reason }
error-no-form-fields = PDF にフォームフィールドがありません。フィールドの位置を FIELDS.json で指定してください。
error-unknown-form-field = PDF のフォームにこの名前のフィールドがありません。page のない項目はフォームのフィールドを指します。
error-fields-not-json = 正しい JSON ではありません。{ $line } 行目の { $column } 文字目をご確認ください。
error-unknown-member = ここには、この名前の項目はありません。使える名前: { $allowed }
error-step-gap = ステップ { $order } がありません。ステップは 1 から連番にしてください。
error-role-needed = このステップには署名者が複数います。署名者ごとに役割を指定してください。
error-field-role-needed = このステップには署名者が複数います。このフィールドに記入する役割を指定してください。
error-box-off-page = 枠には大きさが必要で、ページの内側に収まっていなければなりません。位置と大きさは 100 万分の 1 単位（最大 1000000）で指定してください。
error-name-of-other-kind = 種類の異なるフィールドがこの名前を使っています。別の名前を指定してください。
error-boxes-disagree = 同じ名前の枠は一つのフィールドです。種類・ステップ・役割をすべて同じにしてください。
error-member-not-for-kind = 次の種類のフィールドだけで使えます: { $allowed }。このフィールドからは削除してください。
error-cells-or-lines = cells と lines は同時に使えません。どちらかを削除してください。
error-invalid-date-pattern = 日付の書式ではありません。yyyy、yy、MMMM、MMM、MM、M、dd、d のいずれかが必要です。その他の英字は単一引用符で囲んでください。
error-invalid-color = #1a2b3c のような形式で色を指定してください。
error-unknown-font = 「{ $value }」というフォントはありません。使えるフォント: { $allowed }
error-embed-in-signed = 署名済みの PDF のため、中にファイルを入れることはできません。embed を削除してください。
error-formula-unreadable = 数式の { $position } 文字目から先を読み取れません。
error-formula-name = 数式に、種類が number または calc ではないフィールドがあります: { $name }
error-formula-later = 数式の「{ $name }」は、後のステップで記入されます。前のステップ、または同じ署名者のフィールドだけを使ってください。
error-formula-beside = 数式の「{ $name }」は、同じステップの別の役割が記入します。前のステップ、または同じ署名者のフィールドだけを使ってください。
error-formula-circle = 「{ $name }」の数式が、それ自身の結果を使っています。
error-page-out-of-range = 文書にないページです。文書は全 { $pages } ページです。
error-not-sealable = 封印に使用できません: { $reason }
error-not-drawable = この値は入力欄に表示できません。別の形で入力するか、送信者に入力欄の確認を依頼してください。
error-seal-ends-before = 会社の封印証明書の有効期限（{ $date }）は、この文書の期限より前です。期限を早めるか、運用担当者に封印鍵の更新を依頼してください。
error-logo-refused = この画像はロゴに使えません: { $reason }
error-invalid-company-id = 会社 ID として使えません: { $reason }
error-consent-required = 先に電子署名に同意してください。
error-agreement-required = 先に、氏名と連絡先を提供し、文書とともに保管することに同意してください。
error-visitors-place = ここはリンクを開く人のための枠です。指定しないでください。
error-wrong-access-code = アクセスコードが正しくありません。あと { $left } 回試せます。
error-sheet-not-utf8 = CSV ファイルの文字コードを判別できません。「CSV UTF-8」形式で保存してください。
error-sheet-quote = { $row } 行目で始まる引用符が閉じられていないか、その後ろに文字が続いているため、以降の行を区別できません。表計算ソフトで保存し直すか、文中の引用符を二重にしてください。
error-sheet-cell = このセルには #N/A などのエラー、暦にない日付、または計算結果が保存されていない数式があります。表計算ソフトで開いて修正し、保存してください。
error-sheet-empty = シートの見出しの下に行がありません。文書ごとに 1 行ずつ入力してください。
error-sheet-unreadable = { $kind ->
    [pdf] これは PDF ファイルです。CSV ファイルまたは XLSX ブックを選んでください。
    [picture] これは画像です。CSV ファイルまたは XLSX ブックを選んでください。
    [xls] これは古い Office 形式（XLS）のファイルか、パスワードが必要なブックです。パスワードなしの XLSX ブックまたは「CSV UTF-8」形式で保存してください。
    [open_document] これは OpenDocument ファイルです。XLSX ブックまたは「CSV UTF-8」形式で保存してください。
   *[other] 読み取れる CSV ファイルまたは XLSX ブックではありません。表計算ソフトでどちらかの形式で保存してください。
}
error-not-json-text = フォームのこの項目は正しい JSON ではありません。
error-wrong-one-time-code = { $left ->
    [0] 確認コードを何度も間違えました。新しいコードを受け取ってください。
   *[other] 確認コードが正しくありません。あと { $left } 回試せます。
}
error-one-time-code-expired = この確認コードはもう使えません。新しいコードを受け取ってください。
error-invalid-cursor = 不明なカーソルです。カーソルなしで最初からやり直してください。

## 会社が封印できない理由
error-seal-key-missing = 会社に封印鍵がないため、文書を封印できません。運用担当者に「countersign company key renew」で封印鍵を作成するよう依頼してください。
error-seal-certificate-not-yet-valid = 会社の封印証明書は { $date } から有効です。それまで待つか、運用担当者に別の封印鍵の使用を依頼してください。
error-seal-certificate-expired = 会社の封印証明書は { $date } に有効期限が切れたため、文書を封印できません。運用担当者に封印鍵の更新または新しい鍵のインポートを依頼してください。
error-seal-certificate-revoked = 会社の封印証明書が失効したため、文書を封印できません。運用担当者に封印鍵の更新または新しい鍵のインポートを依頼してください。
error-seal-key-pin-refused = 会社の封印鍵が入ったトークンが PIN を受け付けませんでした。運用担当者に PIN を修正してサービスを再起動するよう依頼してください。
error-seal-token-away = 会社の封印鍵が入ったトークンが接続されていません。運用担当者にトークンの接続を依頼し、{ $wait }後にもう一度お試しください。
error-seal-key-unusable = 会社の封印鍵を使用できません。運用担当者に「countersign doctor」で原因を確認するよう依頼してください。

## 送信者や運用担当者だけが対処できる問題について、署名者が読む文
error-signer-cannot-complete = 現在、文書を完了できません。入力内容は保存されています。{ $wait }後にもう一度試すか、送信者にお問い合わせください。
error-signer-file-lost = この文書のファイルがサーバーで見つかりません。送信者にお問い合わせください。
error-signer-internal = サービスで問題が発生しました。しばらくしてからもう一度お試しください。解決しない場合は送信者にお問い合わせください。
error-signer-outcome-unknown = 処理結果を確認する前に接続が切れました。もう一度試す前にリンクを開き直し、処理が完了しているか確認してください。

## 見つからなかったもの
error-subject-company = 会社
error-subject-member = メンバー
error-subject-client = API クライアント
error-subject-token = アクセストークン
error-subject-template = テンプレート
error-subject-workflow = 文書
error-subject-recipient = 受信者
error-subject-field = フィールド
error-subject-page = ページ
error-subject-file = ファイル
error-subject-delivery = 配信記録
error-subject-bulk = 一括送信
error-subject-callback-address = 文書のエンドポイント
error-subject-public-link = 公開リンク
error-subject-link = リンク
error-subject-endpoint = API のパス

## ログインの結果
api-login-success = ログインしました。
api-login-wrong-credentials = ログイン情報が正しくありません。
api-login-throttled = 誤ったログイン情報での試行が多すぎます。しばらくしてからもう一度お試しください。
api-login-busy = ただいま混み合っています。しばらくしてからもう一度お試しください。
api-login-wrong-form = リクエスト本文の形式が正しくないため、処理できません。
api-login-api-off = この会社には API の呼び出しが許可されていません。管理者にお問い合わせください。
api-login-failure = 予期しないエラーが発生しました。しばらくしてからもう一度お試しください。

## 待ち時間（ほかの文の中で）
deadline-never = なし
wait-seconds = { $count } 秒
wait-minutes = { $count } 分
wait-hours = { $count } 時間
