// SPDX-License-Identifier: Apache-2.0

/// Which audit this is, as its reports and programs say it.
///
/// The audit is built without the libraries that it checks the use of, so it has a number of its
/// own; a test holds it to theirs.
package enum AuditVersion {
  package static let current = "0.1.0-dev"
}
