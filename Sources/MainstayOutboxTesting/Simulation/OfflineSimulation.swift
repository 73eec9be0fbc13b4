// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay
public import MainstayOutbox
public import MainstayTesting

/// Runs an app's own workers on several devices, with a network that fails, processes that die at
/// any step, and a server, in virtual time, and checks what must hold whatever happens.
///
/// ```swift
/// let simulation = OfflineSimulation(server: Shelf()) { outbox, device, random in
///   let item = Int.random(in: 0..<3, using: &random)
///   try await outbox.enqueue(AddItem(item: item), orderedBy: item)
/// } workers: { device in
///   Worker(for: AddItem.self) { add, context in
///     let key = context.idempotencyKey
///     try await device.call { shelf in shelf.add(add.item, key: key) }
///   }
/// }
/// let violations = await simulation.violations(schedules: 2_000)
/// ```
///
/// A test expects that there are none. A schedule follows from its seed alone, so a failure
/// repeats. <doc:SimulatingOffline> lists the laws, and says what workers may do.
public struct OfflineSimulation<Server: Sendable & Equatable>: Sendable {
  /// An operation that an outbox has accepted.
  public struct Accepted: Sendable, Identifiable {
    /// The identity.
    public let id: OperationID
    /// The device.
    public let device: Int
    /// The key by which the server knows a repetition.
    public let idempotencyKey: IdempotencyKey
    /// The ordering key; nil where it has none.
    public let orderingKey: String?
    /// The encoded payload: that with which it was run last, or else that of the first enqueue.
    public let payload: Data
    /// Whether it is done; those that are not were cancelled, given up, dropped or put together
    /// with others.
    public let isDone: Bool
  }

  /// What one schedule came to.
  public struct Report: Sendable {
    /// The law that does not hold; nil where all do.
    public let violation: LawViolation?
    /// What happened, in the order in which it did.
    public let log: [String]
    /// How often what happened, by name: calls, effects, crashes by step, faults.
    public let coverage: [String: Int]
    /// The numbers of the steps that led to it, from 1: all of the schedule, or those that
    /// were kept.
    public let steps: [Int]
    /// How often somebody used a device, how many operations were accepted, and what was thrown.
    var edits = 0
    var accepted = 0
    var editError: String?
  }

  /// After how many edits something must have been enqueued.
  private static var patience: Int { 10 }

  typealias Edit = @Sendable (Outbox, Device, inout SeededGenerator) async throws -> Void

  let devices: Int
  let server: Server
  let faults: SimulatedFaults
  let configuration: Outbox.Configuration
  let edit: Edit
  let check: @Sendable (Server, [Accepted]) -> String?
  let workers: @Sendable (Device) -> [Worker]
  /// Makes the store of a device; nil for one in memory.
  package var makeStore: (@Sendable (@escaping @Sendable () -> Date) -> any OutboxStore)?

  /// Makes a simulation.
  ///
  /// - Parameters:
  ///   - devices: How many devices there are; 1 or more, the default is 3.
  ///   - server: The server as it is at first; equal values are one state of it.
  ///   - faults: What goes wrong; the default is everything.
  ///   - configuration: How the outboxes behave; without `connectivity`, which watches the network
  ///     of this machine. Where it has no `logger`, nothing is logged.
  ///   - edit: What somebody does with a device: it enqueues one or a few operations. Errors of the
  ///     outbox may be thrown on.
  ///   - check: What is wrong with the server at the end, when the network is back and nothing is
  ///     left to do; nil, the default, where nothing is.
  ///   - workers: The workers of a device, made anew for each of its processes.
  public init(
    devices: Int = 3, server: Server, faults: SimulatedFaults = .all,
    configuration: Outbox.Configuration = Outbox.Configuration(),
    edit: @escaping @Sendable (Outbox, Device, inout SeededGenerator) async throws -> Void,
    check: @escaping @Sendable (Server, [Accepted]) -> String? = { _, _ in nil },
    @WorkerBuilder workers: @escaping @Sendable (Device) -> [Worker]
  ) {
    precondition(devices >= 1, "OfflineSimulation(devices: \(devices)) is not legal: 1 or more")
    self.devices = devices
    self.server = server
    self.faults = faults
    self.configuration = configuration.quiet
    self.edit = edit
    self.check = check
    self.workers = workers
  }

  /// Runs one schedule.
  ///
  /// - Parameters:
  ///   - seed: What the schedule follows from.
  ///   - steps: How many steps it has; 1 or more, the default is 30.
  ///   - kept: The steps that are made, by their numbers from 1; nil, the default, for all.
  /// - Returns: What it came to.
  public func run(seed: UInt64, steps: Int = 30, keeping kept: [Int]? = nil) async -> Report {
    check(steps: steps)
    return await onThread { schedule(seed, steps, kept) }
  }

  /// Runs random schedules, and makes those that break a law as short as they go.
  ///
  /// - Parameters:
  ///   - schedules: How many; 1 or more, the default is 100.
  ///   - seed: The seed of the first; each further one has the next.
  ///   - steps: How many steps each has; 1 or more, the default is 30.
  /// - Returns: What was found, at most three; empty where all laws hold. That nothing was enqueued
  ///   after ten edits or more is a violation, too.
  public func violations(
    schedules: Int = 100, seed: UInt64 = 1, steps: Int = 30
  ) async -> [LawViolation] {
    check(steps: steps)
    precondition(schedules >= 1, "schedules: \(schedules) is not legal: it must be 1 or more")
    return await onThread {
      var found: [LawViolation] = []
      var (edits, accepted, error) = (0, 0, String?.none)
      for number in 0..<UInt64(schedules) where found.count < 3 {
        let report = schedule(seed &+ number, steps, nil)
        (edits, accepted) = (edits + report.edits, accepted + report.accepted)
        error = report.editError ?? error
        if report.violation != nil {
          found += [shrunk(report, seed &+ number, steps).violation].compactMap { $0 }
        }
      }
      if found.isEmpty, accepted == 0, edits >= Self.patience {
        // Nothing holds any law of nothing.
        let cause = error.map { "the last one threw \($0)" } ?? "none of them threw"
        found.append(
          LawViolation(
            law: "something is enqueued", seed: seed,
            details: "After \(edits) edits nothing was; \(cause)."))
      }
      return found
    }
  }

  private func check(steps: Int) {
    precondition(steps >= 1, "steps: \(steps) is not legal: it must be 1 or more")
  }

  private func schedule(_ seed: UInt64, _ steps: Int, _ kept: [Int]?) -> Report {
    let all = SimulationStep.schedule(seed: seed, steps: steps, devices: devices, faults: faults)
    let chosen = kept.map { kept in all.filter { kept.contains($0.number) } } ?? all
    let report = CapturedTasks.capturing { tasks in
      SimulationRun(self, seed: seed, tasks).run(chosen, of: steps)
    }
    let violation = LawViolation(
      law: SimulationWorld.insideLaw, seed: seed,
      details: "the tasks of this Swift runtime cannot be captured")
    return report ?? Report(violation: violation, log: [], coverage: [:], steps: [])
  }

  /// Leaves steps out for as long as the rest still breaks the same law.
  private func shrunk(_ report: Report, _ seed: UInt64, _ steps: Int) -> Report {
    var (best, width) = (report, max(report.steps.count / 2, 1))
    while true {
      let count = best.steps.count
      var start = 0
      while start < best.steps.count {
        var fewer = best.steps
        fewer.removeSubrange(start..<min(start + width, fewer.count))
        let next = schedule(seed, steps, fewer)
        if next.violation?.law == best.violation?.law { best = next } else { start += width }
      }
      if width == 1, best.steps.count == count { return best }
      width = max(width / 2, 1)
    }
  }

  /// Runs something on a thread of its own, whose tasks are captured there.
  private func onThread<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: body()) }
      thread.stackSize = 4 << 20
      thread.name = "offline simulation"
      thread.start()
    }
  }
}
