// SPDX-License-Identifier: Apache-2.0

/// How much of the memory and the processor that a process may use is in use.
public struct SystemHealth: Sendable, Hashable, Codable {
  /// Where the numbers come from.
  public enum Source: String, Sendable, Hashable, Codable {
    /// A control group of the second version that has a limit, as containers and services do.
    case controlGroup2
    /// A control group of the first version that has a limit.
    case controlGroup1
    /// The whole system.
    case system
  }

  /// The share of the memory that is in use and cannot be given back, from 0 to 1; nil where nobody
  /// says.
  public var memoryUse: Double?
  /// The share of the processor's time that was in use since the reading before, from 0 to 1; nil
  /// at the first reading, and where nobody says.
  public var processorUse: Double?
  /// The share of the last ten seconds in which somebody waited for memory, from 0 to 1; nil where
  /// the kernel does not count that.
  ///
  /// Source: pressure stall information of Linux.
  public var memoryPressure: Double?
  /// The share of the last ten seconds in which somebody waited for the processor, from 0 to 1; nil
  /// where the kernel does not count that.
  public var processorPressure: Double?
  /// Whose memory it is.
  public var source: Source
  /// Whether the device has to slow down because it is hot; false where nobody says.
  public var isHot: Bool
  /// Whether a person asked the device to save its battery; false where nobody says.
  public var isSavingPower: Bool

  /// Makes a reading.
  public init(
    memoryUse: Double? = nil, processorUse: Double? = nil, memoryPressure: Double? = nil,
    processorPressure: Double? = nil, source: Source = .system, isHot: Bool = false,
    isSavingPower: Bool = false
  ) {
    self.memoryUse = memoryUse
    self.processorUse = processorUse
    self.memoryPressure = memoryPressure
    self.processorPressure = processorPressure
    self.source = source
    self.isHot = isHot
    self.isSavingPower = isSavingPower
  }
}

/// Makes "enough memory", "enough processor" and "not too hot" of readings, without flickering at
/// the limit.
struct HealthGate: Sendable {
  /// What is too much, and how far below it things are well again.
  static let memoryLimit = 0.9
  static let processorLimit = 0.95
  static let margin = 0.05

  private(set) var isShortOfMemory = false
  private(set) var isBusy = false

  /// What a reading means; what nobody says counts as it did before.
  ///
  /// - Parameters:
  ///   - health: The reading.
  ///   - knowsHeat: Whether the plan has a need for heat; where not, a hot device counts as busy.
  /// - Returns: What is there.
  mutating func take(
    _ health: SystemHealth, knowsHeat: Bool = true
  ) -> [DegradationPlan.NeedID: Bool] {
    Self.judge(health.memoryUse, Self.memoryLimit, &isShortOfMemory)
    Self.judge(health.processorUse, Self.processorLimit, &isBusy)
    let isSlow = isBusy || health.isHot && !knowsHeat
    return [.memory: !isShortOfMemory, .processor: !isSlow, .heat: !health.isHot]
  }

  private static func judge(_ use: Double?, _ limit: Double, _ isExceeded: inout Bool) {
    guard let use, !use.isNaN else { return }
    isExceeded = use > (isExceeded ? limit - margin : limit)
  }
}

extension DegradationController {
  /// Hears of ``DegradationPlan/NeedID/memory``, ``DegradationPlan/NeedID/processor`` and
  /// ``DegradationPlan/NeedID/heat`` from now on.
  ///
  /// Memory is missing above 90 %, and the processor above 95 %; each is back when it has fallen
  /// 5 % below that. In a plan without a need for `heat`, the processor is missing as well while
  /// the device is hot.
  ///
  /// - Parameters:
  ///   - reader: Who reads; the default reads the limits of this process, and else the system.
  ///   - interval: How often it reads; more than zero, the default is two seconds.
  public func follow(
    _ reader: SystemHealth.Reader = SystemHealth.Reader(), every interval: Duration = .seconds(2)
  ) {
    precondition(
      interval > .zero,
      "DegradationController.follow(every: \(interval)) is not legal: more than zero")
    let (readings, continuation) = AsyncStream.makeStream(
      of: SystemHealth.self, bufferingPolicy: .bufferingNewest(1))
    let timeline = timeline
    let task = Task {
      while !Task.isCancelled {
        continuation.yield(reader.read())
        do { try await timeline.sleep(until: timeline.now + interval.clamped) } catch { break }
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    let gate = Locked(HealthGate())
    follow(readings) { controller, health, _ in
      let knowsHeat = controller.needs(.heat)
      controller.report(gate.withLock { $0.take(health, knowsHeat: knowsHeat) })
    }
  }
}
