// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// Tests whose `do` may well pass (MS801).
@Suite struct ErrorTestInputsTests {
  @Test(arguments: [
    "for i in 0..<100 { do { try f(i) } catch { XCTAssertTrue(error is E) } }",
    "while left > 0 { do { try f(left) } catch { XCTAssertTrue(error is E) }; left -= 1 }",
    "(1...9).forEach { i in do { try f(i) } catch { XCTAssertTrue(error is E) } }",
    "do { try f(); done.fulfill() } catch { XCTAssertNotNil(error) }",
  ])
  func `what may be right, or tells that it was, need not throw`(body: String) async throws {
    #expect(try await findings(in: body).isEmpty)
  }

  @Test func `a test of inputs that are written down is a note, and nothing is put into it`()
    async throws
  {
    let body = "for i in [3, 5] { do { try f(i) } catch { XCTAssertTrue(error is E) } }"
    let found = try await findings(in: body)
    #expect(found.map(\.severity) == [.info])
    #expect(found.first?.fix == nil)
  }

  @Test func `a test of one input is mended as before`() async throws {
    let found = try await findings(in: "do { try f(1) } catch { XCTAssertTrue(error is E) }")
    #expect(found.map(\.severity) == [.warning])
    #expect(found.first?.fix?.isSafe == true)
  }

  private func findings(in body: String) async throws -> [Finding] {
    let code = "import XCTest\nfinal class T: XCTestCase { func testF() { \(body) } }"
    return try await report(
      of: .good(code, path: "Tests/AppTests/T.swift"), profile: .default
    ).findings.filter { $0.rule == "MS801" }
  }
}
