// SPDX-License-Identifier: Apache-2.0

import Foundation
import PostgresTestSupport
import TestSupport
import Testing

/// The service of the guide, run with a database of its own.
@Suite(.ends(withinMinutes: 10))
struct ServiceGuideTests {
  private let page: GuidePage

  init() throws {
    page = try GuidePage(at: "Sources/Mainstay/Mainstay.docc/Guides/WritingAService.md")
  }

  @Test func `the service answers as its guide says`() async throws {
    let server = try await PostgresServer.common()
    let service = try await BuiltProgram(
      at: BuiltProgram.built("ServiceGuide"), [],
      environment: [
        "DATABASE_URL": server.text(try await server.databaseName()), "PORT": "0",
        "LOG_LEVEL": "error",
      ]
    ) { printed in
      printed.split(separator: "listens on http://127.0.0.1:").last
        .flatMap { Int($0.prefix(while: \.isNumber)) }
    }
    let calls = page.exchanges.filter { $0.command.hasPrefix("curl ") }
    #expect(calls.count > 4)
    for call in calls {
      let command = call.command.replacing("localhost:8080", with: "127.0.0.1:\(service.port)")
      let end = try await BuiltProgram.run(fromPath: "sh", ["-c", command])
      let lines = end.output.split(whereSeparator: \.isNewline)
      #expect(lines.count == call.answer.count, "\(call.command): \(lines)")
      for (line, expected) in zip(lines, call.answer) {
        // What differs each time stands on the page as three dots.
        let parts = expected.split(separator: "…", omittingEmptySubsequences: false)
        let agrees = line.hasPrefix(parts[0]) && line.hasSuffix(parts[parts.count - 1])
        #expect(parts.count == 1 ? line == expected : agrees, "\(line)")
      }
    }
    _ = await service.stop(SIGTERM)
  }

  @Test func `before it knows its database it prints what the first steps of the guide say`()
    async throws
  {
    let end = try await BuiltProgram.run(
      "ServiceGuide", [], environment: ["LOG_LEVEL": "error"])
    #expect(end.status == 1, "\(end)")
    #expect(!page.printed.isEmpty)
    #expect(end.output.split(separator: "\n").map(String.init) == page.printed)
    let start = try #require(page.exchanges.first { $0.command == "swift run" })
    #expect(end.errors.split(separator: "\n").last.map(String.init) == start.answer.last)
  }

  @Test func `without its database it ends with a line that names the address, and no trace`()
    async throws
  {
    let end = try await BuiltProgram.run(
      "ServiceGuide", [],
      environment: ["DATABASE_URL": "postgresql://app@127.0.0.1:1/shop", "LOG_LEVEL": "error"])
    #expect(end.status == 1, "\(end)")
    let last = end.errors.split(separator: "\n").last ?? ""
    #expect(last.hasPrefix("orders: ") && last.contains("127.0.0.1"), "\(end)")
    #expect(!end.errors.contains("Fatal error"), "\(end)")
  }

  @Test func `a server in a folder of one's own starts as the guide says`() async throws {
    let script = try #require(page.scripts.first { $0.contains { $0.hasPrefix("initdb ") } })
    let end = try await BuiltProgram.run(
      fromPath: "bash", ["-c", Self.trial, "bash", script.joined(separator: "\n")])
    #expect(end.status == 0, "\(end)")
    #expect(end.output.split(separator: "\n").contains("reached as app"), "\(end)")
  }

  /// Runs a script in a folder that is deleted afterwards, and asks the database that it made.
  ///
  /// PostgreSQL does not run as root, so there another user of the system runs it.
  private static let trial = #"""
    folder=$(mktemp -d /tmp/guide-XXXXXX)
    trap 'cd /; rm -rf "$folder"' EXIT
    as_user=()
    if ((EUID == 0)); then
      as_user=(setpriv --reuid=postgres --regid=postgres --clear-groups --)
      chown postgres "$folder"
    fi
    cd "$folder"
    "${as_user[@]}" bash -ec "trap 'pg_ctl -D shop -m immediate stop' EXIT
      $1
      psql \"\$DATABASE_URL\" -tAc \"SELECT 'reached as ' || current_user\"" </dev/null
    """#
}
