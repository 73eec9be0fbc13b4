// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// A delay by a shift (MS505): what drops out of the integer is not bounded from outside.
@Suite struct ShiftFixTests {
  @Test(arguments: [
    "UInt64(1_000_000_000 << attempt)",
    "UInt64(min(1_000_000_000 << attempt, 60_000_000_000))",
    "UInt64(min(60, 1 << (attempt - 1)) * 1_000_000_000)",
  ])
  func `a shift by an unbounded number is told, and no min is put around it`(
    delay: String
  ) async throws {
    let found = try await findings(of: delay)
    #expect(found.count == 1)
    #expect(found.first?.fix == nil)
    #expect(found.first?.message.contains("negative, and then 0") ?? false)
  }

  @Test(arguments: [
    "UInt64(1_000_000_000 << min(attempt, 6))", "UInt64(min(1 << min(attempt, 9), 60) * second)",
  ])
  func `a bound of what is shifted by is one`(delay: String) async throws {
    #expect(try await findings(of: delay).isEmpty)
  }

  @Test func `a bound of the exponent that has a name is one, of the result it is none`()
    async throws
  {
    let before = "let step = min(attempt, 6)\n  "
    #expect(try await findings(of: "UInt64(1_000_000_000 << step)", before).isEmpty)
    let after = "let raw = 1 << attempt\n  let capped = min(raw, 60)\n  "
    #expect(try await findings(of: "UInt64(capped + (1 << attempt))", after).count == 1)
  }

  private func findings(of delay: String, _ before: String = "") async throws -> [Finding] {
    let code = """
      func pause(attempt: Int) async throws {
        \(before)try await Task.sleep(nanoseconds: \(delay))
      }
      """
    return try await report(of: .good(code), profile: .default).findings
      .filter { $0.rule == "MS505" }
  }
}
