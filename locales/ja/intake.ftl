# アップロードの受け付け時に送信者へ伝える文。

intake-verdict-taken = そのまま受け付けました
intake-verdict-taken-with-changes = 受け付けました。表示に影響しない部分を変更しました
intake-verdict-taken-with-values-drawn = 受け付けました。表示がビューアー任せになっていたフォームの値を描画しました
intake-verdict-taken-with-warnings = 受け付けました。注意点があります
intake-verdict-refused = 受け付けませんでした
intake-pages = { $count } ページ
intake-fields = フォームフィールドを { $count } 件見つけました: { $names }
intake-change-decrypted = 暗号化を解除しました。
intake-change-repaired = 破損したファイル構造を修復しました。
intake-change-page-size-assumed = サイズが無効なページは、ビューアーが表示する大きさにしました: { $count } ページ。
intake-change-damage-dropped = どのビューアーでも表示できない破損部分を取り除きました: { $count } 件。
intake-change-hidden-layers-removed = 非表示のレイヤーを内容ごと削除しました: { $count } 件。
intake-change-layers-merged = 表示されているレイヤーをページに統合しました: { $count } 件。
intake-change-pages-redrawn = 描画の手順は変わりましたが、見た目は同じページ: { $count } ページ。
intake-change-form-flattened = フォームフィールドをページに統合しました: { $count } 件。
intake-change-annotations-merged = フォームフィールドの下にあった注釈をページに統合しました: { $count } 件。
intake-change-appearances-made = ファイル自体に表示がなかったフォームの値を描画しました: { $count } 件。
intake-change-annotations-drawn = 取り消し線など、ビューアーに描画を任せていた印をページに描画しました: { $count } 件。
intake-change-annotations-removed = { $kind ->
    [popup] 注釈のポップアップウィンドウを削除しました: { $count } 件。
    [sound] 音声を削除しました: { $count } 件。
    [movie] 動画を削除しました: { $count } 件。
    [screen] 画像のないメディア再生領域を削除しました: { $count } 件。
    [three_d] 画像のない 3D シーンを削除しました: { $count } 件。
    [rich_media] 画像のないリッチメディアを削除しました: { $count } 件。
    [printer_mark] 画像のないトンボなどの印刷用マークを削除しました: { $count } 件。
    [trap_net] 印刷機用の設定を削除しました: { $count } 件。
    [watermark] 画像のない透かしを削除しました: { $count } 件。
    [hidden] 画面にも印刷にも表示されない注釈を削除しました: { $count } 件。
   *[empty] 何も表示しない注釈を削除しました: { $count } 件。
}
intake-change-screen-only-printed = 画面にだけ表示されていた印が、印刷もされるようになりました: { $count } 件。
intake-change-print-alternates-removed = 印刷すると別の画像になるものを、表示どおりに印刷されるようにしました: { $count } 件。
intake-change-form-fields-enlarged = 小さすぎて記入できないフォームフィールドの枠を広げました: { $count } 件。
intake-change-usage-rights-removed = フォームの作成者が特定のビューアーに与えた使用権限を削除しました。これは署名ではありません。
intake-change-xfa-removed = フォームの XFA 版を削除しました。通常のフィールドは残ります。
intake-change-damaged-metadata-removed = プログラムが読み取れない文書情報（XMP メタデータ）を削除しました。ページの見た目は変わりません。
intake-change-scripts-removed = スクリプトを削除しました: { $count } 件。
intake-change-actions-removed = 何かを開く、送信する、再生する、隠す動作を削除しました: { $count } 件。
intake-change-embedded-files-removed = 埋め込みファイルを削除しました: { $count } 件。
intake-change-multimedia-removed = 動画、音声、3D シーンを削除しました。ページ上の見た目は残ります: { $count } 件。
intake-warning-already-signed = このファイルにはすでに署名があります（{ $count } 件）。既存の署名は有効なまま残ります。ここで記入した内容はその後に追加され、ビューアーにもそのように表示されます。
intake-warning-signatures-removed = アップロードされたファイルから署名を除いた写しです。除いた署名: { $count ->
    [0] 含まれていた可能性のあるものすべて
   *[other] { $count } 件
}。署名の見た目は画像として残り、監査証跡と履歴証明書に元のファイルが記載されます。
intake-warning-rebuilt = 破損したファイルを復元しました: { $parts }。終わりや長さを推定した部分: { $guessed } か所。ページには表示されないものの失われた部分: { $lost } か所。送信前にすべてのページを確認してください。
intake-part-references = 各部分の位置を示す表
intake-part-no-header = ファイルの先頭
intake-part-catalog-guessed = 文書の起点を推定（オブジェクト { $object }）
intake-part-length-guessed = オブジェクト { $object } の長さを推定
intake-part-end-guessed = オブジェクト { $object } の終わりを推定
intake-part-lost = オブジェクト { $object } は読み取れず失われた
intake-part-lost-somewhere = オブジェクトが 1 つ読み取れず失われた
intake-part-missing = オブジェクト { $object } が見つからない
intake-warning-deleted-content-gone = ビューアーによって表示が異なるファイルです。削除済みの内容をまだ表示するビューアーがあるため、その内容を完全に削除しました。送信前にページを確認してください。
intake-warning-not-compared = ビューアーによって表示が異なる可能性のあるファイルです。整えた後でしか比較できませんでした。送信前にページを確認してください。
intake-warning-form-kept = フォームをページに統合すると見た目が変わるため（{ $page } ページ）、フォームはファイルにそのまま残しました。ここでは誰も記入できません。ページに統合する場合は、新しい PDF に印刷してください。
intake-warning-embedded-files-kept = 署名済みのため、埋め込みファイル（{ $count } 件）はそのまま残ります。署名者には表示されません。
intake-warning-form-fields-too-small = 小さすぎて人の目に見えないフォームフィールドは、テンプレートのフィールドにしませんでした: { $fields }。記入してもらう場合は、代わりに大きなフィールドを配置してください。
intake-warning-form-values-kept = 次のフォームフィールドの値はここでは記入できないため、見た目のままページに残し、テンプレートのフィールドにはしませんでした: { $fields }。変更してもらう場合は、フォームで値を消すか、代わりのフィールドを配置してください。
intake-warning-form-values-not-shown = 次のフォームフィールドには、ファイル上で表示されない値が入っています。ページにも表示されません: { $fields }。表示する場合は、フォームを開いて値を入力し直し、保存してください。
intake-warning-claims-removed = ファイルに記された標準準拠の表示（{ $claims }）を削除しました。記入・封印後のファイルは、その標準に準拠しなくなることがあります。
intake-warning-notes-removed = 署名者に表示されないコメントを削除しました（{ $count } 件）: { $notes }。署名者に伝える必要がある場合は、ページに記載してください。
intake-warning-attachments-removed = ページ上のアイコンで添付されていたファイルを削除しました（{ $count } 件）: { $files }。必要な場合は別途お送りください。

intake-refused-too-large = ファイルは { $length } バイトです。上限は { $limit } バイトです。
intake-remedy-too-large = 画像の解像度を下げるなど、より小さく保存してください。
intake-refused-not-pdf = PDF ではないか、修復できないほど破損しています。
intake-remedy-not-pdf = 新しい PDF に印刷してください。
intake-refused-incomplete = ファイルの一部が欠けているか、途中で切れています。
intake-remedy-incomplete = ファイル全体を取得し直してください。
intake-refused-rebuilt = ファイルが破損しています（{ $detail }）。復元した状態でのみ使用できます: { $parts }。
intake-remedy-rebuilt = 破損していないファイルをもう一度入手してください。
intake-accept-rebuilt = または、すべてのページを確認したうえで、復元された内容を承諾することもできます。（API: accept=rebuilt、is_preview で先にページを確認できます。コマンドライン: --accept-rebuilt）
intake-refused-content-lost = { $page } ページに表示する内容がファイルにないか、読み取れません。
intake-remedy-content-lost = ファイルを取得し直すか、内容がすべて表示される環境で新しい PDF に印刷してください。
intake-refused-needs-password = ファイルを開くにはパスワードが必要です。
intake-remedy-needs-password = パスワードを入力するか、パスワードなしで保存してください。
intake-refused-wrong-password = パスワードが違うため、ファイルを開けません。
intake-remedy-wrong-password = 正しいパスワードを入力するか、パスワードなしで保存してください。
intake-refused-unsupported-encryption = 対応していない暗号化方式です。
intake-remedy-unsupported-encryption = 暗号化せずに保存してください。
intake-refused-signed-and-encrypted = 署名され暗号化されているため、何も追加できません。
intake-remedy-signed-and-encrypted = 署名する前のファイルを送ってください。
intake-refused-signed-and-damaged = 署名済みのファイルですが構造が破損しています({ $detail })。修復すると署名が壊れます。
intake-remedy-signed-and-damaged = 署名する前のファイルを送ってください。
intake-refused-signed-laxly = 署名済みのファイルですが、後から追加された部分が規格どおりに書かれていません（{ $detail }）。すべてのプログラムが同じように読み取るとは限りません。
intake-remedy-signed-laxly = 署名する前のファイルを送ってください。
intake-refused-weak-signature = ファイル内の署名（{ $field }）は、すでに安全ではないアルゴリズムを使用しているため、何も証明しません: { $algorithm }
intake-remedy-weak-signature = SHA-256 と 2,048 ビット以上の鍵（RSA の場合）で署名し直してもらうか、署名する前のファイルを送ってください。
intake-refused-signed-and-read-differently = 署名済みのファイルですが、{ $page } ページの内容がプログラムによって異なって表示されます。
intake-remedy-signed-and-read-differently = 署名する前のファイルを送ってください。
intake-refused-damaged-and-maybe-signed = ファイルの構造が破損しており、プログラムによって異なる内容が表示されるおそれがあります。また、署名が含まれている可能性があります。
intake-remedy-damaged-and-maybe-signed = 署名する前のファイルを送るか、新しい PDF に印刷してください。
intake-accept-without-signatures = または、署名を除いた写しを送ることができます。写しの見た目はファイルと同じで、監査証跡と履歴証明書に元のファイルが記載されます。（API: accept=without_signatures、コマンドライン: --without-signatures）
intake-refused-broken-signature = ファイル内の署名が有効ではありません（{ $field }）: { $detail }
intake-remedy-broken-signature = 署名のないファイルを送ってください。
intake-refused-certification-forbids = 認証済みのファイルで、その認証（レベル { $level }）がページへの追加を禁止しています。
intake-remedy-certification-forbids = 認証する前のファイルを送ってください。
intake-refused-lock-forbids = 署名（{ $field }）がフォームをロックしているため、署名を追加できません。
intake-remedy-lock-forbids = ロックされる前のファイルを送ってください。
intake-refused-cannot-be-extended = ファイル内の署名（{ $field }）を壊さずに何かを追加することはできません: { $detail }
intake-detail-not-extensible = ファイルの構造上、追加できません。
intake-remedy-cannot-be-extended = 署名する前のファイルを送ってください。
intake-refused-signed-with-damaged-metadata = 署名済みのファイルですが、文書情報（XMP メタデータ）を読み取れません。何かを追加すると、ほかのプログラムは署名が壊れたと判断します。
intake-remedy-signed-with-damaged-metadata = 署名する前のファイルを送ってください。
intake-refused-signed-with-unusable-validation-data = 署名済みのファイルですが、含まれる検証情報（証明書や失効リスト）を読み取れないか、多すぎて新たに追加できません。
intake-remedy-signed-with-unusable-validation-data = 検証情報を追加する前、または署名する前のファイルを送ってください。
intake-refused-signed-and-active = 署名済みのファイルですが、削除が必要なスクリプト、動作、動画、レイヤー、XFA が含まれています。
intake-remedy-signed-and-active = 署名する前のファイルを送ってください。
intake-refused-external-content = 表示内容の一部が、一緒に送られていない別のファイルにあります。
intake-remedy-external-content = その別ファイルがある環境で、新しい PDF に印刷してください。
intake-refused-dynamic-xfa = 特定の製品でしか表示されない動的 XFA フォームです。
intake-remedy-dynamic-xfa = 新しい PDF に印刷してください。
intake-refused-no-pages = ページのないファイルです。
intake-remedy-no-pages = 別のファイルを選んでください。
intake-refused-too-many-pages = ファイルは { $pages } ページです。上限は { $limit } ページです。
intake-remedy-too-many-pages = 複数のファイルに分けてください。
intake-refused-page-size = { $page } ページのサイズが無効です。各辺は { $shortest }～{ $longest } ポイントにしてください。
intake-remedy-page-size = 通常の用紙サイズで新しい PDF に印刷してください。
intake-refused-hidden-content = { $page } ページに隠れた内容があり、見た目を変えずに削除できません。
intake-remedy-hidden-content = 新しい PDF に印刷してください。
intake-refused-form-value-not-drawn = フォームのフィールド「{ $field }」の値を、表示されるとおりに描画できません。
intake-remedy-form-value-not-drawn = 新しい PDF に印刷してください。
intake-refused-annotation-not-drawn = { $page } ページの注釈（{ $kind }）を、ほかのプログラムと同じようには描画できません。
intake-remedy-annotation-not-drawn = 注釈を削除するか、新しい PDF に印刷してください。
intake-refused-annotation-prints-unseen = { $page } ページに、画面には表示されず印刷だけされる内容（{ $kind }）があります。
intake-remedy-annotation-prints-unseen = その内容を削除するか、新しい PDF に印刷してください。
intake-refused-unreadable-content = { $page } ページの一部が、読み取れない方式（{ $filter }）で圧縮されています。
intake-remedy-unreadable-content = 作成したプログラムで新しい PDF に印刷してください。
intake-refused-text-not-shown = { $page } ページに、ファイルに埋め込まれていないフォント（{ $font }）の文字があり、本来のとおりに表示できません。
intake-remedy-text-not-shown = フォントを埋め込んで保存し直すか、作成したプログラムで新しい PDF に印刷してください。
intake-refused-blending-not-shown = { $page } ページに、下の内容と重なって透ける部分があり、そのままの見た目で表示できません。
intake-remedy-blending-not-shown = 新しい PDF に印刷してください。
intake-refused-signed-with-unseen = 署名済みのファイルですが、ほかのプログラムには表示され、ここで署名する人には表示されない内容（{ $kind }）が { $page } ページにあります。
intake-remedy-signed-with-unseen = 署名する前のファイルを送ってください。
intake-refused-signed-with-missing-font = 署名済みのファイルですが、{ $page } ページにフォント（{ $font }）がファイルにない文字があり、プログラムによって表示されたりされなかったりします。
intake-remedy-signed-with-missing-font = 署名する前のファイルを送ってください。
intake-refused-page-would-change = { $page } ページを見た目どおりに保てません。
intake-remedy-page-would-change = 新しい PDF に印刷してください。
intake-refused-too-demanding = ファイルの読み取りに時間またはメモリーがかかりすぎます。
intake-remedy-too-demanding = 新しい PDF に印刷してください。
intake-refused-too-much-time = ファイルの読み取りと表示に、{ $seconds } 秒を超えるプロセッサー時間が必要です。
intake-remedy-too-much-time = 新しい PDF に印刷してください。
intake-refused-too-much-memory = ファイルの読み取りと表示に、{ $megabytes } MB を超えるメモリーが必要です。
intake-remedy-too-much-memory = 新しい PDF に印刷してください。
intake-refused-too-many-pixels = ファイル内の画像が { $pixels } 画素あります。上限は { $limit } 画素です。
intake-remedy-too-many-pixels = 画像の解像度を下げて保存してください。
field-without-name = 入力欄 { $number }
template-warning-boxes-on-one-spot = { $page }ページの「{ $first }」と「{ $second }」はどちらも必須ですが、位置が重なっています。どちらかを移動してください。そのままでは入力内容が重なって表示されます。
