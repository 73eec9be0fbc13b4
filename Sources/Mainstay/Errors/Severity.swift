// SPDX-License-Identifier: Apache-2.0

public import Logging

/// How bad an error is for the person and for the team.
public enum Severity: String, Sendable, Hashable, CaseIterable {
  /// Not a problem; useful when looking for one. Cancellation is of this severity.
  case debug
  /// Expected now and then, and handled: a wrong password, a call refused by an open breaker.
  case info
  /// Handled, but worth watching: a passed time limit that a retry will mend.
  case warning
  /// Something the person asked for did not happen.
  case error
  /// Data is in danger or the app cannot go on.
  case critical
}

extension Severity {
  /// The level at which swift-log records an error of this severity.
  public var logLevel: Logger.Level {
    switch self {
    case .debug: .debug
    case .info: .info
    case .warning: .warning
    case .error: .error
    case .critical: .critical
    }
  }
}

extension Severity: Comparable {
  private var rank: Int {
    switch self {
    case .debug: 0
    case .info: 1
    case .warning: 2
    case .error: 3
    case .critical: 4
    }
  }

  /// Tells whether the left severity is the milder one.
  public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
}

extension Severity: Codable {
  /// Decodes a severity from its name; one that this build does not know becomes `error`.
  public init(from decoder: any Decoder) throws {
    self = Severity(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .error
  }
}
