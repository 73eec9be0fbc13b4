// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Mainstay
  import MainstayUI
  import SwiftUI

  /// One item, new or not, in a sheet, which hides what its window shows.
  struct ItemForm: View {
    let inventory: Inventory
    @State private var form: FormModel<ItemDraft>
    @FocusState private var focus: JSONPointer?
    @Environment(ErrorPresenter.self) private var presenter
    @Environment(Toasts.self) private var toasts
    @Environment(\.dismiss) private var dismiss

    init(draft: ItemDraft, inventory: Inventory) {
      self.inventory = inventory
      _form = State(initialValue: FormModel(draft, fields: ItemDraft.fields))
    }

    var body: some View {
      Form {
        FormSummaryList(form)
        FormFieldRow(form, ItemDraft.name, focus: $focus) { TextField("Toaster", text: $0) }
        FormFieldRow(form, ItemDraft.place, focus: $focus) { TextField("Kitchen", text: $0) }
        if let error = form.submissionError.flatMap({ ErrorPresentation($0) }) {
          ErrorRow(error, actions: [.dismiss]) { _ in form.dismissSubmissionError() }
        }
        Button("Save") { Task { await save() } }
          .disabled(form.isSubmitting)
        Button("Cancel", role: .cancel) { dismiss() }
      }
      .formFocus(form, $focus).errorAlert(presenter).toasts(toasts)
    }

    private func save() async {
      let saved: Void? = await form.submit("Save an item") { try await inventory.save($0.item) }
      guard saved != nil else { return }
      toasts.show(.success, "Saved on this device")
      dismiss()
    }
  }
#endif
