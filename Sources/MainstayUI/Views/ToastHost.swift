// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Foundation
  import Mainstay
  public import SwiftUI

  extension View {
    /// Shows toasts at the lower edge of this view, and tells a screen reader of each.
    ///
    /// Put it at the root of a window, so that toasts outlive the screen that they came from.
    ///
    /// - Parameter toasts: The toasts.
    /// - Returns: The view.
    public func toasts(_ toasts: Toasts) -> some View {
      modifier(ToastHost(toasts: toasts))
    }
  }

  private struct ToastHost: ViewModifier {
    let toasts: Toasts

    @Environment(\.accessibilityReduceMotion) private var reduceMotion

    func body(content: Content) -> some View {
      content
        .overlay(alignment: .bottom) {
          VStack(spacing: 8) {
            ForEach(toasts.visible) { toast in
              ToastCard(toast: toast) { toasts.dismiss(toast.id) }
                .announcing(toast.text)
                .appearing(from: .bottom, reduceMotion: reduceMotion)
            }
          }
          .padding()
        }
        .animation(reduceMotion ? nil : .default, value: toasts.visible)
    }
  }

  /// One toast; a tap puts it away.
  private struct ToastCard: View {
    let toast: Toast
    let dismiss: @MainActor () -> Void

    @Environment(\.locale) private var locale

    var body: some View {
      Button(action: dismiss) {
        HStack(spacing: 12) {
          Image(systemName: toast.style.icon)
            .foregroundStyle(toast.style.color)
            .accessibilityHidden(true)
          Text(verbatim: toast.text)
          CountMark(count: toast.count)
        }
        .padding(12)
        .background(.regularMaterial, in: RoundedRectangle(cornerRadius: 12))
      }
      .buttonStyle(.plain)
      .accessibilityHint(RecoveryAction.dismiss.title.string(in: locale))
    }
  }

  extension Toast.Style {
    /// The colour, beside an icon of its own.
    fileprivate var color: Color {
      switch self {
      case .info: .blue
      case .success: .green
      case .warning: .yellow
      case .error: .red
      }
    }
  }

  #Preview("Toasts") {
    Text(verbatim: "Behind the toasts")
      .frame(maxWidth: .infinity, maxHeight: .infinity)
      .toasts(PreviewErrors.toasts)
  }
#endif
