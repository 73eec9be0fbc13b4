// SPDX-License-Identifier: Apache-2.0

/// What kind of code a file holds, told by where it lies, and where that says little also by what
/// it imports.
package enum PathClass: String, Sendable, Hashable, CaseIterable {
  case production, test, preview, example, tool, generated

  /// What a path alone says.
  ///
  /// A folder tells more than a name: an app has a `LinkPreviewService` and a `SpeedTest`, which
  /// are no less production code for that.
  package init(path: String) {
    let written = path.split(separator: "/")
    let parts = written.map { $0.lowercased() }
    let folders = parts.dropLast()
    let name = parts.last ?? ""
    if name.hasSuffix(".generated.swift") || name.hasSuffix(".pb.swift")
      || name.hasSuffix(".grpc.swift") || folders.contains("generated")
    {
      self = .generated
    } else if Self.isTest(written.dropLast()) {
      self = .test
    } else if folders.contains("preview content") || name.hasSuffix("_previews.swift") {
      self = .preview
    } else if MarkdownCode.isMarkdown(name)
      || folders.contains(where: { folder in
        Self.exampleFolders.contains(folder) || folder.hasSuffix("demo")
          || folder.hasSuffix("demos")
          || folder.hasSuffix("demoapps") || folder.hasSuffix("examples")
      })
    {
      self = .example
    } else if folders.contains(where: { folder in
      Self.toolFolders.contains(folder) || folder.hasSuffix("benchmarks")
        || folder.hasSuffix("tester") || folder.hasPrefix("generate-")
    }) || folders.first == "plugins" || name == "main.swift"
      || name == "package.swift" || name.hasPrefix("package@swift")
    {
      self = .tool
    } else {
      // What stands in for something else is for previews, where it is not for tests.
      self = Self.parts(ofName: written.last ?? "").first == "mock" ? .preview : .production
    }
  }

  /// The kind of a file with that name and these imports, where its path leaves that open.
  func settled(named path: String, imports: Set<String>, isProgram: Bool) -> PathClass {
    guard self == .production || self == .preview else { return self }
    let parts = Self.parts(ofName: path.split(separator: "/").last ?? "")
    let isNamedAsTest =
      parts.first == "mock" || parts.last.map { ["test", "tests", "spec"].contains($0) } ?? false
    if isNamedAsTest, !imports.isDisjoint(with: Self.testModules) { return .test }
    return self == .production && (isProgram || imports.contains("PackagePlugin")) ? .tool : self
  }

  private static func isTest(_ folders: ArraySlice<Substring>) -> Bool {
    folders.contains { folder in
      let parts = words(of: String(folder.replacing("-", with: "_")))
      guard let last = parts.last else { return false }
      return testFolders.contains(last)
        || parts.suffix(2).first == "test" && ["support", "helpers", "utils"].contains(last)
    }
  }

  /// The words of a file's name: a whole one tells, and `Latest.swift` holds no tests.
  private static func parts(ofName name: Substring) -> [String] {
    words(of: String(name.prefix { $0 != "." && $0 != "+" }.replacing("-", with: "_")))
  }

  private static let testModules: Set<String> = ["XCTest", "Testing", "Quick", "Nimble"]

  private static let testFolders: Set<String> = [
    "test", "tests", "testing", "testsupport", "testhelpers", "testutils", "mocks", "specs",
    "fixtures",
  ]
  private static let exampleFolders: Set<String> = [
    "examples", "example", "samples", "sample", "demo", "demos", "snippets", "playground",
    "playgrounds", "tutorials",
  ]
  private static let toolFolders: Set<String> = [
    "scripts", "script", "tools", "tool", "benchmarks", "benchmark", "codegen", "codegeneration",
  ]
}
