// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  public import Mainstay
  public import SwiftUI

  /// A card in front of everything: what happened, what to do, and a button for each thing that can
  /// be done.
  ///
  /// Put it there with ``SwiftUI/View/errorOverlay(_:)``, which also keeps what is behind it still.
  public struct ErrorOverlay: View {
    private let presentation: ErrorPresentation
    private let actions: [RecoveryAction]
    private let count: Int
    private let progress: ActionProgress?
    private let choose: @MainActor (RecoveryAction) async -> Void

    @AccessibilityFocusState private var isFocused: Bool

    /// Makes a card.
    ///
    /// - Parameters:
    ///   - presentation: The error in words.
    ///   - actions: The buttons; nil, the default, is those of the error.
    ///   - count: How often it has happened; the default is once.
    ///   - progress: Which action is under way; nil, the default, where none is.
    ///   - choose: Does what a person chose.
    public init(
      _ presentation: ErrorPresentation, actions: [RecoveryAction]? = nil, count: Int = 1,
      progress: ActionProgress? = nil, choose: @escaping @MainActor (RecoveryAction) async -> Void
    ) {
      self.presentation = presentation
      self.actions = actions ?? presentation.actions
      self.count = count
      self.progress = progress
      self.choose = choose
    }

    /// The card.
    public var body: some View {
      VStack(spacing: 20) {
        ErrorWords(presentation: presentation, count: count)
          .accessibilityElement(children: .combine)
          .accessibilityFocused($isFocused)
        ErrorButtons(actions: actions, progress: progress, choose: choose)
      }
      .padding(24)
      .frame(maxWidth: 420)
      .background(.regularMaterial, in: RoundedRectangle(cornerRadius: 16))
      .padding()
      .accessibilityElement(children: .contain)
      .accessibilityAddTraits(.isModal)
      // Whoever does not see the card come is led to it.
      .onChange(of: presentation.id, initial: true) { isFocused = true }
    }
  }

  extension View {
    /// Shows the errors of a presenter as cards in front of this view, one after the other.
    ///
    /// What is behind a card can neither be tapped nor reached by a screen reader.
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

    func body(content: Content) -> some View {
      content
        .covered(by: presenter.overlay != nil) {
          if let item = presenter.overlay {
            ErrorOverlay(
              item.presentation, actions: item.actions, count: item.count, progress: item.progress
            ) { await presenter.choose($0, for: item.id) }
          }
        }
        .animation(reduceMotion ? nil : .default, value: presenter.overlay?.id)
    }
  }

  #Preview("Overlay") {
    ErrorOverlay(PreviewErrors.timeout) { _ in }
  }

  #Preview("Overlay, at work") {
    ErrorOverlay(
      PreviewErrors.timeout, count: 3,
      progress: ActionProgress(action: RecoveryAction.retry.id, fraction: 0.4)
    ) { _ in }
  }
#endif
