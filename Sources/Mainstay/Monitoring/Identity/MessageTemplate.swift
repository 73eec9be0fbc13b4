// SPDX-License-Identifier: Apache-2.0

/// A message without what changes from one time to the next.
public struct MessageTemplate: Sendable, Hashable, CustomStringConvertible {
  /// The template in words.
  public let description: String

  /// Makes the template of a message.
  ///
  /// - Parameter message: The message.
  public init(_ message: String) { description = message }
}
