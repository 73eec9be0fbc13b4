// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

// What went wrong, for whoever looks after the app.
extension Inventory {
  /// The monitor of an inventory in a folder; its reports outlive the app in `errors.jsonl`, which
  /// `mainstay errors` reads.
  static func monitor(
    in data: URL, now: @escaping @Sendable () -> Date
  ) -> ErrorMonitor {
    ErrorMonitor(
      sinks: [ErrorReport.FileSink(data.appending(path: "errors.jsonl"))],
      facts: ["app": "inventory"], mapping: .inventory, wallClock: now)
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

  /// The errors of this run, those of the same group together; the group that met the latest one
  /// stands first.
  package func errorGroups() -> [ErrorGroup] { monitor.groups.compactMap(ErrorGroup.init) }
}
