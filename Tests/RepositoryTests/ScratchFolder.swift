// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A folder of somebody who tries something, gone with its last user.
final class ScratchFolder {
  let path: String

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ name: String, _ text: String) throws {
    let file = URL(filePath: path).appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  /// Makes a repository of it, with all that is there.
  func commit() async throws {
    let script = """
      cd "$0" && git init -q && git add . \
        && git -c user.name=a -c user.email=a@example.com commit -q -m one
      """
    let end = try await BuiltProgram.run(fromPath: "sh", ["-c", script, path])
    guard end.status == 0 else {
      throw Command.Failure(arguments: ["git"], exitCode: end.status, errors: end.errors)
    }
  }
}
