## すべてのメール
mail-greeting = { $name } 様
mail-document = 文書
mail-sender = 送信者
mail-deadline = 期限
mail-at = 日時
mail-link-help = ボタンから開けない場合は、下の URL をブラウザーに貼り付けてください。
mail-hidden-link = [署名用リンク]
mail-personal = このメールのリンクはご本人専用です。ほかの方に転送しないでください。
mail-shared = このメールのリンクを使うと、誰でも完了した文書を開けます。閲覧してよい方にだけ共有してください。
mail-footer = { $company } からお送りしたメールです。

## 署名の依頼
mail-request-subject = [{ $company }] 署名のお願い: { $document }
mail-request-title = 署名する文書が届いています
mail-request-text = { $sender } 様から「{ $document }」への記入と署名の依頼が届いています。
mail-request-comment = 送信者からのメッセージ
mail-request-code = 文書を開くにはアクセスコードが必要です。
mail-request-code-hint = 文書を開くにはアクセスコードが必要です。ヒント: { $hint }
mail-request-open = 文書を開いて署名する
mail-request-message = [{ $company }] 「{ $document }」への署名のお願いです。期限: { $deadline }

## 再通知
mail-reminder-subject = [{ $company }] リマインド: { $document }
mail-reminder-title = まだ署名されていない文書があります
mail-reminder-text = { $sender } 様から依頼された「{ $document }」は、まだ記入と署名が完了していません。
mail-reminder-message = [{ $company }] 「{ $document }」の署名がまだ完了していません。期限: { $deadline }

## 完了
mail-completed-subject = [{ $company }] 完了: { $document }
mail-completed-title = 文書が完了しました
mail-completed-text = 「{ $document }」は全員の承認が完了し、封印されました。
mail-completed-document = 完了した文書を見る
mail-completed-certificate = 履歴証明書を見る
mail-completed-message = [{ $company }] 「{ $document }」が完了しました。

## 却下
mail-rejected-subject = [{ $company }] 却下: { $document }
mail-rejected-title = 文書が却下されました
mail-rejected-text = { $writer } 様が「{ $document }」を却下したため、手続きは終了しました。
mail-rejected-reason = 却下の理由
mail-rejected-message = [{ $company }] 「{ $document }」は却下され、終了しました。

## 前の段階への差し戻し
mail-returned-subject = [{ $company }] 差し戻し: { $document }
mail-returned-title = 文書が差し戻されました
mail-returned-text = { $writer } 様が「{ $document }」を差し戻しました。内容を修正のうえ、もう一度承認してください。
mail-returned-reason = 差し戻しの理由
mail-returned-message = [{ $company }] 「{ $document }」が差し戻されました。修正のうえ、もう一度承認してください。期限: { $deadline }

## 取り消し
mail-canceled-subject = [{ $company }] 取り消し: { $document }
mail-canceled-title = 文書が取り消されました
mail-canceled-text = { $sender } 様が「{ $document }」を取り消しました。これ以上の手続きは不要です。
mail-canceled-reason = 取り消しの理由
mail-canceled-message = [{ $company }] 「{ $document }」は取り消されました。

## 期限切れ
mail-expired-subject = [{ $company }] 期限切れ: { $document }
mail-expired-title = 文書の期限が過ぎました
mail-expired-text = 「{ $document }」は期限内に完了しなかったため、終了しました。
mail-expired-message = [{ $company }] 「{ $document }」の期限が過ぎました。

## 配信失敗
mail-undelivered-subject = [{ $company }] 配信失敗: { $document }
mail-undelivered-title = メッセージを配信できませんでした
mail-undelivered-text = { $person } 様宛ての「{ $document }」に関するメッセージは配信できませんでした。再送は行いません。
mail-undelivered-remedy = アドレスを確認して受取人を修正するか、送信トレイでメッセージを開いてリンクをコピーし、直接お渡しください。
mail-undelivered-reason = 理由
mail-undelivered-address = アドレス
mail-undelivered-open = 送信トレイを開く
mail-undelivered-message = [{ $company }] 「{ $document }」に関するメッセージを配信できませんでした。

## Webhook の停止
mail-stopped-subject = [{ $company }] Webhook の送信を停止しました
mail-stopped-title = Webhook の送信を停止しました
mail-stopped-gone = エンドポイントが「今後使用しない」（410）と応答したため、送信を停止しました。
mail-stopped-failing = 過去 5 日間の送信がすべて失敗したため、このエンドポイントへの送信を停止しました。
mail-stopped-lost = 送信できなかった Webhook は保管され、エンドポイントを再開すると送信されます。
mail-stopped-url = エンドポイント
mail-stopped-message = [{ $company }] Webhook の送信を停止しました: { $url }

## 確認コード
mail-code-subject = [{ $company }] 確認コードのお知らせ
mail-code-failure = このメッセージは届きませんでした。サーバーの応答には確認コードが含まれている可能性があるため、表示しません。
mail-code-title = 確認コードのお知らせ
mail-code-text = 「{ $document }」を開くには、コードの入力画面に下の確認コードを入力してください。{ $minutes } 分間有効です。
mail-code-secret = このコードをほかの人に教えないでください。お心当たりのない場合は、このメールを破棄してください。
mail-code-message = [{ $company }] 確認コード: { $code }（{ $minutes } 分間有効）。ほかの人に教えないでください。

## 封印証明書の期限切れ予告
mail-sealing-subject = [{ $company }] { $days ->
    [0] 封印証明書の有効期限は本日までです
   *[other] 封印証明書の有効期限まであと { $days } 日です
}
mail-sealing-title = 封印証明書の有効期限が近づいています
mail-sealing-text = { $days ->
    [0] 会社の文書を封印する証明書は本日で有効期限が切れます。
   *[other] 会社の文書を封印する証明書は、あと { $days } 日で有効期限が切れます。
}期限が切れると文書を完了できません。締め切りがそれより後の文書は、現在すでに開始できません。
mail-sealing-remedy = サービスの運用担当者に封印鍵の更新を依頼してください。会社独自の証明書を使用している場合は、新しい証明書のインポートを依頼してください。
mail-sealing-sealed = 封印済みの文書は引き続き有効です。
mail-sealing-ends = 証明書の有効期限
mail-sealing-message = [{ $company }] 封印証明書の有効期限が近づいています。サービスの運用担当者に封印鍵の更新を依頼してください。
