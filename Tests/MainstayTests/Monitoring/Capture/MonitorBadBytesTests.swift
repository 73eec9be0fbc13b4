// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

/// Bytes that are no text, and values that throw while they are written, by the doors through which
/// they come: what is kept is text, and there is a record of each.
@Suite(.requirement("A46", "A54"), .ends(withinMinutes: 5)) struct MonitorBadBytesTests {
  /// Neither a start nor a continuation, an overlong form, a half of a pair, beyond the last, cut.
  private static let bad: [UInt8] = [
    0x41, 0xff, 0x80, 0xc0, 0xaf, 0xed, 0xa0, 0x80, 0xf4, 0x90, 0x80, 0x80, 0x42, 0xe2, 0x82,
  ]

  private struct Spoken: LocalizedError, CustomStringConvertible {
    let description: String
    var errorDescription: String? { description }
  }

  /// All that a sink would write of the history; each line has to be whole.
  private func read(_ monitor: ErrorMonitor) throws -> [ErrorReport] {
    for encoding in [ErrorReport.Encoding.json, .otlp, .sentry] {
      for report in monitor.history {
        let body = encoding.body(of: report)
        #expect(String(validating: body, as: UTF8.self) != nil)
        for line in body.split(separator: UInt8(ascii: "\n")) {
          _ = try JSONSerialization.jsonObject(with: line)
        }
      }
    }
    let lines = monitor.history.map { ErrorReport.Encoding.json.body(of: $0) }
    let contents = ErrorReport.Encoding.contents(ofJSON: Data(lines.joined()))
    #expect(contents.unreadable == 0 && contents.reports.map(\.id) == monitor.history.map(\.id))
    return contents.reports
  }

  @Test func `a description that was made of no text leaves a record, and its letters`() throws {
    let monitor = ErrorMonitor()
    let decoded = String(decoding: Self.bad, as: UTF8.self)
    let fromC = (Self.bad + [0]).map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { String(cString: $0) } ?? ""
    }
    // Half of a pair, as an API of Foundation may hand it over.
    let halves: [UInt16] = [0x41, 0xd800, 0x42, 0xdc00]
    let foundation = NSString(characters: halves, length: halves.count) as String
    for text in [decoded, fromC, foundation] {
      monitor.capture(Spoken(description: text), message: text, metadata: ["k": .public(text)])
      monitor.addBreadcrumb(text)
    }
    let reports = try read(monitor)
    #expect(reports.count == 3)
    for report in reports {
      #expect(report.details?.contains("A") == true && report.details?.contains("B") == true)
      #expect(report.metadata["k"]?.first == "A")
    }
  }

  @Test func `what a system's error carries may be of any type`() throws {
    final class Odd: NSObject {
      override var description: String { String(decoding: MonitorBadBytesTests.bad, as: UTF8.self) }
    }
    let odd: [Any] = [
      Data(Self.bad), NSNull(), 42, [1, 2], ["a": Data(Self.bad)], Odd(), Date.distantPast,
      { 1 } as @Sendable () -> Int, Spoken(description: ""),
    ]
    let keys = [
      NSLocalizedDescriptionKey, NSLocalizedFailureReasonErrorKey, NSUnderlyingErrorKey,
      NSLocalizedRecoverySuggestionErrorKey, NSFilePathErrorKey, NSURLErrorKey, "other",
    ]
    let monitor = ErrorMonitor(.init(limit: nil))
    for value in odd {
      for key in keys {
        let error = NSError(domain: "odd", code: 1, userInfo: [key: value])
        #expect(monitor.capture(error, message: "with \(key)") != nil)
      }
      let all = NSError(
        domain: String(decoding: Self.bad, as: UTF8.self), code: .min,
        userInfo: Dictionary(uniqueKeysWithValues: keys.map { ($0, value) }))
      #expect(monitor.capture(all) != nil)
    }
    #expect(monitor.ledger.kept == odd.count * (keys.count + 1) && monitor.ledger.isBalanced)
    #expect(try read(monitor).allSatisfy { !$0.type.isEmpty && !$0.message.isEmpty })
  }

  @Test func `bytes that a parser refused are an error like any other`() throws {
    let monitor = ErrorMonitor()
    let body = Data(#"{"title":""#.utf8) + Self.bad + Data(#""}"#.utf8)
    do {
      _ = try JSONDecoder().decode([String: String].self, from: body)
      Issue.record("it was read")
    } catch { monitor.capture(error, message: String(decoding: body, as: UTF8.self)) }
    do {
      _ = try JSONSerialization.jsonObject(with: Data(Self.bad))
      Issue.record("it was read")
    } catch { monitor.capture(error) }
    #expect(String(bytes: Self.bad, encoding: .utf8) == nil)
    #expect(try read(monitor).count == 2)
  }

  @Test func `a closure that adds values deals with what it calls itself`() throws {
    struct Missing: Error {}
    @Sendable func version() throws -> String { throw Missing() }
    let monitor = ErrorMonitor(enrich: { _ in
      // What throws cannot be handed over: the compiler asks for this.
      ["version": .public((try? version()) ?? "unknown"), "bytes": .public("\(Self.bad)")]
    })
    monitor.capture(Spoken(description: "x"))
    #expect(try read(monitor).first?.metadata["version"] == "unknown")
  }

  @Test(.requirement("D29"))
  func `a section that throws while it is written becomes its error`() async throws {
    struct Refusing: Encodable, Sendable {
      struct Refusal: Error, CustomStringConvertible {
        var description: String { String(decoding: MonitorBadBytesTests.bad, as: UTF8.self) }
      }

      func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        try values.encode("begun")
        throw Refusal()
      }
    }
    struct Silent: Encodable, Sendable {
      func encode(to encoder: any Encoder) throws {}
    }
    struct Bytes: Encodable, Sendable {
      let text = String(decoding: MonitorBadBytesTests.bad, as: UTF8.self)
      let data = Data(MonitorBadBytesTests.bad)
    }
    let source = Diagnostics.Source(
      ErrorMonitor(),
      sections: [
        .init("refusing") { Refusing() }, .init("silent") { Silent() }, .init("bytes") { Bytes() },
        .init("last") { 1 },
      ], clock: ManualClock())
    let document = await source.collect()
    let sections = document.sections
    #expect(sections["refusing"]?.value == nil && sections["refusing"]?.error != nil)
    #expect(sections["last"]?.value == .integer(1))
    let silent = try #require(sections["silent"])
    #expect((silent.value == nil) != (silent.error == nil))
    #expect(sections["bytes"]?.value?["text"] != nil)
    let data = try document.encoded()
    #expect(String(validating: data, as: UTF8.self) != nil)
    #expect(try Diagnostics(from: data).sections == sections)
  }
}
