// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// Where a server listens, and all connections that it has.
///
/// Whoever has it shuts it down in `deinit`: nothing of it is left then, also where a connection
/// comes at that moment.
final class Listener: Sendable {
  private struct State {
    var listener: (any Channel)?
    var channels: [ObjectIdentifier: any Channel] = [:]
    var count = 0
    var isEnded = false
  }

  private let state = Locked(State())

  /// Listens.
  ///
  /// - Parameters:
  ///   - port: The port; 0 for a free one.
  ///   - tls: Who it is; nil for connections that are not encrypted.
  ///   - protocols: What is offered by ALPN.
  ///   - isHalfOpen: Whether a connection goes on after the client has stopped to send.
  ///   - begin: Adds what speaks on a connection, by the number of that.
  /// - Returns: The port.
  /// - Throws: `ServerFailure`.
  func listen(
    port: Int, tls: CertificateAuthority.Identity?, protocols: [String] = [],
    isHalfOpen: Bool = false, _ begin: @escaping @Sendable (any Channel, Int) throws -> Void
  ) async throws -> Int {
    let tls = try tls.map { try $0.context(protocols) }
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: isHalfOpen)
      .childChannelInitializer { [weak self] channel in
        channel.eventLoop.makeCompletedFuture {
          guard let number = self?.keep(channel) else { throw ChannelError.alreadyClosed }
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(WireEnd())
          if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
          try pipeline.addHandler(WireScribe())
          try begin(channel, number)
        }
      }
    let listener: any Channel
    do {
      listener = try await bootstrap.bind(host: "127.0.0.1", port: port).get()
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      throw ServerFailure.portInUse(port)
    }
    let isEnded = state.withLock { state in
      if !state.isEnded { state.listener = listener }
      return state.isEnded
    }
    if isEnded { listener.close(promise: nil) }
    return listener.localAddress?.port ?? 0
  }

  /// How many connections are open.
  var openConnections: Int { state.withLock { $0.channels.count } }

  /// Ends all connections, and takes no others.
  func shutDown() {
    let (listener, channels) = state.withLock { state in
      state.isEnded = true
      defer { (state.listener, state.channels) = (nil, [:]) }
      return (state.listener, Array(state.channels.values))
    }
    listener?.close(promise: nil)
    for channel in channels {
      channel.triggerUserOutboundEvent(WireEvent.hangUp, promise: nil)
    }
  }

  /// The number of a new connection, from 0; nil where all is over.
  private func keep(_ channel: any Channel) -> Int? {
    let number = state.withLock { state -> Int? in
      guard !state.isEnded else { return nil }
      state.channels[ObjectIdentifier(channel)] = channel
      state.count += 1
      return state.count - 1
    }
    let id = ObjectIdentifier(channel)
    channel.closeFuture.whenComplete { [weak self] _ in
      self?.state.withLock { _ = $0.channels.removeValue(forKey: id) }
    }
    return number
  }
}
