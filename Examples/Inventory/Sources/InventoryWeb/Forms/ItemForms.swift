// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird
import InventoryCore
import Mainstay

/// The forms about items: scan, add, edit, delete.
struct ItemForms: Sendable {
  static let fields = FieldView.item.map(\.name)

  let pages: PageRenderer

  private var inventory: Inventory { pages.inventory }
  private var flow: FormFlow { FormFlow(screens: pages.screens) }

  func add(to table: RouteTable) {
    table.add("scan", [.post: scan])
    table.add("items", [.post: create])
    table.add("items/:id", [.get: read, .post: edit])
    table.add("items/:id/delete", [.post: delete])
  }

  @Sendable func read(_ request: Request, _ context: VisitContext) async throws -> Response {
    try await pages.item(try context.id(), for: Visit(request))
  }

  @Sendable func scan(_ request: Request, _ context: VisitContext) async throws -> Response {
    let form = try await request.form()
    let (visit, key) = (Visit(request, page: form.page), try form.idempotencyKey())
    let again: FormFlow.Again = { visit, mistakes, code in
      let typed = Typed(values: ["barcode": form["barcode"]], mistakes: mistakes)
      return try await list(ListPage.Forms(key: form["key"], scan: typed), visit, code)
    }
    return try await flow.answer(visit, fields: ["barcode"], again: again) { [inventory] in
      .added(try await inventory.scan(form["barcode"], key: key), by: form)
    }
  }

  @Sendable func create(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let form = try await request.form()
    let (visit, key) = (Visit(request, page: form.page), try form.idempotencyKey())
    let again: FormFlow.Again = { visit, mistakes, code in
      let forms = ListPage.Forms(
        key: form["key"], draft: Typed(form, mistakes), isAdding: true)
      return try await list(forms, visit, code)
    }
    return try await flow.answer(visit, fields: Self.fields, again: again) { [inventory] in
      let document = try JSONEncoder().encode(form.members(of: Self.fields, emptyQuantity: nil))
      return .added(try await inventory.add(try ItemDraft(json: document), key: key), by: form)
    }
  }

  /// The list as it was when the form was sent.
  private func list(
    _ forms: ListPage.Forms, _ visit: Visit, _ code: HTTPResponse.Status
  ) async throws -> Response {
    try await pages.list(try visit.page.fields(), forms, for: visit, code)
  }

  @Sendable func edit(_ request: Request, _ context: VisitContext) async throws -> Response {
    let id = try context.id()
    let form = try await request.form()
    let (visit, edit) = (Visit(request, page: .item(id)), try ItemEdit(id, form))
    let again: FormFlow.Again = { visit, mistakes, code in
      try await pages.item(
        id, { edit.again($0, mistakes, isStale: code == .preconditionFailed) }, for: visit, code)
    }
    return try await flow.answer(visit, fields: Self.fields, again: again) { [inventory] in
      try await edit.save(in: inventory)
    }
  }

  @Sendable func delete(
    _ request: Request, _ context: VisitContext
  ) async throws -> Response {
    let id = try context.id()
    let form = try await request.form()
    let (visit, key) = (Visit(request, page: form.page), try form.idempotencyKey())
    return try await flow.answer(visit) { [inventory] in
      let answer = try await inventory.delete(id, key: key)
      return .unless(answer.isReplay, "“\(answer.item.title)” was deleted.")
    }
  }
}

extension Screen.Done {
  /// Says that something was done, unless it was done and said before.
  static func unless(_ isReplay: Bool, _ text: String) -> Screen.Done {
    Screen.Done(isReplay ? nil : text)
  }

  /// Says that an item was added.
  ///
  /// A form that was drawn again keeps its key. Once Retry has added the item, the same form may
  /// mean another one, which is not added.
  fileprivate static func added(_ answer: WriteAnswer, by form: Form) -> Screen.Done {
    guard answer.isReplay, !form["again"].isEmpty else {
      return .unless(answer.isReplay, "“\(answer.item.title)” was added.")
    }
    return Screen.Done(
      "“\(answer.item.title)” was added already, by this form. Send it once more to add another.")
  }
}

extension Typed {
  init(_ form: Form, _ mistakes: [String: String]) {
    let pairs = ItemForms.fields.map { ($0, form[$0]) }
    self.init(values: Dictionary(uniqueKeysWithValues: pairs), mistakes: mistakes)
  }
}

extension Form {
  /// Fields as the document of an item has them.
  ///
  /// - Parameters:
  ///   - names: Which fields.
  ///   - emptyQuantity: What an empty quantity stands for; nil leaves it out.
  /// - Returns: The members by name.
  func members(of names: [String], emptyQuantity: JSONValue?) -> [String: JSONValue] {
    var members: [String: JSONValue] = [:]
    for name in names where name != "quantity" { members[name] = .string(self[name]) }
    guard names.contains("quantity") else { return members }
    let quantity = self["quantity"].trimmingCharacters(in: .whitespacesAndNewlines)
    members["quantity"] =
      quantity.isEmpty ? emptyQuantity : Int(quantity).map(JSONValue.integer) ?? .string(quantity)
    return members
  }
}
