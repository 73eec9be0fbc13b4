// SPDX-License-Identifier: Apache-2.0

package import Mainstay

/// How many operations run at once: few after trouble, more with each that ends well.
///
/// A fleet of devices that all come back at the same moment must not push over the service that has
/// just come back (RFC 5681 calls it slow start):
///
/// | Event | Limit |
/// |---|---|
/// | opened | the maximum |
/// | as many ended well in a row as the limit says | doubled, up to the maximum |
/// | the other side asked to slow down, was too busy, or too slow | halved, 1 at least |
/// | the network could not be reached | 1, besides what has been running for five seconds |
/// | anything else | as it was |
/// | another maximum | that, where it was the old one; else as it was, up to the new one |
package struct DrainPaceStateMachine: Sendable, Equatable {
  /// What the end of a run says about the way to the other side.
  package enum Signal: Sendable, Equatable, CaseIterable {
    case succeeded
    case pushedBack
    case unreachable
    case neutral

    package init(_ error: AppError?) {
      guard let error else {
        self = .neutral
        return
      }
      if [.offline, .network, .portal].contains(error.kind) {
        self = .unreachable
      } else if case .throttled = error.disposition {
        self = .pushedBack
      } else if error.kind == .timeout || error.httpStatus == 503 {
        self = .pushedBack
      } else {
        self = .neutral
      }
    }
  }

  /// After what time a run counts no more, where the network could not be reached: it is no
  /// stampede, and nobody knows how long it goes on.
  package static let young = Duration.seconds(5)

  package private(set) var maximum: Int
  package private(set) var limit: Int
  /// Whether the limit is for those alone that have just begun.
  ///
  /// So it is where the network could not be reached. A service that is too busy would be given
  /// more and more.
  package private(set) var isForYoung = false
  private var successes = 0

  /// - Parameter maximum: How many may run at once at most, 1 or more.
  package init(maximum: Int) {
    self.maximum = max(maximum, 1)
    limit = self.maximum
  }

  /// Another maximum holds from now on, 1 or more; what runs beyond it goes on.
  package mutating func update(maximum new: Int) {
    let isFast = limit == maximum
    maximum = max(new, 1)
    limit = isFast ? maximum : min(limit, maximum)
    isForYoung = isForYoung && limit < maximum
  }

  /// A run ended.
  package mutating func ended(_ signal: Signal) {
    switch signal {
    case .succeeded:
      successes = min(successes + 1, maximum)
      guard successes >= limit else { return }
      limit = limit > maximum / 2 ? maximum : limit * 2
      successes = 0
      isForYoung = isForYoung && limit < maximum
    case .pushedBack:
      limit = max(limit / 2, 1)
      successes = 0
      isForYoung = false
    case .unreachable:
      // Whatever was counted: with a limit of one, the next success doubles it.
      limit = 1
      isForYoung = limit < maximum
    case .neutral: break
    }
  }
}
