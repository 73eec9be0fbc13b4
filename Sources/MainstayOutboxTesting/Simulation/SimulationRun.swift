// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox
internal import MainstayTesting

/// One run of one schedule, on the thread that captures its tasks.
final class SimulationRun<Server: Sendable & Equatable> {
  typealias Simulation = OfflineSimulation<Server>

  let simulation: Simulation
  let world: SimulationWorld
  let tasks: CapturedTasks
  let server: Simulation.ServerState
  /// What each device has on its disk.
  private(set) var disks: [any OutboxStore] = []
  /// The process that runs on each device; nil while none does.
  private(set) var lives: [SimulatedLife?]
  private var everyLife: [SimulatedLife] = []
  /// The outboxes of all processes so far: those of the dead keep what they had begun.
  private let outboxes = Outboxes()
  private var relaunches: [(due: Duration, device: Int)] = []
  /// Who goes on first.
  private var generator: SeededGenerator

  init(_ simulation: Simulation, seed: UInt64, _ tasks: CapturedTasks) {
    self.simulation = simulation
    self.tasks = tasks
    let world = SimulationWorld(seed: seed, devices: simulation.devices, faults: simulation.faults)
    self.world = world
    server = Simulation.ServerState(simulation.server)
    lives = Array(repeating: nil, count: simulation.devices)
    generator = SeededGenerator(seed: seed)
    for device in 0..<simulation.devices {
      let limits = simulation.configuration.limits
      let date: @Sendable () -> Date = { world.date(on: device) }
      disks.append(
        simulation.makeStore?(date) ?? InMemoryStore(limits: limits, now: date))
    }
  }

  func run(_ steps: [SimulationStep], of count: Int) -> Simulation.Report {
    for device in lives.indices { launch(device) }
    rest()
    for step in steps where !world.isBroken {
      generator = SeededGenerator(seed: step.seed)
      world.note("\(step)")
      make(step)
      switch step.then {
      case .turns(let count): turns(count)
      case .time(let span): pass(span)
      }
      // Looking costs as much as all the rest.
      if step.number % 4 == 0 { inspect() }
    }
    inspect()
    if !world.isBroken { heal() }
    if !world.isBroken { judge() }
    let report = report(steps, of: count)
    end()
    return report
  }

  // MARK: Time

  /// Runs all jobs, and starts what is to be started in place of what has died.
  private func idle() {
    if !tasks.runUntilIdle() {
      world.change { $0.violate("it comes to rest", "a task goes on for ever and never waits") }
    }
    let dead = world.change { state -> [SimulatedLife] in
      defer { state.justDied = [] }
      return state.justDied
    }
    for life in dead {
      lives[life.device] = nil
      var chance = SeededGenerator(seed: world.seed &+ UInt64(life.number) << 40)
      let delay = Duration.milliseconds(Int.random(in: 0...20_000, using: &chance))
      relaunches.append((world.now + delay, life.device))
    }
  }

  /// Lets one of those that wait for their turn go on; false where none does.
  private func turn() -> Bool {
    let chance = generator.next()
    let wait = world.change { state -> SimulationWorld.Wait? in
      guard !state.turns.isEmpty else { return nil }
      return state.turns.remove(at: Int(chance % UInt64(state.turns.count))).wait
    }
    wait?.resume()
    return wait != nil
  }

  private func turns(_ count: Int) {
    for _ in 0..<count {
      idle()
      guard turn() else { return }
    }
    idle()
  }

  /// Goes on until nothing does before time passes.
  func rest() {
    for _ in 0..<20_000 {
      idle()
      guard turn() else { return }
    }
    world.change { $0.violate("it comes to rest", "it goes on without end at one moment") }
  }

  func pass(_ span: Duration) {
    let end = world.now + span
    for _ in 0..<20_000 where !world.isBroken {
      rest()
      guard let next, next <= end else { return move(to: end) }
      move(to: next)
    }
    world.change { $0.violate("it comes to rest", "too much happens in \(span.formatted)") }
  }

  /// When something happens next by itself.
  private var next: Duration? {
    let now = world.now
    let alarms = lives.compactMap { $0?.clock.nextWakeUp }.map { now + max($0, .zero) }
    let events = world.change { $0.events.map(\.due).min() }
    return (alarms + relaunches.map(\.due) + [events].compactMap { $0 }).min()
  }

  private func move(to moment: Duration) {
    let (span, due) = world.change { state in
      let span = moment - state.now
      state.now = moment
      let due = state.events.filter { $0.due <= moment }
        .sorted { ($0.due, $0.number) < ($1.due, $1.number) }
      state.events.removeAll { $0.due <= moment }
      return (span, due)
    }
    for life in lives { life?.clock.advance(by: span) }
    for event in due {
      idle()
      event.action()
    }
    idle()
    for relaunch in relaunches where relaunch.due <= moment { launch(relaunch.device) }
    relaunches.removeAll { $0.due <= moment }
    rest()
  }

  // MARK: Devices

  private func launch(_ device: Int) {
    guard lives[device] == nil else { return }
    let life = SimulatedLife(device: device, number: everyLife.count, start: world.now)
    lives[device] = life
    everyLife.append(life)
    let startsPaused = simulation.configuration.startsPaused
    world.change { state in
      state.note("device \(device) starts")
      if startsPaused { state.paused.insert(life.number) }
    }
    var surroundings = Outbox.Surroundings()
    surroundings.timeline = Timeline(life.clock)
    surroundings.seed = world.seed &+ UInt64(life.number)
    let workers = simulation.workers(Simulation.Device(life: life, world: world, server: server))
    let store = SimulatedStore(store: disks[device], life: life, world: world)
    let (configuration, outboxes, world) = (simulation.configuration, outboxes, world)
    Task { [surroundings] in
      do {
        let outbox = try await Outbox(
          store: store, configuration: configuration, surroundings: surroundings, workers: workers)
        outboxes.all.withLock { $0[life.number] = outbox }
      } catch {
        world.change { state in
          state.violate("a device starts", "device \(device) cannot open its outbox: \(error)")
        }
      }
    }
  }

  /// What runs on a device; nil while it starts, or while nothing does.
  func outbox(_ device: Int) -> (outbox: Outbox, life: SimulatedLife)? {
    guard let life = lives[device], !world.isDead(life) else { return nil }
    return outboxes.all.withLock { $0[life.number] }.map { ($0, life) }
  }

  /// Does something on a device that may have to wait for its turn.
  func act(
    _ device: Int, _ body: @escaping @Sendable (Outbox, SimulatedLife) async throws -> Void
  ) {
    guard let (outbox, life) = outbox(device) else { return }
    let world = world
    Task {
      do { try await body(outbox, life) } catch {
        world.note("device \(device): \(OutboxError.name(of: error))")
      }
    }
  }

  /// Asks something that waits for nothing.
  func ask<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) -> T? {
    let answer = Answer<T>()
    Task { [world] in
      do { answer.value.withLock { [result = try await body()] value in value = result } } catch {
        world.change { $0.violate("a store answers", "\(error)") }
      }
    }
    idle()
    return answer.value.withLock { $0 }
  }

  private final class Answer<T: Sendable>: Sendable {
    let value = Locked<T?>(nil)
  }

  private final class Outboxes: Sendable {
    let all = Locked<[Int: Outbox]>([:])
  }

  func startAll() {
    relaunches = []
    for device in lives.indices { launch(device) }
    rest()
  }

  /// Lets everything go away.
  private func end() {
    world.end()
    for outbox in outboxes.all.withLock({ $0.sorted { $0.key < $1.key }.map(\.value) }) {
      Task { await outbox.shutDown() }
    }
    for _ in 0..<4 {
      _ = tasks.runUntilIdle()
      for life in everyLife { life.clock.advance(by: .seconds(400 * 24 * 3600)) }
      world.end()
    }
    _ = tasks.runUntilIdle()
    outboxes.all.withLock { $0 = [:] }
    _ = tasks.runUntilIdle()
  }
}

extension OutboxError {
  fileprivate static func name(of error: any Error) -> String {
    (error as? OutboxError)?.code.rawValue ?? "\(error)"
  }
}
