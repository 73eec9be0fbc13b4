// SPDX-License-Identifier: Apache-2.0

extension BuiltInTexts {
  /// Japanese, for what screens say besides errors.
  static let japaneseScreens = """
    connection.connected
    > 接続済み
    connection.back
    > 接続が回復しました
    connection.reconnecting
    > 再接続しています
    connection.disconnected
    > 接続がありません
    connection.failed
    > ネットワークはありますが、通信できません。
    connection.portal
    > ネットワークがサインインを求めています。
    view.warning
    > 警告
    view.error
    > エラー
    view.recovering
    > 問題の解決を試みています…
    need.memory
    > デバイスのメモリが不足しているため、最も重要な機能だけが使えます。
    need.processor
    > デバイスの負荷が高いため、最も重要な機能だけが使えます。
    need.heat
    > デバイスが高温になっているため、最も重要な機能だけが使えます。しばらく冷ましてください。
    need.network
    > 接続がありません。接続なしで使える機能は利用できます。
    need.storage
    > 現在、何も保存できません。
    need.analytics
    > アプリが利用しているサービスが使えません。
    need.camera
    > カメラを使用できません。
    need.location
    > アプリはデバイスの位置を取得できません。
    need.notifications
    > アプリは通知を表示できません。
    need.none
    > すべての機能が元どおり使えます。
    need.fewer
    > 使える機能が増えましたが、まだすべてではありません。
    form.empty
    > 何も入力されていません。
    ! 続けるには入力してください。
    form.not-accepted
    > まだ同意されていません。
    ! 続けるには同意してください。
    form.email
    > メールアドレスではありません。
    ! {0}のように入力してください。
    form.different
    > 二つの入力が一致しません。
    ! 両方に同じ内容を入力してください。
    form.pattern
    > 想定された形式ではありません。
    ! 入力の誤りがないか確認してください。
    form.whole-number
    > 整数ではありません。
    ! 数字だけで入力してください。
    form.unacceptable
    > この内容は受け付けられません。
    ! 入力の誤りがないか確認してください。
    form.too-short
    > 短すぎます。
    ! {0}文字以上で入力してください。
    form.one-character
    > 長すぎます。
    ! 一文字だけ入力してください。
    form.too-long
    > 長すぎます。
    ! {0}文字以内で入力してください。
    form.too-small
    > 小さすぎます。
    ! 最小の値は{0}です。
    form.too-large
    > 大きすぎます。
    ! 最大の値は{0}です。
    form.not-below
    > 大きすぎます。
    ! {0}未満で入力してください。
    form.too-early
    > 日付が早すぎます。
    ! 最も早い日時は{0}です。
    form.too-late
    > 日付が遅すぎます。
    ! 最も遅い日時は{0}です。
    form.not-before
    > 日付が遅すぎます。
    ! {0}より前の日時を入力してください。
    form.too-young
    > {0}歳以上である必要があります。
    ! 入力した年齢を確認してください。
    form.born-too-late
    ! 入力した生年月日を確認してください。
    form.too-few
    > 選択が少なすぎます。
    ! {0}個以上を選んでください。
    form.too-many
    > 選択が多すぎます。
    ! {0}個以内で選んでください。
    form.checking
    > 確認しています。
    form.unchecked
    > 確認できませんでした。このまま続けられます。
    form.refused
    > 入力内容は受け付けられませんでした。
    form.one-mistake = 一つの入力を確認してください
    form.mistakes = {0}個の入力を確認してください
    form.line
    > {0}：{1}
    form.full-line
    > {0}：{1}{2}
    """
}
