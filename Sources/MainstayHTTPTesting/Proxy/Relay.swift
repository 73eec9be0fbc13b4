// SPDX-License-Identifier: Apache-2.0

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
  /// Whether the client got bytes that nobody behind has said.
  private var hasSpoken = false
  /// Whether nobody waits for what the service says.
  private var isDeserted = false

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

  /// Begins.
  ///
  /// - Returns: When the connection to the service is over; at once without one.
  func start() throws -> EventLoopFuture<Void> {
    request.source = client
    request.reached = { [self] in cross($0, request) }
    request.passed = { [self] in note(.delivered($0)) }
    request.ended = { [self] in endIfOver() }
    response.reached = { [self] in cross($0, response) }
    response.passed = { [self] in note(.answered($0)) }
    response.ended = { [self] in
      if fault == .brokenEnd { end(by: .reset) } else { endIfOver() }
    }
    response.sink = client
    try client.pipeline.syncOperations.addHandler(
      Mouth(
        read: { [self] in asked($0) }, end: { [self] in clientLeft() },
        broke: { [self] in
          if !isOver { note(.left) }
          end(by: .reset)
        }, writable: { [self] in response.pump() }))
    switch fault {
    // Nobody is behind them.
    case .blackHole, .garbage: return client.eventLoop.makeSucceededVoidFuture()
    default: return connect()
    }
  }

  private func connect() -> EventLoopFuture<Void> {
    let connecting = ClientBootstrap(group: client.eventLoop)
      .channelOption(.allowRemoteHalfClosure, value: true)
      .channelOption(.autoRead, value: false)
      .connect(host: "127.0.0.1", port: target)
    connecting.assumeIsolated().whenComplete { [self] result in
      switch result {
      case .success(let channel): connected(channel)
      case .failure: end(by: .reset)
      }
    }
    return connecting.flatMap(\.closeFuture).recover { _ in }
  }

  private func connected(_ channel: any Channel) {
    opened(channel)
    server = channel
    guard !isOver else {
      channel.close(promise: nil)
      return
    }
    let mouth = Mouth(
      read: { [self] in heard($0) }, end: { [self] in serverLeft() },
      broke: { [self] in serverBroke() }, writable: { [self] in request.pump() })
    do {
      try channel.pipeline.syncOperations.addHandler(mouth)
      response.source = channel
      try channel.syncOptions?.setOption(.autoRead, value: true)
    } catch {
      end(by: .reset)
    }
    request.sink = channel
  }

  private func asked(_ buffer: ByteBuffer) {
    note(.requested(buffer.readableBytes))
    guard case .garbage(let bytes) = fault else {
      request.add(buffer)
      return
    }
    guard !hasSpoken else { return }
    hasSpoken = true
    note(.answered(bytes.count))
    client.writeAndFlush(ByteBuffer(bytes: bytes)).assumeIsolated().whenComplete { [self] _ in
      end(by: .finish)
    }
  }

  private func heard(_ buffer: ByteBuffer) {
    if case .swallowedAnswer(.some(let ending)) = fault {
      end(by: ending)
    } else {
      response.add(buffer)
    }
  }

  /// The client sends nothing more, and may listen still.
  private func clientLeft() {
    guard !isOver else { return }
    note(.left)
    switch fault {
    case .lateAnswer:
      request.finish()
      response.release()
    case .swallowedAnswer(then: nil):
      isDeserted = true
      request.finish()
    // There is nothing to wait for.
    case .blackHole, .garbage, .stall: end(by: .finish)
    default: request.finish()
    }
  }

  /// The service says nothing more.
  private func serverLeft() {
    if case .swallowedAnswer(.some(let ending)) = fault {
      end(by: ending)
    } else {
      response.finish()
    }
  }

  /// A service that breaks off breaks off for the client too, unless that is to see nothing of it.
  private func serverBroke() {
    guard !isOver else { return }
    switch fault {
    case .swallowedAnswer(then: nil), .lateAnswer: response.finish()
    default: end(by: .reset)
    }
  }

  /// Both sides have said all that they will.
  private func endIfOver() {
    if request.hasEnded, response.hasEnded || isDeserted { end(by: .finish) }
  }

  /// As many bytes have passed as may.
  private func cross(_ atLimit: Fault.Rule.AtLimit, _ flow: Flow) {
    switch atLimit {
    case .cut(.reset): end(by: .reset)
    case .cut(.finish): flow.whenWritten { [self] in end(by: .finish) }
    case .halfClose: flow.close()
    case .stall: break
    }
  }

  private func end(by ending: Fault.Ending) {
    guard !isOver else { return }
    isOver = true
    close(client, by: ending)
    if let server { close(server, by: ending) }
    for flow in [request, response] { flow.forget() }
  }
}

/// Where bytes come in.
private final class Mouth: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let read: (ByteBuffer) -> Void
  private let end: () -> Void
  private let broke: () -> Void
  private let writable: () -> Void
  private var hasFailed = false

  init(
    read: @escaping (ByteBuffer) -> Void, end: @escaping () -> Void,
    broke: @escaping () -> Void, writable: @escaping () -> Void
  ) {
    self.read = read
    self.end = end
    self.broke = broke
    self.writable = writable
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { read(unwrapInboundIn(data)) }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed? = event as? ChannelEvent { end() }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { writable() }
  }

  /// Of a connection that has ended halfway from here, nothing else tells of the other half.
  func channelInactive(context: ChannelHandlerContext) {
    if hasFailed { broke() } else { end() }
  }

  /// A connection that breaks ends; that is what this is for.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    hasFailed = true
    context.close(promise: nil)
  }
}
