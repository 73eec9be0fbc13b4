// SPDX-License-Identifier: Apache-2.0

/// How bad a finding is.
public enum Severity: String, Sendable, Hashable, Comparable, CaseIterable, Codable {
  /// Worth a look; often a matter of how the project is built.
  case info
  /// A defect under conditions that will come.
  case warning
  /// A defect.
  case error

  /// Whether one is milder than the other.
  public static func < (one: Severity, other: Severity) -> Bool { one.rank < other.rank }

  private var rank: Int {
    switch self {
    case .info: 0
    case .warning: 1
    case .error: 2
    }
  }

  /// One step milder, as it is where code never reaches a user.
  var milder: Severity { self == .error ? .warning : .info }
}
