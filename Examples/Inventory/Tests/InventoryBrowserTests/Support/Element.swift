// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore

/// An element of the page that is open.
struct Element: Sendable {
  /// The member that stands for an element in JSON, by the standard.
  static let member = "element-6066-11e4-a52e-4f735466cecf"

  let browser: Browser
  let id: String

  init(_ browser: Browser, _ reference: JSONValue) throws {
    guard let id = reference[Self.member]?.text else { throw Unreadable(what: "an element") }
    self.browser = browser
    self.id = id
  }

  /// How it is handed to a script.
  var reference: JSONValue { [Self.member: .string(id)] }

  private func get(_ path: String) async throws -> JSONValue {
    try await browser.send(.get, "/element/\(id)\(path)")
  }

  /// The text that is seen.
  var text: String { get async throws { try await get("/text").text ?? "" } }

  /// What assistive technology calls it.
  var label: String { get async throws { try await get("/computedlabel").text ?? "" } }

  /// What assistive technology takes it for.
  var role: String { get async throws { try await get("/computedrole").text ?? "" } }

  var isEnabled: Bool { get async throws { try await get("/enabled").isTrue } }

  var isSelected: Bool { get async throws { try await get("/selected").isTrue } }

  /// Whether a person can see it.
  var isShown: Bool { get async throws { try await get("/displayed").isTrue } }

  /// What the markup says; nil where it says nothing.
  func attribute(_ name: String) async throws -> String? {
    try await get("/attribute/\(name)").text
  }

  func property(_ name: String) async throws -> JSONValue { try await get("/property/\(name)") }

  /// What stands in a field.
  var value: String { get async throws { try await property("value").text ?? "" } }

  /// Clicks into its middle; returns when a page that this opens is loaded.
  func click() async throws { try await browser.send(.post, "/element/\(id)/click") }

  /// Types into it; for the choice of a file, its path.
  func type(_ text: String) async throws {
    try await browser.send(.post, "/element/\(id)/value", ["text": .string(text)])
  }

  func clear() async throws { try await browser.send(.post, "/element/\(id)/clear") }

  /// A picture of it alone, as the bytes of a PNG.
  func picture() async throws -> Data {
    let text = try await get("/screenshot").text ?? ""
    guard let data = Data(base64Encoded: text) else { throw Unreadable(what: "a picture") }
    return data
  }

  /// The first element inside that a selector finds.
  func element(_ selector: String) async throws -> Element {
    try Element(
      browser,
      try await browser.send(
        .post, "/element/\(id)/element",
        ["using": "css selector", "value": .string(selector)]))
  }
}
