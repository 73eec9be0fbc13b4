// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// What differs below some paths, also for rules that look at the whole project.
@Suite struct OverrideTests {
  private static let files = [
    AuditSource(path: "Sources/App/Pay.swift", text: "enum PayError: Error { case declined }\n"),
    AuditSource(path: "Sources/Server/Row.swift", text: "enum RowError: Error { case locked }\n"),
  ]

  private static func found(
    _ configuration: AuditConfiguration, _ id: String = "MS102", focus: Set<String>? = nil
  ) async -> [String] {
    await Audit(configuration).run(files, focus: focus).findings.filter { $0.rule == id }
      .map { "\($0.path) \($0.severity)" }
  }

  private static func server(
    _ change: (inout AuditConfiguration.PathOverride) -> Void
  ) -> AuditConfiguration.PathOverride {
    var override = AuditConfiguration.PathOverride(paths: ["Sources/Server"])
    change(&override)
    return override
  }

  @Test func `a rule for the whole project is off where a path says so`() async {
    var configuration = AuditConfiguration()
    configuration.profile = .strict
    #expect(
      await Self.found(configuration) == [
        "Sources/App/Pay.swift info", "Sources/Server/Row.swift info",
      ])
    configuration.overrides = [Self.server { $0.disabled = ["MS102"] }]
    #expect(await Self.found(configuration) == ["Sources/App/Pay.swift info"])
    configuration.overrides = [Self.server { $0.profile = .default }]
    #expect(await Self.found(configuration) == ["Sources/App/Pay.swift info"])
  }

  @Test func `a rule for the whole project is on where a path alone says so`() async {
    var configuration = AuditConfiguration()
    #expect(await Self.found(configuration).isEmpty)
    configuration.overrides = [Self.server { $0.enabled = ["MS102"] }]
    #expect(await Self.found(configuration) == ["Sources/Server/Row.swift info"])
    #expect(await Self.found(configuration, focus: ["Sources/App/Pay.swift"]).isEmpty)
    #expect(
      await Self.found(configuration, focus: ["Sources/Server/Row.swift"])
        == ["Sources/Server/Row.swift info"])
  }

  @Test func `its findings are as bad as the path says`() async {
    var configuration = AuditConfiguration()
    configuration.profile = .strict
    configuration.overrides = [Self.server { $0.severities = ["MS102": .error] }]
    #expect(
      await Self.found(configuration) == [
        "Sources/App/Pay.swift info", "Sources/Server/Row.swift error",
      ])
  }

  @Test func `a rule that asks for members gets those of every file`() async {
    var configuration = AuditConfiguration()
    configuration.overrides = [Self.server { $0.enabled = ["MS113"] }]
    #expect(await Self.found(configuration, "MS113") == ["Sources/Server/Row.swift info"])
    let use = AuditSource(
      path: "Sources/App/Use.swift", text: "func f() throws { throw RowError.locked }\n")
    let report = await Audit(configuration).run(Self.files + [use])
    #expect(report.findings.isEmpty)
  }

  @Test func `a comment about a rule that is off here is not called unused`() async {
    var configuration = AuditConfiguration()
    configuration.profile = .strict
    configuration.overrides = [Self.server { $0.disabled = ["MS102"] }]
    let row = AuditSource(
      path: "Sources/Server/Row.swift",
      text: "// mainstay:ignore MS102 -- nobody sees it\nenum RowError: Error { case locked }\n")
    let report = await Audit(configuration).run([row])
    #expect(report.findings.isEmpty)
  }
}
