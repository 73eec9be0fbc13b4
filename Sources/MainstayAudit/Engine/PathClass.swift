// SPDX-License-Identifier: Apache-2.0

/// What kind of code a file holds, told by where it lies.
package enum PathClass: String, Sendable, Hashable, CaseIterable {
  case production, test, preview, example, tool, generated

  /// What a path alone says; a `main.swift` or an `@main` command makes a tool of production code.
  init(path: String) {
    let parts = path.split(separator: "/").map { $0.lowercased() }
    let folders = parts.dropLast()
    let name = parts.last ?? ""
    if name.hasSuffix(".generated.swift") || name.hasSuffix(".pb.swift")
      || name.hasSuffix(".grpc.swift") || folders.contains("generated")
    {
      self = .generated
    } else if Self.isTest(folders, name) {
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
        || folder.hasSuffix("tester")
    }) || name == "main.swift"
      || name == "package.swift" || name.hasPrefix("package@swift")
    {
      self = .tool
    } else {
      self = .production
    }
  }

  private static func isTest(_ folders: ArraySlice<String>, _ name: String) -> Bool {
    folders.contains { folder in
      folder == "tests" || folder == "test" || folder.hasSuffix("tests")
        || folder.hasSuffix("testing") || folder.hasSuffix("testsupport")
        || folder.hasSuffix("testhelpers") || folder.hasSuffix("mocks") || folder == "specs"
        || folder.hasSuffix("fixtures") || folder.hasSuffix("testutils")
    } || name.hasSuffix("tests.swift") || name.hasSuffix("test.swift")
      || name.hasSuffix("spec.swift") || name.hasPrefix("mock")
  }

  private static let exampleFolders: Set<String> = [
    "examples", "example", "samples", "sample", "demo", "demos", "snippets", "playground",
    "playgrounds", "tutorials",
  ]
  private static let toolFolders: Set<String> = [
    "scripts", "script", "tools", "tool", "benchmarks", "benchmark", "plugins", "utils",
  ]
}
