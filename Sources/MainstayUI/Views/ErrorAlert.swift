// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Foundation
  import Mainstay
  public import SwiftUI

  extension View {
    /// Shows the errors of a presenter as alerts of the system, one after the other.
    ///
    /// Use it or `errorOverlay(_:)`, not both: they show the same errors. An alert goes away with
    /// every button, so it comes back where an action of an error has ended and the error is still
    /// there. Put it on the content of each sheet, too: the newest on screen shows them.
    ///
    /// - Parameter presenter: The presenter.
    /// - Returns: The view.
    public func errorAlert(_ presenter: ErrorPresenter) -> some View {
      modifier(ErrorAlertModifier(presenter: presenter))
    }
  }

  private struct ErrorAlertModifier: ViewModifier {
    let presenter: ErrorPresenter

    @Environment(\.openURL) private var openURL
    @State private var machine = AlertStateMachine()
    @State private var host = Host()

    func body(content: Content) -> some View {
      // Every button takes an alert away, so it is gone while an action is under way.
      let front = isFront ? presenter.overlay : nil
      let item = front.flatMap { machine.shows($0.id, isBusy: $0.progress != nil) ? $0 : nil }
      return content.hosting(host, in: presenter.overlayHosts).alert(
        item?.presentation.title ?? "", isPresented: isPresented(item?.id), presenting: item
      ) { item in
        ForEach(item.actions) { action in
          Button(item.presentation.label(of: action), role: action.buttonRole) {
            tap(item.id)
            if action.id == RecoveryAction.help.id, let page = item.pageToOpen { openURL(page) }
            presenter.begin(action, for: item.id)
          }
        }
      } message: { item in
        Text(verbatim: words(of: item))
      }
    }

    private var isFront: Bool { presenter.overlayHosts.isFront(host) }

    /// What SwiftUI reads, and what it writes when an alert goes away.
    ///
    /// It writes false with every button, before or after its action, and where the system takes
    /// the alert away. The last alone is a dismissal: by the next turn a button has said that it
    /// was tapped. Where another host has come in front, the error goes on there.
    private func isPresented(_ id: ErrorPresentation.ID?) -> Binding<Bool> {
      Binding {
        id != nil
      } set: { [presenter] isPresented in
        guard !isPresented, let id else { return }
        Task { @MainActor in
          guard isFront, machine.isDismissal(of: id, inFront: presenter.overlay?.id) else { return }
          presenter.dismiss(id)
        }
      }
    }

    /// Takes the error out of what SwiftUI reads, and lets it come back where it is still there.
    private func tap(_ id: ErrorPresentation.ID) {
      machine.tap(id)
      Task { @MainActor [presenter] in
        await presenter.rest()
        machine.rest(after: id)
      }
    }

    private func words(of item: ErrorPresenter.Item) -> String {
      let presentation = item.presentation
      let said = [presentation.message] + item.alike.map(\.message)
      return (said + [presentation.suggestion, item.actionFailure?.message].compactMap(\.self))
        .joined(separator: "\n")
    }
  }

  #Preview("Alert") {
    Text(verbatim: "Behind the alert")
      .errorAlert(PreviewErrors.presenter)
  }
#endif
