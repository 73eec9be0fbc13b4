// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// What becomes of two pending operations, one right after the other, on the same thing.
public enum Coalesced<Operation: Sendable>: Sendable {
  /// Both are done, in their order.
  case keepBoth
  /// This one is done instead of both.
  case replace(by: Operation)
  /// Neither is done: together they do nothing, as making something and deleting it.
  case annihilate
}

extension Coalesced: Equatable where Operation: Equatable {}

/// A kind of operation of which several that wait can be made fewer.
///
/// ```swift
/// enum EditList: CoalescingOperation {
///   static let kind: OperationKind = "edit-list"
///   case add(Int), set(Int)
///
///   func coalesced(with later: EditList) -> Coalesced<EditList> {
///     switch (self, later) {
///     case (.add(let a), .add(let b)): .replace(by: .add(a + b))
///     case (.set(let a), .add(let b)): .replace(by: .set(a + b))
///     case (_, .set): .replace(by: later)
///     }
///   }
/// }
/// ```
///
/// It is asked about neighbours under one ordering key that were certainly never sent, and of which
/// neither has wishes of its own or an idempotency key that somebody chose. The law is
/// that fewer operations do the same as all of them, whatever they are done to; `CompactionLaw` of
/// MainstayOutboxTesting checks it.
public protocol CoalescingOperation: QueuedOperation {
  /// What becomes of this operation and the one right after it.
  func coalesced(with later: Self) -> Coalesced<Self>
}

extension Sequence where Element: CoalescingOperation {
  /// The fewest operations that neighbours can be put together to, in order; it takes one look at
  /// each.
  public func compacted() -> [Element] {
    var kept: [Element] = []
    for operation in self {
      var incoming: Element? = operation
      while let later = incoming, let earlier = kept.last {
        switch earlier.coalesced(with: later) {
        case .keepBoth: break
        case .replace(let operation):
          kept.removeLast()
          incoming = operation
          continue
        case .annihilate:
          kept.removeLast()
          incoming = nil
        }
        break
      }
      if let incoming { kept.append(incoming) }
    }
    return kept
  }
}

extension CoalescingOperation {
  /// What becomes of two payloads of this kind, in bytes.
  ///
  /// - Throws: `UnreadablePayload` for bytes of another form; then both are kept.
  package static func coalesced(_ earlier: Data, with later: Data) throws -> Coalesced<Data> {
    switch try decode(earlier).coalesced(with: decode(later)) {
    case .keepBoth: .keepBoth
    case .replace(let operation): .replace(by: try operation.encoded())
    case .annihilate: .annihilate
    }
  }
}

extension StoredOperation {
  /// Whether it may still be changed, or go away, because of an operation behind it: nobody has it,
  /// and no part of it can have arrived.
  package var isUntouched: Bool {
    switch state {
    case .ready, .scheduled, .blocked, .waiting: effect == .notSent && checkpoint == nil
    case .leased, .parked, .conflicted, .dead: false
    }
  }
}
