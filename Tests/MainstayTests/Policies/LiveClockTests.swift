// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Foundation
  import TestSupport
  import Testing

  /// The live clock of policies, in a child whose system says that the device has slept.
  @Suite(.ends(withinMinutes: 10)) struct LiveClockTests {
    @Test func `the live clock counts the sleep of a device`() async throws {
      // A day that the clock without sleep knows nothing of.
      let day = 86_400
      let script = """
        rights=-UrT
        unshare -UrT true 2>/dev/null || rights=-T
        unshare $rights true 2>/dev/null || { echo refused; exit 0; }
        exec unshare $rights --boottime \(day) "$0" "$1"
        """
      let own = try #require(
        try String(contentsOfFile: "/proc/uptime", encoding: .utf8).split(separator: ".").first)
      let end = try await BuiltProgram.run("ConnectivityChild", inShell: script, ["clock"])
      #expect(end.status == 0, "\(end.output) \(end.errors)")
      if end.output == "refused\n" {
        return withKnownIssue("clocks of one's own need rights, and Linux 5.6") {
          Issue.record("not proven in this run")
        }
      }
      let lines = end.output.split(separator: "\n")
      let uptime = try #require(lines.first { $0.hasPrefix("uptime=") }?.dropFirst(7))
      #expect(try #require(Int(uptime)) >= #require(Int(own)) + day, "the two clocks differ")
      #expect(lines.contains("counts=true"))
    }
  }
#endif
