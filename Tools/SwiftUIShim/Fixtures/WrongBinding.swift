// SPDX-License-Identifier: Apache-2.0
// refused: cannot convert value of type 'Binding<Int>'

import Mainstay
import MainstayUI
import SwiftUI

struct Order: Sendable {
  var count = 1
  static let count = FormField<Self, Int>("count", \.count, label: "Count")
}

/// A number is no text.
struct CountField: View {
  @State private var form = FormModel(Order(), fields: FormFields { Order.count })
  @FocusState private var focus: JSONPointer?

  var body: some View {
    FormFieldRow(form, Order.count, focus: $focus) { TextField("Count", text: $0) }
  }
}
