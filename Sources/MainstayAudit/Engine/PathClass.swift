// SPDX-License-Identifier: Apache-2.0

/// What kind of code a file holds, told by where it lies.
package enum PathClass: String, Sendable, Hashable, CaseIterable {
  case production, test, preview, example, tool, generated

  /// What a path alone says; a `main.swift` or an `@main` command makes a tool of production code.
  package init(path: String) {
    let written = path.split(separator: "/")
    let parts = written.map { $0.lowercased() }
    let folders = parts.dropLast()
    let name = parts.last ?? ""
    if name.hasSuffix(".generated.swift") || name.hasSuffix(".pb.swift")
      || name.hasSuffix(".grpc.swift") || folders.contains("generated")
    {
      self = .generated
    } else if Self.isTest(written.dropLast(), written.last ?? "") {
      self = .test
    } else if folders.contains(where: { $0.hasPrefix("preview") }) || name.contains("preview") {
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
    }) || name == "main.swift"
      || name == "package.swift" || name.hasPrefix("package@swift")
    {
      self = .tool
    } else {
      self = .production
    }
  }

  private static func isTest(_ folders: ArraySlice<Substring>, _ name: Substring) -> Bool {
    folders.contains { folder in
      let parts = words(of: String(folder.replacing("-", with: "_")))
      guard let last = parts.last else { return false }
      return testFolders.contains(last)
        || parts.suffix(2).first == "test" && ["support", "helpers", "utils"].contains(last)
    } || isTest(named: name)
  }

  /// A whole word tells: `Latest.swift` holds no tests.
  private static func isTest(named name: Substring) -> Bool {
    let parts = words(of: String(name.prefix { $0 != "." && $0 != "+" }.replacing("-", with: "_")))
    return parts.first == "mock"
      || parts.last.map { ["test", "tests", "spec"].contains($0) } ?? false
  }

  private static let testFolders: Set<String> = [
    "test", "tests", "testing", "testsupport", "testhelpers", "testutils", "mocks", "specs",
    "fixtures",
  ]
  private static let exampleFolders: Set<String> = [
    "examples", "example", "samples", "sample", "demo", "demos", "snippets", "playground",
    "playgrounds", "tutorials",
  ]
  private static let toolFolders: Set<String> = [
    "scripts", "script", "tools", "tool", "benchmarks", "benchmark", "plugins", "utils",
    "codegen", "codegeneration",
  ]
}
