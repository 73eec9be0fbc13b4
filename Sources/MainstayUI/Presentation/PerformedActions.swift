// SPDX-License-Identifier: Apache-2.0

import Mainstay

/// Which actions somebody does, besides those that a screen does by itself.
enum PerformedActions: Sendable {
  case none
  case all
  case some(Set<RecoveryAction.ID>)

  /// Those that are named; where none are, whoever performs takes all.
  init(_ named: [RecoveryAction]?, byAnybody hasPerformer: Bool) {
    guard hasPerformer else {
      self = .none
      return
    }
    self = named.map { .some(Set($0.map(\.id))) } ?? .all
  }

  func contains(_ action: RecoveryAction.ID) -> Bool {
    switch self {
    case .none: false
    case .all: true
    case .some(let ids): ids.contains(action)
    }
  }
}
