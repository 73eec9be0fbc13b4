// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
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
    #expect(ErrorRules.census(of: [file]).count == 4)
  }

  @Test func `an error by way of a protocol or a class is found`() {
    let file = planted(
      """
      protocol Family: Error, Sendable {}
      protocol Closer: Family {}
      struct Far: Closer { let a = 1 }
      extension Near: Family {}
      class Old: NSError, @unchecked Sendable {}
      final class Older: Old, @unchecked Sendable {}
      struct Kept: Publisher<String, Error>, Sequence {}
      protocol Shown: AppErrorConvertible {}
      enum Fine: Shown, Error { case a }
      enum Shop { struct Mapped: Error {} }
      let map = ErrorMapping.standard.adding(Shop.Mapped.self) { _ in .offline() }
      """)
    #expect(ErrorRules.unconverted(in: [file]).lines == [3, 4, 5, 6])
    #expect(ErrorRules.census(of: [file]).count == 6)
  }

  @Test func `an exception needs a reason and an error`() {
    let file = planted("enum Shop { struct Lost: Error {} }\nstruct Sold: Error {}")
    let gaps = ErrorRules.census(
      of: [file], except: ["Shop.Lost": "is caught at once", "Sold": " ", "Gone": "was here"]
    ).gaps
    #expect(gaps.map(\.type) == ["Gone", "Sold"])
    #expect(gaps.first?.cure == "Take Gone off the list of exceptions")
  }

  @Test(.requirement("B25")) func `a bare NSError that is thrown is found`() {
    let file = planted(
      """
      func a() throws { throw NSError(domain: "a", code: 1) }
      func b() throws { throw Foundation.NSError(domain: "a", code: 1) }
      // throw NSError(domain: "a", code: 1)
      func c() throws { throw Lost() }
      let d = "throw NSError(domain: 1)"
      """)
    #expect(ErrorRules.bareErrors(in: [file]).lines == [1, 2])
  }

  private var sources: [SourceFile] {
    Repository.current.swiftFiles.filter { $0.path.hasPrefix("Sources/") }
  }

  /// Every error type of the package, found in its sources.
  @Test(.requirement("B9", "B28", "B32")) func `every error of the package is converted`() {
    #expect(ErrorRules.census(of: sources).count > 10)
    expectNone(ErrorRules.unconverted(in: sources, except: ErrorRules.unconverted))
  }

  @Test(.requirement("B25")) func `the package throws no bare NSError`() {
    expectNone(ErrorRules.bareErrors(in: sources))
  }
}
