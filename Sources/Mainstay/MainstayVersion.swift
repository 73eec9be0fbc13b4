// SPDX-License-Identifier: Apache-2.0

/// Which Mainstay this is, as services that are sent reports are told.
package enum MainstayVersion {
  /// The newest heading of the changelog; a version to come ends in `-dev`.
  package static let current = "0.1.0-dev"
}
