// SPDX-License-Identifier: Apache-2.0

extension Rule {
  /// The rules, in the order of their ids.
  package static let all: [Rule] =
    declaring + losing + cancelling + showing + retrying + crashing
    + watching + testing
}
