// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Foundation
  public import Mainstay
  public import SwiftUI

  /// A card in front of everything: what happened, what to do, and a button for each thing that can
  /// be done.
  ///
  /// Put it there with `errorOverlay(_:)`, which also keeps what is behind it still.
  public struct ErrorOverlay: View {
    private let content: ErrorContent

    @AccessibilityFocusState private var isFocused: Bool

    /// Makes a card of an error that a presenter shows.
    ///
    /// - Parameters:
    ///   - item: The error.
    ///   - presenter: The presenter, which does what a person chooses.
    public init(_ item: ErrorPresenter.Item, of presenter: ErrorPresenter) {
      content = ErrorContent(item, of: presenter)
    }

    /// Makes a card of an error that no presenter has.
    ///
    /// - Parameters:
    ///   - presentation: The error in words.
    ///   - actions: The buttons; nil, the default, is those of the error.
    ///   - choose: Begins what a person chose; the page of Help is opened before.
    public init(
      _ presentation: ErrorPresentation, actions: [RecoveryAction]? = nil,
      choose: @escaping @MainActor (RecoveryAction) -> Void
    ) {
      content = ErrorContent(presentation, actions, choose)
    }

    init(_ content: ErrorContent) { self.content = content }

    /// The card.
    public var body: some View {
      VStack(spacing: 20) {
        VStack(spacing: 8) {
          Image(systemName: content.presentation.icon)
            .font(.largeTitle)
            .foregroundStyle(content.presentation.tint.color)
            .accessibilityHidden(true)
          Text(verbatim: content.presentation.title)
            .font(.headline)
          ErrorDetails(content: content)
          ErrorCodeLine(content: content)
        }
        .multilineTextAlignment(.center)
        .accessibilityElement(children: .combine)
        .accessibilityAddTraits(.isHeader)
        .accessibilityFocused($isFocused)
        ErrorButtons(content: content)
      }
      .padding(24)
      .frame(maxWidth: 420)
      .background(.regularMaterial, in: RoundedRectangle(cornerRadius: 16))
      .padding()
      .accessibilityElement(children: .contain)
      .accessibilityAddTraits(.isModal)
      // Whoever does not see the card come is led to it.
      .onChange(of: content.presentation.id, initial: true) { isFocused = true }
    }
  }

  extension View {
    /// Shows the errors of a presenter as cards in front of this view, one after the other.
    ///
    /// What is behind a card can neither be tapped nor reached by a screen reader. Put it on the
    /// content of each sheet, too: a card at the root is behind the sheet, so the newest host on
    /// screen shows it.
    ///
    /// - Parameter presenter: The presenter.
    /// - Returns: The view.
    public func errorOverlay(_ presenter: ErrorPresenter) -> some View {
      modifier(ErrorOverlayModifier(presenter: presenter))
    }

    /// A card over this view, which is behind it meanwhile.
    func covered<Card: View>(by isCovered: Bool, @ViewBuilder _ card: () -> Card) -> some View {
      disabled(isCovered)
        .accessibilityHidden(isCovered)
        .overlay {
          if isCovered {
            Color.black.opacity(0.3)
              .ignoresSafeArea()
              .accessibilityHidden(true)
            // A long error has to be read too, with the largest type on the smallest screen.
            FittingScroll(content: card())
          }
        }
    }
  }

  /// Scrolls only what does not fit.
  private struct FittingScroll<Content: View>: View {
    let content: Content

    var body: some View {
      ViewThatFits(in: .vertical) {
        content
        ScrollView { content }
      }
    }
  }

  private struct ErrorOverlayModifier: ViewModifier {
    let presenter: ErrorPresenter

    @Environment(\.accessibilityReduceMotion) private var reduceMotion
    @State private var host = Host()

    func body(content: Content) -> some View {
      content
        .covered(by: overlay != nil) {
          if let item = overlay {
            ErrorOverlay(item, of: presenter)
          }
        }
        .animation(reduceMotion ? nil : .default, value: overlay?.id)
        .hosting(host, in: presenter.overlayHosts)
    }

    private var overlay: ErrorPresenter.Item? {
      presenter.overlayHosts.isFront(host) ? presenter.overlay : nil
    }
  }

  #Preview("Overlay") {
    ErrorOverlay(PreviewErrors.timeout) { _ in }
  }

  #Preview("Overlay, with an action under way") {
    Text(verbatim: "Behind the card")
      .errorOverlay(PreviewErrors.busy)
  }
#endif
