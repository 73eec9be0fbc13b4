// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// The kinds of operations of which a run has said something about the network by its error.
final class NetworkKinds: Sendable {
  private let kinds = Locked<Set<OperationKind>>([])

  func insert(_ kind: OperationKind) { kinds.withLock { _ = $0.insert(kind) } }

  func contains(_ kind: OperationKind) -> Bool { kinds.withLock { $0.contains(kind) } }
}
