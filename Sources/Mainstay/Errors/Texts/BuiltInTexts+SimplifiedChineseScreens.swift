// SPDX-License-Identifier: Apache-2.0

extension BuiltInTexts {
  /// Simplified Chinese, for what screens say besides errors.
  static let simplifiedChineseScreens = """
    connection.connected
    > 已连接
    connection.back
    > 已恢复连接
    connection.reconnecting
    > 正在重新连接
    connection.disconnected
    > 无网络连接
    connection.failed
    > 有网络，但数据无法传输。
    connection.portal
    > 该网络要求登录。
    view.warning
    > 警告
    view.error
    > 错误
    view.recovering
    > 正在尝试解决……
    need.memory
    > 设备内存不足，只能使用最重要的功能。
    need.processor
    > 设备非常繁忙，只能使用最重要的功能。
    need.heat
    > 设备过热，只能使用最重要的功能。请让设备冷却一下。
    need.network
    > 没有网络连接。不需要网络的功能仍可使用。
    need.storage
    > 目前无法存储任何内容。
    need.analytics
    > 应用所依赖的一项服务不可用。
    need.camera
    > 无法使用相机。
    need.location
    > 应用无法得知设备的位置。
    need.notifications
    > 应用无法显示通知。
    need.none
    > 一切已恢复正常。
    need.fewer
    > 更多功能已恢复，但还不是全部。
    form.empty
    > 这里还没有填写。
    ! 请填写后再继续。
    form.not-accepted
    > 尚未同意。
    ! 请同意后再继续。
    form.email
    > 这不是电子邮件地址。
    ! 请输入类似{0}的地址。
    form.different
    > 两次输入不一致。
    ! 请在两处输入相同的内容。
    form.pattern
    > 这不符合要求的格式。
    ! 请检查是否有输入错误。
    form.whole-number
    > 这不是整数。
    ! 请只使用数字。
    form.unacceptable
    > 这无法接受。
    ! 请检查是否有输入错误。
    form.too-short
    > 太短了。
    ! 请输入至少{0}个字符。
    form.one-character
    > 太长了。
    ! 请只输入一个字符。
    form.too-long
    > 太长了。
    ! 请输入最多{0}个字符。
    form.too-small
    > 太小了。
    ! 最小值是{0}。
    form.too-large
    > 太大了。
    ! 最大值是{0}。
    form.not-below
    > 太大了。
    ! 请输入小于{0}的数。
    form.too-early
    > 日期太早了。
    ! 最早是{0}。
    form.too-late
    > 日期太晚了。
    ! 最晚是{0}。
    form.not-before
    > 日期太晚了。
    ! 请输入早于{0}的日期。
    form.too-young
    > 您必须年满{0}岁。
    ! 请检查输入的年龄。
    form.born-too-late
    ! 请检查输入的出生日期。
    form.too-few
    > 选择得太少。
    ! 请至少选择{0}项。
    form.too-many
    > 选择得太多。
    ! 请最多选择{0}项。
    form.checking
    > 正在检查。
    form.unchecked
    > 未能检查。您可以继续。
    form.refused
    > 输入的内容未被接受。
    form.one-mistake = 有一项需要您查看
    form.mistakes = 有{0}项需要您查看
    form.line
    > {0}：{1}
    form.full-line
    > {0}：{1}{2}
    """
}
