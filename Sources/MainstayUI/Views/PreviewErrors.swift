// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Mainstay
  import SwiftUI

  /// What previews show.
  @MainActor
  enum PreviewErrors {
    static let timeout = presentation(of: AppError.timeout())
    static let offline = presentation(of: AppError.Network.offline.appError)

    static var presenter: ErrorPresenter {
      let presenter = ErrorPresenter()
      presenter.present(AppError.timeout()) {}
      return presenter
    }

    static var mistaken: ErrorPresenter {
      let presenter = ErrorPresenter()
      let error = AppError.validation("The check digit is wrong.", field: "/barcode")
      presenter.present(error, as: .field)
      return presenter
    }

    static var toasts: Toasts {
      let toasts = Toasts()
      for style in Toast.Style.allCases { toasts.show(Toast(style, "What happened, in short.")) }
      return toasts
    }

    static var busy: ErrorPresenter {
      let presenter = ErrorPresenter { _, _, progress in
        progress.report(0.4)
        try await Task.sleep(for: .seconds(60))
        return .unchanged
      }
      let error = AppError(
        code: "preview.signed-out", kind: .unauthorized, disposition: .needsUser,
        title: "You are signed out", message: "This needs an account.",
        actions: [.signIn, .dismiss])
      presenter.present(error)
      presenter.begin(.signIn, for: error.id)
      return presenter
    }

    static var offlineLevel: LevelPresenter {
      let plan = DegradationPlan.standard.with(features: [
        .init("sync", needs: [.network], alternative: "Changes are sent later.")
      ])
      let controller = DegradationController(plan)
      controller.report([.network: false])
      return LevelPresenter(following: controller)
    }

    private static func presentation(of error: AppError) -> ErrorPresentation {
      guard let presentation = ErrorPresentation(error) else {
        preconditionFailure("a preview of an error that is never shown")
      }
      return presentation
    }
  }

  /// Work that fails once it begins.
  struct PreviewTask: View {
    let error: AppError
    @State private var model = TaskModel<[String]>()

    var body: some View {
      TaskView(model) { words in
        ForEach(words, id: \.self) { Text(verbatim: $0) }
      } empty: {
        Text(verbatim: "Nothing here")
      }
      .task { [error] in await model.run("Show a preview") { throw error } }
    }
  }

  /// A form with one field.
  struct PreviewForm: View {
    private struct Values: Sendable {
      var email = "ada@"

      static let email = FormField<Self, String>(
        "email", \.email, label: "Email", rules: [.required, .email])
      static let fields = FormFields<Self> { email }
    }

    @State private var form = FormModel(
      Values(), fields: Values.fields, showing: .edited)
    @FocusState private var focus: JSONPointer?

    var body: some View {
      Form {
        FormSummaryList(form)
        FormFieldRow(form, Values.email, focus: $focus) { TextField("name@example.com", text: $0) }
      }
      .formFocus(form, $focus)
      .task { await form.submit { _ in } }
    }
  }
#endif
