// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A request as it came.
public struct ReceivedRequest: Sendable, Hashable {
  /// One line of its head.
  public struct Field: Sendable, Hashable {
    /// The name, in the case in which it was sent; in HTTP/2 that is lower case.
    public let name: String
    /// The value.
    public let value: String
  }

  /// Such as `POST`.
  public let method: String
  /// The path, and the query if there is one, as they were sent.
  public let target: String
  /// All headers, in the order in which they came.
  public let headers: [Field]
  /// The body, of at most 16 MiB: what comes beyond is read, counted by ``length`` and dropped.
  ///
  /// It is empty where it was answered before that came, or where a server has let go of it.
  public internal(set) var body = Data()
  /// How many bytes the body had, those included that are not kept; 0 or more.
  public internal(set) var length = 0
  /// The connection that it came on: the first one is 0.
  public let connection: Int

  /// What stands before the first `?`.
  public var path: String { String(target.prefix { $0 != "?" }) }

  /// What stands behind the first `?`; nil without one.
  public var query: String? {
    target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
  }

  /// The first value of a header; nil where it did not come.
  ///
  /// - Parameter name: The name, in any case.
  public subscript(name: String) -> String? { values(of: name).first }

  /// All values of a header, in the order in which they came.
  ///
  /// - Parameter name: The name, in any case.
  /// - Returns: The values; none where it did not come.
  public func values(of name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }
}
