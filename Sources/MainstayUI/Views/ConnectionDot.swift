// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Mainstay
  public import SwiftUI

  /// How the connection is, in one small sign: for a toolbar or a row of settings.
  ///
  /// The shape of the sign differs with the state as its colour does, and a screen reader says the
  /// words.
  public struct ConnectionDot: View {
    private let status: ConnectionStatus

    /// Makes a dot.
    ///
    /// - Parameter status: The connection.
    public init(_ status: ConnectionStatus) { self.status = status }

    /// The dot.
    public var body: some View {
      Image(systemName: status.presentation.icon)
        .foregroundStyle(status.presentation.tint.color)
        .accessibilityLabel(status.presentation.title)
        .accessibilityAddTraits(.updatesFrequently)
    }
  }
#endif
