// SPDX-License-Identifier: Apache-2.0

import InventoryCore

extension Browser {
  /// Returns as soon as an expression of JavaScript is true in the page, with its value.
  ///
  /// The page itself looks whenever something in it has changed, so nobody asks again and again.
  /// When another page takes its place meanwhile, that one is looked at.
  ///
  /// - Parameters:
  ///   - expression: What has to be so; `$(selector)` finds an element and `text(selector)` what
  ///     is seen in it, `null` and an empty text where there is none. `args` are the arguments.
  ///   - arguments: Values for the expression.
  /// - Returns: The value of the expression.
  /// - Throws: `NeverSo`, with what the page says instead, when it takes longer than the limit.
  @discardableResult
  func until(_ expression: String, _ arguments: JSONValue...) async throws -> JSONValue {
    let (clock, script) = (ContinuousClock(), JSONValue.string(Self.script(expression)))
    let end = clock.now + Self.limit
    repeat {
      do {
        return try await send(
          .post, "/execute/async", ["script": script, "args": .array(arguments)])
      } catch let error as WebDriverError where error.isLeftPage {
        continue
      }
    } while clock.now < end
    throw NeverSo(
      expression: expression, arguments: arguments, address: (try? await address) ?? "?",
      page: (try? await run("return document.body.innerText").text) ?? "?")
  }

  /// The expression is part of the script: a page whose policy forbids `eval` can be asked too.
  private static func script(_ expression: String) -> String {
    """
    const args = Array.from(arguments).slice(0, -1);
    const done = arguments[arguments.length - 1];
    const $ = (selector) => document.querySelector(selector);
    const text = (selector) =>
      $(selector)?.checkVisibility() ? $(selector).innerText.trim() : "";
    const events = ["focusin", "focusout", "load", "error", "toggle", "close", "cancel", "input",
      "transitionend", "animationend"];
    let isOver = false;
    const observer = new MutationObserver(look);
    function look() {
      if (isOver) { return; }
      const value = (\(expression));
      if (!value) { return; }
      isOver = true;
      observer.disconnect();
      events.forEach((name) => document.removeEventListener(name, look, true));
      done(value);
    }
    observer.observe(document, {
      subtree: true, childList: true, attributes: true, characterData: true });
    events.forEach((name) => document.addEventListener(name, look, true));
    look();
    """
  }
}

/// What was waited for never came true.
struct NeverSo: Error, CustomStringConvertible {
  let expression: String
  let arguments: [JSONValue]
  let address: String
  let page: String

  var description: String {
    let arguments = arguments.isEmpty ? "" : " \(arguments)"
    return """
      Within \(Browser.limit) it never was so: \(expression)\(arguments)
      at \(address), which says:
      \(page)
      """
  }
}

extension Browser {
  /// Does something with the element that a selector finds, as soon as it is there.
  ///
  /// The page may put a new element in its place at that very moment; then that one is meant.
  /// While it is not drawn yet, as in a page whose style sheets are still on their way, nobody
  /// could use it either: then the next frames are waited for.
  func use(_ selector: String, _ action: (Element) async throws -> Void) async throws {
    let clock = ContinuousClock()
    let end = clock.now + Self.limit
    repeat {
      do {
        try await until("$(args[0])", .string(selector))
        return try await action(try await element(selector))
      } catch let error as WebDriverError where error.isGone {
        continue
      } catch let error as WebDriverError where error.isUndrawn {
        try await drawn()
      }
    } while clock.now < end
    try await action(try await element(selector))
  }

  /// Returns when the page has been drawn once more; it is not drawn while style sheets that it
  /// needs are missing.
  private func drawn() async throws {
    let script = "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"
    do {
      try await send(.post, "/execute/async", ["script": .string(script), "args": []])
    } catch let error as WebDriverError where error.isLeftPage {
      // Another page has taken its place, and is looked at next.
    }
  }

  /// Clicks it, in the middle of the window: at its edge a toast may lie over it.
  func click(_ selector: String) async throws {
    try await use(selector) { element in
      try await run("arguments[0].scrollIntoView({ block: 'center' })", element.reference)
      try await element.click()
    }
  }

  /// Types at the end of what stands in a field.
  func type(_ selector: String, _ text: String) async throws {
    try await use(selector) { try await $0.type(text) }
  }

  /// Types in place of what stands in a field.
  func enter(_ selector: String, _ text: String) async throws {
    try await use(selector) {
      try await $0.clear()
      try await $0.type(text)
    }
  }
}

extension WebDriverError {
  /// Whether the element has gone since it was found.
  fileprivate var isGone: Bool {
    ["stale element reference", "no such element"].contains(code)
  }

  /// Whether the element is there and cannot be used by anyone, such as before it is drawn.
  fileprivate var isUndrawn: Bool { code == "element not interactable" }
}
