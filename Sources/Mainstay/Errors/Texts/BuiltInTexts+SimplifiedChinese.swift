// SPDX-License-Identifier: Apache-2.0

extension BuiltInTexts {
  /// Simplified Chinese; the form is told at ``parsed(_:)``.
  static let simplifiedChinese = """
    unknown = 发生了意外情况
    > App 遇到了无法识别的问题。
    ! 请重试。如果再次发生，请联系支持团队。
    cancelled = 已停止
    > 操作在完成之前已停止。
    system.busy = 设备正忙
    > 设备目前无法执行此操作。
    ! 请稍后重试。
    system.exhausted = 设备资源不足
    > 内存不足，或同时打开的内容过多。
    ! 请关闭不需要的内容，然后重试。
    outcome-unknown = 无法确定是否成功
    > 在得到确认之前，连接或服务出现了问题。
    ! 重试之前，请先检查操作是否已完成。
    network.offline = 当前处于离线状态
    > 此操作需要网络连接，但设备目前没有连接。
    ! 请检查无线局域网或移动数据，然后重试。
    network.unreachable = 无法连接到服务
    > 服务没有接受连接。
    ! 请稍后重试。
    network.host-not-found = 找不到服务
    > 无法查询到服务的地址。
    ! 请检查网络连接，然后重试。
    network.connection-lost = 连接已断开
    > 与服务的连接在收到完整回应之前断开了。
    ! 请重试。
    network.timeout = 等待时间过长
    > 服务没有及时回应。
    ! 请稍后重试。
    network.portal = 此网络需要登录
    > 回应来自网络的登录页面，而不是服务本身。
    ! 请打开网络的登录页面，然后重试。
    network.insecure = 连接不安全
    > 服务无法证明其身份，因此没有发送任何内容。
    ! 请检查设备的日期和时间，或使用其他网络。
    network.secure-connection-failed = 无法建立安全连接
    > 服务与此设备无法就安全连接达成一致。
    ! 请重试，或使用其他网络。
    network.bad-address = 地址无法使用
    > App 尝试访问一个无效的地址。
    ! 请更新 App。如果再次发生，请联系支持团队。
    network.bad-answer = 无法读取回应
    > App 无法理解服务的回应。
    ! 请更新 App。如果再次发生，请联系支持团队。
    network.sign-in-required = 需要登录
    > 服务需要确认用户的身份。
    ! 请登录，然后重试。
    network.failed = 连接失败
    > 此设备与服务之间出现了问题。
    ! 请检查网络连接，然后重试。
    storage.full = 空间不足
    > 没有空间保存此内容。
    ! 请释放一些空间，然后重试。
    storage.denied = 没有权限
    > App 无法读取或写入此文件。
    ! 请允许访问该文件或文件夹，然后重试。
    storage.read-only = 此位置为只读
    > 无法在此处保存任何内容。
    ! 请选择其他保存位置。
    storage.not-found = 文件缺失
    > 文件不在预期的位置。
    ! 文件可能已被移动或删除。请查找该文件，或选择其他文件。
    storage.exists = 文件已存在
    > 已有同名的文件。
    ! 请选择其他名称。
    storage.too-large = 文件过大
    > App 无法处理这么大的文件。
    ! 请选择较小的文件。
    storage.in-use = 文件正在使用中
    > 有其他程序正在使用此文件。
    ! 请关闭正在使用此文件的程序，然后重试。
    storage.corrupted = 文件已损坏
    > 已保存的内容无法再读取。
    ! 如果有较早的副本，请使用该副本。
    storage.failed = 设备无法读取或写入
    > 设备的储存空间没有正常回应。
    ! 请重试。如果再次发生，请检查储存空间。
    storage.bad-name = 名称无法使用
    > 文件不能使用此名称。
    ! 请选择其他名称。
    data.decoding = 无法读取数据
    > App 无法理解数据的格式。
    ! 请更新 App。如果再次发生，请联系支持团队。
    data.encoding = 无法准备此内容
    > App 无法将此内容转换为可保存或发送的格式。
    ! 请更改输入的内容，或联系支持团队。
    http.sign-in = 请重新登录
    > 尚未登录，或登录已过期。
    ! 请登录，然后重试。
    http.denied = 无法执行此操作
    > 此账户没有相应的权限。
    ! 请向所有者申请权限，或使用其他账户。
    http.missing = 此内容已不存在
    > 服务中没有所请求的内容。
    ! 内容可能已被删除。请刷新以查看现有内容。
    http.conflict = 内容在两处被更改
    > 在此期间，其他人更改了此内容。
    ! 请比较两个版本，并选择要保留的内容。
    http.changed = 此内容已被更改
    > 现在的内容与所请求的内容不再相符。
    ! 请重新加载，然后再次进行更改。
    http.running = 仍在处理
    > 服务仍在处理同一个请求。
    ! 请稍候，无需再次发送。
    http.failing = 服务出现问题
    > 服务目前无法回应。这不是用户操作造成的。
    ! 请稍后重试。
    http.throttled = 请求过多
    > 服务要求放慢速度。
    ! 请稍后重试。
    http.too-large = 内容过大
    > 服务不接受这么大的内容。
    ! 请选择较小的内容。
    http.unacceptable = 服务无法接受此内容
    > 发送的内容中有服务无法接受的部分。
    ! 请检查输入的内容。
    http.unsupported = 服务无法执行此操作
    > 服务不支持 App 请求的操作。
    ! 请更新 App。如果再次发生，请联系支持团队。
    http.refused = 服务拒绝了此操作
    > 服务没有接受 App 的请求。
    ! 请更新 App。如果再次发生，请联系支持团队。
    wait =
    ! 请在{0}后重试。
    sql.contended = 有其他更改抢先完成
    > 同一时刻有其他内容被更改，因此未执行此操作。
    ! 请重试。
    sql.duplicate = 此内容已存在
    > 已有相同名称或编号的内容。
    ! 请更改输入的内容，然后重试。
    sql.unfit = 无法保存此内容
    > 它与此设备上已保存的内容不相符。
    ! 请更改输入的内容，然后重试。
    sql.not-found = 内容已不存在
    > App 的数据中没有要更改的内容。
    ! 它可能已被删除。请返回后重新查看。
    policy.no-time-left = 没有剩余时间
    > 之前的步骤耗时过长，因此无法再尝试此操作。
    ! 请稍后重试。
    policy.foreign-error = 出现问题
    > 操作未成功，App 无法查明原因。
    ! 请稍后重试。
    policy.not-tried = 未尝试此操作
    > App 目前没有尝试此操作。
    ! 请稍后重试。
    policy.throttled = 服务超负荷
    > 服务最近拒绝了许多请求，因此 App 暂时减少发送。
    ! 请稍后重试。
    policy.cooling-down = 服务要求放慢速度
    > 服务要求 App 稍等后再发送更多内容。
    ! 请稍后重试。
    policy.limit-reached = 服务正忙
    > 服务目前已在全力处理此 App 的请求。
    ! 请稍后重试。
    policy.rejected = 服务正在休整
    > 服务刚才出现了问题，因此 App 暂时不与其连接。
    ! 请稍后重试。
    policy.waited-too-long = 未能及时轮到
    > App 同时处理的内容过多，因此等待时间过长。
    ! 请稍后重试。
    policy.rate-limited = 短时间内次数过多
    > 此操作的次数目前已达到上限。
    ! 请稍后重试。
    policy.cost-too-high = 一次请求过多
    > 超出了 App 一次可以请求的数量。
    ! 请减少一次请求的数量。
    policy.full = 同时进行的操作过多
    > App 同时进行的操作已达到上限，因此未开始此操作。
    ! 请稍后重试。
    policy.unacceptable-result = 尚未完成
    > 服务尚未完成所请求的操作。
    ! 请稍后重试。
    configuration.invalid = 设置有误
    > 有一项设置的值无法使用，因此此部分无法正常工作。
    ! 请告知此 App 或服务的运营者。
    framework.state-corruption = App 中有内容损坏
    > App 记录的内容相互矛盾。
    ! 请重新打开 App。如果再次发生，请联系支持团队。
    defect = App 出现差错
    > App 内部没有正常工作。这不是用户操作造成的。
    ! 请重新打开 App。如果再次发生，请联系支持团队。
    framework.performance-threshold = 消耗超出预期
    > 此操作需要的时间或内存超出了允许的范围。
    ! 请关闭不需要的内容，然后重试。
    client.invalid-state = 目前无法执行此操作
    > App 目前的状态无法执行此操作。
    ! 请先完成已打开的内容，然后重试。
    client.update-failed = 无法进行更改
    > App 在更改时遇到了问题。
    ! 请重试。如果再次发生，请联系支持团队。
    client.change-refused = 此更改不可行
    > 它与已有的内容不相符，因此一切保持原样。
    ! 请换一种方式，或先更改其他内容。
    client.actor-gone = 此内容已不再打开
    > 执行此操作的部分在此期间已关闭。
    ! 请重新打开，然后重试。
    context.binding-failed = 输入的内容未保留
    > App 无法保留其中一栏输入的内容。
    ! 请重新输入。如果再次发生，请联系支持团队。
    context.orchestration-failed = 未全部完成
    > App 的多个部分共同执行此操作，其中一些未能完成。
    ! 重试之前，请先检查已完成的部分。
    context.observation-failed = 内容未能保持最新
    > App 无法再察觉此内容的变化。
    ! 请刷新，或重新打开 App。
    context.update-failed = 无法更新屏幕
    > 显示的内容可能比已保存的内容旧。
    ! 请刷新，或重新打开 App。
    capability.unavailable = 此功能不可用
    > 此设备或此 App 目前无法执行此操作。
    ! 请使用其他方式，或稍后再试。
    capability.requirement-not-met = 还缺少必要条件
    > App 还需要其他条件才能执行此操作。
    ! 请检查设置，然后重试。
    capability.validation-timeout = 未能及时完成检查
    > App 未能及时确定此功能是否可用。
    ! 请稍后重试。
    capability.execution-failed = 操作未成功
    > App 已开始此操作，但未能完成。
    ! 请重试。如果再次发生，请联系支持团队。
    capability.fallback-unavailable = 目前没有其他方式
    > 此操作无法进行，替代方式也不可用。
    ! 请稍后再试。输入的内容可能需要重新输入。
    service.not-configured = 尚未设置
    > 此服务需要先进行设置才能使用。
    ! 请完成设置，然后重试。
    service.streaming = 回应中断
    > 服务在完成回应之前停止了。
    ! 请重试。
    data.save-failed = 无法保存
    > App 无法保留所做的更改。
    ! 请重试。保存完成之前请勿关闭。
    data.fetch-failed = 无法载入
    > App 无法读取已保存的内容。
    ! 请重试。如果再次发生，请联系支持团队。
    data.migration-failed = 无法更新数据
    > 已保存的内容仍为旧版本 App 的格式。
    ! 请更新 App。如果再次发生，请联系支持团队。
    recognition.unrecognised = 未能识别
    > App 不清楚图片中的内容。
    ! 请换个角度拍摄，或手动输入。
    recognition.low-confidence = 可能是其他物品
    > App 不确定图片中的内容。
    ! 请靠近并拿稳设备，或手动输入。
    recognition.too-dark = 光线太暗
    > 相机没有足够的光线。
    ! 请打开灯，然后重试。
    recognition.too-far = 距离太远
    > 相机中的物品太小，无法识别。
    ! 请靠近一些，然后重试。
    recognition.model-failed = 识别功能不可用
    > App 无法载入识别所需的内容。
    ! 请重新打开 App，或手动输入。
    app.health-denied = 无法访问健康数据
    > App 无法读取健康数据。
    ! 请在“设置”中允许访问，然后重试。
    app.camera-denied = 无法访问相机
    > App 无法使用相机。
    ! 请在“设置”中允许访问，然后重试。
    app.user-missing = 找不到账户
    > App 不清楚这些数据属于谁。
    ! 请登录，然后重试。
    app.unsupported-provider = 无法使用此提供商
    > App 不支持“{0}”。
    ! 请选择其他提供商。
    outbox.unavailable = 无法打开储存位置
    > 保存更改的位置无法读取或写入。
    ! 请检查文件夹是否存在，以及 App 是否可以写入。
    outbox.device-locked = 设备已锁定
    > 解锁之前，无法读取已保存的更改。
    ! 请解锁设备，然后重试。
    outbox.disk-full = 空间不足
    > 没有空间保存此更改。
    ! 请释放一些空间，然后重试。
    outbox.newer-format = 更改需要较新的版本
    > 已保存的更改由较新版本的 App 写入。
    ! 请更新 App；没有任何内容被更改或丢失。
    outbox.corrupted = 已保存的更改已损坏
    > 部分已保存的更改无法再读取。
    ! 请重新打开 App；可以读取的内容会保留。
    outbox.busy = 储存位置正在使用中
    > 有其他程序正在使用已保存的更改。
    ! 请稍后重试。
    outbox.full = 等待的更改过多
    > 在发送一些更改之前，无法再保留更多更改。
    ! 请连接网络，然后重试。
    outbox.too-large = 内容过大
    > 无法保留这么大的更改。
    ! 请选择较小的内容。
    outbox.unencodable = 无法保存更改
    > 无法将此更改转换为可保存的格式。
    ! 请检查输入的内容。
    outbox.changed-meanwhile = 此内容已发生变化
    > 在同一时刻对其进行了其他操作。
    ! 请重试。
    outbox.duplicate = 此内容已在等待
    > 之前已请求过相同的内容，尚未完成。
    ! 请等待其完成。
    outbox.key-reused = 此内容已发送
    > 之前已用相同的标识发送过其他内容。
    ! 请将其作为新内容重新发送。
    outbox.snoozed = 此操作稍后执行
    > 现在不是合适的时机，稍后会自动重试。
    ! 您无需任何操作。
    outbox.shut-down = App 正在关闭
    > 不再接受更改。
    ! 请重新打开 App。
    outbox.duplicate-worker = App 设置有误
    > App 的两个部分在执行相同的工作。
    ! 请告知 App 的开发者。
    outbox.unreadable-payload = 无法读取已保存的更改
    > 它由其他版本的 App 保存，会保留到可以读取为止。
    ! 请更新 App。
    outbox.failed = 无法保存更改
    > 此设备的储存空间没有正常回应。
    ! 请重试。
    outbox.waiting.running = 正在发送
    outbox.waiting.later = 稍后发送
    outbox.waiting.again = 将再次尝试
    outbox.waiting.turn = 正在排队
    outbox.waiting.other = 等待另一项未被接受的更改
    outbox.waiting.person = 等待您登录或完成所需操作
    outbox.waiting.service = 等待服务
    outbox.waiting.paused = 已暂停
    outbox.waiting.conditions = 等待网络等条件
    outbox.waiting.update = 等待 App 更新
    outbox.waiting.conflict = 等待您选择版本
    outbox.waiting.given-up = 无法发送
    validation = 请检查输入的内容
    help
    ! 详细说明请参阅：{0}
    @retry 重试
    @dismiss 关闭
    @sign-in 登录
    @open-settings 打开设置
    @open-portal 打开登录页面
    @free-space 释放空间
    @resolve-conflict 选择版本
    @reload 重新加载
    @check-outcome 再次检查
    @help 帮助
    """
}
