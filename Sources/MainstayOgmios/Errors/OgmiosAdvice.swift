// SPDX-License-Identifier: Apache-2.0

public import Mainstay

/// What may be done about an error of Ogmios, in one word.
public enum OgmiosAdvice: String, Sendable, Hashable, CaseIterable {
  /// Try again after a while.
  case retry
  /// Acquire a snapshot, or acquire it again, and then try once more.
  case acquire
  /// Wait until the node has come further, then try again.
  case wait
  /// Wait or fix the request: the data of the error says which.
  case waitOrFix
  /// Fix the request; sent as it is, it is refused again.
  case fix
  /// The program that sent it has a mistake.
  case repair
  /// Whoever runs the server has to act.
  case askOperator
  /// Look at the chain or at the mempool before anything is sent again.
  case checkOutcome

  /// What policies do about it.
  ///
  /// Where the data decides, this is the disposition for data that says nothing.
  public var disposition: Disposition {
    switch self {
    case .retry, .acquire, .wait: .transient()
    case .waitOrFix, .fix, .repair, .askOperator: .permanent
    case .checkOutcome: .unknownOutcome
    }
  }

  /// What the error is called in one word, for programs.
  var kind: ErrorKind {
    switch self {
    case .retry: .server
    case .acquire, .wait: .unavailable
    case .waitOrFix, .fix: .validation
    case .repair: .defect
    case .askOperator: .configuration
    case .checkOutcome: .conflict
    }
  }
}
