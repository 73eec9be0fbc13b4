// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What a person sends to support, and a team looks at first: one redacted document.
///
/// ```swift
/// let source = Diagnostics.Source(monitor, sections: [.circuits([breaker])])
/// let file = try await source.collect().export(to: folder)
/// ```
///
/// Names are in order and moments are in UTC with milliseconds, so two documents can be compared
/// line by line. Nothing in it is anybody's data: what modules add is redacted, too.
public struct Diagnostics: Sendable, Codable {
  /// The version of the form in which documents are written.
  public static let currentVersion = 1

  /// The version of the form in which it was written.
  public let version: Int
  /// When it was made.
  public let generatedAt: Date
  /// How long the source of the document had been there, in seconds.
  public let uptime: Double
  /// The facts about the app, and the versions of system and compiler.
  public let versions: [String: String]
  /// What modules add, by name: a value, or why there is none.
  public let sections: [String: Answer]
  /// The newest reports, the newest first; at most 20, without breadcrumbs and calls.
  public let lastErrors: [ErrorReport]
  /// What is known of the groups, the most frequent first; at most 50.
  public let groups: [GroupSummary]
  /// How many errors were captured in each of the latest minutes, hours and days, the oldest first.
  public let trends: [String: [Int]]
  /// Where every captured error is.
  public let ledger: ErrorMonitor.Ledger

  /// What a section came to: exactly one of both is there.
  public struct Answer: Sendable, Hashable, Codable {
    /// What the module says.
    public let value: Value?
    /// Why it says nothing.
    public let error: RecordedError?
  }

  /// What is known of errors that are the same.
  public struct GroupSummary: Sendable, Hashable, Codable {
    /// The name of the group.
    public let fingerprint: Fingerprint
    /// The stable name of what went wrong, where a report is known.
    public let code: ErrorCode?
    /// How often it was captured.
    public let count: Int
    /// When it was first captured.
    public let firstSeen: Date
    /// When it was last captured.
    public let lastSeen: Date
    /// In which operations, and how often.
    public let operations: [String: Int]
    /// How often somebody or something tried to recover from it.
    public let recoveryAttempts: Int
    /// How often that worked.
    public let recoverySuccesses: Int

    init(_ group: ErrorMonitor.Group) {
      fingerprint = group.fingerprint
      code = group.latest?.code
      count = group.count
      firstSeen = group.firstSeen.finite
      lastSeen = group.lastSeen.finite
      operations = group.operations
      recoveryAttempts = group.recoveryAttempts
      recoverySuccesses = group.recoverySuccesses
    }
  }
}

extension Diagnostics {
  /// The document as indented JSON.
  ///
  /// - Throws: ``AppError`` where a part cannot be encoded.
  public func encoded() throws(AppError) -> Data {
    let encoder = ReportCoding.encoder
    encoder.outputFormatting.insert(.prettyPrinted)
    do { return try encoder.encode(self) } catch { throw AppError.from(error) }
  }

  /// Reads a document; what a later version has added is left out.
  ///
  /// - Parameter data: What ``encoded()`` made.
  /// - Throws: ``AppError`` where it is no such document.
  public init(from data: Data) throws(AppError) {
    do {
      self = try ReportCoding.decoder.decode(Self.self, from: data)
    } catch {
      throw AppError.from(error)
    }
  }
}
