// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A machine on which much is missing, as far as `Tools/setup` can tell.
///
/// Its path holds a few programs of this one, and others that only say what a test wants to hear.
final class BareMachine {
  private let folder: URL
  private let others: [String]

  /// Where its programs are.
  var path: String { ([folder.path] + others).joined(separator: ":") }

  /// What the scripts need to look around.
  private static let tools = [
    "cat", "dirname", "env", "find", "grep", "paste", "sed", "sh", "sleep", "sort",
    "uname",
  ]

  /// What they look for; nobody runs it.
  private static let programs = [
    "chromedriver", "chromium", "codespell", "curl", "git", "ip", "openssl", "python3", "unshare",
  ]

  /// - Parameters:
  ///   - tools: Programs of this one that it has besides.
  ///   - absent: Programs that it does not have.
  ///   - files: Parts of the names of files that it does not have.
  ///   - scripts: Programs of its own, by name, and what they do.
  ///   - others: Folders on its path besides, in which nothing is.
  ///   - user: The number of the account; 0 may install.
  /// - Throws: Where its folder cannot be written.
  init(
    tools: [String] = [], without absent: Set<String> = [], files: [String] = [],
    scripts: [String: String] = [:], others: [String] = [],
    user: Int = 1000
  ) throws {
    self.others = others
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for tool in Self.tools + tools {
      guard let path = Self.path(of: tool) else { continue }
      try add(tool, "exec '\(path)' \"$@\"")
    }
    for program in Self.programs where !absent.contains(program) { try add(program, "exit 0") }
    // Whether something is there, the script asks bash.
    let lost = files.map { "*\($0)*) exit 1 ;;" }.joined(separator: " ")
    let bash = Self.path(of: "bash") ?? ""
    try add("bash", "case \"$*\" in \(lost) *) ;; esac; exec '\(bash)' \"$@\"")
    try add("id", "echo \(user)")
    try add("swift", "echo 'Swift version 6.3.1 (swift-6.3.1-RELEASE)'")
    for (name, script) in scripts { try add(name, script) }
  }

  /// What it says and how it ends, when something of the repository is run on it.
  func run(_ command: String, _ arguments: String...) async throws -> BuiltProgram.End {
    let root = Repository.current.root.path
    let script = "cd '\(root)' && PATH='\(path)' exec \"$0\" \"$@\""
    return try await BuiltProgram.run(
      fromPath: "/bin/sh", ["-c", script, command] + arguments)
  }

  /// Whether a program of its own has left this file.
  func has(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: name).path)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func add(_ name: String, _ script: String) throws {
    let file = folder.appending(path: name)
    try Data("#!/bin/sh\n\(script)\n".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
  }

  private static func path(of program: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return path.split(separator: ":").map(String.init)
      .map { "\($0)/\(program)" }.first(where: FileManager.default.isExecutableFile)
  }
}
