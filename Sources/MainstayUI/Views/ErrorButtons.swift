// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Mainstay
  import SwiftUI

  /// The buttons of an error; while the action of one is under way, only Dismiss works.
  struct ErrorButtons: View {
    let content: ErrorContent

    var body: some View {
      VStack(spacing: 8) {
        ForEach(content.actions) { action in
          ErrorButton(action: action, progress: content.progress, choose: content.choose)
            .disabled(content.progress != nil && action.id != RecoveryAction.dismiss.id)
        }
      }
    }
  }

  /// A button, with how far its action is.
  private struct ErrorButton: View {
    let action: RecoveryAction
    let progress: ActionProgress?
    let choose: @MainActor (RecoveryAction) -> Void

    @Environment(\.locale) private var locale

    var body: some View {
      Button(role: action.buttonRole) {
        choose(action)
      } label: {
        HStack(spacing: 8) {
          Text(verbatim: action.title.string(in: locale))
          if let progress, progress.action == action.id {
            ActionProgressMark(progress: progress)
          }
        }
        .frame(maxWidth: .infinity)
      }
      .buttonStyle(.bordered)
      .shortcut(of: action)
    }
  }

  /// A ring while nobody knows how far it is, a bar otherwise.
  private struct ActionProgressMark: View {
    let progress: ActionProgress

    var body: some View {
      if let fraction = progress.fraction {
        ProgressView(value: fraction)
          .frame(maxWidth: 80)
      } else {
        ProgressView()
      }
    }
  }

  extension View {
    /// Escape puts an error away, where there are keys.
    @ViewBuilder
    fileprivate func shortcut(of action: RecoveryAction) -> some View {
      #if os(watchOS) || os(tvOS)
        self
      #else
        keyboardShortcut(action.role == .cancel ? .cancelAction : nil)
      #endif
    }
  }
#endif
