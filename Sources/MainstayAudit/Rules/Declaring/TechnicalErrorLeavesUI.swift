// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let technicalErrorLeavesUI = Rule(
    "MS107", "technical-error-leaves-ui-layer", .warning, .strict, serves: ["B27"],
    places: [.production, .example],
    summary: "A type between the services and the screen throws an error of the services.",
    why: """
      What such a type throws goes to a view, and a technical error has nothing to say to a person.
      """,
    guess: """
      The configuration names the technical errors, and layers are known by the endings of their \
      types' names.
      """,
    onPurpose: "Take the type out of `technical_errors`, or the ending out of `layers`.",
    remedy: .unsafe("Wraps the error in the conversion into the app's error, where there is one."),
    examples: [
      .bad(
        """
        final class CartViewModel {
          func pay() throws { ↓throw ServiceError.offline }
        }
        """, configuration: technical),
      .bad(
        """
        final class CartViewModel {
          func pay() throws { ↓throw ServiceError.offline }
        }
        extension AppError { static func from(_ error: ServiceError) -> AppError { .network } }
        """, configuration: technical,
        fixed: """
          final class CartViewModel {
            func pay() throws { throw AppError.from(ServiceError.offline) }
          }
          extension AppError { static func from(_ error: ServiceError) -> AppError { .network } }
          """),
      .bad(
        """
        extension CartStore {
          func pay() async throws(ServiceError) {
            guard isOnline else { ↓throw .offline }
          }
        }
        """, configuration: technical),
      .bad(
        """
        @MainActor struct CartPresenter {
          func pay() async throws {
            do { try await service.pay() } catch let error as ServiceError {
              log.error("\\(error)")
              ↓throw error
            }
          }
        }
        """, configuration: technical),
      .bad(
        """
        class CartController {
          func pay(_ code: Int) throws {
            let problem = ServiceError(code: code)
            if code > 200 { ↓throw problem }
          }
        }
        """, configuration: technical),
      .good(
        "final class CartViewModel { func pay() throws { throw AppError.offline } }",
        configuration: technical),
      .good(
        "final class CartService { func pay() throws { throw ServiceError.offline } }",
        configuration: technical, because: "services throw errors of services"),
      .good(
        "final class CartViewModel { func pay() throws { throw ServiceError.offline } }",
        because: "no technical errors are named"),
      .good(
        "class CartViewController: UIViewController { func f() throws { throw ServiceError.x } }",
        configuration: technical, because: "it is the screen itself"),
      .good(
        """
        class CartViewModel {
          func pay() {
            do { if !isOnline { throw ServiceError.offline } } catch { show(error) }
          }
        }
        """, configuration: technical, because: "it is caught on the spot"),
      .good(
        """
        class CartViewModel {
          func pay() throws {
            throw AppError.from(ServiceError.offline)
          }
        }
        """, configuration: technical),
    ],
    checks: .throwStatement { statement, file in
      let technical = file.vocabulary.technicalErrors
      guard !technical.isEmpty, let type = TypeDeclaration(around: statement)?.name,
        file.vocabulary.isPresentation(type), let thrown = statement.thrownType,
        technical.contains(thrown), !statement.isCaughtOnTheSpot
      else { return }
      let value = statement.expression
      let text = file.text(value.bytes)
      let full = text.hasPrefix(".") ? thrown + text : text
      let app = file.vocabulary.appErrorName
      let converters = file.vocabulary.converters
      let isTyped =
        statement.enclosingRoutine?.thrownType.map { $0 != app && $0 != "Error" } ?? false
      file.report(
        statement, "`\(thrown)` leaves `\(type)`, and says nothing to a person",
        judging: { index in
          guard !isTyped, let call = index.call(from: thrown, into: app, by: converters) else {
            return .init()
          }
          let edit = Edit(value.bytes, call.applied(to: full))
          return .init(fix: .unsafe("convert it into the app's error", edit))
        })
    })
}

private let technical = "technical_errors: [ServiceError]"

extension Vocabulary {
  /// Whether a type stands between services and the screen; a `…ViewController` is the screen
  /// unless it is named itself.
  fileprivate func isPresentation(_ type: String) -> Bool {
    guard
      let layer = presentationLayers.filter({ type.hasSuffix($0) }).max(by: { $0.count < $1.count })
    else { return false }
    return !type.hasSuffix("ViewController") || layer.hasSuffix("ViewController")
  }
}

extension ThrowStmtSyntax {
  /// The type of what is thrown, where it is written here or where the name comes from.
  fileprivate var thrownType: String? {
    let value = expression.uncast
    if let name = value.as(DeclReferenceExprSyntax.self) {
      if let local = name.localValue { return local.uncast.madeType }
      let clause = nearest(CatchClauseSyntax.self)
      guard let clause, clause.boundNames.contains(name.baseName.bareText) else { return nil }
      return clause.caughtTypes.count == 1 ? clause.caughtTypes[0] : nil
    }
    if let type = value.madeType { return type }
    let callee = value.as(FunctionCallExprSyntax.self)?.calledExpression ?? value
    let isImplicit = callee.as(MemberAccessExprSyntax.self).map { $0.base == nil } ?? false
    return isImplicit ? enclosingRoutine?.thrownType : nil
  }

  /// Whether a `do` around it in the same routine takes every error.
  fileprivate var isCaughtOnTheSpot: Bool {
    var here = Syntax(self)
    while let parent = here.parent, Routine(parent) == nil {
      if let statement = parent.as(DoStmtSyntax.self), here.id == statement.body.id,
        statement.isExhaustive
      {
        return true
      }
      here = parent
    }
    return false
  }
}

extension ExprSyntax {
  /// `E` of `E.a`, `E.a(x)`, `E(x)` and `E.init(x)`.
  fileprivate var madeType: String? {
    let callee = self.as(FunctionCallExprSyntax.self)?.calledExpression ?? self
    if let access = callee.as(MemberAccessExprSyntax.self) {
      if access.declName.baseName.text.first?.isUppercase ?? false {
        return access.declName.baseName.text
      }
      guard let name = access.base?.lastName, name.first?.isUppercase ?? false else { return nil }
      return name
    }
    guard let name = callee.lastName, name.first?.isUppercase ?? false else { return nil }
    return name
  }
}
