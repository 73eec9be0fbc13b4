// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A page that was answered.
struct Page: Sendable {
  let status: Int
  /// By name in lower case.
  let headers: [String: String]
  let text: String

  /// By scalars: an accent makes another character of what stands before it, but no other markup.
  func has(_ part: String) -> Bool { text.range(of: part, options: .literal) != nil }

  /// What stands between two texts, the first time.
  func part(from start: String, to end: String) -> String? {
    guard let begin = text.range(of: start, options: .literal) else { return nil }
    let rest = text[begin.upperBound...]
    return rest.range(of: end, options: .literal).map { String(rest[..<$0.lowerBound]) }
  }

  /// The hidden fields of a form.
  func form(_ action: String) -> [String: String]? {
    guard let form = part(from: "action=\"\(action)\"", to: "</form>") else { return nil }
    var fields: [String: String] = [:]
    for piece in form.components(separatedBy: "type=\"hidden\" name=\"").dropFirst() {
      let parts = piece.components(separatedBy: "\"")
      fields[parts[0]] = parts[2].unescaped
    }
    return fields
  }

  /// The dialog; nil where none is shown.
  var dialog: Page? {
    part(from: "<dialog id=\"error\"", to: "</dialog>").map {
      Page(status: status, headers: headers, text: $0)
    }
  }

  /// The id of the error that is shown.
  var errorID: String? { part(from: "data-error=\"", to: "\"") }

  /// The texts of the toasts.
  var toasts: [String] {
    text.components(separatedBy: "<li class=\"toast").dropFirst().compactMap {
      Page(status: status, headers: headers, text: $0).part(from: "<p>", to: "</p>")?.unescaped
    }
  }

  /// What stands under a field.
  func error(under name: String) -> String? {
    part(from: "id=\"\(name)-error\">", to: "</p>")?.components(separatedBy: "</svg>").last?
      .unescaped
  }

  /// The value of a field.
  func value(of name: String) -> String? {
    part(from: "id=\"\(name)\" name=\"\(name)\" value=\"", to: "\"")?.unescaped
  }

  /// The ids of the items in the list.
  var items: [String] {
    text.components(separatedBy: "<li data-item=\"").dropFirst().compactMap {
      $0.components(separatedBy: "\"").first
    }
  }

  /// A section with a question.
  func question(_ name: String) -> Page? {
    part(from: "data-feature=\"\(name)\"", to: "</section>").map {
      Page(status: status, headers: headers, text: $0)
    }
  }

  /// The names of the icons that it draws.
  var icons: Set<String> {
    Set(
      text.components(separatedBy: "icons.svg#").dropFirst().compactMap {
        $0.components(separatedBy: "\"").first
      })
  }
}

extension String {
  /// The text without the escapes of HTML.
  fileprivate var unescaped: String {
    let escapes = [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
    ]
    return escapes.reduce(self) { text, escape in
      text.replacingOccurrences(of: escape.0, with: escape.1, options: .literal)
    }
  }
}
