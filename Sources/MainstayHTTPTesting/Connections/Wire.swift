// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import NIOCore

/// What is asked of a connection past everybody who speaks a protocol on it.
enum WireEvent: Sendable {
  /// Bytes that go out as they are; encrypted where the connection is.
  case bytes(ByteBuffer)
  /// This side says nothing more.
  case finish
  /// The connection ends, with no word of any protocol.
  case hangUp
  /// The connection is reset.
  case reset
}

/// Stands next to the socket, and ends it past TLS.
final class WireEnd: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    switch event as? WireEvent {
    case .hangUp: context.close(promise: promise)
    case .reset: reset(context.channel, context, promise)
    default: context.triggerUserOutboundEvent(event, promise: promise)
    }
  }

  private func reset(
    _ channel: any Channel, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
  ) {
    guard let options = channel as? any SocketOptionProvider else {
      context.close(promise: promise)
      return
    }
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in
      bound.value.close(promise: promise)
    }
  }
}

/// Stands behind TLS and before all protocols, and writes what does not come from them.
final class WireScribe: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    switch event as? WireEvent {
    case .bytes(let buffer): context.writeAndFlush(wrapOutboundOut(buffer), promise: promise)
    case .finish: context.close(mode: .output, promise: promise)
    default: context.triggerUserOutboundEvent(event, promise: promise)
    }
  }
}

extension Channel {
  /// Writes bytes, and returns once the system has them or the connection is over.
  func send(_ bytes: ByteBuffer) async {
    // A script that goes on talking to nobody does no harm.
    try? await triggerUserOutboundEvent(WireEvent.bytes(bytes)).get()
  }

  /// Ends the connection, and returns once that is done.
  func end(_ event: WireEvent) async { try? await triggerUserOutboundEvent(event).get() }
}
