// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAudit
import Testing

extension ProgramTests {
  /// What the pages about the audit tell people to type.
  @Suite struct PageTests {
    private static let catalog = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .appending(path: "Sources/MainstayAudit/MainstayAudit.docc")

    private func page(_ name: String) throws -> String {
      try String(contentsOf: Self.catalog.appending(path: "\(name).md"), encoding: .utf8)
    }

    /// Options of others that a page names.
    private static let foreign: Set<String> = [
      "--traits", "--allow-writing-to-package-directory", "--global", "--add", "--product",
      "--static-swift-stdlib",
    ]

    @Test func `options that a page names exist`() async throws {
      let folder = try Folder()
      var help = try await AuditProgram.run(["run", "--help"], in: folder).output
      help += try await AuditProgram.run(["rules", "--help"], in: folder).output
      let known = Set(options(in: help)).union(Self.foreign)
      for name in ["MainstayAudit", "Plugins"] {
        let unknown = Set(try options(in: page(name))).subtracting(known)
        #expect(unknown.isEmpty, "\(name).md names \(unknown.sorted())")
      }
    }

    @Test func `the configuration on the page can be read`() throws {
      let blocks = try page("MainstayAudit").components(separatedBy: "```yaml\n").dropFirst()
      let yaml = try #require(blocks.first?.components(separatedBy: "\n```").first)
      let (configuration, error) = AuditConfiguration.reading(yaml: yaml, path: "page")
      #expect(error == nil, "\(String(describing: error))")
      #expect(configuration.disabled == ["MS402"] && configuration.overrides.count == 1)
    }

    /// The words that start with two hyphens.
    private func options(in text: String) -> [String] {
      text.split { !$0.isLetter && $0 != "-" }.filter { $0.hasPrefix("--") && $0.count > 3 }
        .map(String.init).filter { $0.dropFirst(2).first?.isLetter ?? false }
    }
  }
}
