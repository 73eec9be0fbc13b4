// SPDX-License-Identifier: Apache-2.0
// refused: has no member 'errorOverlays'

import MainstayUI
import SwiftUI

/// Previews are checked too.
#Preview {
  Text("Behind").errorOverlays(ErrorPresenter())
}
