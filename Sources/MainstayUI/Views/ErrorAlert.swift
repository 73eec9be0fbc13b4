// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Mainstay
  public import SwiftUI

  extension View {
    /// Shows the errors of a presenter as alerts of the system, one after the other.
    ///
    /// Use it or ``errorOverlay(_:)``, not both: they show the same errors. An alert goes away with
    /// every button, so it comes back where an action of an error has ended and the error is still
    /// there.
    ///
    /// - Parameter presenter: The presenter.
    /// - Returns: The view.
    public func errorAlert(_ presenter: ErrorPresenter) -> some View {
      modifier(ErrorAlertModifier(presenter: presenter))
    }
  }

  private struct ErrorAlertModifier: ViewModifier {
    let presenter: ErrorPresenter

    /// The error whose action is being done: its alert is gone already.
    @State private var chosen: ErrorPresentation.ID?
    @Environment(\.locale) private var locale

    private var item: ErrorPresenter.Item? {
      presenter.overlay.flatMap { $0.id == chosen || $0.progress != nil ? nil : $0 }
    }

    func body(content: Content) -> some View {
      // A constant: SwiftUI writes false with every button, before or after its action. Were that to
      // put the error away, Retry would find nothing to run; and one button is there for it always.
      content.alert(
        presenter.overlay?.presentation.title ?? "", isPresented: .constant(item != nil),
        presenting: item
      ) { item in
        ForEach(item.actions) { action in
          Button(action.title.string(in: locale), role: action.buttonRole) {
            chosen = item.id
            Task {
              await presenter.choose(action, for: item.id)
              if chosen == item.id { chosen = nil }
            }
          }
        }
      } message: { item in
        Text(
          verbatim: [item.presentation.message, item.presentation.suggestion]
            .compactMap(\.self).joined(separator: "\n"))
      }
    }
  }

  #Preview("Alert") {
    Text(verbatim: "Behind the alert")
      .errorAlert(PreviewErrors.presenter)
  }
#endif
