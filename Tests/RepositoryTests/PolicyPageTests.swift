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

  @Test func `policies whose settings cannot change stand on the page about settings`() throws {
    let interface = try Repository.current.text(at: "API/Mainstay.txt").split(separator: "\n")
    let hasSettings = interface.compactMap { line in
      line.wholeMatch(of: /([A-Z]\w+)\.Configuration: struct Configuration/).map { String($0.1) }
    }
    let live = Set(
      interface.compactMap { line in
        line.wholeMatch(of: /([A-Z]\w+): conforms to LiveConfigurable/).map { String($0.1) }
      })
    let sources = Repository.current.paths.filter { $0.hasPrefix("Sources/Mainstay/Policies/") }
    let policies = hasSettings.filter { name in sources.contains { $0.hasSuffix("/\(name).swift") }
    }
    // A backoff is a part of a retry's settings.
    let still = policies.filter { !live.contains($0) && $0 != "Backoff" }
    #expect(policies.count > 8)
    let page = "Sources/MainstayConfiguration/MainstayConfiguration.docc/MainstayConfiguration.md"
    let text = try Repository.current.text(at: page)
    for name in still { #expect(text.contains("but `\(name)`"), "\(name)") }
  }
}
