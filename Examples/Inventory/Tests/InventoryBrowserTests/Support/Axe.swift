// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore

/// Looks at a page with axe-core.
///
/// https://github.com/dequelabs/axe-core
enum Axe {
  /// What it finds, with the name of each rule and the markup; also what it could not decide, but
  /// for contrasts: those are left in `axeUndecided`.
  static func mistakes(_ browser: Browser) async throws -> [String] {
    // It is told by the test, so that pages need not allow it in their policy.
    if try await !browser.run("return Boolean(window.axe)").isTrue {
      try await browser.run(try source.get())
    }
    let found = try await browser.send(
      .post, "/execute/async", ["script": .string(script), "args": []])
    return found.list.compactMap(\.text)
  }

  private static let file = Pictures.folder.deletingLastPathComponent()
    .appending(path: "axe/axe.min.js")

  private static let source = Result<String, any Error> {
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { throw MissingAxe() }
    return text
  }

  private static let script = """
    const done = arguments[arguments.length - 1];
    const markup = (node) => node.html.replace(/\\s+/g, " ").slice(0, 160);
    const why = (node) => [...node.any, ...node.all, ...node.none].map((one) => one.message);
    axe.run(document, { resultTypes: ["violations", "incomplete"] }).then(
      ({ violations, incomplete }) => {
        const isContrast = (one) => one.id === "color-contrast";
        window.axeUndecided = incomplete.filter(isContrast).flatMap(({ nodes }) => nodes)
          .map((node) => document.querySelector(node.target[0]));
        const open = incomplete.filter((one) => !isContrast(one));
        done([...violations, ...open.map((one) => ({ ...one, id: `${one.id}, undecided` }))]
          .flatMap(({ id, nodes }) => nodes.map(
            (node) => `${id}: ${markup(node)} (${why(node).join(" ")})`)));
      },
      (error) => done([`axe-core failed: ${error}`]));
    """
}

/// There is nothing to look with.
struct MissingAxe: Error, CustomStringConvertible {
  let description =
    "The browser tests need axe-core in .build/axe/axe.min.js. `Tools/setup tests` fetches it."
}
