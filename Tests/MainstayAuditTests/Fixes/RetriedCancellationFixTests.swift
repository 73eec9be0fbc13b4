// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// What the fix of MS303 may pass by when it lets cancellation through first.
@Suite struct RetriedCancellationFixTests {
  @Test(arguments: [
    "await pool.discard(link); last = error",
    "isBusy = false; lock.unlock(); last = error",
    "try? await transaction.rollback(); last = error",
    "lock.unlock()",
    "inFlight -= 1; last = error",
    "if isOpen { close() }; last = error",
    "queue.async { self.release() }; last = error",
    "guard attempt < 3 else { return closed() }; last = error",
  ])
  func `no fix jumps over what a clause cleans up`(statements: String) async throws {
    let code = Self.loop(statements)
    let found = try await findings(in: code)
    #expect(found.count == 1, "\(code)")
    #expect(found.first?.fix == nil)
    #expect(found.first?.message.contains("what else this one has to do") ?? false)
  }

  @Test(arguments: [
    "last = error",
    "self.last = error; attempts += 1",
    "var next = wait; next *= 2; wait = next; logger.info(\"again\")",
    "if attempt == 3 { throw error } else { print(error); continue }",
    "guard attempt < 3 else { throw error }; try await Task.sleep(for: wait)",
  ])
  func `cancellation is let through where a clause keeps, counts, tells and waits`(
    statements: String
  ) async throws {
    let code = Self.loop(statements)
    let found = try await findings(in: code)
    #expect(found.count == 1, "\(code)")
    let fix = try #require(found.first?.fix, "\(code)")
    #expect(fix.isSafe)
    let run = FixRun(found, in: Array(code.utf8), unsafe: false)
    #expect(String(decoding: run.bytes, as: UTF8.self).contains("catch is CancellationError {"))
  }

  @Test(arguments: [("await pool.discard(link)", ""), ("", "await link.close(); spinner.hide()")])
  func `what follows the work or the loop is passed by only where somebody wants that`(
    work: String, loop: String
  ) async throws {
    let found = try await findings(in: Self.loop("last = error", work, loop))
    #expect(found.count == 1)
    #expect(found.first?.fix?.isSafe == false)
  }

  private static func loop(
    _ statements: String, _ work: String = "", _ loop: String = ""
  ) -> String {
    """
    func get() async throws -> Page {
      var wait = Duration.seconds(1)
      for attempt in 1...3 {
        do { return try await page() } catch { \(statements) }
        \(work)
      }
      \(loop)
      throw last
    }
    """
  }

  private func findings(in code: String) async throws -> [Finding] {
    try await report(of: .good(code), profile: .all).findings.filter { $0.rule == "MS303" }
  }
}
