// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A disk without room.
@Suite(.requirement("O32"), .ends(withinMinutes: 5)) struct FullDiskTests {
  @Test func `on a full disk nothing new is accepted, and all that was accepted is done`()
    async throws
  {
    let folder = try TemporaryFolder()
    #if os(Linux)
      if geteuid() == 0 {
        let script = """
          exec unshare -m sh -ec 'mount -t tmpfs -o size=8m none "$1"; "$0" disk "$1"' "$0" "$1"
          """
        let end = try await BuiltProgram.run(
          "OutboxCrashChild", inShell: script, [folder.url.path(percentEncoded: false)])
        #expect(end.status == 0, "\(end)")
        let words = end.output.split(whereSeparator: \.isWhitespace).map(String.init)
        let accepted = words.first?.split(separator: "=").last.flatMap { Int($0) } ?? 0
        #expect(accepted > 50, "\(end)")
        #expect(
          words.dropFirst() == [
            "refused=diskFull", "batch=diskFull", "kept=true", "opened=true", "done=\(accepted)",
            "balanced=true", "failures=0", "open=0", "reserve=true",
          ], "\(end)")
        return
      }
    #endif
    withKnownIssue("mounts need root on Linux") { Issue.record("not proven in this run") }
  }
}
