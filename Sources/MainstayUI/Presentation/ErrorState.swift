// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Mainstay

/// An error that a screen shows: what, since when, and what a person can do.
public struct ErrorState: Sendable, Identifiable {
  /// What runs again when a person asks for it.
  public typealias Retry = @MainActor @Sendable () async -> Void

  /// The error.
  public let error: AppError
  /// When it was first shown.
  public let time: Date
  /// Whether nothing mends it by itself, so that it waits for a person.
  public let isManual: Bool
  /// Runs the work again; nil where that cannot help.
  public let retry: Retry?

  /// The identity of the failure.
  public var id: UUID { error.id }

  /// Makes a state.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - time: When it was first shown.
  ///   - isManual: Whether nothing mends it by itself.
  ///   - retry: Runs the work again; nil, the default, where that cannot help.
  public init(_ error: AppError, at time: Date, isManual: Bool, retry: Retry? = nil) {
    self.error = error
    self.time = time
    self.isManual = isManual
    self.retry = retry
  }

  /// No connection: nobody has to do anything, it ends when there is one.
  ///
  /// - Parameters:
  ///   - time: Since when.
  ///   - retry: Runs the work again; nil, the default, leaves that to the connection.
  /// - Returns: The state.
  public static func offline(at time: Date, retry: Retry? = nil) -> ErrorState {
    ErrorState(AppError.Network.offline.appError, at: time, isManual: false, retry: retry)
  }
}

extension ErrorState: Equatable {
  /// Whether a screen shows the same for both.
  public static func == (left: ErrorState, right: ErrorState) -> Bool {
    left.error == right.error && left.error.actions == right.error.actions
      && left.error.help == right.error.help && left.time == right.time
      && left.isManual == right.isManual && (left.retry == nil) == (right.retry == nil)
  }
}
