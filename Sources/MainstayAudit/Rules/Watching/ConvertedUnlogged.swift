// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let convertedUnlogged = Rule(
    "MS702", "converted-unlogged", .info, .optIn, serves: ["B21"],
    summary: "A catch converts an error and throws the result, and nobody has noted the first one.",
    why: "What was known of the failure here, and where it was, does not survive the conversion.",
    guess: "`from`, `map`, `convert` and the like convert; a payload named `underlying` keeps.",
    onPurpose: "A payload that keeps the cause: `.failed(underlying: error)`.",
    remedy: .none("What to log beside the error is for the author to say."),
    examples: convertedUnloggedBad + convertedUnloggedGood,
    checks: .throwStatement { node, file in
      guard let call = node.expression.core.as(FunctionCallExprSyntax.self), call.isConversion,
        let clause = node.nearestClause, call.converts(clause.errorNames),
        !clause.body.every(FunctionCallExprSyntax.self).contains(where: {
          $0.position < node.position && file.isRecorder($0)
        })
      else { return }
      file.report(node, "The error that is converted here is noted nowhere")
    })
}

extension ThrowStmtSyntax {
  /// The clause that it lies in, within its routine.
  fileprivate var nearestClause: CatchClauseSyntax? {
    var current = parent
    while let here = current, Routine(here) == nil, here.kind != .memberBlock {
      if let clause = here.as(CatchClauseSyntax.self) { return clause }
      current = here.parent
    }
    return nil
  }
}

extension FunctionCallExprSyntax {
  /// Whether it is named after turning one error into another: `AppError.from(error)`.
  fileprivate var isConversion: Bool {
    guard let name else { return false }
    let first = words(of: name).first ?? ""
    return ["from", "map", "mapped", "convert", "converted", "translate", "wrap", "to", "as"]
      .contains(first) || name.hasSuffix("Error") && name.first?.isUppercase ?? false
  }

  /// Whether it takes one of the errors, and not as a cause to keep.
  fileprivate func converts(_ errors: Set<String>) -> Bool {
    if let receiver, receiver.mentionsAny(of: errors) { return true }
    guard arguments.count == 1, let argument = arguments.first else { return false }
    let label = argument.label?.text ?? ""
    let keeps = words(of: label).contains {
      ["underlying", "cause", "wrapping", "wrapped", "source", "reason", "inner"].contains($0)
    }
    return !keeps
      && argument.expression.core.as(DeclReferenceExprSyntax.self).map {
        errors.contains($0.baseName.bareText)
      } ?? false
  }
}

private let convertedUnloggedBad: [Example] = [
  .bad("do { try f() } catch { ↓throw AppError.from(error) }"),
  .bad("do { try f() } catch let e { ↓throw AppError(e) }"),
  .bad("do { try f() } catch { if isOpen { close() }; ↓throw mapper.map(error) }"),
  .bad("do { try f() } catch let e as NetError { ↓throw e.toAppError() }"),
  .bad("do { try f() } catch { last = LoadError.failed; ↓throw AppError.from(error) }"),
  .bad(
    """
    func load() async throws(AppError) {
      do { try await fetch() } catch {
        attempts += 1
        ↓throw AppError.convert(error: error)
      }
    }
    """),
]

private let convertedUnloggedGood: [Example] = [
  .good("do { try f() } catch { log.error(\"\\(error)\"); throw AppError.from(error) }"),
  .good("do { try f() } catch { throw AppError(underlying: error) }", because: "the cause is kept"),
  .good("do { try f() } catch { throw StoreError.failed(error) }", because: "a case carries it"),
  .good("do { try f() } catch { throw error }"),
  .good("func g() throws { throw AppError.from(error) }", because: "nothing is caught here"),
]
