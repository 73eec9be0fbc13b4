// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ErrorReport {
  /// Something that happened before an error, such as "opened the list".
  public struct Breadcrumb: Sendable, Hashable, Codable {
    /// When it happened.
    public let time: Date
    /// What happened, redacted.
    public let message: String
    /// The part of the app that it belongs to, such as "navigation".
    public let category: String?
    /// How remarkable it is.
    public let severity: Severity
    /// Technical values, redacted.
    public let metadata: [String: String]

    init(
      time: Date, message: String, category: String?, severity: Severity,
      metadata: [String: Attachment]
    ) {
      self.time = time.finite
      self.message = BoundedText.redacted(message, to: BoundedText.name)
      self.category = category.map { BoundedText.redacted($0, to: BoundedText.name) }
      self.severity = severity
      self.metadata = BoundedText.redacted(metadata.mapValues(\.visible), count: 8)
    }

    /// What a captured error leaves: all of it was redacted and cut for its report.
    init(of report: ErrorReport, at time: Date) {
      self.time = time.finite
      message = report.title
      category = "error"
      severity = report.severity
      var metadata = [
        "code": report.code.rawValue, "type": report.type, "report": report.id.uuidString,
      ]
      metadata["operation"] = report.operation
      self.metadata = metadata
    }
  }

  /// A technical value of a report: private unless marked public.
  ///
  /// A literal is public, since it stands in the source. Of a private value only the name is kept.
  /// A public one is redacted as all texts are.
  public enum Attachment: Sendable, Hashable {
    /// Nobody's data: kept.
    case `public`(String)
    /// Somebody's data: that there was one is kept.
    case `private`(String)

    var visible: String {
      switch self {
      case .public(let text): text
      case .private: "<private>"
      }
    }
  }

  /// What a person saw of an error, and what they did about it (A37, A49).
  public struct Presentation: Sendable, Hashable, Codable {
    /// What it was shown in, such as "alert" or "toast".
    public var style: String
    /// The key of its title; never the words, which change with the language.
    public var titleKey: String?
    /// What the person chose; nil where they have not chosen so far, or nothing could be chosen.
    public var action: RecoveryAction.ID?
    /// When it was shown; nil means when the monitor was told of it.
    public var time: Date?

    /// Makes a presentation.
    public init(
      style: String, titleKey: String? = nil, action: RecoveryAction.ID? = nil, time: Date? = nil
    ) {
      self.style = BoundedText.redacted(style, to: BoundedText.name)
      self.titleKey = titleKey.map { BoundedText.redacted($0, to: BoundedText.name) }
      self.action = action
      self.time = time?.finite
    }
  }

  /// That somebody or something tried to recover from an error, and whether it worked (A37).
  public struct Recovery: Sendable, Hashable, Codable {
    /// The identity of the failure.
    public let id: UUID
    /// The group of the failure.
    public let fingerprint: Fingerprint
    /// The stable name of what went wrong.
    public let code: ErrorCode
    /// The type that was thrown, with its module.
    public let type: String
    /// Whether it worked.
    public let succeeded: Bool
    /// What was being done, such as "Save item".
    public let operation: String?
    /// What the person chose; nil where the app tried by itself.
    public let action: RecoveryAction.ID?
    /// When it was over.
    public let time: Date
  }
}

extension ErrorReport.Attachment: ExpressibleByStringLiteral {
  /// A literal, which is public.
  public init(stringLiteral value: StaticString) { self = .public(value.description) }
}
