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
}
