// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAudit
import Testing

@Suite struct JSONReportTests {
  @Test func `it has the members that were promised, in their order`() {
    let report = AuditReport(
      findings: [
        Samples.finding(
          column: 3, length: 4, fix: Fix.safe("log the error", Edit(0..<0, "x")))
      ], files: 2, lines: 30, problems: [AuditProblem(path: "B.swift", reason: "it is no text")])
    #expect(
      report.text(as: .json) == """
        {
          "findings": [
            {
              "rule": "MS201",
              "name": "empty-catch",
              "severity": "error",
              "path": "A.swift",
              "line": 1,
              "column": 3,
              "endColumn": 7,
              "message": "This error is dropped",
              "why": "Whatever goes wrong here is gone: no log, no report, no message.",
              "fix": {
                "title": "log the error",
                "safe": true
              }
            }
          ],
          "files": 2,
          "lines": 30,
          "problems": [
            {
              "path": "B.swift",
              "reason": "it is no text"
            }
          ]
        }

        """)
  }

  @Test func `nothing found is a document too`() {
    #expect(
      Samples.clean.text(as: .json) == """
        {
          "findings": [],
          "files": 1,
          "lines": 1,
          "problems": []
        }

        """)
  }

  @Test func `any text is read back as it was, and commands no terminal`() throws {
    let text = Samples.hostile.text(as: .json)
    #expect(Samples.isPlain(text))
    let document = try #require(
      JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let finding = try #require((document["findings"] as? [[String: Any]])?.first)
    let original = Samples.hostile.findings[0]
    #expect(finding["path"] as? String == original.path)
    #expect(finding["message"] as? String == original.message)
    #expect(finding["why"] as? String == original.why)
    #expect(finding["fix"] is NSNull)
  }

  @Test func `every scalar is read back`() throws {
    let scalars =
      (0...0x2FF).map { UInt32($0) } + [0x2028, 0x2029, 0xFEFF, 0xFFFF, 0x1F600, 0xE0001]
    let message = String(String.UnicodeScalarView(scalars.compactMap(Unicode.Scalar.init)))
    let text = Samples.report(Samples.finding(message: message)).text(as: .json)
    #expect(Samples.isPlain(text))
    let document = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let found = (document?["findings"] as? [[String: Any]])?.first?["message"] as? String
    #expect(found.map { Array($0.unicodeScalars) } == Array(message.unicodeScalars))
  }

  @Test func `bytes that are no text are a problem in every form`() async throws {
    var bytes = Array("do { try f() } catch {} // ".utf8)
    bytes += [0xFF, 0xC3, 0x28, 0xED, 0xA0, 0x80, 0x0A]
    let report = await Audit().run([AuditSource(path: "Sources/A.swift", bytes: bytes)])
    #expect(report.problems.count == 1)
    for format in AuditFormat.allCases where format != .checklist {
      #expect(report.text(as: format).contains("Sources/A.swift"))
    }
  }
}
