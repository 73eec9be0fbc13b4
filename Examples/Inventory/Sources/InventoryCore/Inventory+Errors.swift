// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Mainstay

// What went wrong, for whoever looks after the app.
extension Inventory {
  /// How many files the reports may fill; `errors.jsonl.1` is older than `errors.jsonl`.
  private static let errorFiles = 3

  /// The monitor of an inventory; its reports outlive the app in a file that `mainstay errors`
  /// reads, and its ledger in one beside that.
  static func monitor(
    writingTo file: URL, now: @escaping @Sendable () -> Date
  ) -> ErrorMonitor {
    ErrorMonitor(
      sinks: [ErrorReport.FileSink(file, maximumFiles: errorFiles)],
      facts: ["app": "inventory"], mapping: .inventory,
      ledgerFile: file.deletingPathExtension().appendingPathExtension("ledger"), wallClock: now)
  }

  /// Tells whoever looks after the app; a refusal of the app's own policies is no error.
  ///
  /// - Parameters:
  ///   - error: What went wrong.
  ///   - operation: What was being done, such as "Pull changes".
  package func report(_ error: any Error, during operation: String) {
    let error = AppError.from(error, mapping: .inventory)
    if case .rejected = error.disposition { return }
    monitor.capture(error, during: operation)
  }

  /// The reports that are on the disk, a line of JSON each, the oldest first; also those of earlier
  /// runs, until they are so many that the oldest are deleted.
  ///
  /// - Throws: `AppError` where a file is there and cannot be read.
  package func errorLog() async throws(AppError) -> Data {
    await monitor.flush()
    do {
      let newest = errorFile.path(percentEncoded: false)
      let older = (1..<Self.errorFiles).reversed().map { "\(newest).\($0)" }
      return try (older + [newest]).reduce(into: Data()) { log, path in
        guard FileManager.default.fileExists(atPath: path) else { return }
        log += try Data(contentsOf: URL(filePath: path))
      }
    } catch {
      throw AppError.from(error, mapping: .inventory)
    }
  }

  /// The errors of this run, those of the same group together; the group that met the latest one
  /// stands first.
  ///
  /// - Parameter span: How far back the trends go; by default as far as the contract says.
  /// - Returns: The groups.
  package func errorGroups(over span: TrendSpan = .minutes) -> [ErrorGroup] {
    monitor.groups.compactMap { ErrorGroup($0, over: span) }
  }
}
