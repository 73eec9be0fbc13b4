// SPDX-License-Identifier: Apache-2.0

internal import Mustache

/// The templates, read once.
package struct PageLibrary: Sendable {
  private let library: MustacheLibrary

  private static var texts: [(name: String, bytes: [UInt8])] {
    [
      ("page", PackageResources.page_mustache),
      ("section", PackageResources.section_mustache),
      ("table", PackageResources.table_mustache),
      ("cell", PackageResources.cell_mustache),
      ("plot", PackageResources.plot_mustache),
      ("search", PackageResources.search_mustache),
      ("confirmation", PackageResources.confirmation_mustache),
    ]
  }

  package init() {
    MustacheContentTypes.register(EscapedHTML(), named: EscapedHTML.name)
    var library = MustacheLibrary()
    for (name, bytes) in Self.texts {
      let text = String(decoding: bytes, as: UTF8.self)
      do {
        try library.register("{{% CONTENT_TYPE:\(EscapedHTML.name)}}" + text, named: name)
      } catch {
        // mainstay:ignore MS602 -- the templates are a part of the program, as its code is
        preconditionFailure("The template \(name) of the dashboard cannot be read: \(error).")
      }
    }
    self.library = library
  }

  func render(_ page: Page) -> String { render(page.prepared, with: "page") }

  /// Renders a value, each part of which is looked at once.
  package func render(_ value: Any, with template: String) -> String {
    library.render(TemplateValue.of(value), withTemplate: template) ?? ""
  }
}
