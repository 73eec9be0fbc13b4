// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayTesting
internal import NIOCore
internal import NIOPosix

/// A proxy on loopback that hands bytes on between a client and a service, and does to each
/// connection what a plan says.
///
/// It knows no protocol, so it serves HTTP, WebSockets, TLS and databases alike. A side that reads
/// slowly slows down the other one: of each direction it keeps about 256 KiB at most. What went
/// well until its end arrives to the last byte. It listens for as long as somebody holds it; with
/// it, all its connections end.
///
/// ```swift
/// let proxy = try await FaultProxy(to: server.port) { number in
///   number == 0 ? .cut(.response, after: 100, by: .reset) : .none
/// }
/// ```
public final class FaultProxy: Sendable {
  /// What became of one connection.
  public struct Trace: Sendable {
    /// What was to go wrong.
    public let fault: Fault
    /// How many bytes the client has sent.
    public internal(set) var requested = 0
    /// How many of those went on to the service.
    public internal(set) var delivered = 0
    /// How many bytes of the answer went on to the client.
    public internal(set) var answered = 0
    /// Whether the client was the first to stop to send, or broke off.
    public internal(set) var hasClientLeft = false
  }

  /// What happened on a connection, by its number; the first has 0.
  public enum Event: Sendable, Hashable {
    /// A client has come.
    case began(Int)
    /// The first byte came from the client.
    case asked(Int)
    /// The first byte of an answer went on to the client.
    case answered(Int)
    /// The client has stopped to send, or broke off.
    case left(Int)
    /// The connection is over, with the client and with the service.
    case ended(Int)
  }

  private struct Listener {
    let channel: any Channel
    let descriptor: Int32

    /// Closes the port.
    ///
    /// A process that is just being started by another thread has a copy of the descriptor, until
    /// it runs a program of its own. To close it here alone would leave the port open so long.
    func close() {
      channel.eventLoop.execute { [self] in
        if channel.isActive { shutdown(descriptor, Int32(SHUT_RDWR)) }
        channel.close(promise: nil)
      }
    }
  }

  private struct State {
    var listener: Listener?
    /// When the listener before that has closed the port.
    var closing: EventLoopFuture<Void>?
    var channels: [ObjectIdentifier: any Channel] = [:]
    var traces: [Trace] = []
    var isEnded = false
    /// Whether a test has said that nobody gets a connection.
    var isRefusing = false
    /// The connections whose refusal still holds for others.
    var pauses: Set<Int> = []

    var mayListen: Bool { !isEnded && !isRefusing && pauses.isEmpty }
  }

  /// What happened, in order.
  public let log = EventLog<Event>()
  /// Where it listens.
  public let port: Int

  private let target: Int
  private let plan: @Sendable (Int) -> Fault
  private let seed: UInt64
  private let state = Locked(State())
  /// Keeps the port while nobody listens on it.
  private let held: HeldPort

  /// Listens on a free port.
  ///
  /// - Parameters:
  ///   - target: The port of the service on 127.0.0.1; one that listens on `::1` alone is not
  ///     found, and its clients are reset.
  ///   - seed: Makes jitter repeatable; the default is 0.
  ///   - plan: What goes wrong with a connection, by its number, from 0; such as
  ///     ``FaultPlan/fault(_:)``. It runs on the thread of the connection, so it must not wait.
  /// - Throws: ``ServerFailure``, and what SwiftNIO throws where it cannot listen.
  public init(
    to target: Int, seed: UInt64 = 0, _ plan: @escaping @Sendable (Int) -> Fault
  ) async throws {
    self.target = target
    self.seed = seed
    self.plan = plan
    guard let held = try? HeldPort(isShared: true) else { throw ServerFailure.noFreePort }
    self.held = held
    port = held.number
    try await listen()
  }

  /// Such as `http://127.0.0.1:4000`.
  public var origin: String { "http://127.0.0.1:\(port)" }

  /// What became of each connection, in the order in which they came.
  public var traces: [Trace] { state.withLock { $0.traces } }

  /// How many connections are open, to clients and to the service.
  public var openConnections: Int { state.withLock { $0.channels.count } }

  deinit { shutDown() }

  /// Ends all connections, and refuses others for good.
  public func shutDown() {
    let (listener, channels) = state.withLock { state in
      state.isEnded = true
      defer { (state.listener, state.channels) = (nil, [:]) }
      return (state.listener, Array(state.channels.values))
    }
    listener?.close()
    for channel in channels { channel.close(promise: nil) }
  }

  /// Refuses connections from now on, until ``accept()``; those that are there go on.
  public func refuse() async {
    state.withLock { $0.isRefusing = true }
    await stopListening()
  }

  /// Takes connections again, whatever was refused before; nothing happens where it does, or was
  /// shut down.
  ///
  /// - Throws: ``ServerFailure/portInUse(_:)`` where somebody else listens there, and what SwiftNIO
  ///   throws where it cannot listen.
  public func accept() async throws {
    state.withLock { state in
      state.isRefusing = false
      state.pauses = []
    }
    try await listen()
  }

  /// Closes the port, unless somebody has opened it on purpose meanwhile.
  private func stopListening() async {
    let listener = state.withLock { state -> Listener? in
      guard !state.mayListen, let listener = state.listener else { return nil }
      (state.listener, state.closing) = (nil, listener.channel.closeFuture)
      return listener
    }
    listener?.close()
    await portWasClosed()
  }

  /// Returns once nobody listens any more who was told to stop.
  private func portWasClosed() async {
    // That the port is closed never fails.
    try? await state.withLock { $0.closing }?.get()
  }

  /// Listens, where nothing stands against it.
  private func listen() async throws {
    // The port cannot be opened twice.
    await portWasClosed()
    guard state.withLock({ $0.listener == nil && $0.mayListen }) else { return }
    guard let descriptor = try? held.socketToListen() else { throw ServerFailure.portInUse(port) }
    // It must not keep itself: its listener ends with it.
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { [weak self] channel in
        channel.eventLoop.makeCompletedFuture {
          guard let self else { throw ChannelError.alreadyClosed }
          try self.begin(channel)
        }
      }
      .withBoundSocket(descriptor).get()
    let listener = Listener(channel: channel, descriptor: descriptor)
    let isSpare = state.withLock { state in
      guard state.listener == nil, state.mayListen else { return true }
      state.listener = listener
      return false
    }
    guard isSpare else { return }
    listener.close()
    try await channel.closeFuture.get()
  }

  /// A connection has come; on its event loop.
  private func begin(_ client: any Channel) throws {
    let number = state.withLock { state in
      state.traces.append(Trace(fault: .none))
      return state.traces.count - 1
    }
    let fault = plan(number)
    state.withLock { $0.traces[number] = Trace(fault: fault) }
    keep(client)
    log.add(.began(number))
    var service = client.eventLoop.makeSucceededVoidFuture()
    switch fault {
    case .refusal(let span): pause(number, for: span, resetting: client)
    case .ended(let ending): close(client, by: ending)
    default:
      let relay = Relay(
        client: client, fault: fault, target: target, seed: seed &+ UInt64(number),
        opened: { [weak self] in self?.keep($0) },
        note: { [weak self] event in self?.note(event, number) })
      service = try relay.start()
    }
    client.closeFuture.and(service).whenComplete { [log] _ in log.add(.ended(number)) }
  }

  /// Closes the port before the client hears of it: one that comes again at once is refused.
  private func pause(_ number: Int, for span: Duration, resetting client: any Channel) {
    state.withLock { _ = $0.pauses.insert(number) }
    // First: SwiftNIO closes a connection that is still being accepted together with the port.
    endingByReset(client).whenComplete { _ in
      Task {
        await self.stopListening()
        client.close(promise: nil)
        self.listenAgain(number, after: span, on: client.eventLoop)
      }
    }
  }

  private func listenAgain(_ number: Int, after span: Duration, on loop: any EventLoop) {
    loop.scheduleTask(in: .nanoseconds(span.inNanoseconds)) { [weak self] in
      Task { [weak self] in
        self?.state.withLock { _ = $0.pauses.remove(number) }
        // Somebody else may be about to listen.
        do { try await self?.listen() } catch { self?.listenAgain(number, after: span, on: loop) }
      }
    }
  }

  private func keep(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    let isEnded = state.withLock { state in
      if !state.isEnded { state.channels[id] = channel }
      return state.isEnded
    }
    if isEnded { channel.close(promise: nil) }
    channel.closeFuture.whenComplete { [weak self] _ in
      self?.state.withLock { _ = $0.channels.removeValue(forKey: id) }
    }
  }

  private func note(_ event: Relay.Event, _ number: Int) {
    let first = state.withLock { state -> Event? in
      let trace = state.traces[number]
      switch event {
      case .requested(let count):
        state.traces[number].requested += count
        return trace.requested == 0 ? .asked(number) : nil
      case .delivered(let count):
        state.traces[number].delivered += count
        return nil
      case .answered(let count):
        state.traces[number].answered += count
        return trace.answered == 0 ? .answered(number) : nil
      case .left:
        state.traces[number].hasClientLeft = true
        return trace.hasClientLeft ? nil : .left(number)
      }
    }
    if let first { log.add(first) }
  }
}

/// Ends a connection.
func close(_ channel: any Channel, by ending: Fault.Ending) {
  guard ending == .reset else { return channel.close(promise: nil) }
  endingByReset(channel).whenComplete { _ in channel.close(promise: nil) }
}

/// Whoever closes a connection after this resets it.
func endingByReset(_ channel: any Channel) -> EventLoopFuture<Void> {
  guard let options = channel as? any SocketOptionProvider else {
    return channel.eventLoop.makeSucceededVoidFuture()
  }
  return options.setSoLinger(linger(l_onoff: 1, l_linger: 0))
}

extension Duration {
  var inNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return min(seconds, 86_400) * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
