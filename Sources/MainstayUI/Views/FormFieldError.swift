// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Mainstay
  public import SwiftUI

  /// What is wrong with a field, under it; nothing where nothing is shown.
  ///
  /// A screen reader is told of what is found out about the field after it was left.
  public struct FormFieldError<Values: Sendable, Value: Sendable & Equatable>: View {
    private let form: FormModel<Values>
    private let field: FormField<Values, Value>

    @Environment(\.locale) private var locale

    /// Makes the lines of a field.
    ///
    /// - Parameters:
    ///   - form: The form.
    ///   - field: The field.
    public init(_ form: FormModel<Values>, _ field: FormField<Values, Value>) {
      self.form = form
      self.field = field
    }

    /// The lines.
    public var body: some View {
      VStack(alignment: .leading, spacing: 4) {
        ForEach(form.errors(for: field), id: \.id) { error in
          line(error.message, error.suggestion, icon: "exclamationmark.circle", color: .red)
        }
        if let note = form.verdict(of: field).note {
          line(note, nil, icon: "info.circle", color: .blue)
        }
      }
      .onChange(of: form.lateNews(about: field, in: locale)) { _, news in
        if let news { announce(news) }
      }
    }

    private func line(
      _ message: LocalizableText, _ suggestion: LocalizableText?, icon: String, color: Color
    ) -> some View {
      HStack(alignment: .firstTextBaseline, spacing: 6) {
        Image(systemName: icon)
          .foregroundStyle(color)
          .accessibilityHidden(true)
        VStack(alignment: .leading, spacing: 2) {
          Text(verbatim: message.string(in: locale))
          if let suggestion {
            Text(verbatim: suggestion.string(in: locale)).foregroundStyle(.secondary)
          }
        }
      }
      .font(.footnote)
      .accessibilityElement(children: .combine)
    }
  }
#endif
