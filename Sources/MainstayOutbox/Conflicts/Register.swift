// SPDX-License-Identifier: Apache-2.0

/// A value with the stamp of its last write: of two, the one written last wins.
///
/// ```swift
/// struct Item: Codable, Equatable {
///   var title: Register<String>
/// }
/// ```
///
/// Devices that exchange registers end with the same value, in whatever order and however often
/// they hear of each other's.
public struct Register<Value: Sendable>: Sendable {
  /// The value.
  public var value: Value
  /// When it was written.
  public var stamp: HybridLogicalClock.Stamp

  /// Makes a register.
  public init(_ value: Value, at stamp: HybridLogicalClock.Stamp) {
    self.value = value
    self.stamp = stamp
  }
}

extension Register: Equatable where Value: Equatable {}
extension Register: Hashable where Value: Hashable {}
extension Register: Encodable where Value: Encodable {}
extension Register: Decodable where Value: Decodable {}

extension Register where Value: Encodable {
  /// What became of two registers.
  public struct Joined: Sendable {
    /// The one that was written last.
    public let register: Register
    /// Whether two different values had the same stamp, so that two devices share one identity.
    ///
    /// The value whose SHA-256 is greater won, so that all devices choose the same; report it.
    public let isAnomaly: Bool
  }

  /// The one of two registers that was written last.
  public func joined(with other: Register) -> Joined {
    let (winner, isAnomaly) = LastWrite.winner(
      local: value, at: stamp, remote: other.value, at: other.stamp)
    return Joined(register: winner == .local ? self : other, isAnomaly: isAnomaly)
  }
}

/// Decides by stamps which of two values was written last.
enum LastWrite {
  /// - Returns: The side that won; and whether equal stamps had different bytes.
  static func winner<Value: Encodable>(
    local: Value, at here: HybridLogicalClock.Stamp, remote: Value,
    at there: HybridLogicalClock.Stamp
  ) -> (side: MergeSide, isAnomaly: Bool) {
    guard here == there else { return (here > there ? .local : .remote, false) }
    let (left, right) = (CanonicalForm.digest(of: local), CanonicalForm.digest(of: remote))
    guard left != right else { return (.local, false) }
    return (right.lexicographicallyPrecedes(left) ? .local : .remote, true)
  }
}
