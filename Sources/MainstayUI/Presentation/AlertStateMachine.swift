// SPDX-License-Identifier: Apache-2.0

/// Which error an alert of the system shows: all decisions of `errorAlert(_:)` about it.
///
/// Every button takes an alert away, also one that leaves its error where it is, such as Help. The
/// system shows that error again only where it was told that there is none in between.
struct AlertStateMachine: Sendable {
  typealias ID = ErrorPresentation.ID

  /// The error of whose buttons one was tapped, while the system takes its alert away.
  private(set) var answered: ID?

  /// Whether an alert shows an error that stands in front.
  func shows(_ id: ID, isBusy: Bool) -> Bool { !isBusy && id != answered }

  /// A button was tapped.
  mutating func tap(_ id: ID) { answered = id }

  /// The alert has been gone for a while, so an error that is still there comes back.
  mutating func rest(after id: ID) { if answered == id { answered = nil } }

  /// Whether an alert that has gone away was put away by the system: no button was tapped.
  func isDismissal(of id: ID, inFront front: ID?) -> Bool { answered != id && front == id }
}
