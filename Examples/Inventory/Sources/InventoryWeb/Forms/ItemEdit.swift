// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import Mainstay

/// A change that a person made in the form of an item.
struct ItemEdit: Sendable {
  /// How often it is put together anew where the item changes at the same time.
  private static let maximumTurns = 4

  private let id: UUID
  private let form: Form
  private let version: Int
  private let basis: EditBasis?
  private let key: IdempotencyKey?

  /// - Throws: `AppError` with the status 400 where a hidden field is not as the page has it.
  init(_ id: UUID, _ form: Form) throws(AppError) {
    guard let version = Int(form["version"]) else {
      throw .badForm("The hidden field version must be a whole number.")
    }
    self.id = id
    self.form = form
    self.version = version
    basis = EditBasis(form["basis"])
    key = try form.idempotencyKey()
  }

  /// Makes the change, if need be on top of what has changed since the form was drawn.
  ///
  /// - Throws: `AppError`: mistakes in fields, with the status 412 where the same field was changed
  ///   meanwhile.
  func save(in inventory: Inventory) async throws(AppError) -> Screen.Done {
    var names = ItemForms.fields
    if let basis { names.removeAll { basis.had(form[$0], in: $0) } }
    guard !names.isEmpty else { return Screen.Done("Nothing was changed.") }
    var (known, key) = (version, key)
    for _ in 0..<Self.maximumTurns {
      do {
        let patch = try ItemPatch(form.members(of: names, emptyQuantity: .null))
        let answer = try await inventory.edit(id, patch, ifVersion: known, key: key)
        return .unless(answer.isReplay, "“\(answer.item.title)” was saved.")
      } catch  where error.code == "inventory.stale" {
        let item = try await inventory.store.item(id)
        names = try open(names, in: item)
        // It was saved before, by the same form.
        guard !names.isEmpty else { return Screen.Done(nil) }
        known = item.version
        key = self.key.flatMap { IdempotencyKey("\($0.rawValue)-\(item.version)") }
      }
    }
    throw .busyItem
  }

  /// The form once more, with what was typed and its mistakes.
  ///
  /// - Parameters:
  ///   - item: The item as it is.
  ///   - mistakes: What is wrong, by the names of the fields.
  ///   - isStale: Whether the same field was changed meanwhile. The form then starts anew from what
  ///     is there now, and only what the person has changed is kept.
  /// - Returns: What stands in the form.
  func again(_ item: Item, _ mistakes: [String: String], isStale: Bool) -> ItemDraftView {
    let typed = Typed(form, mistakes)
    guard isStale else {
      return ItemDraftView(
        key: form["key"], typed: typed, version: version, basis: basis?.text ?? "")
    }
    var draft = ItemDraftView(item)
    draft.typed.mistakes = mistakes
    for (name, value) in typed.values where basis?.had(value, in: name) != true {
      draft.typed.values[name] = value
    }
    return draft
  }

  /// The fields that are still to be changed in an item that has changed meanwhile.
  private func open(_ names: [String], in item: Item) throws(AppError) -> [String] {
    let now = Typed(item).values
    let open = names.filter { !EditBasis(item).had(form[$0], in: $0) }
    let mistakes = open.compactMap { name -> FieldError? in
      guard let value = now[name], basis?.had(value, in: name) != true else { return nil }
      let text = value.isEmpty ? "It is empty by now." : "It is “\(value)” by now."
      return FieldError(
        JSONPointer(tokens: [name]), "\(text) Save again to have what you typed instead.")
    }
    guard mistakes.isEmpty else {
      throw FieldErrors(errors: mistakes).appError.adding(metadata: ["http.status": "412"])
    }
    return open
  }
}

extension AppError {
  fileprivate static var busyItem: AppError {
    AppError(
      code: "web.busy-item", kind: .conflict, disposition: .transient(),
      title: "The item keeps changing",
      message: "It changed again each time your change was about to be saved.",
      suggestion: "Try again in a moment.", metadata: ["http.status": "409"])
  }
}
