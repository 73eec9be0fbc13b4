// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The working tree that these tests read.
struct Repository: Sendable {
  /// The folder that holds `Package.swift`.
  let root: URL

  /// The paths of all files that git tracks or would track, relative to the root and sorted.
  let paths: [String]

  /// The Swift files that the rules of style bind.
  ///
  /// Files below a `Fixtures` folder are wrong on purpose, so they are left out.
  let swiftFiles: [SourceFile]

  /// Swift, Markdown, scripts and the Makefile: whatever people write by hand.
  let writtenFiles: [SourceFile]

  /// The repository that this test was compiled from, read once.
  static let current = Repository(
    root: URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent())

  private init(root: URL) {
    self.root = root
    paths = Self.listedByGit(at: root) ?? Self.listedByWalking(root)
    writtenFiles = paths.filter(Self.isWritten).compactMap { path in
      (try? String(contentsOf: root.appending(path: path), encoding: .utf8))
        .map { SourceFile(path: path, text: $0) }
    }
    swiftFiles = writtenFiles.filter { $0.isSwift && !$0.path.contains("/Fixtures/") }
  }

  /// Reads one file as text.
  func text(at path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static func isWritten(_ path: String) -> Bool {
    path.hasSuffix(".swift") || path.hasSuffix(".md") || path.hasPrefix("Tools/")
      || path.hasPrefix(".ci/") || path == "Makefile"
  }

  /// Tracked files and new ones that are not ignored; nil outside a git checkout.
  private static func listedByGit(at root: URL) -> [String]? {
    let arguments = ["git", "-C", root.path, "ls-files", "-z", "-co", "--exclude-standard"]
    guard let output = try? Command.output(of: arguments), !output.isEmpty else { return nil }
    let listed = Set(output.split(separator: "\0").map(String.init))
    // A file that was deleted and not yet committed is still listed.
    return listed.filter { FileManager.default.fileExists(atPath: root.appending(path: $0).path) }
      .sorted()
  }

  private static func listedByWalking(_ root: URL) -> [String] {
    let walk = FileManager.default.enumerator(atPath: root.path)
    var found: [String] = []
    while let path = walk?.nextObject() as? String {
      if [".build", ".git", ".swiftpm"].contains((path as NSString).lastPathComponent) {
        walk?.skipDescendants()
      } else if walk?.fileAttributes?[.type] as? FileAttributeType == .typeRegular {
        found.append(path)
      }
    }
    return found.sorted()
  }
}
