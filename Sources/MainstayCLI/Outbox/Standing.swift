// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayOutbox

/// Where operations stand by the rule of `status`: one that is ready waits while its lane is closed
/// or its kind is paused.
struct Standing {
  /// All that `--state` takes.
  static let names = OperationState.allCases.map(name)

  private let closed: Set<Lane>
  private let paused: Set<OperationKind>

  init(in store: any InspectableStore) async throws {
    closed = Set(try await store.closedLanes().map(\.lane))
    paused = Set(try await store.pausedKinds())
  }

  /// What a state is called.
  static func name(_ state: OperationState) -> String {
    state == .leased ? "running" : state.rawValue
  }

  /// What was typed as one of ``names``; nil where it is none.
  static func name(typed text: String) -> String? {
    OperationState(rawValue: text).map(name) ?? (names.contains(text) ? text : nil)
  }

  func state(of operation: StoredOperation) -> String {
    let isHeld = closed.contains(operation.lane) || paused.contains(operation.type.kind)
    return Self.name(operation.state == .ready && isHeld ? .waiting : operation.state)
  }
}
