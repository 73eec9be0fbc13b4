// SPDX-License-Identifier: Apache-2.0

import MainstayTesting
import TestSupport
import Testing

/// What a guide says that its program prints is what it prints.
@Suite(.ends(withinMinutes: 10)) struct GuideTests {
  private static let guides = [
    "AppGuide": "Sources/Mainstay/Mainstay.docc/Guides/WritingAnApp.md",
    "LibraryGuide": "Sources/Mainstay/Mainstay.docc/Guides/WritingALibrary.md",
  ]

  @Test(arguments: guides.keys.sorted())
  func `a guide shows what its program prints`(program: String) async throws {
    let page = try GuidePage(at: try #require(Self.guides[program]))
    #expect(!page.printed.isEmpty)
    var printed: [String] = []
    // What has a time limit may miss it on a machine that stands still.
    for _ in 0..<20 where printed != page.printed {
      let end = try await BuiltProgram.run(program, [])
      #expect(end.status == 0, "\(end.errors)")
      printed = end.output.split(separator: "\n").map(String.init)
    }
    #expect(printed == page.printed)
  }

  @Test(arguments: ["WritingAnApp", "WritingAService", "WritingALibrary"])
  func `a guide begins with what it needs, and what works without`(name: String) throws {
    let path = "Sources/Mainstay/Mainstay.docc/Guides/\(name).md"
    let page = SourceFile(path: path, text: try Repository.current.text(at: path))
    let manifest = try Repository.current.text(at: "Package.swift")
    let swift = try #require(manifest.firstMatch(of: /swift-tools-version: (\d+\.\d+)/)).1
    #expect(page.lines.contains { $0.contains("You need Swift \(swift) or later") })
    let rows = MarkdownTable(under: "## Before you begin", in: page).rows.map(\.cells)
    #expect(rows.allSatisfy { $0.count == 3 && !$0.contains("") })
    let missing = rows.compactMap(\.first)
    #expect(missing.contains("Swift \(swift)"))
    #expect(missing.contains { $0.contains("`sudo`") })
  }

  @Test func `a service adds its health before what refuses requests`() throws {
    for name in ["ServiceGuide", "ServingRequests"] {
      let service = try Repository.current.text(at: "Snippets/\(name).swift")
      let middleware = try #require(service.firstRange(of: "router.addMiddleware {"))
      let health = try #require(service.firstRange(of: "router.addHealth("))
      #expect(health.upperBound < middleware.lowerBound, "\(name)")
      if let dashboard = service.firstRange(of: "dashboard.mount(") {
        #expect(dashboard.upperBound < middleware.lowerBound, "\(name)")
      }
    }
  }

  /// `Tools/check-consumers` makes a package of each guide by this, and runs it.
  @Test(arguments: ["WritingAnApp", "WritingAService", "WritingALibrary"])
  func `a guide says of all its code which file it goes into`(name: String) throws {
    let path = "Sources/Mainstay/Mainstay.docc/Guides/\(name).md"
    var (file, language): (String?, Substring?) = (nil, nil)
    var files: [String] = []
    for line in SourceFile(path: path, text: try Repository.current.text(at: path)).lines {
      if line.hasPrefix("```") {
        language = language == nil ? line.dropFirst(3) : nil
        if language == "swift" { files.append(try #require(file)) }
      } else if language == nil {
        file = line.matches(of: /`([A-Za-z]+\.swift)`/).last.map { String($0.1) } ?? file
      }
    }
    #expect(files.prefix(3) == ["Package.swift", "Package.swift", "main.swift"])
    #expect(files.dropFirst(2).allSatisfy { $0 != "Package.swift" })
    let checked = try Repository.current.text(at: "Tools/check-consumers")
    #expect(checked.contains("guide \(name) ") || checked.contains("package \(name) "))
  }

  /// What a guide has to have explained or linked before its code has it.
  private static let terms = [
    "WritingAnApp": [
      ("``ErrorKind``", "kind:"), ("``Deadline``", "Deadline("), ("``Retry``", "Retry("),
      ("``CircuitBreaker``", "CircuitBreaker("), ("``Timeout``", "Timeout("),
      ("idempotency key", "IdempotencyKey"), ("ordering key", "orderedBy: \""),
    ],
    "WritingAService": [
      ("``Deadline``", "Deadline("), ("``Retry``", "Retry("), ("``Timeout``", "Timeout("),
      ("a breaker", "CircuitBreaker("), ("idempotency key", "idempotencyKey"),
      ("Shedding is", "LoadSheddingMiddleware("),
    ],
    "WritingALibrary": [
      ("``Policy``", ": Policy"), ("``Pipeline``", "Pipeline<"), ("``Retry``", "Retry("),
      ("``PipelineBuilder``", "@PipelineBuilder"), ("`withAppErrors`", "withAppErrors("),
    ],
  ]

  @Test(arguments: terms.keys.sorted())
  func `a guide explains a term before its code uses it`(name: String) throws {
    let page = try Repository.current.text(
      at: "Sources/Mainstay/Mainstay.docc/Guides/\(name).md")
    for (explained, used) in try #require(Self.terms[name]) {
      let explanation = try #require(page.firstRange(of: explained), "\(explained)")
      let use = try #require(page.firstRange(of: used), "\(used)")
      #expect(explanation.lowerBound < use.lowerBound, "\(used) comes before \(explained)")
    }
  }

  @Test(arguments: [
    "Mainstay/Mainstay.docc/Guides/WritingAService",
    "MainstayServer/MainstayServer.docc/MainstayServer",
  ])
  func `what a page enqueues for a request has the key of the request`(name: String) throws {
    let page = try Repository.current.text(at: "Sources/\(name).md")
    let calls = page.split(separator: "\n").filter { $0.contains("outbox.enqueue(") }
    #expect(!calls.isEmpty && page.contains("IdempotencyMiddleware("))
    #expect(calls.allSatisfy { $0.contains("idempotencyKey: IdempotencyKey.current") }, "\(calls)")
  }

  private func snippet(_ name: String) throws -> SourceFile {
    let path = "Snippets/\(name).swift"
    return SourceFile(path: path, text: try Repository.current.text(at: path))
  }

  @Test func `the views of the app guide stand on the types of its steps`() throws {
    let steps = SnippetRules.parts(of: try snippet("AppGuide"))
    let views = SnippetRules.parts(of: try snippet("AppGuideViews"))
    for name in ["errors", "service", "queue", "fields", "wiring", "window"] {
      let part = try #require(steps[name], "\(name)")
      #expect(views[name] == part, "\(name)")
    }
  }

  /// In which step of the guide for an app that exists a word of the code comes first.
  private static let steps = [
    "Pipeline(": 2, "ErrorPresenter": 3, "Outbox": 4, "RenameNote": 4, "ErrorMonitor": 5,
    "CrashReporterSink": 5,
  ]

  @Test func `no step of the guide for an app that exists asks for a later one`() throws {
    let path = "Sources/Mainstay/Mainstay.docc/Guides/AdoptingMainstay.md"
    var (step, isCode) = (0, false)
    var first: [String: Int] = [:]
    for line in SourceFile(path: path, text: try Repository.current.text(at: path)).lines {
      if let heading = line.prefixMatch(of: #/## (\d)\. /#) { step = Int(heading.1) ?? 0 }
      if line.hasPrefix("```") { isCode = line == "```swift" }
      guard isCode else { continue }
      for word in Self.steps.keys where line.contains(word) && first[word] == nil {
        first[word] = step
      }
    }
    #expect(first == Self.steps)
  }

  @Test func `the app of the guide shows every view of the guide`() throws {
    let file = try snippet("AppGuideViews")
    let views = file.lines.compactMap {
      $0.firstMatch(of: /struct (\w+): View/).map { String($0.1) }
    }
    #expect(views.count > 1)
    for view in views { #expect(!file.places(of: [view, "("]).isEmpty, "nobody shows \(view)") }
  }
}
