// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  public import Mainstay
  public import SwiftUI

  /// A field of a form: its label, a control bound to its value, and what is wrong with it.
  ///
  /// ```swift
  /// FormFieldRow(form, SignUp.email, focus: $focus) { TextField("name@example.com", text: $0) }
  /// ```
  public struct FormFieldRow<Values: Sendable, Value: Sendable & Equatable, Control: View>: View {
    @Bindable private var form: FormModel<Values>
    private let field: FormField<Values, Value>
    private let focus: FocusState<JSONPointer?>.Binding
    private let control: (Binding<Value>) -> Control

    @Environment(\.locale) private var locale

    /// Makes a row.
    ///
    /// - Parameters:
    ///   - form: The form.
    ///   - field: The field.
    ///   - focus: Where the focus of the screen is; let it follow the form with
    ///     `formFocus(_:_:)`.
    ///   - control: The control, from a binding to the value.
    public init(
      _ form: FormModel<Values>, _ field: FormField<Values, Value>,
      focus: FocusState<JSONPointer?>.Binding,
      @ViewBuilder control: @escaping (Binding<Value>) -> Control
    ) {
      _form = Bindable(form)
      self.field = field
      self.focus = focus
      self.control = control
    }

    /// The row.
    public var body: some View {
      VStack(alignment: .leading, spacing: 6) {
        Text(verbatim: label)
          .font(.subheadline)
          .accessibilityHidden(true)
        control($form[field])
          .focused(focus, equals: field.pointer)
          .accessibilityLabel(label)
          .accessibilityHint(form.error(for: field)?.message.string(in: locale) ?? "")
        FormFieldError(form, field)
      }
    }

    private var label: String { field.label.string(in: locale) }
  }

  #Preview("Form") {
    PreviewForm()
  }
#endif
