// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Mainstay
  public import SwiftUI

  /// How the connection is, in one small sign: for a toolbar or a row of settings.
  ///
  /// The shape of the sign differs with the state as its colour does, and a screen reader says the
  /// words.
  public struct ConnectionDot: View {
    private let presentation: ConnectionPresentation

    /// Makes a dot.
    ///
    /// - Parameter presenter: The connection.
    public init(_ presenter: ConnectionPresenter) { self.init(presenter.presentation) }

    /// Makes a dot of a connection that no presenter has.
    ///
    /// - Parameter presentation: The connection.
    public init(_ presentation: ConnectionPresentation) { self.presentation = presentation }

    /// The dot.
    public var body: some View {
      Image(systemName: presentation.icon)
        .foregroundStyle(presentation.tint.color)
        .accessibilityLabel(presentation.accessibilityLabel)
        .accessibilityAddTraits(.updatesFrequently)
    }
  }

  #Preview("Dots") {
    HStack {
      ForEach(ConnectionStatus.allCases, id: \.self) { ConnectionDot(ConnectionPresentation($0)) }
    }
  }
#endif
