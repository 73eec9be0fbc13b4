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
    } else if Self.testFolder(among: written.dropLast()) != nil {
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
    let written = path.split(separator: "/")
    let parts = Self.parts(ofName: written.last ?? "")
    let isNamedAsTest =
      parts.first == "mock" || parts.last.map { ["test", "tests", "spec"].contains($0) } ?? false
      || written.dropLast().contains(where: Self.soundsLikeTests)
    if isNamedAsTest, !imports.isDisjoint(with: Self.testModules) { return .test }
    return self == .production && (isProgram || imports.contains("PackagePlugin")) ? .tool : self
  }

  /// The folder of a path that says that tests lie in it, with the path to it.
  package static func testFolder(of path: String) -> String? {
    let folders = path.split(separator: "/").dropLast()
    return testFolder(among: folders).map { folders[...$0].joined(separator: "/") }
  }

  /// The place of the first folder that says so.
  ///
  /// A folder at the top, or that of a target, is named after its purpose, as in `AppTesting`. One
  /// deeper down is named after what the app does: it may test speed, or list fixtures.
  private static func testFolder(among folders: ArraySlice<Substring>) -> Int? {
    let target = folders.lastIndex { $0.lowercased() == "sources" }.map { $0 + 1 }
    return folders.indices.first { place in
      let folder = folders[place]
      if place == 0 || place == target { return soundsLikeTests(folder) }
      return innerTestFolders.contains(folder.lowercased())
        || isTestSupport(folder) || parts(ofFolder: folder).last == "tests"
    }
  }

  private static func soundsLikeTests(_ folder: Substring) -> Bool {
    parts(ofFolder: folder).last.map(testFolders.contains) ?? false || isTestSupport(folder)
      || testsCrashes(folder)
  }

  /// Whether it is a program that runs what must end it, as a test waits for.
  private static func testsCrashes(_ folder: Substring) -> Bool {
    let parts = parts(ofFolder: folder)
    return parts.suffix(2).first == "crash" && ["tester", "testers"].contains(parts.last)
  }

  private static func isTestSupport(_ folder: Substring) -> Bool {
    let parts = parts(ofFolder: folder)
    return parts.suffix(2).first == "test"
      && ["support", "helpers", "utils"].contains(parts.last)
  }

  private static func parts(ofFolder name: Substring) -> [String] {
    words(of: String(name.replacing("-", with: "_")))
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
  /// Whole names of such folders inside of a target.
  private static let innerTestFolders: Set<String> = [
    "test", "tests", "testsupport", "testhelpers", "testutils", "mocks",
  ]
  private static let exampleFolders: Set<String> = [
    "examples", "example", "samples", "sample", "demo", "demos", "snippets", "playground",
    "playgrounds", "tutorials",
  ]
  private static let toolFolders: Set<String> = [
    "scripts", "script", "tools", "tool", "benchmarks", "benchmark", "codegen", "codegeneration",
  ]
}
