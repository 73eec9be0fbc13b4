// SPDX-License-Identifier: Apache-2.0

/// Looks on while a store works with files, for tests that kill a process between two steps or let
/// the system refuse something.
package struct StoreProbe: Sendable {
  /// What was just done; a process can die here.
  package enum Step: String, Sendable, CaseIterable {
    case fileBegun, fileHalfWritten, fileWritten, fileNamed, folderSynced
    case ledgerHalfWritten, ledgerWritten, fileRemoved, filesRemoved
    case fileQuarantined, batchTaken, replied
  }

  /// What is asked of the system; it is refused half-way where that is possible.
  package enum Call: Sendable {
    case list, lock, read, write
    /// That what was written to a file comes onto the disk.
    case force
    /// That the names of a folder do.
    case sync
  }

  package let reached: @Sendable (Step) -> Void
  /// The number of the error with which a call is refused; nil where it goes through.
  package let refusal: @Sendable (_ call: Call, _ name: String) -> Int32?

  package init(
    reached: @escaping @Sendable (Step) -> Void = { _ in },
    refusal: @escaping @Sendable (_ call: Call, _ name: String) -> Int32? = { _, _ in nil }
  ) {
    self.reached = reached
    self.refusal = refusal
  }
}
