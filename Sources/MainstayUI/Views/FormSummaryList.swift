// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Mainstay
  public import SwiftUI

  /// All that is wrong with a form, in one place; a tap on a line leads to its field.
  ///
  /// It is nothing while nothing is shown under any field.
  public struct FormSummaryList<Values: Sendable>: View {
    private let form: FormModel<Values>

    @Environment(\.locale) private var locale

    /// Makes a list.
    ///
    /// - Parameter form: The form.
    public init(_ form: FormModel<Values>) { self.form = form }

    /// The list.
    public var body: some View {
      if let summary = form.summary {
        VStack(alignment: .leading, spacing: 8) {
          Label {
            Text(verbatim: summary.title.string(in: locale))
          } icon: {
            Image(systemName: "exclamationmark.triangle").accessibilityHidden(true)
          }
          .font(.headline)
          .accessibilityAddTraits(.isHeader)
          ForEach(summary.lines) { line in
            Button(line.string(in: locale)) { form.requestFocus(line.field) }
              .buttonStyle(.plain)
          }
        }
      }
    }
  }
#endif
