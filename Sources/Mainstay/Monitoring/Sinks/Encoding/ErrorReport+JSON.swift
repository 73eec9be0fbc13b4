// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ErrorReport.Encoding {
  /// The report itself as one line of JSON: what ``contents(ofJSON:)`` reads again.
  ///
  /// Names are in order, moments in UTC with milliseconds.
  public static let json = Self(
    contentType: "application/x-ndjson", category: "error", holdsSeveral: true,
    updates: { reports in
      let lines = reports.flatMap { report in
        [
          report.presentation.flatMap {
            ReportCoding.line(PresentationLine(report: report.id, presentation: $0))
          }, report.recovery.flatMap { ReportCoding.line(RecoveryLine(recovery: $0)) },
        ]
      }
      return Data(lines.compactMap { $0 }.joined())
    }
  ) { reports in
    let encoder = ReportCoding.encoder
    return reports.reduce(into: Data()) { lines, report in
      // Nothing in a report can fail to be encoded: dates are finite and there are no numbers.
      guard let line = try? encoder.encode(report) else { return }
      lines += line
      lines.append(UInt8(ascii: "\n"))
    }
  }

  /// What ``json`` and ``ErrorReport/FileSink`` wrote, read again.
  public struct Contents: Sendable {
    /// The reports, in the order of the lines.
    public var reports: [ErrorReport] = []
    /// What became of attempts to recover.
    public var recoveries: [ErrorReport.Recovery] = []
    /// What a person saw of reports after these were written, by their identities; of several the
    /// last one.
    public var presentations: [UUID: ErrorReport.Presentation] = [:]
    /// How many lines that are not empty are none of these.
    public var unreadable = 0
  }

  /// Reads what ``json`` and ``ErrorReport/FileSink`` wrote, also in parts, such as after a crash.
  ///
  /// - Parameter data: Lines of JSON.
  /// - Returns: What the lines hold.
  public static func contents(ofJSON data: Data) -> Contents {
    var contents = Contents()
    let decoder = ReportCoding.decoder
    for line in data.split(separator: UInt8(ascii: "\n")) {
      if let report = try? decoder.decode(ErrorReport.self, from: line) {
        contents.reports.append(report)
      } else if let line = try? decoder.decode(RecoveryLine.self, from: line) {
        contents.recoveries.append(line.recovery)
      } else if let line = try? decoder.decode(PresentationLine.self, from: line) {
        contents.presentations[line.report] = line.presentation
      } else {
        contents.unreadable += 1
      }
    }
    return contents
  }
}

extension ErrorReport {
  /// The report with what a person saw of it after it was written.
  ///
  /// - Parameter presentation: What they saw; nil where that is not known.
  /// - Returns: The report.
  package func shown(_ presentation: Presentation?) -> ErrorReport {
    guard let presentation else { return self }
    var copy = fields
    copy.presentation = presentation
    return ErrorReport(copy)
  }
}

/// A line that tells how an earlier report was recovered from.
struct RecoveryLine: Encodable {
  let recovery: ErrorReport.Recovery
}

extension RecoveryLine: Decodable {
  /// A report has a member of this name too: one that is damaged must not pass for this line.
  init(from decoder: any Decoder) throws {
    let members = try LineMember.container(of: decoder, alone: ["recovery"])
    recovery = try members.decode(ErrorReport.Recovery.self, forKey: "recovery")
  }
}

/// A line that tells what a person saw of an earlier report.
struct PresentationLine: Encodable {
  let report: UUID
  let presentation: ErrorReport.Presentation
}

extension PresentationLine: Decodable {
  init(from decoder: any Decoder) throws {
    let members = try LineMember.container(of: decoder, alone: ["report", "presentation"])
    report = try members.decode(UUID.self, forKey: "report")
    presentation = try members.decode(ErrorReport.Presentation.self, forKey: "presentation")
  }
}

/// A member of a line, whatever its name.
private struct LineMember: CodingKey, ExpressibleByStringLiteral {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init(stringLiteral: String) { stringValue = stringLiteral }
  init?(intValue: Int) { nil }

  /// The members of a line that has these and no others.
  static func container(
    of decoder: any Decoder, alone names: Set<String>
  ) throws -> KeyedDecodingContainer<LineMember> {
    let members = try decoder.container(keyedBy: LineMember.self)
    guard Set(members.allKeys.map(\.stringValue)) == names else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "A line of this kind has \(names)"))
    }
    return members
  }
}

/// How reports and what belongs to them are written as JSON.
enum ReportCoding {
  /// A value as a line of JSON.
  static func line(_ value: some Encodable) -> Data? {
    (try? encoder.encode(value)).map { $0 + Data([0x0a]) }
  }

  static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(WireTime.iso(date))
    }
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "infinity", negativeInfinity: "-infinity", nan: "nan")
    return encoder
  }

  static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      guard let date = WireTime.date(iso: try container.decode(String.self)) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "A moment is written as in 2026-11-22T03:25:47.123Z")
      }
      return date
    }
    return decoder
  }
}
