// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// The choice anew: whoever claims at the same moment as many others finds what they leave.
  static let crowds = picking(endsWithHeads: true)
}
