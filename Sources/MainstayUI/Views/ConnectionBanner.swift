// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Mainstay
  public import SwiftUI

  extension View {
    /// Says at the upper edge of this view how the connection is, while there is something to say.
    ///
    /// - Parameter status: The connection.
    /// - Returns: The view.
    public func connectionBanner(_ status: ConnectionStatus) -> some View {
      modifier(ConnectionBannerModifier(status: status))
    }
  }

  private struct ConnectionBannerModifier: ViewModifier {
    let status: ConnectionStatus

    @Environment(\.accessibilityReduceMotion) private var reduceMotion

    func body(content: Content) -> some View {
      content
        .safeAreaInset(edge: .top, spacing: 0) {
          if let banner = status.banner {
            ConnectionBanner(banner) { status.banner = nil }
              .appearing(from: .top, reduceMotion: reduceMotion)
          }
        }
        .animation(reduceMotion ? nil : .default, value: status.banner)
        .announcing(status.banner?.title)
    }
  }

  /// How the connection is, in words.
  public struct ConnectionBanner: View {
    private let presentation: ConnectionPresentation
    private let dismiss: @MainActor () -> Void

    @Environment(\.locale) private var locale

    /// Makes a banner.
    ///
    /// - Parameters:
    ///   - presentation: How the connection is.
    ///   - dismiss: Puts the banner away, where it can be.
    public init(_ presentation: ConnectionPresentation, dismiss: @escaping @MainActor () -> Void) {
      self.presentation = presentation
      self.dismiss = dismiss
    }

    /// The banner.
    public var body: some View {
      HStack(spacing: 12) {
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
        Spacer(minLength: 8)
        if presentation.isDismissible {
          Button(action: dismiss) {
            Image(systemName: "xmark")
          }
          .buttonStyle(.plain)
          .accessibilityLabel(RecoveryAction.dismiss.title.string(in: locale))
        }
      }
      .padding(12)
      .frame(maxWidth: .infinity)
      .background(.regularMaterial)
    }
  }

  #Preview("Connection") {
    VStack {
      ConnectionDot(PreviewErrors.connection)
      ConnectionBanner(PreviewErrors.connection.presentation) {}
    }
  }
#endif
