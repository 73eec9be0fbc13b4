// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Mainstay
  import SwiftUI

  /// The buttons of an error; while the action of one is under way, only Dismiss works.
  struct ErrorButtons: View {
    let content: ErrorContent

    @Environment(\.openURL) private var openURL

    var body: some View {
      VStack(spacing: 8) {
        ForEach(content.actions) { action in
          ErrorButton(
            action: action, label: content.presentation.label(of: action),
            progress: content.progress, choose: choose
          )
          .disabled(content.progress != nil && action.id != RecoveryAction.dismiss.id)
        }
      }
    }
  }

  extension ErrorButtons {
    private func choose(_ action: RecoveryAction) {
      if action.id == RecoveryAction.help.id, let page = content.pageToOpen { openURL(page) }
      content.choose(action)
    }
  }

  /// A button, with how far its action is.
  private struct ErrorButton: View {
    let action: RecoveryAction
    let label: String
    let progress: ActionProgress?
    let choose: @MainActor (RecoveryAction) -> Void

    var body: some View {
      Button(role: action.buttonRole) {
        choose(action)
      } label: {
        HStack(spacing: 8) {
          Text(verbatim: label)
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
