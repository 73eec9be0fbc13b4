// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  public import Mainstay
  public import SwiftUI

  /// An error at the edge, for what is no reason to stop: no connection, above all.
  public struct ErrorBanner: View {
    private let presentation: ErrorPresentation
    private let actions: [RecoveryAction]
    private let count: Int
    private let progress: ActionProgress?
    private let choose: @MainActor (RecoveryAction) async -> Void

    /// Makes a banner.
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

    /// The banner.
    public var body: some View {
      ErrorRow(
        presentation, actions: actions, count: count, progress: progress, choose: choose
      )
      .padding()
      .frame(maxWidth: .infinity)
      .background(.regularMaterial)
    }
  }

  extension View {
    /// Shows the quiet errors of a presenter at the upper edge of this view, one after the other.
    ///
    /// - Parameter presenter: The presenter.
    /// - Returns: The view.
    public func errorBanner(_ presenter: ErrorPresenter) -> some View {
      modifier(ErrorBannerModifier(presenter: presenter))
    }
  }

  private struct ErrorBannerModifier: ViewModifier {
    let presenter: ErrorPresenter

    @Environment(\.accessibilityReduceMotion) private var reduceMotion

    func body(content: Content) -> some View {
      content
        .safeAreaInset(edge: .top, spacing: 0) {
          if let item = presenter.banner {
            ErrorBanner(
              item.presentation, actions: item.actions, count: item.count, progress: item.progress
            ) { await presenter.choose($0, for: item.id) }
            .appearing(from: .top, reduceMotion: reduceMotion)
          }
        }
        .animation(reduceMotion ? nil : .default, value: presenter.banner?.id)
        .announcing(presenter.banner?.presentation.accessibilityLabel)
    }
  }

  #Preview("Banner") {
    ErrorBanner(PreviewErrors.offline) { _ in }
  }
#endif
