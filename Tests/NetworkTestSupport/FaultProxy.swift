// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTestSupport
internal import Mainstay
internal import NIOCore
internal import NIOPosix
package import TestSupport

/// A proxy on loopback that hands bytes on between a client and a service, and does to each
/// connection what a plan says.
///
/// It knows no protocol. It listens for as long as somebody holds it.
package final class FaultProxy: Sendable {
  /// What became of one connection.
  package struct Trace: Sendable {
    /// What was to go wrong.
    package let fault: Fault
    /// How many bytes the client has sent.
    package internal(set) var requested = 0
    /// How many of those went on to the service.
    package internal(set) var delivered = 0
    /// How many bytes of the answer went on to the client.
    package internal(set) var answered = 0
    /// Whether the client has stopped to listen or to send.
    package internal(set) var hasClientLeft = false
  }

  private struct State {
    var listener: (any Channel)?
    var channels: [ObjectIdentifier: any Channel] = [:]
    var traces: [Trace] = []
    var isEnded = false
  }

  /// A line each time something has become of a connection: its number, and `began`, `asked`,
  /// `answered`, `left` or `ended`.
  package let log = Log()
  /// Where it listens.
  package let port: Int

  private let target: Int
  private let plan: @Sendable (Int) -> Fault
  private let seed: UInt64
  private let state = Locked(State())
  /// Keeps the port while nobody listens on it.
  private let held: HeldPort

  /// Listens on a free port.
  ///
  /// - Parameters:
  ///   - target: The port of the service, on loopback.
  ///   - seed: Makes jitter repeatable.
  ///   - plan: What goes wrong with a connection, by its number, from 0.
  /// - Throws: What SwiftNIO throws where it cannot listen.
  package init(
    to target: Int, seed: UInt64 = 0, _ plan: @escaping @Sendable (Int) -> Fault
  ) async throws {
    self.target = target
    self.seed = seed
    self.plan = plan
    held = try HeldPort(isShared: true)
    port = held.number
    try await accept()
  }

  /// Such as `http://127.0.0.1:4000`.
  package var origin: String { "http://127.0.0.1:\(port)" }

  /// What became of each connection, in the order in which they came.
  package var traces: [Trace] { state.withLock { $0.traces } }

  deinit { shutDown() }

  /// Ends all connections, and refuses others.
  package func shutDown() {
    let channels = state.withLock { state in
      state.isEnded = true
      defer { (state.listener, state.channels) = (nil, [:]) }
      return Array(state.channels.values) + [state.listener].compactMap(\.self)
    }
    for channel in channels { channel.close(promise: nil) }
  }

  /// Refuses connections from now on; those that are there go on.
  package func refuse() async {
    let listener = state.withLock { state in
      defer { state.listener = nil }
      return state.listener
    }
    try? await listener?.close()
  }

  /// Takes connections again.
  ///
  /// - Throws: What SwiftNIO throws where it cannot listen.
  package func accept() async throws {
    guard state.withLock({ $0.listener == nil && !$0.isEnded }) else { return }
    // It must not keep itself: its listener ends with it.
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { [weak self] channel in
        channel.eventLoop.makeCompletedFuture {
          guard let self else { return }
          try self.begin(channel)
        }
      }
      .bind(host: "127.0.0.1", port: port).get()
    let isSpare = state.withLock { state in
      guard state.listener == nil, !state.isEnded else { return true }
      state.listener = listener
      return false
    }
    if isSpare { try await listener.close() }
  }

  /// A connection has come; on its event loop.
  private func begin(_ client: any Channel) throws {
    let number = state.withLock { state in
      state.traces.append(Trace(fault: plan(state.traces.count)))
      return state.traces.count - 1
    }
    let fault = state.withLock { $0.traces[number].fault }
    keep(client)
    log.add("\(number) began")
    client.closeFuture.whenComplete { [log] _ in log.add("\(number) ended") }
    if case .refusal(let span) = fault {
      close(client, by: .reset)
      pause(for: span, on: client.eventLoop)
      return
    }
    let relay = Relay(
      client: client, fault: fault, target: target, seed: seed &+ UInt64(number),
      opened: { [weak self] in self?.keep($0) },
      note: { [weak self] event in self?.note(event, number) })
    try relay.start()
  }

  private func pause(for span: Duration, on loop: any EventLoop) {
    Task {
      await refuse()
      acceptAgain(after: span, on: loop)
    }
  }

  private func acceptAgain(after span: Duration, on loop: any EventLoop) {
    loop.scheduleTask(in: .nanoseconds(span.inNanoseconds)) { [weak self] in
      Task { [weak self] in
        // Two that were refused at once may both be here.
        do { try await self?.accept() } catch { self?.acceptAgain(after: span, on: loop) }
      }
    }
  }

  private func keep(_ channel: any Channel) {
    let isEnded = state.withLock { state in
      if !state.isEnded { state.channels[ObjectIdentifier(channel)] = channel }
      return state.isEnded
    }
    if isEnded { channel.close(promise: nil) }
    channel.closeFuture.whenComplete { [weak self] _ in
      self?.state.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
    }
  }

  private func note(_ event: Relay.Event, _ number: Int) {
    let line = state.withLock { state -> String? in
      let isFirst = (
        state.traces[number].requested == 0, state.traces[number].answered == 0,
        !state.traces[number].hasClientLeft
      )
      switch event {
      case .requested(let count):
        state.traces[number].requested += count
        return isFirst.0 ? "asked" : nil
      case .delivered(let count):
        state.traces[number].delivered += count
        return nil
      case .answered(let count):
        state.traces[number].answered += count
        return isFirst.1 ? "answered" : nil
      case .left:
        state.traces[number].hasClientLeft = true
        return isFirst.2 ? "left" : nil
      }
    }
    if let line { log.add("\(number) \(line)") }
  }
}

/// Ends a connection.
func close(_ channel: any Channel, by ending: Fault.Ending) {
  guard ending == .reset, let options = channel as? any SocketOptionProvider else {
    channel.close(promise: nil)
    return
  }
  options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in
    channel.close(promise: nil)
  }
}

extension Duration {
  var inNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return min(seconds, 86_400) * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
