// SPDX-License-Identifier: Apache-2.0

extension Rule {
  /// 8xx: tests of failures.
  static let testing: [Rule] = [errorTestCannotFail, untestedErrorCase]
}
