// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let rawDescriptionShown = Rule(
    "MS403", "raw-description-shown", .info, .strict, serves: ["B1", "E29"],
    places: [.production, .example],
    summary: "The `localizedDescription` of any error reaches a person.",
    why: "Of most errors it says \"The operation couldn’t be completed\", in the words of whoever "
      + "threw it, and never what to do next.",
    guess:
      "What a catch-all, a parameter `error` or a failed result binds is an error of any type.",
    onPurpose: "A clause for the app's own type of errors.",
    remedy: .none("Which text fits is for the author to say."),
    examples: rawDescriptionShownBad + rawDescriptionShownGood,
    checks: .sequence { node, file in
      guard let assignment = Assignment(node) else { return }
      for value in assignment.values {
        guard let access = value.rawDescription, let screen = file.screen(for: access) else {
          continue
        }
        file.reportRaw(access, screen)
        return
      }
    },
    .stringLiteral { literal, file in
      guard literal.segments.count > 1 else { return }
      for value in literal.interpolated {
        guard let access = value.rawDescription, let screen = file.screen(for: literal) else {
          continue
        }
        file.reportRaw(access, screen)
        return
      }
    },
    .call { call, file in
      for argument in call.arguments {
        guard let access = argument.expression.rawDescription, let name = call.name,
          file.vocabulary.screens.contains(name), let screen = file.screen(for: access)
        else { continue }
        file.reportRaw(access, screen)
        return
      }
    })
}

extension AuditedFile {
  fileprivate func reportRaw(_ access: MemberAccessExprSyntax, _ screen: Screen) {
    report(access, "\(screen.name) shows whatever this error says of itself")
  }
}

extension ExprSyntax {
  /// `error.localizedDescription` of an error of any type, also in a condition's two halves.
  fileprivate var rawDescription: MemberAccessExprSyntax? {
    // Most arguments are names, literals and calls.
    switch kind {
    case .memberAccessExpr, .sequenceExpr, .tupleExpr, .ternaryExpr, .unresolvedTernaryExpr: break
    default: return nil
    }
    let core = core
    if let ternary = core.as(TernaryExprSyntax.self) {
      return ternary.thenExpression.rawDescription ?? ternary.elseExpression.rawDescription
    }
    if let sequence = core.as(SequenceExprSyntax.self) {
      if Assignment(sequence) != nil { return nil }
      return sequence.elements.lazy.compactMap(\.rawDescription).first
    }
    if let ternary = core.as(UnresolvedTernaryExprSyntax.self) {
      return ternary.thenExpression.rawDescription
    }
    guard let access = core.as(MemberAccessExprSyntax.self),
      access.declName.baseName.text == "localizedDescription",
      access.base?.knownError == .untyped
    else { return nil }
    return access
  }
}

private let rawDescriptionShownBad: [Example] = [
  .bad(
    """
    final class CartViewModel {
      func save() {
        do { try store.save() } catch { alertText = ↓error.localizedDescription }
      }
    }
    """),
  .bad("do { try save() } catch { showError(↓error.localizedDescription) }"),
  .bad("do { try save() } catch { showAlert(\"Saving failed: \\(↓error.localizedDescription)\") }"),
  .bad(
    """
    @Observable final class FeedModel {
      private(set) var failure: (any Error)?
      func tell() { if let failure { message = ↓failure.localizedDescription } }
    }
    """),
  .bad(
    """
    struct FeedView: View {
      func load() {
        api.load { result in
          switch result {
          case .success(let posts): self.posts = posts
          case .failure(let error):
            DispatchQueue.main.async { self.errorMessage = ↓error.localizedDescription }
          }
        }
      }
    }
    """),
  .bad(
    """
    import SwiftUI
    func text(_ error: any Error) -> Text { Text(↓error.localizedDescription) }
    """),
]

private let rawDescriptionShownGood: [Example] = [
  .good(
    """
    final class CartViewModel {
      func save() {
        do { try store.save() } catch { alertText = AppError(error).message.text }
      }
    }
    """),
  .good(
    "do { try save() } catch let error as CartError { showError(error.localizedDescription) }",
    because: "the app's own errors have texts"),
  .good(
    "do { try save() } catch { log.error(\"\\(error.localizedDescription)\") }",
    because: "that is a log"),
  .good(
    """
    func save() {
      do { try write() } catch { let text = error.localizedDescription; report(text) }
    }
    """),
  .good(
    """
    struct Failure: Error {
      var message: String
      init(_ error: any Error) { message = error.localizedDescription }
    }
    """, because: "no person sees it"),
]
