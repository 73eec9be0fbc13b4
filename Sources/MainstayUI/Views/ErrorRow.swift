// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  public import Mainstay
  public import SwiftUI

  /// An error between other content, such as in the place of a list's missing part.
  public struct ErrorRow: View {
    private let content: ErrorContent

    /// Makes a row of an error that a presenter shows.
    ///
    /// - Parameters:
    ///   - item: The error.
    ///   - presenter: The presenter, which does what a person chooses.
    public init(_ item: ErrorPresenter.Item, of presenter: ErrorPresenter) {
      content = ErrorContent(item, of: presenter)
    }

    /// Makes a row of an error that no presenter has.
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

    init(_ content: ErrorContent) { self.content = content }

    /// The row.
    public var body: some View {
      // Side by side where there is room, one below the other with large type.
      ViewThatFits(in: .horizontal) {
        HStack(spacing: 16) {
          words
          Spacer(minLength: 8)
          ErrorButtons(content: content).fixedSize(horizontal: true, vertical: false)
        }
        VStack(alignment: .leading, spacing: 12) {
          words
          ErrorButtons(content: content)
        }
      }
    }

    private var words: some View {
      HStack(alignment: .firstTextBaseline, spacing: 12) {
        Image(systemName: content.presentation.icon)
          .foregroundStyle(content.presentation.tint.color)
          .accessibilityHidden(true)
        VStack(alignment: .leading, spacing: 4) {
          Text(verbatim: content.presentation.title).font(.headline)
          ErrorDetails(content: content).font(.subheadline)
          CountMark(count: content.count)
        }
      }
      .accessibilityElement(children: .combine)
    }
  }

  #Preview("Row") {
    List {
      ErrorRow(PreviewErrors.timeout) { _ in }
    }
  }
#endif
