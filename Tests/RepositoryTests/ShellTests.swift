// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// What people run on a Mac runs on the bash that Apple has, which is of 2007.
@Suite struct ShellTests {
  @Test(arguments: [
    "build-product", "demo", "fetch-axe", "run", "setup", "spelling", "start", "test",
  ])
  func `a script for everybody needs no later bash than 3`(name: String) throws {
    let script = try Repository.current.text(at: "Tools/\(name)")
    #expect(script.hasPrefix("#!/usr/bin/env bash\n"))
    let code = script.split(separator: "\n").filter { line in
      !line.drop(while: \.isWhitespace).hasPrefix("#")
    }.joined(separator: "\n")
    let later = [
      "wait -n", "mapfile", "readarray", "declare -A", "local -A", "local -n", "[[ -v", "coproc",
      "|&", "&>>", ",,}", "^^}", "@Q}",
    ]
    for word in later { #expect(!code.contains(word), "\(word)") }
    // There an empty list counts as unset.
    for match in code.matches(of: /([a-z_]+)=\(\)/) {
      let bare = "\"${\(match.1)[@]}\""
      let guarded = "${\(match.1)[@]+\(bare)}"
      #expect(!code.replacing(guarded, with: "").contains(bare), "\(bare)")
    }
  }

  /// Runs the tool for the documentation where Swift fails: it ends before it makes anything.
  private func docs(xcrun: String) async throws -> (end: BuiltProgram.End, hasAsked: Bool) {
    // What the path of this machine has may be a script that needs all of that.
    let find = ["python3", "-c", "import sys; print(sys.executable)"]
    let python = try Command.output(of: find).split(separator: "\n").joined()
    let machine = try BareMachine(
      without: ["python3"],
      scripts: ["python3": "exec '\(python)' \"$@\"", "swift": "exit 1", "xcrun": xcrun])
    return (try await machine.run("Tools/docs"), machine.has("asked"))
  }

  @Test func `the documentation is made by the docc that Xcode keeps to itself`() async throws {
    let (end, hasAsked) = try await docs(xcrun: ": >\"${0%/*}/asked\"; echo /elsewhere/docc")
    #expect(end.status == 1 && hasAsked)
    #expect(!end.errors.contains("There is no `docc`"), "\(end.errors)")
  }

  @Test func `without docc that is said, before anything is made`() async throws {
    let (end, _) = try await docs(xcrun: "exit 72")
    #expect(end.status == 1 && end.errors.hasPrefix("There is no `docc`, neither beside `swift`"))
  }
}
