// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Foundation
  import Mainstay
  public import SwiftUI

  extension View {
    /// Shows toasts at the lower edge of this view, and tells a screen reader of each.
    ///
    /// Put it at the root of a window, so that toasts outlive the screen that they came from, and
    /// on the content of each sheet, which hides the root: the newest on screen shows them.
    ///
    /// - Parameter toasts: The toasts.
    /// - Returns: The view.
    public func toasts(_ toasts: Toasts) -> some View {
      modifier(ToastHost(toasts: toasts))
    }
  }

  private struct ToastHost: ViewModifier {
    let toasts: Toasts

    @Environment(\.locale) private var locale
    @Environment(\.accessibilityReduceMotion) private var reduceMotion
    @State private var host = Host()

    func body(content: Content) -> some View {
      content
        .overlay(alignment: .bottom) {
          VStack(spacing: 8) {
            ForEach(visible) { toast in
              ToastCard(toast: toast, toasts: toasts)
                .announcing(toast.accessibilityLabel(in: locale))
                .appearing(from: .bottom, reduceMotion: reduceMotion)
            }
          }
          .padding()
        }
        .animation(reduceMotion ? nil : .default, value: visible)
        .hosting(host, in: toasts.hosts)
    }

    private var visible: [Toast] { toasts.hosts.isFront(host) ? toasts.visible : [] }
  }

  /// One toast; it stays while somebody reads it.
  private struct ToastCard: View {
    let toast: Toast
    let toasts: Toasts

    @Environment(\.locale) private var locale
    /// What somebody stands on: a screen reader, and keys or a switch.
    @AccessibilityFocusState private var readPart: Part?
    @FocusState private var focusedPart: Part?

    private enum Part {
      case words, action, close
    }

    var body: some View {
      HStack(spacing: 12) {
        HStack(spacing: 12) {
          Image(systemName: toast.style.icon)
            .foregroundStyle(toast.style.color)
            .accessibilityHidden(true)
          Text(verbatim: toast.text)
            .accessibilityLabel(toast.accessibilityLabel(in: locale))
          CountMark(count: toast.count)
        }
        .accessibilityElement(children: .combine)
        .accessibilityFocused($readPart, equals: .words)
        if let action = toast.action {
          Button(action.title.string(in: locale), role: action.buttonRole) {
            Task { await toasts.choose(toast.id) }
          }
          .buttonStyle(.bordered)
          .accessibilityFocused($readPart, equals: .action)
          .focused($focusedPart, equals: .action)
        }
        Button {
          toasts.dismiss(toast.id)
        } label: {
          Image(systemName: "xmark")
        }
        .buttonStyle(.plain)
        .accessibilityLabel(RecoveryAction.dismiss.title.string(in: locale))
        .accessibilityFocused($readPart, equals: .close)
        .focused($focusedPart, equals: .close)
      }
      .padding(12)
      .background(.regularMaterial, in: RoundedRectangle(cornerRadius: 12))
      .reading { hold($0, for: .pointer) }
      .onChange(of: readPart) { _, part in hold(part != nil, for: .screenReader) }
      .onChange(of: focusedPart) { _, part in hold(part != nil, for: .keyboard) }
      // Another host may show it now, where nobody reads it yet.
      .onDisappear {
        for holder in [ToastQueue.Holder.pointer, .screenReader, .keyboard] {
          hold(false, for: holder)
        }
      }
    }

    private func hold(_ isRead: Bool, for holder: ToastQueue.Holder) {
      if isRead {
        toasts.hold(toast.id, for: holder)
      } else {
        toasts.release(toast.id, for: holder)
      }
    }
  }

  extension View {
    /// Says whether a pointer rests on this, where there is one.
    @ViewBuilder
    fileprivate func reading(_ change: @escaping (Bool) -> Void) -> some View {
      #if os(watchOS) || os(tvOS)
        self
      #else
        onHover(perform: change)
      #endif
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
