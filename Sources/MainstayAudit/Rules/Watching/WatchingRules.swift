// SPDX-License-Identifier: Apache-2.0

extension Rule {
  /// 7xx: what the team sees of failures.
  static let watching: [Rule] = [
    printInHandler, convertedUnlogged, logOnlyHandler, errorRedactedInOSLog, secretInErrorLog,
  ]
}
