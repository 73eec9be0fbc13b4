// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// What findings say beyond their place, which an example of a rule does not hold.
@Suite struct FindingTextTests {
  @Test func `a clause that also empties other state says so`() async throws {
    func messages(_ clause: String) async throws -> [String] {
      let code = "func load() async { do { notes = try await api.notes() } catch { \(clause) } }"
      return try await report(of: .good(code), profile: .default).findings
        .filter { $0.rule == "MS301" }.map(\.message)
    }
    let alone = "`message` is set even when the work was cancelled"
    #expect(try await messages("message = text") == [alone])
    #expect(
      try await messages("message = text; notes = []") == [alone + ", and `notes` is emptied, too"])
    #expect(try await messages("message = text; isLoading = false") == [alone])
  }

  @Test func `state that would stay at loading is told, and gets no fix`() async throws {
    func found(_ before: String) async throws -> Finding? {
      let code = """
        @MainActor final class NotesModel {
          func load() async {
            \(before)
            do { state = .loaded(try await api.notes()) } catch { state = .failed(error) }
          }
        }
        """
      return try await report(of: .good(code), profile: .default).findings.first {
        $0.rule == "MS301"
      }
    }
    let loading = try await found("state = .loading")
    #expect(
      loading?.message
        == "`state` is set even when the work was cancelled; the value that `state` had before the "
        + "work has to come back then")
    #expect(loading != nil && loading?.fix == nil)
    let other = try await found("otherState = .loading")
    #expect(other?.message == "`state` is set even when the work was cancelled")
    #expect(other?.fix?.isSafe == true)
  }

  @Test func `what is written back is found by default, and once`() async throws {
    let rule = try #require(Rule.all.first { $0.id == "MS212" })
    let example = try #require(rule.examples.first { $0.isBad })
    for profile in [Profile.default, .strict, .all] {
      let found = try await report(of: example, profile: profile).findings
      #expect(found.count { $0.rule == "MS212" && $0.severity == .warning } == 1, "\(profile)")
      #expect(!found.contains { $0.rule == "MS204" }, "\(profile)")
    }
  }

  @Test func `a key in a call is a hint, and one in what runs again a warning`() async throws {
    func severities(_ code: String) async throws -> [Severity] {
      try await report(of: .good(code), profile: .default).findings
        .filter { $0.rule == "MS513" }.map(\.severity)
    }
    let call = "try await shop.post(path, key: IdempotencyKey())"
    #expect(try await severities(call) == [.info])
    #expect(try await severities("await order.run(\"Buy\") { \(call) }") == [.warning])
    #expect(try await severities("errors.present(error) { \(call) }") == [.warning])
  }
}
