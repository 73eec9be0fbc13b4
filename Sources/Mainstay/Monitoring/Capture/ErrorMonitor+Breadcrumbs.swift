// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ErrorMonitor {
  /// What happened lately, the oldest first.
  public var breadcrumbs: [ErrorReport.Breadcrumb] {
    trail.withLock { trail in
      if let snapshot = trail.snapshot { return snapshot }
      let snapshot = trail.ring.oldestFirst
      trail.snapshot = snapshot
      return snapshot
    }
  }

  /// Remembers something that happened, for the reports that come after it.
  ///
  /// - Parameters:
  ///   - message: What happened, such as "opened the list"; redacted.
  ///   - category: The part of the app, such as "navigation".
  ///   - severity: How remarkable it is; the default is `info`.
  ///   - metadata: Technical values, private unless marked public; 8 are kept.
  public func addBreadcrumb(
    _ message: String, category: String? = nil, severity: Severity = .info,
    metadata: [String: ErrorReport.Attachment] = [:]
  ) {
    let breadcrumb = ErrorReport.Breadcrumb(
      time: wallClock(), message: message, category: category, severity: severity,
      metadata: metadata)
    trail.withLock { trail in
      trail.ring.insert(breadcrumb)
      trail.snapshot = nil
    }
  }
}
