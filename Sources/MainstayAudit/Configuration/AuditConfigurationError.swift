// SPDX-License-Identifier: Apache-2.0

/// Why a configuration cannot be used as it is: everything that is wrong with it, at once.
public struct AuditConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// One thing that is wrong.
  public struct Violation: Sendable, Hashable {
    /// The line, from 1.
    public let line: Int
    /// The column in characters, from 1.
    public let column: Int
    /// What is wrong, in one sentence without a full stop.
    public let message: String
  }

  /// The file, as it was named.
  public let path: String
  /// What is wrong, in the order of the file; at least one thing.
  public let violations: [Violation]

  /// One line for each violation: `path:line:column: message`.
  public var description: String {
    violations.map { "\(path):\($0.line):\($0.column): \($0.message)" }.joined(separator: "\n")
  }
}
