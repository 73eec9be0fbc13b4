// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Audit {
  /// Looks at files, and at folders with all that lies below them.
  ///
  /// Paths in the report are relative to the working folder where they lie in it. What cannot be
  /// looked at is among the report's problems, and the rest is looked at all the same.
  ///
  /// - Parameters:
  ///   - paths: The files and folders of one project.
  ///   - jobs: How many threads work, from 1; the default is one for each core.
  /// - Returns: What was found, the same for any number of threads.
  public func run(paths: [String], jobs: Int? = nil) async -> AuditReport {
    let found = FileFinder(excluded: configuration.excluded).find(paths)
    let report = await run(
      found.sources, jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount,
      hasStringTables: found.hasStringTables)
    return report.with(report.findings, problems: found.problems)
  }
}
