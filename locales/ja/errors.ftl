## 失敗の理由
error-not-json = リクエスト本文が正しい JSON ではありません。
error-broken-body = リクエスト本文が最後まで届きませんでした。もう一度送信してください。
error-unauthenticated = アクセストークンがないか、不明か、有効期限が切れています。ログインして新しいトークンを取得してください。
error-not-found = 見つかりません: { $subject }。
error-method-not-allowed = このアドレスではこのメソッドを使えません。
error-unprocessable = リクエストが規則に合っていません。
error-too-large = リクエスト本文が { $limit } バイトを超えています。
error-unsupported = { $expected ->
    [none] 圧縮された本文には対応していません。Content-Encoding を付けずに送信してください。
   *[other] この Content-Type には対応していません。{ $expected } を UTF-8 で送信してください。
}
error-asked-lately = 依頼を送ってから10分経っていません。{ $wait }後の { $time } から再送できます。
error-throttled = 試行回数が多すぎます。{ $wait }後にもう一度お試しください。
error-link-network-throttled = ご利用中のネットワークからの試行が多すぎます。{ $wait }後にもう一度お試しください。
error-link-addressee-throttled = このメールアドレスまたは電話番号で始められた文書が多すぎます。{ $wait }後にもう一度お試しください。
error-link-uses-throttled = このリンクで始められた文書が多すぎます。{ $wait }後にもう一度お試しください。
error-wrong-codes-throttled = このメールアドレスまたは電話番号宛ての確認コードが、何度も誤って入力されました。{ $wait }後にもう一度お試しいただくか、お送りしたメッセージのリンクを開いてください。
error-unavailable = ただいま処理できません。{ $wait }後にもう一度お試しください。
error-outcome-unknown = 処理が完了したかどうか確認できませんでした。最後の段階でデータベースとの接続が切れました。再度リクエストする前に、処理されたかどうかをご確認ください。Idempotency-Key 付きのリクエストはそのまま再送できます。
error-file-lost = この文書のファイルがサーバー上で失われたか破損しています。運用担当者がバックアップから復元する必要があります。
error-internal = サーバー側で問題が発生しました。記録されましたので、もう一度お試しいただくか、運営者にお問い合わせください。

## 権限がない理由
error-api-off = この会社には API の利用が許可されていません。管理者にお問い合わせください。
error-role = 現在の役割ではこの操作はできません。
error-cross-site = 別のサイトからのリクエストです。ページを開き直してからもう一度お試しください。
error-access-code = 先にアクセスコードを入力してください。
error-one-time-code = 先に確認コードを入力してください。
error-not-the-sender = この操作は、文書を送信したメンバーまたは管理者だけが行えます。

## 現在の状態ではできない理由
error-finished = この文書はすでに終了しており（{ $state }）、これ以上変更できません。
error-not-your-turn = この記入者の番ではありません。
error-already-approved = この記入者はすでに承認しています。
error-not-complete = { $state ->
    [Playing] この文書はまだ完了していません。
   *[other] この文書は完了せずに終了したため（{ $state }）、このファイルはありません。経過は履歴証明書でご確認ください。
}
error-still-playing = この文書はまだ進行中です（{ $state }）。
error-embedded = 埋め込み方式の文書では、記入者に通知を送りません。
error-changed = ほかの操作が先に行われ、文書が変更されました。状態を確認して、もう一度お試しください。
error-draft-changed = 別の画面または端末で入力内容が変更されました。変更後の内容を確認してから、もう一度承認してください。
error-company-exists = この ID の会社はすでにあります。
error-member-exists = このメールアドレスのメンバーはすでにいます。
error-archived = このテンプレートはアーカイブされています。別のものを選ぶか、復元してください。
error-locked = コードの入力回数が上限を超えました。送信者に再送を依頼してください。
error-link-replaced = このリンクは新しいものに置き換えられました。最新の通知のリンクをお使いください。
error-link-was-sent = 署名用リンクをコピーできるのは、リンクを送信できなかった場合だけです。このリンクを含むメッセージは送信済みか、まだ送信中です。
error-handed-over = この文書は別の人に引き継がれました。
error-no-handing-over = この文書は別の人に引き継げません。
error-bulk-waiting = 開始待ちの行がすでに多すぎます。一部が処理されてから送信してください。
error-bulk-finished = この一括送信はすでに終了しています（{ $state }）。開始待ちの行はありません。
error-link-closed = このリンクは閉じられています。
error-link-used-up = このリンクは利用できる回数に達しました。
error-link-ended = このリンクの有効期間は終了しました。
error-too-many-secrets = このクライアントの Webhook は 5 個のシークレットで署名されており、これ以上は増やせません。最新のもののほか、交換前のシークレットも交換後 1 日間は署名に使われます。最も古いものの期限が切れる { $state } より後に、もう一度交換してください。
error-link-taken = このメールアドレスまたは電話番号では、すでにこのリンクが使われています。
error-under-way = この通知は現在送信中、または初回の送信待ちです。しばらくしてから履歴をご確認ください。
error-endpoint-stopped = このアドレスへの送信は停止されています。アドレスを再開すると、保留中の通知が送信されます。
error-last-owner = 会社には少なくとも 1 人の所有者が必要です。

## 値が受け付けられない理由
error-required = 必須項目です。
error-one-required = 次のうち少なくとも 1 つを指定してください: { $allowed }。
error-not-together = { $name } と同時には指定できません。どちらか一方を指定してください。
error-empty-range = { $name } より後のため、その間に該当するものはありません。
error-field-required = 項目「{ $name }」は必須です。
error-unexpected-member = この名前の項目やパラメーターはここにはありません。
error-wrong-type = { $expected ->
    [string] 文字列でなければなりません。
    [integer] 整数でなければなりません。
    [boolean] true か false でなければなりません。
    [array] リスト（配列）でなければなりません。
    [object] オブジェクトでなければなりません。
   *[other] 次の JSON の型でなければなりません: { $expected }
}
error-too-long = 最大 { $max } 文字までです。
error-too-short = { $min } 文字以上でなければなりません。
error-password-too-short = パスワードは { $min } 文字以上にしてください。関連のない単語を 4 つ並べる方法がおすすめです。
error-password-too-long = パスワードが { $max } バイトを超えています。短くしてください。
error-password-too-weak = 推測されやすいパスワードです。関連のない単語を複数並べるか、ランダムな文字を増やしてください。名前、日付、よく使われるパスワード、キーボードの並びは避けてください。
error-password-names-owner = パスワードにご自身のメールアドレスまたは会社名が含まれています。含めずに設定してください。
error-too-many = 最大 { $max } 件までです。
error-out-of-range = { $min } 以上 { $max } 以下でなければなりません。
error-control-character = 使用できない制御文字（U+0000 など）が含まれています。
error-direction-control = 文字の並ぶ方向を変える見えない文字を削除してください。
error-overlong-character = 1 文字に付いている記号が多すぎます。記号を減らして書いてください。
error-not-allowed = 次のいずれかでなければなりません: { $allowed }。
error-duplicate = 同じものが 2 回指定されています。
error-invalid-email = 正しいメールアドレスではありません。
error-invalid-contact = メールアドレスでも電話番号でもありません。
error-invalid-phone = 正しい電話番号ではありません。
error-same-person = この方はすでに文書を受け取っています。別の方を入力してください。
error-no-mobile-number = 携帯電話の番号を入力してください。固定電話や有料サービスの番号は使えません。
error-phone-country = 次の国の携帯電話番号だけが使えます: { $allowed }。メールアドレスでもかまいません。
error-invalid-country = KR のような 2 文字の国コードではありません。
error-unknown-place = 波かっこに入れられるのは次だけです: { $allowed }。
error-address-in-name = お名前にウェブアドレスやメールアドレスは使えません。
error-invalid-date-time = YYYY-MM-DD HH:MM:SS 形式の日時でも、YYYY-MM-DD 形式の日付でもありません。
error-past-date-time = すでに過ぎた日時です。
error-invalid-offset = +HH:MM 形式の UTC オフセットではありません。
error-invalid-language = ko、en、ja のいずれかでなければなりません。
error-unknown-template = テンプレートが見つかりません。
error-unknown-client = API クライアントが見つかりません。
error-unknown-field = この名前のフィールドはありません。
error-unknown-step = 該当するステップまたは役割はありません。
error-missing-recipient = ステップ { $order } の記入者が指定されていません。
error-too-many-recipients = このステップの記入者より多く指定されています。
error-order-gap = order は 1 から連続していなければなりません。
error-field-not-writable = ほかの記入者のフィールドか、変更できないフィールドです。
error-invalid-number = このフィールドで使える数値ではありません。
error-too-many-decimals = 小数点以下は { $max } 桁までです。
error-invalid-date = YYYY-MM-DD 形式の日付ではありません。
error-invalid-check = Y または N でなければなりません（1、0、true、false も可）。
error-invalid-option = フィールドの選択肢にない値です。選択肢: { $allowed }
error-invalid-picture = PNG または JPEG の画像ではありません。どちらかの形式で保存し直してください。
error-picture-not-base64 = base64 ではありません。PNG または JPEG のファイルを base64 で送ってください（先頭の data:…;base64, はあってもなくてもかまいません）。
error-picture-too-large = 画像が大きすぎます。5 MiB 以下、2,000 万画素以下、一辺 10,000 ピクセル以下に縮小してください。
error-picture-damaged = 画像が壊れていて読み取れません。保存し直すか、別の画像を選んでください。
error-picture-blank = 画像が白色または透明で、何も見えません。署名や印影が濃く写った画像を送ってください。
error-invalid-file = base64 のファイルではないか、大きすぎます。
error-files-too-large = 1つの署名リンクで保存できるファイルは { $files } 個、合計 { $megabytes } MBまでです。ファイルの数を減らすか、サイズを小さくしてください。差し替えたファイルや削除したファイルは、約 { $minutes } 分後に上限の計算から外れます。
error-draft-too-large = 入力内容は合計 { $limit } バイトまでです。
error-no-value-taken = この種類のフィールドは値を受け付けません。
error-missing-glyph = どのフォントにもない文字があります: { $characters }。取り除くか、別の文字で書いてください。
error-does-not-fit = いちばん小さい文字でもフィールドに収まりません。短くするか、送信者にフィールドを大きくしてもらってください。
error-one-time-code-unreachable = この方には確認コードを送れません。メールアドレスの場合はメールサーバー、電話番号の場合はその番号に届くメッセージサービスの設定が必要です。別の連絡先を指定するか、アクセスコードをご利用ください。
error-calculation-does-not-fit = この数値では、後のフィールド「{ $name }」に入る「{ $value }」が収まりません。桁数の少ない数値にするか、送信者にそのフィールドを大きくしてもらってください。
error-field-not-stampable = テンプレートのフィールド「{ $name }」に「{ $value }」を表示できません。長すぎて枠に収まらないか、どのフォントにもない文字があります。テンプレートの内容を直すか、枠を大きくしてください。
error-field-too-small = フィールド「{ $name }」の枠が小さすぎます（{ $width } × { $height } ポイント）。この種類のフィールドが読めるようにするには、{ $least_width } × { $least_height } ポイント以上が必要です。このページでは、width を { $width_millionths } 以上、height を { $height_millionths } 以上（100万分の1単位）にしてください。
error-callback-malformed = Webhook を送れるアドレスではありません。
error-callback-scheme = https:// で始まるアドレスでなければなりません。
error-callback-userinfo = アドレスにユーザー名やパスワードを含めることはできません。
error-callback-fragment = アドレスにフラグメント（#）を含めることはできません。
error-callback-port = 許可されていないポートです。
error-callback-host = ホスト名が正しい DNS 名ではありません。
error-callback-not-public = 外部から到達できる公開アドレスではありません。
error-name-collision = 2 つのフィールドが同じ名前になります。
error-idempotency-key-reused = この冪等キー（Idempotency-Key）は、本文または offset が異なる別のリクエストですでに使用されています。
error-document-refused = 受け付けられないファイルです: { $reason }
error-no-form-fields = PDFにフォームフィールドがありません。フィールドの位置をFIELDS.jsonで指定してください。
error-unknown-form-field = PDFのフォームにこの名前のフィールドがありません。pageのない項目はフォームのフィールドに重ねられます。
error-fields-not-json = JSON ではありません。{ $line } 行目の { $column } 文字目で読み取れません。
error-unknown-member = ここには、この名前のメンバーはありません。使える名前: { $allowed }
error-step-gap = ステップ { $order } がありません。ステップは 1 から欠けることなく続けてください。
error-role-needed = このステップには記入者が複数います。記入者ごとに役割を指定してください。
error-field-role-needed = このステップには記入者が複数います。このフィールドに記入する役割を指定してください。
error-box-off-page = 枠には大きさが必要で、ページの内側に収まっていなければなりません。位置と大きさは 100万分の1単位（最大 1000000）で指定してください。
error-name-of-other-kind = 種類の異なるフィールドがこの名前を使っています。別の名前を指定してください。
error-boxes-disagree = 同じ名前の枠は一つのフィールドです。種類・ステップ・役割をすべて同じにしてください。
error-member-not-for-kind = 次の種類のフィールドだけで使えます: { $allowed }。このフィールドからは削除してください。
error-cells-or-lines = cells と lines は同時に使えません。どちらかを削除してください。
error-invalid-date-pattern = 日付の書式ではありません。yyyy、yy、MMMM、MMM、MM、M、dd、d のいずれかが必要です。その他の英字は単一引用符で囲んでください。
error-invalid-color = #1a2b3c のような色ではありません。
error-unknown-font = 「{ $value }」というフォントはありません。使えるフォント: { $allowed }
error-embed-in-signed = 署名済みの PDF のため、中にファイルを入れることはできません。embed を削除してください。
error-formula-unreadable = 数式を { $position } 文字目から読み取れません。
error-formula-name = 数式にある「{ $name }」は、種類が number または calc のフィールドではありません。
error-formula-later = 数式にある「{ $name }」は、後のステップで記入されます。前のステップ、または同じ記入者のフィールドだけを使ってください。
error-formula-beside = 数式にある「{ $name }」は、同じステップの別の役割が記入します。前のステップ、または同じ記入者のフィールドだけを使ってください。
error-formula-circle = 「{ $name }」の数式に、それ自身の結果が必要になっています。
error-page-out-of-range = 文書にないページです。文書は全 { $pages } ページです。
error-not-sealable = 後で封印できない文書です: { $reason }
error-logo-refused = この画像はロゴに使えません: { $reason }
error-invalid-company-id = 会社 ID として使えません: { $reason }
error-consent-required = 先に電子署名に同意してください。
error-agreement-required = 氏名と連絡先を提供して文書とともに保管することに、先に同意してください。
error-visitors-place = ここはリンクを開く人の場所です。指定しないでください。
error-wrong-access-code = アクセスコードが正しくありません。あと { $left } 回試せます。
error-sheet-not-utf8 = CSV ファイルの文字コードを判別できません。「CSV UTF-8」形式で保存してください。
error-sheet-quote = { $row } 行目で始まる引用符が閉じられていないか、その後ろに文字が続いているため、以降の行を区別できません。表計算ソフトで保存し直すか、文中の引用符を二重にしてください。
error-sheet-cell = このセルには #N/A などのエラー、暦にない日付、または計算結果が保存されていない数式があります。表計算ソフトで開いて修正し、保存してください。
error-sheet-empty = シートの見出しの下に行がありません。文書ごとに 1 行ずつ入力してください。
error-sheet-unreadable = { $kind ->
    [pdf] これは PDF ファイルです。CSV ファイルまたは XLSX ブックが必要です。
    [picture] これは画像です。CSV ファイルまたは XLSX ブックが必要です。
    [xls] これは古い Office 形式（XLS）のファイルか、パスワードが必要なブックです。パスワードなしの XLSX ブックまたは「CSV UTF-8」形式で保存してください。
    [open_document] これは OpenDocument ファイルです。XLSX ブックまたは「CSV UTF-8」形式で保存してください。
   *[other] 読み取れる CSV ファイルまたは XLSX ブックではありません。表計算ソフトでどちらかの形式で保存してください。
}
error-not-json-text = フォームのこの項目は正しい JSON ではありません。
error-wrong-one-time-code = { $left ->
    [0] 確認コードの誤りが上限に達しました。新しいコードを請求してください。
   *[other] 確認コードが正しくありません。あと { $left } 回試せます。
}
error-one-time-code-expired = この確認コードはもう使えません。新しいコードを請求してください。
error-invalid-cursor = 不明なカーソルです。カーソルなしで最初からやり直してください。

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
error-subject-callback-address = 文書で使われているコールバックアドレス
error-subject-public-link = 公開リンク
error-subject-link = リンク
error-subject-endpoint = エンドポイント

## ログインの結果
api-login-success = ログインしました。
api-login-wrong-credentials = ログイン情報が正しくありません。
api-login-throttled = 誤ったログイン情報での試行が多すぎます。しばらくしてからもう一度お試しください。
api-login-busy = ただいま処理できません。しばらくしてからもう一度お試しください。
api-login-wrong-form = 受信したメッセージの本文の形式が正しくないため、解析できません。
api-login-api-off = この会社には API の呼び出しが許可されていません。管理者にお問い合わせください。
api-login-failure = 予期しないエラーが発生しました。しばらくしてからもう一度お試しください。

## 待ち時間（ほかの文の中で）
wait-seconds = { $count } 秒
wait-minutes = { $count } 分
wait-hours = { $count } 時間
