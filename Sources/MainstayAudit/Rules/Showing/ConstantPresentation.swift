// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let constantPresentation = Rule(
    "MS406", "constant-presentation", .info, .optIn, serves: ["E7", "T19"],
    places: [.production, .example],
    summary: "An alert is bound to a constant, so the system cannot say that it was dismissed.",
    why: "When the alert goes away by other means than the one button that clears the state, or a "
      + "button forgets to, it comes back or stays.",
    guess: "`.constant` is SwiftUI's.",
    onPurpose: "A preview.",
    remedy: .none("The state to clear is known to the author alone."),
    examples: constantPresentationBad + constantPresentationGood,
    checks: .call { call, file in
      guard let access = call.calledExpression.as(MemberAccessExprSyntax.self),
        ["alert", "confirmationDialog"].contains(access.declName.baseName.text),
        let binding = call.argument("isPresented")?.as(FunctionCallExprSyntax.self),
        binding.name == "constant",
        binding.firstArgument?.trimmedDescription != "false", !call.isForDebuggingAlone
      else { return }
      file.report(binding, "Dismissing this alert changes nothing, since its binding is constant")
    })
}

private let constantPresentationBad: [Example] = [
  .bad(
    """
    content.alert("Error", isPresented: ↓.constant(message != nil)) {
      Button("OK") { message = nil }
    }
    """),
  .bad(
    """
    var body: some View {
      list
        .padding()
        .alert("Error", isPresented: ↓.constant(model.isBroken), presenting: model.error) { _ in
          Button("Retry") { model.retry() }
        }
    }
    """),
  .bad("view.confirmationDialog(\"Delete?\", isPresented: ↓Binding.constant(item != nil)) { }"),
  .bad("view.alert(isPresented: ↓.constant(failed)) { Alert(title: Text(\"No luck\")) }"),
  .bad("view.alert(Text(title), isPresented: ↓.constant(true)) { Button(\"OK\") {} }"),
]

private let constantPresentationGood: [Example] = [
  .good(
    """
    content.alert("Error", isPresented: $isShowingError) {
      Button("OK") { message = nil }
    }
    """),
  .good(
    """
    let shown = Binding(get: { message != nil }, set: { if !$0 { message = nil } })
    content.alert("Error", isPresented: shown) {}
    """),
  .good(
    "#Preview { Card().alert(\"Error\", isPresented: .constant(true)) {} }",
    because: "it is a preview"),
  .good("view.sheet(isPresented: .constant(true)) { Help() }", because: "it is no alert"),
  .good("view.alert(\"Error\", isPresented: .constant(false)) {}", because: "it never shows"),
]
