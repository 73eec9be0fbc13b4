// SPDX-License-Identifier: Apache-2.0

/// A function that takes an error, as a clause may call it: `show(error)`.
struct IndexedErrorTaker: Sendable {
  /// The type that it belongs to; nil for a function of none.
  let owner: String?
  /// Whether something in it is named after being cancelled.
  let speaksOfCancellation: Bool
  /// Whether its answer can keep a caller from going on: a Bool or an optional.
  let answers: Bool
  /// State that a person sees and that it sets for any error.
  let shown: String?
  /// What it calls.
  let calls: Set<String>
}

extension ProjectIndex {
  /// Whether one of some functions or members that are asked about an error tells whether it
  /// means that the work was cancelled.
  func tellsCancellation(_ names: Set<String>) -> Bool {
    names.contains { name in
      errorTakers[name]?.contains { $0.answers && isAware($0) } ?? false
    }
  }

  /// The state that a call of a type's own function sets for any error, also for a cancelled one.
  ///
  /// - Parameters:
  ///   - name: What is called.
  ///   - type: The type whose code calls it.
  /// - Returns: Nil where it asks, where it shows nothing, or where nobody can tell.
  func stateShown(by name: String, calledIn type: String?) -> String? {
    let takers = (errorTakers[name] ?? []).filter { taker in
      guard let owner = taker.owner, owner != type else { return true }
      return type.map { conforms($0, to: [owner]) } ?? false
    }
    guard !takers.contains(where: isAware) else { return nil }
    return takers.lazy.compactMap(\.shown).first
  }

  /// Whether a function looks at cancellation, itself or through what it calls.
  private func isAware(_ taker: IndexedErrorTaker) -> Bool {
    taker.speaksOfCancellation
      || taker.calls.contains { name in
        errorTakers[name]?.contains(where: \.speaksOfCancellation) ?? false
      }
  }

  /// Whether the compiler that a file needs warns itself of a task whose error nobody takes.
  func warnsOfThrowingTasks(in path: String) -> Bool {
    let packages = modernPackages.filter { path.hasPrefix($0.key) }
    return packages.max { $0.key.utf8.count < $1.key.utf8.count }?.value ?? false
  }
}
