// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

/// An error of the module, with words of its own: one property is all it takes.
private enum PantryError: AppErrorConvertible {
  case soldOut(String)

  var appError: AppError {
    switch self {
    case .soldOut(let name):
      AppError(
        code: "pantry.sold-out", kind: .notFound, disposition: .permanent,
        title: "“\(name)” is used up", message: "There is none left in the pantry.",
        suggestion: "Put it on the shopping list.")
    }
  }
}

/// A service of an app, written by the standard: it throws `AppError` and nothing else.
private struct Pantry {
  var isConfigured = true
  var stock: [String: Data] = [:]

  /// Nil where nothing is known: it invents nothing.
  func amount(of name: String) throws(AppError) -> Int? {
    try withAppErrors("Read the pantry") {
      guard isConfigured else { throw AppError.Service.notConfigured }
      guard let data = stock[name] else { return nil }
      return try JSONDecoder().decode(Int.self, from: data)
    }
  }

  func take(_ name: String) throws(AppError) {
    guard let amount = try amount(of: name), amount > 0 else {
      throw AppError.from(PantryError.soldOut(name))
    }
  }

  func average(of prices: [Double?]) throws(AppError) -> Double {
    guard !prices.isEmpty else {
      throw AppError.validation("There are no prices.", suggestion: "Enter one.", field: "/prices")
    }
    var sum = 0.0
    for (index, price) in prices.enumerated() {
      guard let price else {
        throw AppError.validation(
          "A price is missing.", suggestion: "Enter it.",
          field: JSONPointer(tokens: ["prices", String(index)]))
      }
      sum += price
    }
    return sum / Double(prices.count)
  }
}

/// What a screen shows: the default for missing data is chosen here.
private struct PantryModel {
  var error: AppError?
  var amount = ""

  mutating func load(_ name: String, from pantry: Pantry) {
    error = nil
    do throws(AppError) {
      amount = try pantry.amount(of: name).map(String.init) ?? "–"
    } catch {
      if !error.isCancellation { self.error = error }
    }
  }
}

@Suite struct AppConventionsTests {
  @Test(.requirement("B4", "B6", "B17", "E1", "E2", "E31"))
  func `what reaches the screen is an app error, and goes before a new try`() {
    var model = PantryModel()
    model.load("rice", from: Pantry(stock: ["rice": Data("many".utf8)]))
    #expect(model.error?.kind == .decoding)
    #expect(model.error?.context.first?.operation == "Read the pantry")
    model.load("rice", from: Pantry(stock: ["rice": Data("3".utf8)]))
    #expect(model.error == nil)
    #expect(model.amount == "3")
  }

  @Test(.requirement("B8", "B10", "B27")) func `a service error is converted before it leaves`() {
    let thrown = #expect(throws: AppError.self) {
      try Pantry(isConfigured: false).amount(of: "rice")
    }
    #expect(thrown?.code == "service.not-configured")
    #expect(thrown?.cause(as: AppError.Service.self) != nil)
  }

  @Test(.requirement("B22", "B23")) func `missing data is nil, and the screen says how it looks`() {
    #expect((try? Pantry().amount(of: "rice")) == .some(nil))
    var model = PantryModel()
    model.load("rice", from: Pantry())
    #expect(model.amount == "–")
    #expect(model.error == nil)
  }

  @Test(.requirement("B24", "A34", "T11", "E32"))
  func `a calculation refuses missing inputs and names the field`() {
    let missing = #expect(throws: AppError.self) { try Pantry().average(of: [1, nil, 3]) }
    #expect(missing?.kind == .validation)
    #expect(missing?.field?.description == "/prices/1")
    let none = #expect(throws: AppError.self) { try Pantry().average(of: []) }
    #expect(none?.field == "/prices")
    #expect((try? Pantry().average(of: [1, 2, 3])) == 2)
  }

  @Test(.requirement("E4", "E29", "E30", "E33", "B18", "B20"))
  func `words of its own take one property, plain ones none`() {
    let thrown = #expect(throws: AppError.self) { try Pantry().take("rice") }
    #expect(thrown?.title.string() == "“rice” is used up")
    #expect(thrown?.cause(as: PantryError.self) != nil)
    let plain = AppError.from(TextError("The pantry is locked."))
    #expect(plain.message.string() == "The pantry is locked.")
  }
}
