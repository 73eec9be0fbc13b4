// SPDX-License-Identifier: Apache-2.0

import Mainstay
import NIOCore
import NIOHTTP1

/// Closes a connection on which a request comes too slowly.
final class SlowRequestWatch: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart

  private let limits: ConnectionLimits
  private var machine = SlowRequestStateMachine()
  private var ticket: AlarmTicket?

  init(_ limits: ConnectionLimits) { self.limits = limits }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head: change(.headRead, context)
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

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard let time = event as? TimeIsUp else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    promise?.succeed()
    guard let part = machine.timeIsUp(wait: time.wait) else { return }
    limits.reports.add(part)
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
      stop()
      let timeline = limits.timeline
      ticket = timeline.alarms.add(
        due: timeline.now + limits.request,
        target: TimeIsUp(channel: context.channel, wait: wait))
    }
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
