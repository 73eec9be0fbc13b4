// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  public import Mainstay
  public import SwiftUI

  extension View {
    /// Shows under this view what a presenter has to say about its field, also to a screen reader.
    ///
    /// While this view is on screen, errors about the field stand here; before and after that they
    /// stand in front, since nobody would see them. A form of a `FormModel` needs none of it.
    ///
    /// - Parameters:
    ///   - field: The place of the field in what is sent, such as `/barcode`.
    ///   - presenter: The presenter.
    /// - Returns: The view.
    public func errorField(_ field: JSONPointer, of presenter: ErrorPresenter) -> some View {
      modifier(ErrorFieldModifier(field: field, presenter: presenter))
    }
  }

  private struct ErrorFieldModifier: ViewModifier {
    private struct Subject: Hashable {
      let presenter: ObjectIdentifier
      let field: JSONPointer
    }

    let field: JSONPointer
    let presenter: ErrorPresenter

    func body(content: Content) -> some View {
      let item = presenter.item(under: field)
      return VStack(alignment: .leading, spacing: 6) {
        content
          .accessibilityHint(item?.presentation.message ?? "")
        if let item {
          ErrorRow(item, of: presenter)
        }
      }
      .announcing(item?.presentation.accessibilityLabel)
      .presence(of: Subject(presenter: ObjectIdentifier(presenter), field: field)) {
        presenter.startShowing([field])
      } ended: {
        presenter.stopShowing([field])
      }
    }
  }

  #Preview("Error of a field") {
    Text(verbatim: "978014143958x")
      .errorField("/barcode", of: PreviewErrors.mistaken)
  }
#endif
