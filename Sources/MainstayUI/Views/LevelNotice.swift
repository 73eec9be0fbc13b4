// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Mainstay
  public import SwiftUI

  /// Why not everything works, and what to do instead: for a page of status, or above a list.
  ///
  /// It is nothing while everything works.
  public struct LevelNotice: View {
    private let presenter: LevelPresenter

    /// Makes a notice.
    ///
    /// - Parameter presenter: How much of the app works.
    public init(_ presenter: LevelPresenter) { self.presenter = presenter }

    /// The notice.
    public var body: some View {
      if let presentation = presenter.presentation {
        HStack(alignment: .firstTextBaseline, spacing: 12) {
          Image(systemName: presentation.icon)
            .foregroundStyle(presentation.tint.color)
            .accessibilityHidden(true)
          VStack(alignment: .leading, spacing: 4) {
            ForEach(presentation.reasons, id: \.self) { Text(verbatim: $0) }
            ForEach(presentation.gaps) { gap in
              if let alternative = gap.alternative {
                Text(verbatim: alternative)
                  .font(.footnote)
                  .foregroundStyle(.secondary)
              }
            }
          }
        }
        .accessibilityElement(children: .combine)
      }
    }
  }

  #Preview("Level") {
    LevelNotice(PreviewErrors.offlineLevel)
  }
#endif
