// SPDX-License-Identifier: Apache-2.0

import MainstayDashboard
import Mustache

/// The templates, read once when the program starts.
package struct PageLibrary: Sendable {
  /// A whole page.
  enum Page: String, CaseIterable {
    case list, item, conflicts, status, errors, help, problem, gallery, live
  }

  private static let files: [(name: String, bytes: [UInt8])] = [
    ("badges", PackageResources.badges_mustache),
    ("choices", PackageResources.choices_mustache),
    ("conflicts", PackageResources.conflicts_mustache),
    ("dialog", PackageResources.dialog_mustache),
    ("dot", PackageResources.dot_mustache),
    ("errors", PackageResources.errors_mustache),
    ("failure", PackageResources.failure_mustache),
    ("field", PackageResources.field_mustache),
    ("form", PackageResources.form_mustache),
    ("gallery", PackageResources.gallery_mustache),
    ("help", PackageResources.help_mustache),
    ("item", PackageResources.item_mustache),
    ("layout", PackageResources.layout_mustache),
    ("list", PackageResources.list_mustache),
    ("live", PackageResources.live_mustache),
    ("notice", PackageResources.notice_mustache),
    ("problem", PackageResources.problem_mustache),
    ("row", PackageResources.row_mustache),
    ("state", PackageResources.state_mustache),
    ("status", PackageResources.status_mustache),
    ("summary", PackageResources.summary_mustache),
    ("task", PackageResources.task_mustache),
    ("time", PackageResources.time_mustache),
    ("toast", PackageResources.toast_mustache),
  ]

  /// The templates by name, as they are called in other templates.
  package static var templates: [String] { files.map(\.name) }

  private let library: MustacheLibrary

  /// - Throws: `StartFailure` that names the template that cannot be read.
  package init() throws(StartFailure) {
    try self.init(Self.files.map { ($0.name, String(decoding: $0.bytes, as: UTF8.self)) })
  }

  /// Reads templates by name, each of them escaping with `EscapedHTML`.
  ///
  /// - Throws: `StartFailure` that names the template that cannot be read.
  package init(_ texts: [(name: String, text: String)]) throws(StartFailure) {
    MustacheContentTypes.register(EscapedHTML(), named: EscapedHTML.name)
    var library = MustacheLibrary()
    for (name, text) in texts {
      do {
        try library.register("{{% CONTENT_TYPE:\(EscapedHTML.name)}}" + text, named: name)
      } catch {
        throw StartFailure("The template \(name) can’t be read: \(error).")
      }
    }
    self.library = library
  }

  /// The text of a page.
  func render<Content: Sendable>(_ page: Page, _ view: PageView<Content>) -> String {
    library.render(view, withTemplate: page.rawValue) ?? ""
  }
}
