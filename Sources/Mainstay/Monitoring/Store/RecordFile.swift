// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A record as a file: a sealed line of JSON about it, its trimmed body and its body.
struct RecordFile: Sendable, Equatable {
  private struct Header: Codable {
    var id: UUID
    var time: Double
    /// When it was kept, in seconds since 1970.
    var kept: Double
    var severity: Severity
    var category: String
    var fingerprint: String
    var contentType: String
    /// When it was first found to be from the future, by the time of day then.
    var foundAhead: Double?
    /// How long the trimmed body is; nil where there is none.
    var trimmed: Int?
  }

  var record: ReportStore.Record
  /// When it was kept, in seconds since 1970.
  var kept: Double
  /// When a process first found that to be in the future, by the time of day then: one of both
  /// clocks was wrong, and age has to begin somewhere.
  private(set) var foundAhead: Double?

  private static let magic = Array("mainrpt1".utf8)
  /// A header is a few hundred bytes; what claims to be more is no header.
  private static let longestHeader = 4_096

  /// The line about the record.
  private var head: Data {
    let header = Header(
      id: record.id, time: Self.finite(record.time.timeIntervalSince1970), kept: kept,
      severity: record.severity, category: record.category, fingerprint: record.fingerprint,
      contentType: record.contentType, foundAhead: foundAhead, trimmed: record.trimmed?.count)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    // mainstay:ignore MS204 -- a header of plain values is always encoded
    return (try? encoder.encode(header)) ?? Data()
  }

  var encoded: [UInt8] {
    var bytes = Array(head)
    bytes.append(UInt8(ascii: "\n"))
    if let trimmed = record.trimmed { bytes += trimmed }
    bytes += record.body
    return SealedBytes.seal(bytes, magic: Self.magic)
  }

  /// How many bytes that is: known without sealing them, which looks at each.
  var length: Int {
    head.count + 1 + (record.trimmed?.count ?? 0) + record.body.count + SealedBytes.overhead
  }

  /// Reads a file; nil where it is cut or damaged.
  init?(_ file: [UInt8]) {
    guard let bytes = SealedBytes.open(file[...], magic: Self.magic),
      bytes.count + SealedBytes.overhead == file.count,
      let newline = bytes.prefix(Self.longestHeader).firstIndex(of: UInt8(ascii: "\n")),
      let header = try? JSONDecoder().decode(
        Header.self, from: Data(bytes[bytes.startIndex..<newline]))
    else { return nil }
    let rest = bytes[(newline + 1)...]
    let length = header.trimmed ?? 0
    guard (0...rest.count).contains(length) else { return nil }
    kept = Self.finite(header.kept)
    foundAhead = header.foundAhead.map(Self.finite)
    record = ReportStore.Record(
      id: header.id, time: Date(timeIntervalSince1970: header.time), severity: header.severity,
      category: header.category, fingerprint: header.fingerprint, contentType: header.contentType,
      body: Data(rest.dropFirst(length)),
      trimmed: header.trimmed == nil ? nil : Data(rest.prefix(length)))
  }

  init(_ record: ReportStore.Record, kept: Double) {
    self.record = record
    self.kept = Self.finite(kept)
  }

  /// The same without what can be spared; nil where nothing can.
  var withoutSpare: RecordFile? {
    record.trimmed.map { trimmed in
      var file = self
      file.record = record.replacingBody(trimmed)
      return file
    }
  }

  /// The same with a note of when it was found to be from the future; nil where it is not, or bears
  /// one.
  func foundAhead(at now: Double) -> RecordFile? {
    let now = Self.finite(now)
    guard kept > now, foundAhead == nil else { return nil }
    var file = self
    file.foundAhead = now
    return file
  }

  /// When it was kept, as far as the time of day makes that likely.
  func start(at now: Double) -> Double { kept > now ? foundAhead ?? now : kept }

  private static func finite(_ seconds: Double) -> Double {
    seconds.isFinite ? min(max(seconds, -1e11), 1e11) : 0
  }
}

extension ReportStore.Record {
  func replacingBody(_ body: Data) -> Self {
    Self(
      id: id, time: time, severity: severity, category: category, fingerprint: fingerprint,
      contentType: contentType, body: body)
  }
}

/// The name of a record's file: its number and its identity, and nothing that an error said.
struct RecordName: Sendable, Hashable {
  let number: UInt64
  let id: UUID

  static let temporaryEnding = ".unfinished"

  var text: String {
    let digits = String(number, radix: 16)
    let zeros = String(repeating: "0", count: max(0, 16 - digits.count))
    return "\(zeros)\(digits)-\(id.uuidString.lowercased()).report"
  }

  init(number: UInt64, id: UUID) {
    self.number = number
    self.id = id
  }

  /// Reads a name; nil for a file that is not the store's own.
  init?(_ text: String) {
    guard text.utf8.count == 60, text.hasSuffix(".report"),
      let number = UInt64(text.prefix(16), radix: 16),
      (1...ReportIndexStateMachine.lastNumber).contains(number),
      let id = UUID(uuidString: String(text.dropFirst(17).prefix(36)))
    else { return nil }
    self.init(number: number, id: id)
    guard self.text == text else { return nil }
  }
}
