// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  public import Mainstay
  public import SwiftUI

  /// An error in the place of the whole content, where there is none to show.
  public struct ErrorPage: View {
    private let content: ErrorContent

    /// Makes a page of an error that a presenter shows.
    ///
    /// - Parameters:
    ///   - item: The error.
    ///   - presenter: The presenter, which does what a person chooses.
    public init(_ item: ErrorPresenter.Item, of presenter: ErrorPresenter) {
      content = ErrorContent(item, of: presenter)
    }

    /// Makes a page of an error that no presenter has.
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

    /// The page.
    public var body: some View {
      ContentUnavailableView {
        Label {
          Text(verbatim: content.presentation.title)
        } icon: {
          Image(systemName: content.presentation.icon)
            .foregroundStyle(content.presentation.tint.color)
            .accessibilityHidden(true)
        }
      } description: {
        ErrorDetails(content: content)
        ErrorCodeLine(content: content)
      } actions: {
        ErrorButtons(content: content)
      }
      .announcing(content.presentation.accessibilityLabel)
    }
  }

  #Preview("Page") {
    ErrorPage(PreviewErrors.offline) { _ in }
  }
#endif
