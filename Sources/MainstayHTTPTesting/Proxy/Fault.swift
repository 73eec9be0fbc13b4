// SPDX-License-Identifier: Apache-2.0

/// What goes wrong with one connection through a ``FaultProxy``.
///
/// Numbers of bytes count from the beginning of a connection, in one direction; negative ones count
/// as 0.
public enum Fault: Sendable, Hashable {
  /// Which way bytes go.
  public enum Direction: Sendable, Hashable {
    /// From the client to the service.
    case request
    /// From the service to the client.
    case response
  }

  /// How a connection ends before its time.
  public enum Ending: Sendable, Hashable {
    /// Properly, as a process that ends closes what it had open.
    case finish
    /// By a reset.
    case reset
  }

  /// Nothing.
  case none
  /// The connection ends as soon as it is there.
  case ended(Ending)
  /// This connection is reset, and those that come for so long afterwards are refused.
  case refusal(for: Duration)
  /// What the client sends is read, and nobody ever answers.
  case blackHole
  /// Everything comes so much later in both directions, and by chance up to so much later still.
  case delay(Duration, jitter: Duration)
  /// In both directions no more than so many bytes come at once, and as long as this lies between.
  case drip(bytes: Int, every: Duration)
  /// In both directions no more than so many bytes come in a second.
  case throughput(bytesPerSecond: Int)
  /// The connection ends on both sides once so many bytes have gone one way: `0` for as soon as
  /// there is one.
  case cut(Direction, after: Int, by: Ending)
  /// One direction ends properly after so many bytes, and the other one goes on.
  case halfClose(Direction, after: Int)
  /// One direction stands still after so many bytes, and the other one goes on.
  case stall(Direction, after: Int)
  /// One byte has all its bits turned around: the one that so many others come before.
  case corruption(Direction, at: Int)
  /// As soon as the client says something it gets these bytes, and the connection ends properly.
  case garbage([UInt8])
  /// The request arrives whole, and no byte of the answer does; then nothing happens, or the
  /// connection ends.
  case swallowedAnswer(then: Ending?)
  /// The answer is sent as soon as the client has stopped waiting for it.
  case lateAnswer
  /// All goes well until the service has ended the connection: the client sees a reset.
  case brokenEnd
}

extension Fault {
  /// What a fault means for one direction.
  struct Rule: Sendable {
    /// What happens once as many bytes have passed as may.
    enum AtLimit: Sendable {
      case cut(Ending)
      case halfClose
      case stall
    }

    var latency = Duration.zero
    var jitter = Duration.zero
    /// How many bytes go on at once, and how long it takes until more do.
    var piece = Int.max
    var pause = Duration.zero
    /// How many bytes may pass.
    var limit = Int.max
    var atLimit = AtLimit.halfClose
    /// The byte that is not as it was.
    var corrupted: Int?
    /// Nothing goes on before somebody says so.
    var isHeld = false
    /// The end is for somebody else to tell.
    var hasNoEnd = false
    /// Nothing goes on at all.
    var isSwallowed = false
  }

  func rule(for direction: Direction) -> Rule {
    var rule = Rule()
    switch self {
    case .none, .ended, .refusal: break
    case .brokenEnd: rule.hasNoEnd = direction == .response
    case .blackHole, .garbage: rule.isSwallowed = true
    case .delay(let latency, let jitter):
      (rule.latency, rule.jitter) = (max(latency, .zero), max(jitter, .zero))
    case .drip(let bytes, let pause): (rule.piece, rule.pause) = (max(bytes, 1), pause)
    case .throughput(let rate):
      // In pieces of a hundredth of a second, or of one byte.
      rule.piece = max(rate / 100, 1)
      rule.pause = .seconds(1) * (Double(rule.piece) / Double(max(rate, 1)))
    case .cut(direction, let count, let ending):
      (rule.limit, rule.atLimit) = (max(count, 0), .cut(ending))
    case .halfClose(direction, let count):
      (rule.limit, rule.atLimit) = (max(count, 0), .halfClose)
    case .stall(direction, let count): (rule.limit, rule.atLimit) = (max(count, 0), .stall)
    case .corruption(direction, let index): rule.corrupted = max(index, 0)
    case .cut, .halfClose, .stall, .corruption: break
    case .swallowedAnswer: rule.isSwallowed = direction == .response
    case .lateAnswer: rule.isHeld = direction == .response
    }
    return rule
  }
}
