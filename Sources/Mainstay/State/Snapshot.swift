// SPDX-License-Identifier: Apache-2.0

/// A state as it was at one point of its history.
public struct Snapshot<State: Sendable>: Sendable {
  /// Which state it is: each change counts one more, from 0 for the first one, without gaps.
  public let version: UInt64
  /// The state.
  public let state: State

  /// Makes a snapshot.
  ///
  /// - Parameters:
  ///   - version: Which state it is, counted.
  ///   - state: The state.
  @inlinable
  public init(version: UInt64, state: State) {
    self.version = version
    self.state = state
  }
}

extension Snapshot: Equatable where State: Equatable {}
extension Snapshot: Hashable where State: Hashable {}
extension Snapshot: Encodable where State: Encodable {}
extension Snapshot: Decodable where State: Decodable {}
