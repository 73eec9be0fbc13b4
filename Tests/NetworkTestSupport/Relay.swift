// SPDX-License-Identifier: Apache-2.0

internal import MainstayTesting
internal import NIOCore
internal import NIOPosix

/// One connection through a proxy; everything happens on one event loop.
final class Relay {
  /// What has become of it.
  enum Event: Sendable {
    case requested(Int)
    case delivered(Int)
    case answered(Int)
    case left
  }

  private let client: any Channel
  private var server: (any Channel)?
  private let fault: Fault
  private let target: Int
  private let opened: (any Channel) -> Void
  private let note: (Event) -> Void
  private let request: Flow
  private let response: Flow
  private var isOver = false

  init(
    client: any Channel, fault: Fault, target: Int, seed: UInt64,
    opened: @escaping (any Channel) -> Void, note: @escaping (Event) -> Void
  ) {
    self.client = client
    self.fault = fault
    self.target = target
    self.opened = opened
    self.note = note
    let loop = client.eventLoop
    request = Flow(fault.rule(for: .request), seed: seed, on: loop)
    response = Flow(fault.rule(for: .response), seed: ~seed, on: loop)
  }

  func start() throws {
    request.reached = { [self] in cross($0, .request) }
    request.passed = { [self] in note(.delivered($0)) }
    request.ended = { [self] in server?.close(mode: .output, promise: nil) }
    response.reached = { [self] in cross($0, .response) }
    response.passed = { [self] in note(.answered($0)) }
    response.ended = { [self] in end(by: .finish) }
    response.sink = client
    try client.pipeline.syncOperations.addHandler(
      Mouth(
        read: { [self] buffer in
          note(.requested(buffer.readableBytes))
          request.add(buffer)
        }, end: { [self] in clientLeft() }))
    // Nobody is behind a black hole.
    guard fault != .blackHole else { return }
    ClientBootstrap(group: client.eventLoop)
      .channelOption(.allowRemoteHalfClosure, value: true)
      .channelOption(.autoRead, value: false)
      .connect(host: "127.0.0.1", port: target).assumeIsolated().whenComplete { [self] result in
        switch result {
        case .success(let channel): connected(channel)
        case .failure: end(by: .reset)
        }
      }
  }

  private func connected(_ channel: any Channel) {
    opened(channel)
    server = channel
    guard !isOver else {
      channel.close(promise: nil)
      return
    }
    let mouth = Mouth(
      read: { [self] in heard($0) }, end: { [self] in serverLeft() })
    try? channel.pipeline.syncOperations.addHandler(mouth)
    try? channel.syncOptions?.setOption(.autoRead, value: true)
    request.sink = channel
  }

  private func heard(_ buffer: ByteBuffer) {
    if case .swallowedAnswer(.some(let ending)) = fault {
      end(by: ending)
    } else {
      response.add(buffer)
    }
  }

  private func clientLeft() {
    note(.left)
    switch fault {
    case .lateAnswer where client.isActive: response.release()
    case .blackHole, .swallowedAnswer(then: nil):
      request.finish()
      // There is nothing to wait for.
      client.close(promise: nil)
    default: request.finish()
    }
    endIfOver()
  }

  private func serverLeft() {
    response.finish()
    endIfOver()
  }

  /// Lets go of everything once nobody is left.
  private func endIfOver() {
    if !client.isActive, server?.isActive == false { end(by: .finish) }
  }

  /// As many bytes have passed as may.
  private func cross(_ atLimit: Fault.Rule.AtLimit, _ direction: Fault.Direction) {
    switch atLimit {
    case .cut(let ending): end(by: ending)
    case .halfClose:
      (direction == .request ? server : client)?.close(mode: .output, promise: nil)
    }
  }

  private func end(by ending: Fault.Ending) {
    guard !isOver else { return }
    isOver = true
    (request.isOver, response.isOver) = (true, true)
    close(client, by: ending)
    if let server { close(server, by: ending) }
    for flow in [request, response] { flow.forget() }
  }
}

/// One direction of a connection.
final class Flow {
  private enum Part {
    case bytes(ByteBuffer)
    case end
  }

  private let rule: Fault.Rule
  private let loop: any EventLoop
  private var random: SeededGenerator
  private var queue: [(due: NIODeadline, part: Part)] = []
  private var count = 0
  private var isHeld: Bool
  private var isWaiting = false
  private var isFinished = false
  /// Before then nothing more goes on.
  private var next = NIODeadline.uptimeNanoseconds(0)

  var isOver = false
  /// As many bytes have passed as may.
  var reached: ((Fault.Rule.AtLimit) -> Void)?
  /// So many bytes have gone on.
  var passed: ((Int) -> Void)?
  /// All has gone on that ever came.
  var ended: (() -> Void)?
  /// Where it goes; until that is known, all waits.
  var sink: (any Channel)? {
    didSet { pump() }
  }

  init(_ rule: Fault.Rule, seed: UInt64, on loop: any EventLoop) {
    self.rule = rule
    self.loop = loop
    random = SeededGenerator(seed: seed)
    isHeld = rule.isHeld
  }

  func add(_ buffer: ByteBuffer) { add(.bytes(buffer)) }

  /// Nothing more will come.
  func finish() {
    guard !isFinished else { return }
    isFinished = true
    // A response that nobody hands on is still waited for by the client.
    if !rule.isSwallowed { add(.end) }
  }

  /// What was held goes on.
  func release() {
    isHeld = false
    pump()
  }

  /// Lets go of everybody that it tells.
  func forget() { (reached, passed, ended, sink) = (nil, nil, nil, nil) }

  private func add(_ part: Part) {
    guard !isOver, !rule.isSwallowed else { return }
    let late = rule.latency + rule.jitter * Double.random(in: 0..<1, using: &random)
    let due = NIODeadline.now() + .nanoseconds(late.inNanoseconds)
    // Bytes do not overtake each other.
    queue.append((max(due, queue.last?.due ?? due), part))
    pump()
  }

  private func pump() {
    while let sink, !isOver, !isHeld, !isWaiting, let first = queue.first {
      let due = max(first.due, next)
      guard due <= .now() else {
        wait(until: due)
        return
      }
      switch first.part {
      case .end:
        queue.removeFirst()
        ended?()
      case .bytes(let buffer): send(buffer, to: sink)
      }
    }
  }

  /// Sends one piece, and keeps the rest.
  private func send(_ bytes: ByteBuffer, to sink: any Channel) {
    var bytes = bytes
    let length = min(rule.piece, bytes.readableBytes, rule.limit - count)
    if length > 0, let piece = bytes.readSlice(length: length) {
      count += length
      next = .now() + .nanoseconds(rule.pause.inNanoseconds)
      passed?(length)
      sink.writeAndFlush(piece, promise: nil)
    }
    if bytes.readableBytes == 0 {
      queue.removeFirst()
    } else {
      queue[0].part = .bytes(bytes)
    }
    guard count >= rule.limit else { return }
    isOver = true
    reached?(rule.atLimit)
  }

  private func wait(until due: NIODeadline) {
    isWaiting = true
    loop.assumeIsolated().scheduleTask(deadline: due) { [self] in
      isWaiting = false
      pump()
    }
  }
}

/// Where bytes come in.
private final class Mouth: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let read: (ByteBuffer) -> Void
  private let end: () -> Void

  init(read: @escaping (ByteBuffer) -> Void, end: @escaping () -> Void) {
    self.read = read
    self.end = end
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { read(unwrapInboundIn(data)) }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed? = event as? ChannelEvent { end() }
  }

  func channelInactive(context: ChannelHandlerContext) { end() }

  /// A connection that breaks ends; that is what this is for.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
