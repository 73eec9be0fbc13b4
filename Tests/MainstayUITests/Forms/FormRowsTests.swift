// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayUI
import TestSupport
import Testing

/// An order with a list of names, each of them in a row of its own.
private struct Order: Sendable {
  var names: [String]

  /// The name in a row; a row that is gone has none.
  static func name(_ row: Int) -> FormField<Order, String> {
    FormField(
      JSONPointer(tokens: ["items", "\(row)", "name"]), label: "Name", rules: [.required],
      get: { row < $0.names.count ? $0.names[row] : "" },
      set: { if row < $0.names.count { $0.names[row] = $1 } })
  }

  var fields: FormFields<Order> {
    FormFields {
      for row in names.indices { Self.name(row) }
    }
  }
}

/// A form whose rows are made in a loop.
@MainActor @Suite struct FormRowsTests {
  private func form(_ names: String...) -> FormModel<Order> {
    let order = Order(names: names)
    return FormModel(order, fields: order.fields)
  }

  @Test func `each row has its own mistakes`() async {
    let form = form("Lamp", "", "Chair")
    #expect(form.firstInvalidField == "/items/1/name" && !form.canSubmit)
    #expect(await form.submit { _ in 1 } == nil)
    #expect(form.focus == "/items/1/name")
    #expect(form.errors(for: Order.name(0)).isEmpty && form.error(for: Order.name(1)) != nil)
    form.set(Order.name(1), "Table")
    #expect(form.isValid && form.values.names == ["Lamp", "Table", "Chair"])
  }

  @Test func `what a service says about a place in a row stands in that row until it is edited`()
    async
  {
    let form = form("Lamp", "Table", "Chair")
    let refusal = AppError.validation("It is sold out.", field: "/items/2/name/0")
    #expect(await form.submit { _ -> Int in throw refusal } == nil)
    #expect(form.error(for: Order.name(2))?.message == refusal.message)
    #expect(form.submissionError == nil)
    #expect(form.errors(for: Order.name(1)).isEmpty)
    form.set(Order.name(1), "Desk")
    #expect(form.error(for: Order.name(2)) != nil)
    form.set(Order.name(2), "Stool")
    #expect(form.error(for: Order.name(2)) == nil)
  }

  @Test func `with a row more or less a new form takes the values of the old one over`() async {
    let old = form("Lamp", "Table")
    let refusal = AppError.validation("It is sold out.", field: "/items/0/name")
    #expect(await old.submit { _ -> Int in throw refusal } == nil)
    var order = old.values
    order.names.append("Chair")
    let new = FormModel(order, fields: order.fields)
    new.show(refusal)
    #expect(new[Order.name(2)] == "Chair" && new.isEdited(Order.name(2)) == false)
    #expect(new.error(for: Order.name(0))?.message == refusal.message)
    #expect(old.verdict(of: Order.name(2)) == .valid, "nobody judges a row that it does not have")
  }
}
