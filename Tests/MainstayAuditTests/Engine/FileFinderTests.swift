// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAudit
import Testing

@Suite struct FileFinderTests {
  private func find(
    _ paths: [String] = ["."], in folder: Folder, excluded: [String] = [], markdown: Bool = false
  ) -> FileFinder.Found {
    let names = PathNames(folder: folder.path)
    let finder = FileFinder(excluded: excluded, markdown: markdown, names: names)
    return finder.find(paths.map { $0.isEmpty || $0.hasPrefix("/") ? $0 : folder.path + "/" + $0 })
  }

  @Test func `sources are found in the order of their paths`() throws {
    let folder = try Folder()
    for name in ["b.swift", "Sources/B/z.swift", "Sources/A.swift", "a.swift", "read.me"] {
      try folder.write(name, "")
    }
    let found = find(in: folder)
    #expect(
      found.sources.map(\.path) == ["Sources/A.swift", "Sources/B/z.swift", "a.swift", "b.swift"])
    #expect(found.problems.isEmpty && !found.hasStringTables)
  }

  @Test func `folders of tools, hidden ones and excluded paths are left out`() throws {
    let folder = try Folder()
    for name in [
      ".build/a.swift", ".git/a.swift", "Pods/a.swift", "Carthage/a.swift", "DerivedData/a.swift",
      "node_modules/a.swift", ".hidden/a.swift", "Sources/Gen/a.swift", "Sources/b.gen.swift",
      "Sources/a.swift",
    ] {
      try folder.write(name, "")
    }
    let found = find(in: folder, excluded: ["Sources/Gen", "**/*.gen.swift"])
    #expect(found.sources.map(\.path) == ["Sources/a.swift"])
  }

  @Test func `a path that is named is always taken`() throws {
    let folder = try Folder()
    try folder.write(".build/deep/a.swift", "")
    try folder.write("Gen/b.swift", "")
    try folder.write("Gen/inner/c.swift", "")
    try folder.write("script", "")
    let found = find(
      [".build/deep", "Gen", "Gen/b.swift", "script"], in: folder,
      excluded: ["Gen", "Gen/inner"])
    #expect(found.sources.map(\.path) == [".build/deep/a.swift", "Gen/b.swift", "script"])
  }

  @Test func `a file is taken once, under its own name where it has several`() throws {
    let folder = try Folder()
    try folder.write("z/real.swift", "")
    try folder.link("a.swift", to: "z/real.swift")
    try folder.link("loop", to: ".")
    try folder.link("z/up", to: "..")
    let found = find([".", "z", "z/real.swift", "z/../z"], in: folder)
    #expect(found.sources.map(\.path) == ["z/real.swift"])
    #expect(found.problems.isEmpty)
  }

  @Test func `a link to a folder is followed only where it is named`() throws {
    let (folder, other) = (try Folder(), try Folder())
    try other.write("a.swift", "")
    try folder.link("linked", to: other.path)
    #expect(find(in: folder).sources.isEmpty)
    #expect(find(["linked"], in: folder).sources.map(\.path) == ["linked/a.swift"])
  }

  @Test func `what cannot be looked at is told`() throws {
    let folder = try Folder()
    try folder.write("a.swift", "")
    try folder.link("broken.swift", to: "nowhere")
    try folder.link("self.swift", to: "self.swift")
    try folder.link("broken", to: "nowhere")
    let found = find([".", "none", "none.swift", ""], in: folder)
    #expect(found.sources.map(\.path) == ["a.swift"])
    #expect(
      found.problems.map { "\($0.path): \($0.reason)" } == [
        "\"\": it names nothing",
        "broken.swift: the link leads nowhere",
        "none: there is no such file or folder",
        "none.swift: there is no such file or folder",
        "self.swift: the link leads to itself",
      ])
  }

  #if os(Linux)
    @Test func `a name that is no text is told`() throws {
      let folder = try Folder()
      try folder.write("a.swift", "")
      let name = Array(folder.path.utf8) + Array("/b".utf8) + [0xFF] + Array(".swift".utf8) + [0]
      name.withUnsafeBytes { bytes in
        if let file = fopen(bytes.assumingMemoryBound(to: CChar.self).baseAddress, "w") {
          fclose(file)
        }
      }
      let found = find(in: folder)
      #expect(found.sources.map(\.path) == ["a.swift"])
      #expect(found.problems.map(\.reason) == ["its name is no UTF-8"])
    }
  #endif

  @Test func `a pipe is no source`() throws {
    let folder = try Folder()
    mkfifo(folder.file("pipe.swift"), 0o600)
    #expect(find(in: folder).sources.isEmpty)
    let named = find(["pipe.swift"], in: folder)
    #expect(named.problems.map(\.reason) == ["it is neither a file nor a folder"])
  }

  @Test func `tables of texts and pages are noticed`() throws {
    let folder = try Folder()
    try folder.write("Resources/Localizable.xcstrings", "")
    try folder.write("README.md", "")
    #expect(find(in: folder).hasStringTables)
    #expect(find(in: folder).sources.isEmpty)
    #expect(find(in: folder, markdown: true).sources.map(\.path) == ["README.md"])
  }

  @Test func `files elsewhere keep their whole path, and their place is told from their project`()
    throws
  {
    let (folder, other) = (try Folder(), try Folder())
    try folder.write("a.swift", "")
    try other.makeFolder("tests/app/.git")
    try other.write("tests/app/Sources/b.swift", "")
    let found = find([".", other.file("tests/app/Sources")], in: folder)
    #expect(
      Set(found.sources.map(\.path)) == ["a.swift", other.file("tests/app/Sources/b.swift")])
    #expect(Set(found.sources.map(\.place)) == ["a.swift", "Sources/b.swift"])
  }

  @Test(arguments: [
    ("a", "a"), ("./a/../b", "b"), ("/w/p/x", "x"), ("..", "/w"), ("../q/x", "/w/q/x"), (".", "."),
  ])
  func `names are told from the working folder`(path: String, name: String) {
    // The folder need not exist.
    #expect(PathNames(folder: "/w/p").relative(path) == name)
  }
}
