// SPDX-License-Identifier: Apache-2.0

internal import MainstayTesting

/// One step of a schedule, and how long the world goes on after it.
struct SimulationStep: Sendable {
  enum Action: Sendable {
    case edit(device: Int)
    case link(device: Int, SimulatedLink)
    case mood(SimulatedMood)
    case crash(device: Int)
    /// The device dies at one of the next durable steps.
    case crashLater(device: Int, steps: Int)
    /// A worker of a process that is dead reports how its run ended.
    case lateEnd(device: Int)
    case pause(device: Int)
    case pauseKind(device: Int)
    case resume(device: Int)
    case cancel(device: Int)
    /// A person looks after what waits for a decision.
    case decide(device: Int)
    /// Somebody sets the time of day.
    case setClock(device: Int, by: Duration)
    case wait
  }

  enum Then: Sendable {
    /// So many things go on, and no time passes.
    case turns(Int)
    case time(Duration)
  }

  let number: Int
  let action: Action
  let then: Then
  /// Where the chance of this step begins, whatever other steps there are.
  let seed: UInt64

  /// The schedule of a seed.
  static func schedule(
    seed: UInt64, steps: Int, devices: Int, faults: SimulatedFaults
  ) -> [SimulationStep] {
    var generator = SeededGenerator(seed: seed)
    return (1...steps).map { number in
      SimulationStep(
        number: number, action: action(devices, faults, &generator), then: then(&generator),
        seed: generator.next())
    }
  }

  /// How far a time of day is set, in seconds.
  private static let jumps: [Int64] = [1, 90, 3_600, 86_400, 30 * 86_400, 365 * 86_400]

  private static func action(
    _ devices: Int, _ faults: SimulatedFaults, _ generator: inout SeededGenerator
  ) -> Action {
    let device = Int.random(in: 0..<devices, using: &generator)
    let luck = Int.random(in: 0..<100, using: &generator)
    let detail = Int.random(in: 0..<12, using: &generator)
    switch luck {
    case 0..<12 where faults.contains(.offline):
      return .link(device: device, detail < 5 ? .up : detail < 10 ? .down : .portal)
    case 12..<16:
      var moods = [SimulatedMood.well]
      if faults.contains(.failures) { moods.append(.failing) }
      if faults.contains(.throttling) { moods.append(.throttling) }
      if faults.contains(.lateness) { moods.append(.slow) }
      return .mood(moods[detail % moods.count])
    case 16..<20 where faults.contains(.crashes): return .crash(device: device)
    case 20..<34 where faults.contains(.crashes):
      return .crashLater(device: device, steps: detail + 1)
    case 34..<37: return .lateEnd(device: device)
    case 37..<39: return detail < 6 ? .pause(device: device) : .pauseKind(device: device)
    case 39..<42: return .resume(device: device)
    case 42..<45: return .cancel(device: device)
    case 45..<52: return .decide(device: device)
    case 52..<54 where faults.contains(.clocks):
      let jump = jumps[detail % jumps.count]
      return .setClock(device: device, by: .seconds(detail < jumps.count ? jump : -jump))
    case 52..<57: return .wait
    default: return .edit(device: device)
    }
  }

  private static func then(_ generator: inout SeededGenerator) -> Then {
    let luck = Int.random(in: 0..<10, using: &generator)
    let detail = Int.random(in: 0..<1000, using: &generator)
    switch luck {
    case 0..<5: return .turns(detail % 12)
    case 5..<8: return .time(.milliseconds(detail))
    case 8: return .time(.milliseconds(detail * 30))
    default: return .time(.milliseconds(detail * 300))
    }
  }
}

extension SimulationStep: CustomStringConvertible {
  var description: String {
    let what =
      switch action {
      case .edit(let device): "device \(device) is used"
      case .link(let device, let link): "the network of device \(device) is \(link)"
      case .mood(let mood): "the server is \(mood)"
      case .crash(let device): "device \(device) is killed"
      case .crashLater(let device, let steps):
        "device \(device) is killed at the durable step after \(steps - 1) more"
      case .lateEnd(let device): "a dead process of device \(device) reports an end"
      case .pause(let device): "device \(device) pauses"
      case .pauseKind(let device): "somebody pauses a kind on device \(device)"
      case .resume(let device): "device \(device) goes on"
      case .cancel(let device): "somebody cancels something on device \(device)"
      case .decide(let device): "somebody decides what waits on device \(device)"
      case .setClock(let device, let jump):
        "the time of device \(device) is set by \(jump.formatted)"
      case .wait: "nothing is done"
      }
    switch then {
    case .turns(let count): return "\(number). \(what), then \(count) turn\(count == 1 ? "" : "s")"
    case .time(let time): return "\(number). \(what), then \(time.formatted)"
    }
  }
}
