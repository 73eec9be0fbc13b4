// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// What a log says of errors that are the same.
struct LoggedGroup {
  let fingerprint: Fingerprint
  /// The newest report.
  private(set) var latest: ErrorReport
  /// How many errors there were, those included that were counted and not told.
  private(set) var count = 0
  /// The worst severity.
  private(set) var severity: Severity
  /// Nil where no report says when it happened.
  private(set) var firstSeen: Date?
  private(set) var lastSeen: Date?
  /// In which operations, and how often that was told.
  private(set) var operations: [String: Int] = [:]
  /// How often somebody or something tried to recover, and how often that worked.
  private(set) var attempts = 0
  private(set) var successes = 0
  /// When it happened, and how often then.
  private(set) var moments: [(time: Date, count: Int)] = []

  private init(first report: ErrorReport) {
    fingerprint = report.fingerprint
    latest = report
    severity = report.severity
  }

  private mutating func add(_ report: ErrorReport) {
    if let suppressed = report.suppressed {
      let untold = max(0, suppressed.count)
      count = count.boundedSum(untold)
      moments.append((suppressed.last, untold))
      firstSeen = firstSeen.map { min($0, suppressed.first) } ?? suppressed.first
    }
    count = count.boundedSum(1)
    if report.isDated {
      moments.append((report.time, 1))
      firstSeen = firstSeen.map { min($0, report.time) } ?? report.time
      lastSeen = lastSeen.map { max($0, report.time) } ?? report.time
    }
    latest = report
    severity = max(severity, report.severity)
    if let operation = report.operation { operations[operation, default: 0] += 1 }
  }

  /// The groups of a log, the most frequent first.
  static func all(in log: ErrorLog) -> [LoggedGroup] {
    var groups: [Fingerprint: LoggedGroup] = [:]
    for report in log.reports {
      groups[report.fingerprint, default: LoggedGroup(first: report)].add(report)
    }
    for recovery in log.recoveries {
      groups[recovery.fingerprint]?.attempts += 1
      if recovery.succeeded { groups[recovery.fingerprint]?.successes += 1 }
    }
    return groups.values.sorted {
      ($1.count, $1.order, $0.latest.code.rawValue)
        < ($0.count, $0.order, $1.latest.code.rawValue)
    }
  }

  /// When it happened last, for an order in which those come last that do not say it.
  var order: Date { lastSeen ?? .distantPast }

  /// How the recoveries went, such as "3 of 4"; nil where nobody tried.
  var recoveryText: String? { attempts == 0 ? nil : "\(successes) of \(attempts)" }
}

extension ErrorReport {
  /// Whether it says when it happened: one whose time cannot be read is read as of 1970.
  var isDated: Bool { time.timeIntervalSince1970 != 0 }

  /// What happened, in a few words; older reports have only a sentence.
  var heading: String { title.isEmpty ? message : title }

  /// In what a person saw it and what they chose, such as "alert, retry"; nil where nobody saw it.
  var shownText: String? {
    presentation.map { shown in
      [shown.style, shown.action?.rawValue].compactMap { $0 }.joined(separator: ", ")
    }
  }
}

extension LoggedGroup: Encodable {
  private enum CodingKeys: CodingKey {
    case fingerprint, code, title, kind, disposition, severity, type, count, firstSeen, lastSeen
    case operations, recoveryAttempts, recoverySuccesses, latest
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(fingerprint, forKey: .fingerprint)
    try values.encode(latest.code, forKey: .code)
    try values.encode(latest.heading, forKey: .title)
    try values.encode(latest.kind, forKey: .kind)
    try values.encode(latest.disposition, forKey: .disposition)
    try values.encode(severity, forKey: .severity)
    try values.encode(latest.type, forKey: .type)
    try values.encode(count, forKey: .count)
    try values.encodeIfPresent(firstSeen, forKey: .firstSeen)
    try values.encodeIfPresent(lastSeen, forKey: .lastSeen)
    try values.encode(operations, forKey: .operations)
    try values.encode(attempts, forKey: .recoveryAttempts)
    try values.encode(successes, forKey: .recoverySuccesses)
    try values.encode(latest, forKey: .latest)
  }
}
