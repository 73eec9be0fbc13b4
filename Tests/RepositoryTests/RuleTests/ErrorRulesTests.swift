// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite struct ErrorRulesTests {
  @Test func `an error without a conversion is found`() {
    let file = planted(
      """
      struct Lost: Error { let a = 1 }
      enum Shop {
        enum Sold<T: Error>: Swift.LocalizedError, Hashable { case out }
        struct Fine: Error {}
      }
      extension Shop.Fine: AppErrorConvertible {}
      struct Box<E: Error> {}
      func f<E: Error>(_ e: E) {}
      protocol Family: Error {}
      enum Good: AppErrorConvertible, CaseIterable { case a }
      """)
    #expect(ErrorRules.unconverted(in: [file]).lines == [1, 3])
    #expect(ErrorRules.count(in: [file]) == 5)
  }

  /// Every error type of the package, found in its sources.
  @Test(.requirement("B9", "B28", "B32", "B25")) func `every error of the package is converted`() {
    let sources = Repository.current.swiftFiles.filter { $0.path.hasPrefix("Sources/") }
    #expect(ErrorRules.count(in: sources) > 10)
    expectNone(ErrorRules.unconverted(in: sources))
  }
}
