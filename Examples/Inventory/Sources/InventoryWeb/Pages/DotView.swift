// SPDX-License-Identifier: Apache-2.0

import MainstayUI

/// How the connection stands, as `dot.mustache` draws it.
struct DotView: Sendable {
  let tint: String
  let icon: String
  let title: String
}

extension DotView {
  init(_ connection: ConnectionPresentation) {
    self.init(
      tint: connection.tint.rawValue, icon: connection.icon, title: connection.accessibilityLabel)
  }
}
