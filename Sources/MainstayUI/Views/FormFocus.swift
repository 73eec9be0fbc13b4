// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  public import Mainstay
  public import SwiftUI

  extension View {
    /// Keeps the focus of the screen and that of a form the same, and tells a screen reader what
    /// needs attention after a submission that did not succeed.
    ///
    /// So a person who leaves a field sees what is wrong with it, and a submission leads to the
    /// first field that is.
    ///
    /// - Parameters:
    ///   - form: The form.
    ///   - focus: The focus of the screen, by the places of the fields.
    /// - Returns: The view.
    public func formFocus<Values: Sendable>(
      _ form: FormModel<Values>, _ focus: FocusState<JSONPointer?>.Binding
    ) -> some View {
      modifier(FormFocusModifier(form: form, focus: focus))
    }
  }

  private struct FormFocusModifier<Values: Sendable>: ViewModifier {
    let form: FormModel<Values>
    let focus: FocusState<JSONPointer?>.Binding

    @Environment(\.locale) private var locale
    /// How many failures a screen reader was told of.
    @State private var toldFailures = 0

    func body(content: Content) -> some View {
      content
        .onChange(of: form.focus) { takeOver() }
        .onChange(of: form.focusRequests) { takeOver() }
        .onChange(of: focus.wrappedValue) { _, place in form.focus = place }
        // Not whether it is being sent: that may begin and end before anybody looks.
        .onChange(of: form.failedSubmissions) {
          takeOver()
          tell()
        }
        // What was shown before the view was there has changed nothing since. And the system takes
        // a focus only once the field is there, which is the next turn.
        .task {
          if form.focus != nil { takeOver() }
          tell()
        }
    }

    private func takeOver() { focus.wrappedValue = form.focus }

    /// Says once what needs attention, also where the view comes and goes.
    private func tell() {
      let failures = form.failedSubmissions
      defer { toldFailures = failures }
      guard failures > toldFailures, let text = form.announcement(in: locale) else { return }
      // The focus moves at the same time, and what is said of it would take its place.
      announce(text, isUrgent: true)
    }
  }
#endif
