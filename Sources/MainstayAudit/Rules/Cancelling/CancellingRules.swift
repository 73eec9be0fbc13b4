// SPDX-License-Identifier: Apache-2.0

extension Rule {
  /// 3xx: cancellation that is taken for a failure.
  static let cancelling: [Rule] = [
    errorStateAfterCancel, sleepSwallowsCancel, cancellationRetried, cancellationAsFailure,
  ]
}
