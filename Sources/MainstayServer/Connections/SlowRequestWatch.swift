// SPDX-License-Identifier: Apache-2.0

import Mainstay
import NIOCore
import NIOHTTP1

/// Closes a connection on which a request comes too slowly, or an answer is not read.
final class SlowRequestWatch: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart

  /// What a reader has to take of an answer in its time, in bytes; what NIO lets it take before
  /// more is written.
  private static let progress = 32_768

  private let limits: ConnectionLimits
  private var machine = SlowRequestStateMachine()
  private var ticket: AlarmTicket?
  /// How many bytes waited for the reader when its time began, where that is known.
  private var unsent: Int?
  /// Of the request that came last.
  private var path: String?

  init(_ limits: ConnectionLimits) { self.limits = limits }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      path = head.uri
      change(.headRead, context)
    case .body: change(.bodyRead, context)
    case .end: change(.requestRead, context)
    }
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    change(.readEnded, context)
    context.fireChannelReadComplete()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    var isEnd = false
    if case .end = unwrapOutboundIn(data) { isEnd = true }
    context.write(data, promise: promise)
    if isEnd { change(.answered, context) }
  }

  func flush(context: ChannelHandlerContext) {
    context.flush()
    // What is written together is all there only now.
    if machine.awaited == .answer { unsent = Self.unsent(on: context.channel) }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    change(context.channel.isWritable ? .unblocked : .blocked, context)
    context.fireChannelWritabilityChanged()
  }

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard let time = event as? TimeIsUp else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    promise?.succeed()
    guard let part = machine.timeIsUp(wait: time.wait) else { return }
    // A large part may take its reader long: it has more time for as long as it reads.
    if part == .answer, isRead(context.channel) { return begin(time.wait, part, context) }
    limits.reports.add(
      part, peer: context.remoteAddress, path: part == .head ? nil : path)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    stop()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { stop() }

  private func change(_ event: SlowRequestStateMachine.Event, _ context: ChannelHandlerContext) {
    switch machine.handle(event) {
    case .nothing: return
    case .end: stop()
    case .begin(let wait):
      guard let part = machine.awaited else { return stop() }
      if part == .answer { unsent = Self.unsent(on: context.channel) }
      begin(wait, part, context)
    }
  }

  private func begin(
    _ wait: Int, _ part: SlowRequestStateMachine.Part, _ context: ChannelHandlerContext
  ) {
    stop()
    let timeline = limits.timeline
    ticket = timeline.alarms.add(
      due: timeline.now + (part == .answer ? limits.answer : limits.request),
      target: TimeIsUp(channel: context.channel, wait: wait))
  }

  /// Whether the reader has taken enough since its time began, which begins anew.
  private func isRead(_ channel: any Channel) -> Bool {
    let before = unsent
    unsent = Self.unsent(on: channel)
    // A transport that does not say it gives its readers the time once.
    guard let before, let unsent else { return false }
    return before - unsent >= Self.progress
  }

  private static func unsent(on channel: any Channel) -> Int? {
    try? channel.syncOptions?.getOption(.bufferedWritableBytes)
  }

  private func stop() {
    if let ticket { limits.timeline.alarms.remove(ticket) }
    ticket = nil
  }

  /// Comes to the handler through its channel, so that it is heard on the event loop.
  private final class TimeIsUp: AlarmTarget {
    let wait: Int
    private let channel: any Channel

    init(channel: any Channel, wait: Int) {
      self.channel = channel
      self.wait = wait
    }

    func ring() { channel.triggerUserOutboundEvent(self, promise: nil) }
  }
}

/// Puts the handler where requests are read, which is before Hummingbird's own handlers.
final class SlowRequestInstaller: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = Any

  private let limits: ConnectionLimits

  init(_ limits: ConnectionLimits) { self.limits = limits }

  func handlerAdded(context: ChannelHandlerContext) {
    let pipeline = context.pipeline.syncOperations
    do {
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandler(SlowRequestWatch(limits), position: .after(decoder))
    } catch {
      // Nothing would limit it, so it is not served.
      context.fireErrorCaught(error)
      context.close(promise: nil)
    }
  }
}
