// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  public import Mainstay
  public import SwiftUI

  /// An error in the place of the whole content, where there is none to show.
  public struct ErrorPage: View {
    private let presentation: ErrorPresentation
    private let actions: [RecoveryAction]
    private let count: Int
    private let progress: ActionProgress?
    private let choose: @MainActor (RecoveryAction) async -> Void

    /// Makes a page.
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

    /// The page.
    public var body: some View {
      ContentUnavailableView {
        Label {
          Text(verbatim: presentation.title)
        } icon: {
          Image(systemName: presentation.icon)
            .foregroundStyle(presentation.tint.color)
            .accessibilityHidden(true)
        }
      } description: {
        Text(verbatim: presentation.message)
        if let suggestion = presentation.suggestion { Text(verbatim: suggestion) }
        ErrorCodeLine(presentation: presentation, count: count)
      } actions: {
        ErrorButtons(actions: actions, progress: progress, choose: choose)
      }
      .announcing(presentation.accessibilityLabel)
    }
  }

  #Preview("Page") {
    ErrorPage(PreviewErrors.offline) { _ in }
  }
#endif
