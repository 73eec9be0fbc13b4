// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayOutboxPostgres
import PostgresTestSupport
import TestSupport
import Testing

/// What the environment and a list of services say of a session.
@Suite(.ends(withinMinutes: 10))
struct OutsideTests {
  /// What a setting is in the session of another process.
  private func setting(
    _ name: String, at address: String, _ environment: [String: String]
  ) async throws -> String {
    let end = try await BuiltProgram.run(
      "PostgresChild", ["show", address, name], environment: environment)
    #expect(end.status == 0, "\(end.errors)")
    return end.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test func `options of the environment count beside those of a session`() async throws {
    let text = try await PostgresServer.common().text()
    let environment = ["PGOPTIONS": "-c work_mem=5MB"]
    #expect(try await setting("work_mem", at: text, environment) == "5MB")
    #expect(try await setting("statement_timeout", at: text, environment) == "10s")
    let own = text + "?options=-c%20work_mem%3D6MB"
    #expect(try await setting("work_mem", at: own, environment) == "6MB")
  }

  @Test func `what a service says goes before the environment`() async throws {
    let server = try await PostgresServer.common()
    let list = server.folder.appending(path: "services-\(UUID())")
    try Data(
      """
      [shop]
      host=\(server.folder.path)
      port=\(server.port)
      user=\(PostgresServer.user)
      dbname=postgres
      options=-c work_mem=7MB

      """.utf8
    ).write(to: list)
    let environment = ["PGSERVICEFILE": list.path, "PGOPTIONS": "-c work_mem=5MB"]
    #expect(try await setting("work_mem", at: "service=shop", environment) == "7MB")
    #expect(try await setting("statement_timeout", at: "service=shop", environment) == "10s")
    try FileManager.default.removeItem(at: list)
  }
}
