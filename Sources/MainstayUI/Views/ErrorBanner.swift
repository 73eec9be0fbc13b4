// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Foundation
  public import Mainstay
  public import SwiftUI

  /// An error at the edge, for what is no reason to stop: no connection, above all.
  public struct ErrorBanner: View {
    private let content: ErrorContent

    /// Makes a banner of an error that a presenter shows.
    ///
    /// - Parameters:
    ///   - item: The error.
    ///   - presenter: The presenter, which does what a person chooses.
    public init(_ item: ErrorPresenter.Item, of presenter: ErrorPresenter) {
      content = ErrorContent(item, of: presenter)
    }

    /// Makes a banner of an error that no presenter has.
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

    /// The banner.
    public var body: some View {
      ErrorRow(content)
        .padding()
        .frame(maxWidth: .infinity)
        .background(.regularMaterial)
    }
  }

  extension View {
    /// Shows the quiet errors of a presenter at the upper edge of this view, one after the other.
    ///
    /// Put it on the content of each sheet, too: the newest on screen shows them.
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
    @State private var host = Host()

    func body(content: Content) -> some View {
      content
        .safeAreaInset(edge: .top, spacing: 0) {
          if let item = banner {
            ErrorBanner(item, of: presenter)
              .appearing(from: .top, reduceMotion: reduceMotion)
          }
        }
        .animation(reduceMotion ? nil : .default, value: banner?.id)
        .announcing(banner?.presentation.accessibilityLabel)
        .hosting(host, in: presenter.bannerHosts)
    }

    private var banner: ErrorPresenter.Item? {
      presenter.bannerHosts.isFront(host) ? presenter.banner : nil
    }
  }

  #Preview("Banner") {
    ErrorBanner(PreviewErrors.offline) { _ in }
  }
#endif
