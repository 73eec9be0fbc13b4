// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// `Package.swift` against `Documentation/Architecture.md`.
@Suite struct LayoutTests {
  private let repository = Repository.current

  @Test func `the manifest keeps to the table of targets`() throws {
    let page = SourceFile(
      path: LayoutRules.page, text: try repository.text(at: LayoutRules.page))
    let entries = LayoutRules.entries(in: page)
    #expect(entries.contains { $0.target == "Mainstay" }, "the table was not found")
    let manifest = try Manifest(of: repository)
    #expect(manifest.targets.contains { $0.dependencies.contains("swift-log") })
    expectNone(LayoutRules.violations(manifest, entries))
    expectNone(LayoutRules.equalIgnoringCase(manifest))
    expectNone(ViewRules.shadows(manifest.targets.map(\.name)))
  }

  @Test(.requirement("A50")) func `every target says what becomes of its errors`() throws {
    let targets = Set(
      repository.swiftFiles.filter { $0.path.hasPrefix("Sources/") }
        .compactMap { $0.path.split(separator: "/").dropFirst().first.map(String.init) })
    #expect(targets.contains("Mainstay"))
    let page = try repository.text(at: StrategyRules.page)
    expectNone(StrategyRules.violations(page, targets: targets))
  }
}
