// SPDX-License-Identifier: Apache-2.0

public import Mainstay

extension TaskModel {
  /// The value on screen: that of the newest run that returned one.
  public var value: Value? {
    switch state {
    case .loaded(let value): value
    case .loading(let previous), .failed(_, let previous): previous
    case .idle, .empty: nil
    }
  }

  /// The error on screen.
  public var error: AppError? {
    if case .failed(let error, _) = state { error } else { nil }
  }

  /// Whether the newest run is under way; refreshing is disabled meanwhile.
  public var isLoading: Bool {
    if case .loading = state { true } else { false }
  }

  /// Whether there is an error that another run may mend; the Retry button is shown then.
  public var canRetry: Bool {
    error?.actions.contains { $0.id == RecoveryAction.retry.id } ?? false
  }
}
