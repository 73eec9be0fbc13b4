// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import TestSupport
import Testing

/// What the standard asks of a codebase, and the rule that looks after it.
@Suite struct StandardTests {
  private static let project = Example.bad(
    """
    enum PayError: LocalizedError {
      case declined
      var errorDescription: String? { "The card was declined." }
    }
    ↓enum SyncError: Error { case offline }
    extension AppError { init(_ error: PayError) { self = .payment } }
    func pay() throws { throw PayError.declined }
    func sync() throws { throw SyncError.offline }
    func run() {
      do { try pay() } catch let error as PayError { show(error) } catch { log.error("\\(error)") }
    }
    """, configuration: "app_error: AppError")

  @Test(.requirement("B31", "B34", "B37"))
  func `the checklist counts where errors are thrown, converted and caught`() async throws {
    let report = try await report(of: Self.project, profile: .strict)
    let style = TextStyle(colours: false, width: 120)
    let lines = AuditFormat.checklist.text(of: report, style: style).split(separator: "\n")
    let pay = try #require(lines.first { $0.hasPrefix("PayError") }).split(separator: " ")
    let sync = try #require(lines.first { $0.hasPrefix("SyncError") }).split(separator: " ")
    // Thrown once and converted; the other one lacks it.
    #expect(Array(pay.prefix(3)) == ["PayError", "1", "present"])
    #expect(Array(sync.prefix(3)) == ["SyncError", "1", "missing"])
    // One clause catches the first, none the second.
    #expect(pay.dropLast(1).last == "1")
    #expect(sync.dropLast(1).last == "0")
  }

  @Test(.requirement("B32", "B33"))
  func `a missing conversion is found, and its start is written`() async throws {
    let report = try await report(of: Self.project, profile: .strict)
    let finding = try #require(report.findings.first { $0.rule == "MS104" })
    #expect(finding.message.contains("SyncError"))
    let run = FixRun([finding], in: Array(Self.project.code.utf8), unsafe: true)
    let text = String(decoding: run.bytes, as: UTF8.self)
    #expect(text.contains("SyncError: AppErrorConvertible") || text.contains("AppError"))
    #expect(text.count > Self.project.code.count)
  }

  @Test(
    .requirement(
      "B25", "B26", "B27", "E7", "E8", "E9", "E10", "E11", "E12", "E31", "E34", "E35", "T4", "T9",
      "T12",
      "T17"),
    arguments: [
      ("MS101", "B25"), ("MS205", "B26"), ("MS107", "B27"), ("MS406", "E7"), ("MS301", "E8"),
      ("MS404", "E9"),
      ("MS105", "E10"), ("MS401", "E11"), ("MS301", "E12"), ("MS404", "E31"), ("MS402", "E34"),
      ("MS301", "E35"), ("MS304", "T4"), ("MS302", "T9"), ("MS603", "T12"), ("MS206", "T17"),
    ])
  func `a rule finds where code departs from a requirement`(
    id: String, requirement: String
  ) async throws {
    let rule = try #require(Rule.all.first { $0.id == id })
    let example = try #require(rule.examples.first { $0.isBad })
    let found = try await report(of: example, profile: .all).findings
    #expect(found.contains { $0.rule == id }, "\(requirement)")
  }

  @Test(.requirement("E16", "E29", "E33"))
  func `a simple project may show a plain description`() async throws {
    let code = Example.bad(
      """
      final class Model {
        var message: String?
        func load() async {
          message = nil
          do { try await fetch() } catch is CancellationError {} catch {
            message = error.localizedDescription
          }
        }
      }
      """)
    #expect(try await report(of: code, profile: .simple).findings == [])
    #expect(try await report(of: code, profile: .strict).findings.map(\.rule) == ["MS403"])
  }
}
