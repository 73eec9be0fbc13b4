// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Foundation
  import Mainstay
  import SwiftUI

  extension ErrorPresentation.Tint {
    /// The colour, which is never the only sign: icon and words stand beside it.
    var color: Color {
      switch self {
      case .orange: .orange
      case .yellow: .yellow
      case .blue: .blue
      case .red: .red
      }
    }
  }

  extension RecoveryAction {
    /// The role of its button.
    var buttonRole: ButtonRole? {
      switch role {
      case .normal: nil
      case .cancel: .cancel
      case .destructive: .destructive
      }
    }
  }

  /// The icon, the words and the code of an error, one below the other.
  struct ErrorWords: View {
    let presentation: ErrorPresentation
    var count = 1

    var body: some View {
      VStack(spacing: 8) {
        Image(systemName: presentation.icon)
          .font(.largeTitle)
          .foregroundStyle(presentation.tint.color)
          .accessibilityHidden(true)
        Text(verbatim: presentation.title)
          .font(.headline)
          .accessibilityAddTraits(.isHeader)
        Text(verbatim: presentation.message)
        if let suggestion = presentation.suggestion {
          Text(verbatim: suggestion)
            .font(.callout)
            .foregroundStyle(.secondary)
        }
        ErrorCodeLine(presentation: presentation, count: count)
      }
      .multilineTextAlignment(.center)
    }
  }

  /// The code for support, and how often it has happened.
  struct ErrorCodeLine: View {
    let presentation: ErrorPresentation
    let count: Int

    var body: some View {
      HStack(spacing: 8) {
        Text(verbatim: presentation.code.rawValue)
          .font(.caption.monospaced())
        CountMark(count: count)
      }
      .foregroundStyle(.secondary)
    }
  }

  /// How often something has happened, where that was more than once.
  struct CountMark: View {
    let count: Int

    var body: some View {
      if count > 1 {
        Text(verbatim: "× \(count.formatted())")
          .font(.caption)
      }
    }
  }

  /// The buttons of an error; while one of them is at work, none can be tapped.
  struct ErrorButtons: View {
    let actions: [RecoveryAction]
    let progress: ActionProgress?
    let choose: @MainActor (RecoveryAction) async -> Void

    var body: some View {
      VStack(spacing: 8) {
        ForEach(actions) { action in
          ErrorButton(action: action, progress: progress, choose: choose)
            .disabled(progress != nil)
        }
      }
    }
  }

  /// A button, with how far its action is.
  private struct ErrorButton: View {
    let action: RecoveryAction
    let progress: ActionProgress?
    let choose: @MainActor (RecoveryAction) async -> Void

    @Environment(\.locale) private var locale

    var body: some View {
      Button(role: action.buttonRole) {
        Task { await choose(action) }
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
      #if os(watchOS)
        self
      #else
        keyboardShortcut(action.role == .cancel ? .cancelAction : nil)
      #endif
    }

    /// Lets something come and go, without movement for whoever does not want that.
    func appearing(from edge: Edge, reduceMotion: Bool) -> some View {
      transition(reduceMotion ? .opacity : .move(edge: edge).combined(with: .opacity))
    }
  }
#endif
