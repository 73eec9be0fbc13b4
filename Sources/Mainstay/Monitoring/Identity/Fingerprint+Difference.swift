// SPDX-License-Identifier: Apache-2.0

extension Fingerprint {
  /// Why two errors are in one group, or apart.
  public struct Difference: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Whether both are in one group.
    public let areTogether: Bool
    /// What decides about both, alike.
    public let shared: [Component]
    /// What decides about the first only.
    public let onlyFirst: [Component]
    /// What decides about the second only.
    public let onlySecond: [Component]

    /// One line for each component: an equals sign for what both have, then what only one has.
    public var description: String {
      let lines =
        shared.map { "= \($0.name): \($0.value) (\($0.hint))" }
        + onlyFirst.map { "1 \($0.name): \($0.value) (\($0.hint))" }
        + onlySecond.map { "2 \($0.name): \($0.value) (\($0.hint))" }
      return ([areTogether ? "together" : "apart"] + lines).joined(separator: "\n")
    }
  }

  /// Says why two errors are in one group, or apart.
  ///
  /// - Parameters:
  ///   - first: An error.
  ///   - second: Another error.
  ///   - mapping: Which errors have a code; the default is ``ErrorMapping/current``.
  /// - Returns: What decides about both, and about only one of them.
  public static func difference(
    _ first: any Error, _ second: any Error, mapping: ErrorMapping? = nil
  ) -> Difference {
    explain(first, mapping: mapping).difference(from: explain(second, mapping: mapping))
  }
}

extension Fingerprint.Explanation {
  /// Says why two errors are in one group, or apart.
  ///
  /// - Parameter other: The explanation of the second.
  /// - Returns: What decides about both, and about only one of them.
  public func difference(from other: Fingerprint.Explanation) -> Fingerprint.Difference {
    let (mine, theirs) = (contributing, other.contributing)
    return Fingerprint.Difference(
      areTogether: fingerprint == other.fingerprint,
      shared: mine.filter { component in theirs.contains { $0.isSame(as: component) } },
      onlyFirst: mine.filter { component in !theirs.contains { $0.isSame(as: component) } },
      onlySecond: theirs.filter { component in !mine.contains { $0.isSame(as: component) } })
  }

  private var contributing: [Fingerprint.Component] { components.filter(\.contributes) }
}

extension Fingerprint.Component {
  fileprivate func isSame(as other: Fingerprint.Component) -> Bool {
    name == other.name && value == other.value
  }
}
