// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The demo as it is built, with both programs that it starts.
@Suite(.ends(withinMinutes: 20)) struct ProgramTests {
  @Test(.requirement("C1", "C2", "C13", "A54"))
  func `a small run holds, and leaves nothing behind`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "inventory-demo-test-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let end = try await BuiltProgram.run(
      "inventory-demo",
      ["--scans", "12", "--kills", "2", "--seed", "1", "--json", "--keep", folder.path])
    #expect(end.status == 0, "\(end.output)\(end.errors)")
    #expect(end.output.contains("\"holds\" : true"))
    #expect(end.errors.contains("draining"))
    let kept = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(kept.contains("inventory") && kept.contains("upstream"))

    // What is there already is not overwritten.
    let again = try await BuiltProgram.run("inventory-demo", ["--keep", folder.path])
    #expect(again.status == 3 && again.errors.contains("\(folder.path) is not empty"))
  }

  @Test(arguments: [
    ["--scans", "0"], ["--scans", "5001"], ["--kills", "-1"], ["--kills", "101"],
    ["--seed", "many"], ["--colour"],
  ])
  func `wrong options are explained with status 2`(_ arguments: [String]) async throws {
    let end = try await BuiltProgram.run("inventory-demo", arguments)
    #expect(end.status == 2 && end.errors.contains("Usage: inventory-demo"))
    #expect(end.output.isEmpty)
  }

  @Test func `help is no mistake`() async throws {
    let end = try await BuiltProgram.run("inventory-demo", ["--help"])
    #expect(end.status == 0 && end.output.contains("--kills") && end.errors.isEmpty)
  }
}
