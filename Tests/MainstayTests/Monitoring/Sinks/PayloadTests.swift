// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

/// What services are sent, byte for byte.
///
/// What it means to others, `make check-payloads` asks decoders that are not ours, and writes down
/// which bytes they were asked about. With `MAINSTAY_WRITE_PAYLOADS=1` the files in
/// `Tests/Payloads` are written anew.
@Suite struct PayloadTests {
  private static let losses: [ErrorReport.DropReason: Int] = [
    .overflow: 3, .rejected: 2, .lost: 1, .suppressed: 40, .duplicate: 5, .withheld: 6,
    .init("expired"): 4, .init("tooLarge"): 1, .init("rateLimited"): 9,
  ]

  static var payloads: [(name: String, bytes: Data)] {
    let (otlp, sentry) = (ErrorReport.Encoding.otlp, ErrorReport.Encoding.sentry)
    return [
      ("otlp-batch.json", otlp.bodies(of: SampleReports.all).first?.body ?? Data()),
      ("otlp-hostile.json", otlp.body(of: SampleReports.hostile)),
      ("sentry-full.envelope", sentry.body(of: SampleReports.full)),
      ("sentry-hostile.envelope", sentry.body(of: SampleReports.hostile)),
      ("sentry-least.envelope", sentry.body(of: SampleReports.least)),
      (
        "sentry-losses.envelope",
        ErrorReport.Encoding.sentryLosses(losses, at: SampleReports.full.time) ?? Data()
      ),
      ("reports.jsonl", ErrorReport.Encoding.json.bodies(of: SampleReports.all)[0].body),
    ]
  }

  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Payloads")

  @Test(.requirement("A36", "D21", "D35"))
  func `what services are sent is what their decoders were asked about`() throws {
    let writes = ProcessInfo.processInfo.environment["MAINSTAY_WRITE_PAYLOADS"] != nil
    for (name, bytes) in Self.payloads {
      let file = Self.folder.appendingPathComponent(name)
      if writes { try bytes.write(to: file) }
      #expect(try Data(contentsOf: file) == bytes, "\(name) differs: see the head of this file")
    }
  }

  @Test(.requirement("D21", "D35"))
  func `the decoders of others have agreed to these very bytes`() throws {
    let agreed = try String(
      contentsOf: Self.folder.appendingPathComponent("agreed.sha256"), encoding: .utf8)
    let lines = try Self.payloads.map { name, _ in
      let bytes = try Data(contentsOf: Self.folder.appendingPathComponent(name))
      let digits = SHA256.hash(Array(bytes)).map { word in
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
      }
      return "\(digits.joined())  \(name)"
    }
    #expect(
      agreed.split(separator: "\n").map(String.init).sorted() == lines.sorted(),
      "Nobody has decoded these files. Run `make check-payloads`.")
  }

  @Test func `the same report gives the same bytes`() {
    for (first, second) in zip(Self.payloads, Self.payloads) {
      #expect(first.bytes == second.bytes)
    }
  }

  @Test func `what the JSON says is read again, and lines that are no reports are counted`() {
    let written = ErrorReport.Encoding.json.bodies(of: SampleReports.all)[0].body
    #expect(ErrorReport.Encoding.contents(ofJSON: written).reports == SampleReports.all)
    let torn = written.dropLast(20) + Data("\n\n{}\n[]\n\u{ff}\n".utf8)
    let contents = ErrorReport.Encoding.contents(ofJSON: torn)
    #expect(contents.reports == Array(SampleReports.all.dropLast()))
    #expect(contents.unreadable == 4)
  }

  @Test(arguments: ["id", "fingerprint"], ["7", #""nonsense""#, "null"])
  func `a damaged report is no recovery and nothing that a person saw`(
    member: String, value: String
  ) throws {
    let good = ErrorReport.Encoding.json.body(of: SampleReports.full)
    var object = try #require(
      JSONSerialization.jsonObject(with: good) as? [String: Any], "the report as it is")
    #expect(object["recovery"] != nil && object["presentation"] != nil)
    object[member] = try JSONSerialization.jsonObject(
      with: Data(value.utf8), options: .fragmentsAllowed)
    // What it is called in the line of its own.
    object["report"] = SampleReports.full.id.uuidString
    let damaged = try JSONSerialization.data(withJSONObject: object)
    let contents = ErrorReport.Encoding.contents(ofJSON: good + damaged)
    #expect(contents.reports == [SampleReports.full] && contents.unreadable == 1)
    #expect(contents.recoveries.isEmpty && contents.presentations.isEmpty)
  }

  @Test(.requirement("T21")) func `groups and names are codes and types, not texts`() throws {
    let body = ErrorReport.Encoding.otlp.body(of: SampleReports.full)
    let text = String(decoding: body, as: UTF8.self)
    let pair = { (key: String, value: String) in
      #"{"key":"\#(key)","value":{"stringValue":"\#(value)"}}"#
    }
    #expect(text.contains(pair("error.type", "inventory.save-failed")))
    #expect(text.contains(pair("exception.type", "Inventory.SaveError")))
    #expect(text.contains(#""traceId":"0af7651916cd43dd8448eb211c80319c""#))
    #expect(text.contains(#""severityNumber":17"#))
    #expect(text.contains(#""timeUnixNano":"1795317947123000000""#))
    let envelope = String(
      decoding: ErrorReport.Encoding.sentry.body(of: SampleReports.full), as: UTF8.self)
    #expect(envelope.contains(#""fingerprint":["1-2c26b46b68ffc68ff99b453c1d304134"]"#))
    #expect(envelope.contains(#""release":"inventory@1.4.0""#))
  }

  @Test(arguments: [
    "0001-01-01T00:00:00.000Z", "1600-02-29T12:34:56.789Z", "1900-02-28T23:59:59.999Z",
    "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.001Z", "2000-02-29T00:00:00.000Z",
    "2023-12-31T23:59:59.999Z", "2024-02-29T23:59:59.001Z", "2026-11-22T03:25:47.123Z",
    "2100-03-01T00:00:00.007Z", "9999-12-31T23:59:59.999Z",
  ])
  func `a moment is written as it was read`(time: String) throws {
    let line =
      #"{"id":"00000000-0000-4000-8000-000000000004","time":"\#(time)","#
      + #""fingerprint":"1-00000000000000000000000000000004"}"#
    let report = try #require(
      ErrorReport.Encoding.contents(ofJSON: Data(line.utf8)).reports.first)
    let written = String(decoding: ErrorReport.Encoding.json.body(of: report), as: UTF8.self)
    #expect(written.contains(#""time":"\#(time)""#))
  }

  @Test(arguments: [-62_135_596_800, -0.5, 0, 1e-7])
  func `a moment before 1970 is a zero for OTLP`(second: Double) {
    let report = SampleReports.at(second)
    let body = String(decoding: ErrorReport.Encoding.otlp.body(of: report), as: UTF8.self)
    #expect(body.contains(#""timeUnixNano":"0""#))
  }

  @Test(arguments: [
    ("production", "production"), ("a/b\\nc", "a-b-c"), ("US East", "US-East"),
    ("\\t x\\r\\n", "x"), ("None", nil), ("none", nil), (" / ", nil), ("", nil),
    (String(repeating: "e", count: 70), String(repeating: "e", count: 64)),
  ])
  func `the environment is one that Sentry takes`(_ written: String, _ expected: String?) throws {
    let report = SampleReports.with(#""facts":{"environment":"\#(written)"}"#)
    let lines = ErrorReport.Encoding.sentry.body(of: report).split(separator: UInt8(ascii: "\n"))
    let event = try JSONSerialization.jsonObject(with: lines[2]) as? [String: Any]
    #expect(event?["environment"] as? String == expected)
  }

  @Test(arguments: [
    (#","details":"no such table: items""#, "unclassified", "no such table: items"),
    ("", "unclassified", "The app met a problem."),
    (#","details":"no such table: items""#, "permanent", "The app met a problem."),
  ])
  func `Sentry shows what an error said that nobody has classified`(
    _ details: String, _ disposition: String, _ expected: String
  ) throws {
    let report = SampleReports.with(
      #""message":"The app met a problem.","disposition":{"name":"\#(disposition)"}\#(details)"#)
    let lines = ErrorReport.Encoding.sentry.body(of: report).split(separator: UInt8(ascii: "\n"))
    let event = try JSONSerialization.jsonObject(with: lines[2]) as? [String: Any]
    let exceptions = (event?["exception"] as? [String: Any])?["values"] as? [[String: Any]]
    #expect(exceptions?.last?["value"] as? String == expected)
  }

  @Test func `the item of an envelope is as long as its header says, on one line`() throws {
    for report in SampleReports.all {
      let lines = ErrorReport.Encoding.sentry.body(of: report)
        .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      try #require(lines.count == 4)
      let header = try JSONSerialization.jsonObject(with: lines[1]) as? [String: Any]
      #expect(header?["length"] as? Int == lines[2].count)
      #expect(lines[3].isEmpty)
    }
  }

  @Test func `nothing is told to Sentry where it lost nothing that it cannot know of`() {
    let known: [ErrorReport.DropReason: Int] = [.suppressed: 3, .withheld: 1, .overflow: 0]
    #expect(ErrorReport.Encoding.sentryLosses(known, at: Date()) == nil)
    #expect(ErrorReport.Encoding.sentryLosses([.overflow: .max, .lost: 1], at: Date()) != nil)
  }

  @Test(arguments: SampleReports.members)
  func `one report is bounded, whatever is in it`(key: String) throws {
    let report = SampleReports.long(60_000, in: key)
    for encoding in [ErrorReport.Encoding.otlp, .sentry, .json] {
      let body = encoding.body(of: report)
      #expect(body.count <= 256_000)
      #expect(String(decoding: body, as: UTF8.self).contains("long.report"))
    }
  }

  @Test func `a batch is shared out among bodies in order, and nothing is left out`() {
    let report = SampleReports.long(30_000)
    let bodies = ErrorReport.Encoding.otlp.bodies(of: Array(repeating: report, count: 8))
    #expect(bodies.count > 1)
    #expect(bodies.allSatisfy { $0.body.count <= 1_010_000 })
    #expect(bodies.map(\.reports.count).reduce(0, +) == 8)
    #expect(ErrorReport.Encoding.sentry.bodies(of: SampleReports.all).count == 3)
    #expect(ErrorReport.Encoding.otlp.bodies(of: []).isEmpty)
  }
}
