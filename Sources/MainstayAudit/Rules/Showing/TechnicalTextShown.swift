// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let technicalTextShown = Rule(
    "MS401", "technical-text-shown", .warning, .default, serves: ["E11", "B1"],
    places: [.production, .example],
    summary: "A text for people holds an error as code prints it, a type, a domain or a code.",
    why: "`NSURLErrorDomain -1009` tells a person neither what happened nor what to do, and it may "
      + "tell others how the app is built.",
    guess: "What a catch-all, a parameter `error` or a failed result binds is an error; a call or "
      + "state is for people by its name.",
    onPurpose: "A view named after debugging, or `#if DEBUG`.",
    remedy: .none("The text must say what happened in the words of the app."),
    examples: technicalTextShownBad + technicalTextShownGood,
    checks: .stringLiteral { literal, file in
      guard literal.segments.count > 1, let screen = file.screen(for: literal) else { return }
      for value in literal.interpolated {
        guard let part = value.technicalPart,
          !value.isStatus || screen.isState || literal.speaksOfFailure
        else { continue }
        file.reportTechnical(part, in: literal, screen)
        return
      }
    },
    .call { call, file in
      guard call.arguments.first?.label != nil, call.isDescribing, !call.isInLiteral,
        let part = ExprSyntax(call).technicalPart, let screen = file.screen(for: call)
      else { return }
      file.reportTechnical(part, in: call, screen)
    })
}

extension AuditedFile {
  fileprivate func reportTechnical(
    _ part: String, in node: some ExprSyntaxProtocol, _ screen: Screen
  ) {
    let type = TypeDeclaration(around: node)?.name ?? ""
    let isForDevelopers = ["Debug", "Developer", "Diagnostic", "Console"].contains {
      type.contains($0)
    }
    report(
      node, "\(screen.name) shows \(part) as code prints it",
      severity: isForDevelopers ? .info : nil)
  }
}

extension StringLiteralExprSyntax {
  /// Whether it says that something went wrong; a list of requests may show each one's status.
  fileprivate var speaksOfFailure: Bool {
    let text = writtenText.lowercased()
    return ["error", "fail", "problem", "wrong", "could not", "couldn", "unable"].contains {
      text.contains($0)
    }
  }
}

extension FunctionCallExprSyntax {
  /// Whether it is `String(describing: x)` or `String(reflecting: x)`.
  fileprivate var isDescribing: Bool {
    guard let label = arguments.first?.label?.text else { return false }
    return (label == "describing" || label == "reflecting")
      && calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text == "String"
  }

  fileprivate var isInLiteral: Bool { parent?.parent?.kind == .expressionSegment }
}

extension ExprSyntax {
  /// Whether it is the status of a response.
  fileprivate var isStatus: Bool { core.lastName == "statusCode" }

  /// What in it only a developer understands, in words; nil where there is nothing.
  fileprivate var technicalPart: String? {
    if knownError != nil { return "an error" }
    let core = core
    if let call = core.as(FunctionCallExprSyntax.self) {
      guard let value = call.firstArgument, value.knownError != nil else { return nil }
      if call.isDescribing { return "an error" }
      let isType = call.name == "type" && call.arguments.first?.label?.text == "of"
      return isType ? "the type of an error" : nil
    }
    if let access = core.as(MemberAccessExprSyntax.self), let base = access.base {
      let name = access.declName.baseName.text
      if name == "statusCode" { return "a status code" }
      guard base.knownError != nil, Self.technicalMembers.contains(name) else { return nil }
      return "`\(name)` of an error"
    }
    switch core.as(DeclReferenceExprSyntax.self)?.baseName.text {
    case "errno": return "`errno`"
    case "statusCode": return "a status code"
    default: return nil
    }
  }

  private static let technicalMembers: Set<String> = [
    "code", "domain", "debugDescription", "errorCode", "errorUserInfo", "userInfo", "_code",
    "_domain", "rawValue",
  ]
}

private let technicalTextShownBad: [Example] = [
  .bad("do { try save() } catch { showAlert(↓\"Error: \\(error)\") }"),
  .bad(
    """
    @Observable final class CartModel {
      func load() async {
        do {
          items = try await api.items()
        } catch let problem {
          guard !(problem is CancellationError) else { return }
          self.errorMessage = ↓"Could not load: \\(problem)"
        }
      }
    }
    """),
  .bad(
    """
    struct FeedView: View {
      @State private var error: (any Error)?
      var body: some View {
        if let error { Text(↓"Error: \\(error)") }
      }
    }
    """),
  .bad(
    """
    AsyncImage(url: url) { phase in
      switch phase {
      case .failure(let error): Text(↓"Failed with \\(String(describing: error))")
      default: ProgressView()
      }
    }
    """),
  .bad(
    """
    class PayViewController: UIViewController {
      func pay() {
        service.pay { receipt, error in
          if let error = error as NSError? {
            let alert = UIAlertController(
              title: "Error", message: ↓"\\(error.domain) \\(error.code)", preferredStyle: .alert)
            self.present(alert, animated: true)
          }
        }
      }
    }
    """),
  .bad(
    """
    @MainActor final class LoginModel {
      func check(_ response: HTTPURLResponse) {
        if response.statusCode != 200 { message = ↓"Server error \\(response.statusCode)" }
      }
    }
    """),
  .bad(
    """
    final class SyncViewModel {
      func run() {
        do { try sync() } catch { alertText = ↓String(describing: error) }
      }
    }
    """),
]

private let technicalTextShownGood: [Example] = [
  .good("do { try save() } catch { showAlert(AppError(error).message) }"),
  .good(
    """
    struct FeedView: View {
      var body: some View {
        if let error = model.errorMessage { Text("Error: \\(error)") }
      }
    }
    """, because: "it may well be a text for people"),
  .good(
    "do { try save() } catch { log.error(\"saving failed: \\(error)\") }",
    because: "nobody but developers reads a log"),
  .good(
    "do { try save() } catch { showAlert(\"Failed: \\(error.localizedDescription)\") }",
    because: "another rule finds that"),
  .good(
    """
    struct ParseFailure: Error {
      var message = ""
      init(_ error: any Error) { message = "\\(error)" }
    }
    """, because: "no person sees it"),
  .good("do { try save() } catch { let message = \"\\(error)\"; log.error(message) }"),
  .good(
    "func row(_ entry: Entry) -> Text { Text(\"\\(entry.method) \\(entry.statusCode)\") }",
    because: "a list of requests shows what they are about"),
  .good(
    "func show(count: Int) { Text(\"\\(count) items\") }", because: "a number of items is no code"),
]
