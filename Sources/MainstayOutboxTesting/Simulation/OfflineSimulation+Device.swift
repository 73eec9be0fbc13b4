// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox
public import MainstayTesting

extension OfflineSimulation {
  /// A device as its workers see it, from the start of its process to the death of that.
  public struct Device: Sendable {
    let life: SimulatedLife
    let world: SimulationWorld
    let server: ServerState

    /// Which device it is, from 0.
    public var index: Int { life.device }

    /// The time of the simulation: whatever waits, waits by this clock.
    ///
    /// The simulation alone moves it. A retry inside a worker takes it as its `clock:`.
    public var clock: ManualClock { life.clock }

    /// Calls the server over a network that fails as the simulation likes.
    ///
    /// The call may be lost, or its answer; it may arrive twice, or after this has given up. Each
    /// time it arrives the body is run, one after the other. A change of the server by a call is an
    /// effect: each idempotency key may have one, unless they have names. So a server knows
    /// repetitions by the key, and counts nothing else.
    ///
    /// - Parameters:
    ///   - effect: The name of the effect, for workers whose operations have several; the default
    ///     is that there is one.
    ///   - patience: How long the answer is awaited; more than zero, the default is 30 seconds.
    ///   - body: What the server does with the call; what it throws is thrown here.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws; an `AppError` where the network or the server fails, with
    ///   the disposition `unknownOutcome` where the server may have had the call; and
    ///   `CancellationError`.
    public func call<Value: Sendable>(
      as effect: String = "", patience: Duration = .seconds(30),
      _ body: @escaping @Sendable (inout Server) throws -> Value
    ) async throws -> Value {
      try await world.turn(life)
      try Task.checkCancellation()
      try await world.reached(.beforeEffect, life)
      let key = IdempotencyKey.current
      let fate = world.fate(of: key, life)
      if let error = fate.refusal { throw error }
      let line = SimulatedLine<Value>(life: life, world: world)
      let (world, server) = (world, server)
      for (number, travel) in fate.arrivals.enumerated() {
        world.after(travel) {
          let (result, hasChanged) = server.handle(body)
          world.arrived(key, effect, result, hasChanged: hasChanged)
          guard number == 0, let back = fate.back else { return }
          world.after(back) { line.answer(result) }
        }
      }
      let end = world.after(patience) { line.answer(.failure(SimulatedFault.silence())) }
      defer { world.forget(end) }
      let value = try await line.wait()
      try await world.reached(.afterEffect, life)
      return value
    }

    /// Reads or changes what the device keeps beside its outbox, such as its copy of a record.
    ///
    /// It is a part of the server's value, by the ``index`` of the device, so that it begins anew
    /// with each schedule. It survives the processes of the device; one that is dead changes
    /// nothing any more.
    ///
    /// - Parameter body: What is done; it needs no network, and is no effect.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws.
    public func local<Value: Sendable>(
      _ body: @escaping @Sendable (inout Server) throws -> Value
    ) async throws -> Value {
      try await world.turn(life)
      return try server.handle(body).result.get()
    }
  }

  /// The server, which only the thread of the simulation changes.
  final class ServerState: Sendable {
    private let state: Locked<Server>

    init(_ server: Server) { state = Locked(server) }

    var value: Server { state.withLock { $0 } }

    /// Carries out a call: what comes of it, and whether it changed anything.
    func handle<Value: Sendable>(
      _ body: @Sendable (inout Server) throws -> Value
    ) -> (result: Result<Value, any Error>, hasChanged: Bool) {
      let before = value
      var server = before
      let result = Result { try body(&server) }
      let (after, hasChanged) = (server, server != before)
      if hasChanged { state.withLock { $0 = after } }
      return (result, hasChanged)
    }
  }
}

/// One call, from its sender's side.
final class SimulatedLine<Value: Sendable>: Sendable {
  private enum State {
    case open
    case waiting(UnsafeContinuation<Value, any Error>)
    case answered(Result<Value, any Error>)
    case ended
  }

  private let state = Locked(State.open)
  private let life: SimulatedLife
  private let world: SimulationWorld

  init(life: SimulatedLife, world: SimulationWorld) {
    self.life = life
    self.world = world
  }

  /// Returns when there is an answer; never where its device dies before.
  func wait() async throws -> Value {
    let number = world.opened { [self] in end(.failure(CancellationError())) }
    defer { world.closed(number) }
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        let result = state.withLock { state in
          if case .answered(let result) = state {
            state = .ended
            return result as Result<Value, any Error>?
          }
          state = .waiting(continuation)
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      answer(.failure(CancellationError()))
    }
  }

  /// The first answer is the one that counts; the dead hear none.
  func answer(_ result: Result<Value, any Error>) {
    if !world.isDead(life) { end(result) }
  }

  private func end(_ result: Result<Value, any Error>) {
    let waiting = state.withLock { state -> UnsafeContinuation<Value, any Error>? in
      switch state {
      case .open: state = .answered(result)
      case .waiting(let continuation):
        state = .ended
        return continuation
      case .answered, .ended: break
      }
      return nil
    }
    waiting?.resume(with: result)
  }
}
