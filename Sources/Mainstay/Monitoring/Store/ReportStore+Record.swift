// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ReportStore {
  /// What is kept and sent: bytes, and as much about them as is needed for that.
  public struct Record: Sendable, Hashable, Identifiable {
    /// Its identity, by which a service knows that it was sent twice.
    public let id: UUID
    /// When the error was captured.
    public let time: Date
    /// How bad it is: the mildest leave first, and critical ones last.
    public let severity: Severity
    /// What kind of data it is to the service's rate limits, such as `error`; at most 32 bytes.
    public let category: String
    /// The group that it belongs to, as text; at most 256 bytes.
    public let fingerprint: String
    /// The content type; what no header can carry is left out, and at most 128 bytes are kept.
    public let contentType: String
    /// What is sent.
    public let body: Data
    /// The body without what can be spared, such as breadcrumbs; nil where nothing can.
    public let trimmed: Data?

    /// Makes a record.
    public init(
      id: UUID, time: Date, severity: Severity, category: String = "error", fingerprint: String,
      contentType: String = "application/json", body: Data, trimmed: Data? = nil
    ) {
      self.id = id
      self.time = time
      self.severity = severity
      self.category = Self.cut(category, to: 32)
      self.fingerprint = Self.cut(fingerprint, to: 256)
      self.contentType = Self.cut(contentType, to: 128)
      self.body = body
      self.trimmed = trimmed.flatMap { $0.count < body.count ? $0 : nil }
    }

    /// Visible ASCII and spaces alone: both may come to stand in a header.
    private static func cut(_ text: String, to limit: Int) -> String {
      String(
        decoding: text.utf8.lazy.filter { (32..<127).contains($0) }.prefix(limit), as: UTF8.self)
    }
  }

  /// What became of a record that was handed over.
  public enum Fate: Sendable, Hashable {
    /// It is on the disk.
    case kept
    /// The folder cannot be written, so it waits in memory.
    case keptInMemory
    /// It is lost; the ledger has counted it.
    case dropped(DropReason)
  }

  /// Why a record was lost, in one word.
  public struct DropReason: Sendable, Hashable, RawRepresentable {
    /// The word.
    public let rawValue: String

    /// Makes a reason.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It waited for too long.
    public static let expired = Self(rawValue: "expired")
    /// A limit was passed, and others were worse or younger.
    public static let overflow = Self(rawValue: "overflow")
    /// It alone is larger than all that may be kept.
    public static let tooLarge = Self(rawValue: "tooLarge")
    /// The volume is as good as full, and so is the memory for records.
    public static let noSpace = Self(rawValue: "noSpace")
    /// The folder cannot be written, and the memory for records is full.
    public static let unwritable = Self(rawValue: "unwritable")
    /// The service will never take it.
    public static let rejected = Self(rawValue: "rejected")
    /// The service refused it since there were too many.
    public static let rateLimited = Self(rawValue: "rateLimited")
    /// The person does not agree, or no longer, to its being sent.
    public static let withheld = Self(rawValue: "withheld")
    /// It was reported while a report was being sent.
    public static let ownFailure = Self(rawValue: "ownFailure")
    /// The store had been shut down.
    public static let shutDown = Self(rawValue: "shutDown")
    /// It was in the memory of a process that ended, or somebody else took its file.
    public static let lost = Self(rawValue: "lost")
  }
}

extension ReportStore.DropReason: Codable, CodingKeyRepresentable {
  /// The reason as the key of an object.
  public var codingKey: any CodingKey { Key(stringValue: rawValue) }

  /// The reason that a key names.
  public init?(codingKey: some CodingKey) { self.init(rawValue: codingKey.stringValue) }

  private struct Key: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
