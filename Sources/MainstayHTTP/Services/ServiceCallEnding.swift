// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import Mainstay

/// How a call ended that a client tells its monitor of by itself.
package enum ServiceCallEnding: Sendable {
  case succeeded
  case failed(AppError)
  /// No call has ended, or it says nothing.
  case unchanged
}

/// The monitor within whose `run` the task is.
enum ServiceRun {
  @TaskLocal static var monitor: ObjectIdentifier?
}

extension ServiceMonitor {
  /// Takes the word of the client for how one of its calls ended, and how it stands.
  ///
  /// - Parameters:
  ///   - ending: How it ended; what is called within ``run(_:retry:_:)`` that records.
  ///   - operation: What was being done.
  ///   - status: How the client stands now.
  package func note(
    _ ending: ServiceCallEnding, during operation: String, standing status: ConnectionStatus
  ) {
    let isRun = ServiceRun.monitor == ObjectIdentifier(self)
    switch ending {
    case .failed(let error) where !isRun && !error.isCancellation:
      let now = timeline.now
      keep(error, during: operation) { $0.adopt(status, now: now) }
    case .succeeded where !isRun: adopt(status, isAnswered: true)
    case .failed, .succeeded, .unchanged: adopt(status, isAnswered: false)
    }
  }
}
