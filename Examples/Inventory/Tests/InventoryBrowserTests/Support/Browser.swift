// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore

/// A browser that a test looks through, with a profile of its own.
struct Browser: Sendable {
  /// How long a page may take until what is waited for is so.
  static let limit = Duration.seconds(120)

  static var limitInMilliseconds: JSONValue { .integer(Int(limit.components.seconds * 1000)) }

  let driver: WebDriver
  let session: String
  let process: Int32?
  /// Where it and its driver write; it goes with them.
  let folder: URL

  /// Sends a command about this browser.
  @discardableResult
  func send(
    _ method: WebDriver.Method, _ path: String, _ body: JSONValue = [:]
  ) async throws -> JSONValue {
    try await driver.send(method, "/session/\(session)\(path)", body)
  }

  /// Opens an address; returns when the page and its files are loaded.
  func open(_ address: String) async throws {
    try await send(.post, "/url", ["url": .string(address)])
  }

  func reload() async throws { try await send(.post, "/refresh") }

  var address: String { get async throws { try await send(.get, "/url").text ?? "" } }

  var title: String { get async throws { try await send(.get, "/title").text ?? "" } }

  /// The one element that a selector finds first.
  ///
  /// - Throws: `WebDriverError` with the code `no such element` where there is none.
  func element(_ selector: String) async throws -> Element {
    try Element(
      self,
      try await send(
        .post, "/element", ["using": "css selector", "value": .string(selector)]))
  }

  /// All elements that a selector finds, in the order of the page.
  func elements(_ selector: String) async throws -> [Element] {
    try await send(.post, "/elements", ["using": "css selector", "value": .string(selector)])
      .list.map { try Element(self, $0) }
  }

  /// The element that has the focus.
  var active: Element {
    get async throws { try Element(self, try await send(.get, "/element/active")) }
  }

  /// Runs a script in the page, whose `return` is the value.
  @discardableResult
  func run(_ script: String, _ arguments: JSONValue...) async throws -> JSONValue {
    try await send(
      .post, "/execute/sync", ["script": .string(script), "args": .array(arguments)])
  }

  /// Presses keys, one after the other, wherever the focus is.
  func press(_ keys: Key...) async throws { try await press(keys) }

  private func press(_ keys: [Key]) async throws {
    var actions: [JSONValue] = []
    for key in keys {
      let held = key.held.map { JSONValue.string($0) }
      actions += held.map { ["type": "keyDown", "value": $0] }
      actions += ["keyDown", "keyUp"].map { ["type": .string($0), "value": .string(key.value)] }
      actions += held.reversed().map { ["type": "keyUp", "value": $0] }
    }
    try await send(
      .post, "/actions",
      ["actions": [["type": "key", "id": "keyboard", "actions": .array(actions)]]])
  }

  /// Types wherever the focus is.
  func write(_ text: String) async throws {
    try await press(text.map { Key(String($0)) })
  }

  /// A picture of what is in the window, as the bytes of a PNG.
  func picture() async throws -> Data {
    let text = try await send(.get, "/screenshot").text ?? ""
    guard let data = Data(base64Encoded: text) else { throw Unreadable(what: "a picture") }
    return data
  }

  /// A picture of the whole page, as the bytes of a PNG.
  func wholePicture() async throws -> Data {
    // With a bar at its side the page would be laid out narrower than it is drawn.
    try await send(
      .post, "/goog/cdp/execute",
      ["cmd": "Emulation.setScrollbarsHidden", "params": ["hidden": true]])
    let answer = try await send(
      .post, "/goog/cdp/execute",
      ["cmd": "Page.captureScreenshot", "params": ["captureBeyondViewport": true]])
    guard let data = answer["data"]?.text.flatMap({ Data(base64Encoded: $0) }) else {
      throw Unreadable(what: "a picture")
    }
    return data
  }

  /// What the page and the browser complained about since this was last asked.
  func complaints() async throws -> [Complaint] {
    try await send(.post, "/se/log", ["type": "browser"]).list.map(Complaint.init)
  }
}

/// A line of the browser's console.
struct Complaint: Sendable, CustomStringConvertible {
  /// `SEVERE` for errors.
  let level: String
  /// Such as `network`, `security`, `javascript`, `console-api`.
  let source: String
  let message: String

  init(_ document: JSONValue) {
    level = document["level"]?.text ?? ""
    source = document["source"]?.text ?? ""
    message = document["message"]?.text ?? ""
  }

  var description: String { "\(level) \(source): \(message)" }
}

/// A key that is no letter, and what is held down with it.
///
/// https://www.w3.org/TR/webdriver2/#keyboard-actions
struct Key: Sendable {
  let value: String
  let held: [String]

  init(_ value: String, holding held: String...) {
    self.value = value
    self.held = held
  }

  static let tab = Key("\u{E004}")
  static let backTab = Key("\u{E004}", holding: "\u{E008}")
  static let enter = Key("\u{E007}")
  static let escape = Key("\u{E00C}")
  static let space = Key(" ")
}

/// The driver answered something else than the standard says.
struct Unreadable: Error {
  let what: String
}
