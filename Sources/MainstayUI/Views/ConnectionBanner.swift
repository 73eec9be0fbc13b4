// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  public import Mainstay
  public import SwiftUI

  extension View {
    /// Says at the upper edge of this view how the connection is, while there is something to say.
    ///
    /// - Parameters:
    ///   - presenter: The connection.
    ///   - perform: Begins what a person chose, such as the sign-in page of the network; nil, the
    ///     default, leaves that button out.
    /// - Returns: The view.
    public func connectionBanner(
      _ presenter: ConnectionPresenter, perform: (@MainActor (RecoveryAction) -> Void)? = nil
    ) -> some View {
      modifier(ConnectionBannerModifier(presenter: presenter, perform: perform))
    }
  }

  private struct ConnectionBannerModifier: ViewModifier {
    let presenter: ConnectionPresenter
    let perform: (@MainActor (RecoveryAction) -> Void)?

    @Environment(\.accessibilityReduceMotion) private var reduceMotion

    func body(content: Content) -> some View {
      content
        .safeAreaInset(edge: .top, spacing: 0) {
          if let banner = presenter.banner {
            ConnectionBanner(banner, perform: perform) { presenter.dismissBanner() }
              .appearing(from: .top, reduceMotion: reduceMotion)
          }
        }
        .animation(reduceMotion ? nil : .default, value: presenter.banner)
        .announcing(presenter.banner?.accessibilityLabel)
    }
  }

  /// How the connection is, in words.
  public struct ConnectionBanner: View {
    private let presentation: ConnectionPresentation
    private let perform: (@MainActor (RecoveryAction) -> Void)?
    private let dismiss: @MainActor () -> Void

    /// Makes a banner.
    ///
    /// - Parameters:
    ///   - presentation: How the connection is.
    ///   - perform: Begins what a person chose; nil, the default, leaves the button for it out.
    ///   - dismiss: Puts the banner away.
    public init(
      _ presentation: ConnectionPresentation,
      perform: (@MainActor (RecoveryAction) -> Void)? = nil,
      dismiss: @escaping @MainActor () -> Void
    ) {
      self.presentation = presentation
      self.perform = perform
      self.dismiss = dismiss
    }

    /// The banner.
    public var body: some View {
      HStack(spacing: 12) {
        words
        Spacer(minLength: 8)
        if let action = presentation.action, let perform {
          Button(presentation.label(of: action)) { perform(action) }
            .buttonStyle(.bordered)
        }
        Button(action: dismiss) {
          Image(systemName: "xmark")
        }
        .buttonStyle(.plain)
        .accessibilityLabel(presentation.label(of: .dismiss))
      }
      .padding(12)
      .frame(maxWidth: .infinity)
      .background(.regularMaterial)
    }

    private var words: some View {
      HStack(spacing: 12) {
        Image(systemName: presentation.icon)
          .foregroundStyle(presentation.tint.color)
          .accessibilityHidden(true)
        VStack(alignment: .leading, spacing: 2) {
          Text(verbatim: presentation.title).font(.subheadline)
          if let message = presentation.message {
            Text(verbatim: message).font(.footnote).foregroundStyle(.secondary)
          }
        }
      }
      .accessibilityElement(children: .combine)
    }
  }

  #Preview("No connection") {
    ConnectionBanner(ConnectionPresentation(.disconnected, note: "Changes are sent later.")) {}
  }

  #Preview("Signing in to the network") {
    ConnectionBanner(ConnectionPresentation(.failed, isPortal: true), perform: { _ in }) {}
  }
#endif
