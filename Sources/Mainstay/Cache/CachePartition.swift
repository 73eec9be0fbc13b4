// SPDX-License-Identifier: Apache-2.0

/// Whose answers are kept together: those of one account, or those that are nobody's own.
///
/// Partitions with different names share nothing. Names are compared byte by byte.
public struct CachePartition: Sendable {
  /// The name.
  public let name: String

  private init(name: String) { self.name = name }

  /// The answers of one account.
  ///
  /// - Parameter id: What names the account and nobody else; any text is legal.
  /// - Returns: The partition.
  public static func account(_ id: some CustomStringConvertible) -> CachePartition {
    CachePartition(name: "account/\(id.description)")
  }

  /// Answers that are the same for everybody, such as a public catalog.
  ///
  /// Nothing that was asked for with somebody's credentials belongs here.
  public static let everybody = CachePartition(name: "everybody")
}

extension CachePartition: Hashable {
  /// Whether both have the same bytes.
  public static func == (left: Self, right: Self) -> Bool { left.name.hasSameBytes(right.name) }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { name.hashBytes(into: &hasher) }
}

// Two texts that look alike may differ in their bytes, and a database tells those apart.
extension String {
  func hasSameBytes(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }

  func hashBytes(into hasher: inout Hasher) {
    var copy = self
    copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(utf8.count)
  }
}
