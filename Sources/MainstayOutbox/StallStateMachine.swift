// SPDX-License-Identifier: Apache-2.0

package import Mainstay

/// What is said about kinds whose runs fail for want of the service, as a value: in each lane by
/// itself, since what one kind calls may work while what another one calls does not.
///
/// It is said that it begins, that it lasts, and that it ends. Each failure by itself is no news,
/// since it is tried again.
///
/// | Event | Then |
/// |---|---|
/// | the first run of a kind fails in a lane | it is told, if no end was told within the patience |
/// | others fail | nothing |
/// | one fails after the patience, and after twice, four times and so on of that | it is told |
/// | the service answers | it is told, where the beginning was, or that it lasts |
package struct StallStateMachine: Sendable, Equatable {
  /// What is told of a failure.
  package enum News: Sendable, Equatable {
    /// Runs fail from now on.
    case began
    /// They have failed for this long.
    case lasts(Duration)
  }

  private struct Way: Hashable {
    let lane: Lane
    let kind: OperationKind
  }

  private struct Stall: Equatable {
    let start: Duration
    var isTold: Bool
    var nextAge: Duration
  }

  private let patience: Duration
  private var stalls: [Way: Stall] = [:]
  /// Until when another beginning is not told; only what is not over.
  private var quiet: [Way: Duration] = [:]

  /// Nothing fails.
  ///
  /// - Parameter patience: For how long nothing more is told; more than zero.
  package init(patience: Duration) { self.patience = patience }

  /// A run of a kind has failed for want of the service.
  package mutating func failed(
    _ kind: OperationKind, in lane: Lane, at now: Duration
  ) -> News? {
    let way = Way(lane: lane, kind: kind)
    quiet = quiet.filter { $1 > now }
    guard var stall = stalls[way] else {
      let isTold = quiet[way] == nil
      stalls[way] = Stall(start: now, isTold: isTold, nextAge: patience)
      return isTold ? .began : nil
    }
    let age = now - stall.start
    guard age >= stall.nextAge else { return nil }
    while stall.nextAge <= age { stall.nextAge += stall.nextAge }
    stall.isTold = true
    stalls[way] = stall
    return .lasts(age)
  }

  /// The service has answered a run of a kind.
  ///
  /// - Returns: For how long runs had failed; nil where that was not told.
  package mutating func worked(
    _ kind: OperationKind, in lane: Lane, at now: Duration
  ) -> Duration? {
    let way = Way(lane: lane, kind: kind)
    guard let stall = stalls.removeValue(forKey: way), stall.isTold else { return nil }
    quiet[way] = now + patience
    return now - stall.start
  }
}

extension AppError {
  /// Whether a run failed since the service could not be reached, was too busy, or failed itself.
  package var isWantOfService: Bool {
    let isOfService = kind == .server || metadata["policy.reason"] != nil
    if isOfService || DrainPaceStateMachine.Signal(self) != .neutral { return true }
    return httpStatus.map { $0 >= 500 } ?? false
  }
}
