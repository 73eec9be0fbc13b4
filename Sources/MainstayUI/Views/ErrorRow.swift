// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  public import Mainstay
  public import SwiftUI

  /// An error between other content, such as in the place of a list's missing part.
  public struct ErrorRow: View {
    private let presentation: ErrorPresentation
    private let actions: [RecoveryAction]
    private let count: Int
    private let progress: ActionProgress?
    private let choose: @MainActor (RecoveryAction) async -> Void

    /// Makes a row.
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

    /// The row.
    public var body: some View {
      // Side by side where there is room, one below the other with large type.
      ViewThatFits(in: .horizontal) {
        HStack(spacing: 16) {
          words
          Spacer(minLength: 8)
          buttons.fixedSize(horizontal: true, vertical: false)
        }
        VStack(alignment: .leading, spacing: 12) {
          words
          buttons
        }
      }
    }

    private var words: some View {
      HStack(alignment: .firstTextBaseline, spacing: 12) {
        Image(systemName: presentation.icon)
          .foregroundStyle(presentation.tint.color)
          .accessibilityHidden(true)
        VStack(alignment: .leading, spacing: 4) {
          Text(verbatim: presentation.title).font(.headline)
          Text(verbatim: presentation.message).font(.subheadline)
          if let suggestion = presentation.suggestion {
            Text(verbatim: suggestion).font(.footnote).foregroundStyle(.secondary)
          }
          CountMark(count: count)
        }
      }
      .accessibilityElement(children: .combine)
    }

    private var buttons: some View {
      ErrorButtons(actions: actions, progress: progress, choose: choose)
    }
  }

  #Preview("Row") {
    List {
      ErrorRow(PreviewErrors.timeout, count: 2) { _ in }
    }
  }
#endif
