// SPDX-License-Identifier: Apache-2.0

extension Rule {
  /// 6xx: ends of the whole program.
  static let crashing: [Rule] = [
    forceTry, trapInHandler, forcedFailureUnwrap, unreachableTrap, assertOnlyHandler,
  ]
}
