// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// What a reader finds on the pages about policies and lives, beside what `StyleTests` asks.
@Suite struct PolicyPageTests {
  private static let policies = "Sources/Mainstay/Mainstay.docc/Policies/"

  private func page(_ path: String) throws -> SourceFile {
    SourceFile(path: path, text: try Repository.current.text(at: path))
  }

  @Test func `every page about a policy, and each life, begins with code`() throws {
    let policies = Repository.current.writtenFiles.filter { $0.path.contains(".docc/Policies/") }
    #expect(policies.count > 10)
    let lives = try [
      "Sources/Mainstay/Mainstay.docc/Types/ErrorLifecycle.md",
      "Sources/MainstayOutbox/MainstayOutbox.docc/OperationLifecycle.md",
    ].map(page)
    expectNone(PolicyPageRules.codeFirst(policies + lives))
  }

  /// What makes one of several, such as a kind of limit, and the page that tells of them.
  private static let makers = [
    "RateLimiter.Kind": "LimitingRate", "AdaptiveLimit.Kind": "AdaptingLimits",
    "Backoff": "Retrying", "Backoff.Jitter": "Retrying",
  ]

  @Test(arguments: makers.keys.sorted())
  func `each kind to choose from stands on its page by its name`(type: String) throws {
    let interface = try Repository.current.text(at: "API/Mainstay.txt").split(separator: "\n")
    let names = interface.compactMap { line -> String? in
      guard line.hasPrefix("\(type).") else { return nil }
      let rest = line.dropFirst(type.count + 1)
      let isMade = rest.contains(": static func ") || rest.contains(": static let ")
      guard isMade || rest.contains(": case "), rest.first?.isLowercase == true else { return nil }
      return String(rest.prefix { $0.isLetter || $0.isNumber })
    }
    #expect(names.count > 2)
    let name = try #require(Self.makers[type])
    let page = try Repository.current.text(at: "\(Self.policies)\(name).md")
    for name in names where !page.contains("`.\(name)") {
      Issue.record("no word about `.\(name)`")
    }
  }
}
