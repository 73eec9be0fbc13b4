// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore

/// What keeps people from reading or using a page, found by looking at what is really drawn.
///
/// Roles, names, structure and the contrast of texts are left to axe-core; what it has no rule for
/// is looked at here.
enum Audit {
  /// Names what is wrong, in words; what is folded away is unfolded before.
  static func mistakes(_ browser: Browser) async throws -> [String] {
    try await browser.run("document.querySelectorAll('details').forEach((one) => one.open = true)")
    let axe = try await Axe.mistakes(browser)
    let found =
      try await browser.run(structure + "return found;").list
      + browser.run(contrast + "return found;").list + browser.run(size + "return found;").list
    return try await axe + found.compactMap(\.text) + unnamed(browser)
  }

  /// Parts that axe-core does not ask for a name, by what assistive technology is told.
  private static func unnamed(_ browser: Browser) async throws -> [String] {
    var mistakes: [String] = []
    // Under a modal dialog nothing else can be reached, and so needs no name.
    let place = try await browser.elements("dialog:modal").isEmpty ? "" : "dialog:modal "
    let parts = "\(place)summary, \(place)section[aria-labelledby], dialog:modal"
    for part in try await browser.elements(parts) {
      guard try await part.isShown, try await part.label.trimmingPrefix(" ").isEmpty else {
        continue
      }
      let markup = try await part.property("outerHTML").text ?? ""
      mistakes.append("no name: \(markup.prefix(120))")
    }
    return mistakes
  }

  /// What every script below may use.
  private static let tools = """
    const found = [];
    const all = (selector) => Array.from(document.querySelectorAll(selector));
    const tell = (mistake, element) =>
      found.push(`${mistake}: ${element.outerHTML.replace(/\\s+/g, " ").slice(0, 120)}`);
    const isSeen = (element) => element.checkVisibility({
      visibilityProperty: true, opacityProperty: true });
    const isUnseenByDesign = (element) => element.closest(".unseen, .skip:not(:focus)");
    """

  private static let structure = """
    \(tools)
    if (all("h1").length !== 1) { found.push(`${all("h1").length} headings of level 1`); }
    for (const name of ["aria-describedby", "aria-labelledby", "aria-controls", "for"]) {
      for (const element of all(`[${name}]`)) {
        for (const id of element.getAttribute(name).split(/\\s+/)) {
          if (!document.getElementById(id)) { tell(`${name} leads to nothing`, element); }
        }
      }
    }
    for (const picture of all("svg:not([aria-hidden=true]):not([aria-label])")) {
      if (!picture.closest("[aria-hidden=true]")) { tell("a picture without words", picture); }
    }
    for (const use of all("use")) {
      if (!use.getBBox().width && isSeen(use.ownerSVGElement)) { tell("an empty icon", use); }
    }
    for (const cell of all("table th:not([scope])")) { tell("a head without scope", cell); }
    for (const link of all("a[href^='#']")) {
      if (!document.getElementById(link.hash.slice(1))) { tell("a link to nowhere", link); }
    }
    """

  /// How well can be told apart what axe-core leaves open, and what is in fields and their edges.
  ///
  /// https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
  private static let contrast = """
    \(tools)
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 1;
    const context = canvas.getContext("2d", { willReadFrequently: true });
    const known = new Map();
    function color(text) {
      if (!known.has(text)) {
        context.clearRect(0, 0, 1, 1);
        context.fillStyle = text;
        context.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
        known.set(text, [r, g, b, a / 255]);
      }
      return known.get(text);
    }
    const over = (top, below) => top.slice(0, 3).map(
      (value, i) => value * top[3] + below[i] * (1 - top[3])).concat(1);
    function luminance(rgb) {
      const [r, g, b] = rgb.map((value) => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    }
    function ratio(one, other) {
      const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
      return (light + 0.05) / (dark + 0.05);
    }
    const canvasColor = color("canvas");
    function background(element) {
      const layers = [];
      for (let part = element; part; part = part.parentElement) {
        const style = getComputedStyle(part);
        layers.push(color(style.backgroundColor));
        if (layers.at(-1)[3] === 1) { break; }
      }
      return layers.reverse().reduce((below, top) => over(top, below), canvasColor);
    }
    function opacity(element) {
      let value = 1;
      for (let part = element; part; part = part.parentElement) {
        value *= Number(getComputedStyle(part).opacity);
      }
      return value;
    }
    function check(element, text, minimum, what) {
      const below = background(element);
      const ink = color(text).slice();
      ink[3] *= opacity(element);
      const value = ratio(over(ink, below), below);
      if (value < minimum) { tell(`${what} has a contrast of ${value.toFixed(2)}:1`, element); }
    }
    // Where things lie over each other axe-core leaves it open.
    for (const element of window.axeUndecided ?? []) {
      if (!isUnseenByDesign(element)) {
        check(element, getComputedStyle(element).color, 4.5, "text");
      }
    }
    for (const field of all("input:not([type=hidden]), textarea").filter(isSeen)) {
      check(field, getComputedStyle(field).color, 4.5, "what is typed");
      if (field.placeholder) {
        check(field, getComputedStyle(field, "::placeholder").color, 4.5, "an example");
      }
      if (!["radio", "checkbox"].includes(field.type)) {
        check(field.parentElement, getComputedStyle(field).borderTopColor, 3, "an edge");
      }
    }
    """

  private static let size = """
    \(tools)
    const view = document.documentElement;
    if (view.scrollWidth > view.clientWidth) {
      found.push(`the page is ${view.scrollWidth} wide in a window of ${view.clientWidth}`);
    }
    const targets = all("button, input:not([type=hidden]), select, textarea, summary, nav a, " +
      "#items a, a.button, a.help, header a, footer a");
    for (const target of targets.filter(isSeen)) {
      if (isUnseenByDesign(target)) { continue; }
      // The label of a choice can be tapped too, and so can a row whose link fills it.
      const parts = [target, ...(target.labels ?? [])].map((part) => part.getBoundingClientRect());
      const drawn = getComputedStyle(target, "::after");
      const height = drawn.content !== "none" && drawn.position === "absolute"
        ? parseFloat(drawn.height) : Math.max(...parts.map((box) => box.height));
      if (height < 43.9) { tell(`only ${height.toFixed(1)} high to tap`, target); }
    }
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const element = texts.currentNode.parentElement;
      if (!isSeen(element) || isUnseenByDesign(element)) { continue; }
      for (const word of texts.currentNode.data.matchAll(/[^\\s\\-\\/“”]{2,20}/g)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, word.index);
        range.setEnd(texts.currentNode, word.index + word[0].length);
        const lines = new Set(Array.from(range.getClientRects()).map((box) => Math.round(box.top)));
        if (lines.size > 1) { tell(`“${word[0]}” is broken in two`, element); }
      }
    }
    """
}
