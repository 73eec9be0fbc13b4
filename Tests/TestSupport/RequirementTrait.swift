// SPDX-License-Identifier: Apache-2.0

public import Testing

/// The requirements and traps that a test proves.
///
/// `Documentation/Requirements.md` is written from these, and `RepositoryTests` compares the two.
public struct RequirementTrait: TestTrait, SuiteTrait {
  /// The ids, such as `A22`, `T4` or `P18`.
  public let ids: [String]

  /// Tests, and suites with the tests inside, carry it.
  public var isRecursive: Bool { true }
}

extension Trait where Self == RequirementTrait {
  /// Says which requirements and traps of `Documentation/Requirements.md` the test proves.
  public static func requirement(_ ids: String...) -> Self { RequirementTrait(ids: ids) }
}
