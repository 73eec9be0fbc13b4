// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ErrorMonitor {
  /// What happened lately, the oldest first; inside of ``withTrail(_:)`` what happened there.
  public var breadcrumbs: [ErrorReport.Breadcrumb] { currentTrail.oldestFirst }

  /// Where this task leaves its breadcrumbs.
  package var currentTrail: BreadcrumbTrail { TrailScope.trail(of: self) ?? trail }

  /// Runs a piece of work with breadcrumbs of its own: on a server, the answer to one request.
  ///
  /// What it and its child tasks do is on their reports alone, and these hold nothing of what
  /// others do at the same time. Outside of it, all breadcrumbs of the process are on every report.
  ///
  /// - Parameter operation: What is run, where its caller runs.
  /// - Returns: What the operation returns.
  /// - Throws: What the operation throws.
  public func withTrail<T, E: Error>(
    _ operation: () async throws(E) -> T
  ) async throws(E) -> T {
    let scope = TrailScope(self, BreadcrumbTrail(capacity: configuration.breadcrumbs))
    let result: Result<T, E> = await TrailScope.$innermost.withValue(scope) {
      do throws(E) { return .success(try await operation()) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Goes on with a trail, such as while the body of an answer is sent.
  @concurrent
  package func resume(
    _ trail: BreadcrumbTrail, _ operation: @concurrent () async throws -> Void
  ) async throws {
    try await TrailScope.$innermost.withValue(TrailScope(self, trail)) { try await operation() }
  }

  /// Remembers something that happened, for the reports that come after it.
  ///
  /// Captured errors leave one by themselves; see ``Configuration/errorBreadcrumbs``.
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
    currentTrail.add(breadcrumb)
  }
}
