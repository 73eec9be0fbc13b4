// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct NamingRulesTests {
  @Test func `finds folders that are attics`() {
    let paths = ["Sources/A/Utils/B.swift", "Sources/Common/C.swift", "Sources/A/Utils.swift"]
    #expect(NamingRules.folders(paths).map(\.path) == Array(paths.prefix(2)))
  }

  @Test(arguments: ["struct", "final class", "enum", "actor", "public protocol", "typealias"])
  func `finds types whose names say nothing`(keyword: String) {
    for suffix in NamingRules.forbiddenSuffixes {
      let text = "// \(keyword) A\(suffix)\n\(keyword) Error\(suffix)"
      #expect(NamingRules.types([planted(text)]).lines == [2], "\(suffix)")
    }
  }

  @Test func `spares names that only hold such a word`() {
    let text = "struct ManagerView {}\nclass func handler() {}\nenum Database {}\nlet a: URLHandler"
    #expect(NamingRules.types([planted(text)]).isEmpty)
  }

  @Test func `finds shared instances`() {
    let text = "static let shared = A()\npublic static var shared: A {}\nlet shared = 1"
    #expect(NamingRules.sharedInstances([planted(text)]).lines == [1, 2])
  }
}
