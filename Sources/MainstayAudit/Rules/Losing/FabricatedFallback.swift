// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let fabricatedFallback = Rule(
    "MS204", "fabricated-fallback", .info, .strict, serves: ["B22"],
    summary: "A failure becomes a made-up value: `(try? f()) ?? literal`.",
    why: "Nobody can tell a real zero or an empty list from one that stands for a failure.",
    guess: "A type named like a service, client, repository or store serves others.",
    onPurpose: "A `do` with a clause that says why the value is right.",
    remedy: .none("whether to throw or to return an optional is the author's choice"),
    examples: fabricatedFallbackExamples,
    checks: .sequence { sequence, file in
      for element in sequence.elements where element.kind == .tupleExpr {
        guard let attempt = element.parenthesized?.as(TryExprSyntax.self), attempt.isOptional,
          let fallback = element.fallback, fallback.isMadeUp,
          !attempt.isLenient(fallback: fallback), !sequence.isWrittenBack(attempt)
        else { continue }
        let name = attempt.expression.core.lastName.map { "`\($0)`" } ?? "this"
        file.report(
          element, "A failure of \(name) becomes `\(fallback.trimmedDescription)`",
          severity: isInService(sequence) ? .warning : nil)
      }
    })
}

extension ExprSyntax {
  /// What stands behind a `??` behind it.
  var fallback: ExprSyntax? {
    guard let list = parent?.as(ExprListSyntax.self), let place = list.index(of: self) else {
      return nil
    }
    let rest = list[list.index(after: place)...].prefix(2).map(\.self)
    guard rest.count == 2,
      rest[0].as(BinaryOperatorExprSyntax.self)?.operator.text == "??"
    else { return nil }
    return rest[1]
  }
}

extension ExprSyntax {
  /// Whether it is a literal, or an empty collection.
  var isMadeUp: Bool {
    switch kind {
    case .integerLiteralExpr, .floatLiteralExpr, .booleanLiteralExpr: return true
    case .stringLiteralExpr: return cast(StringLiteralExprSyntax.self).plainText != nil
    case .arrayExpr:
      return cast(ArrayExprSyntax.self).elements.allSatisfy { $0.expression.isMadeUp }
    case .dictionaryExpr: return trimmedDescription == "[:]"
    case .prefixOperatorExpr: return cast(PrefixOperatorExprSyntax.self).expression.isMadeUp
    case .functionCallExpr:
      // `Data()`, `[Item]()`
      let call = cast(FunctionCallExprSyntax.self)
      guard call.arguments.isEmpty, call.closures.isEmpty else { return false }
      return call.calledExpression.kind == .arrayExpr
        || call.calledExpression.kind == .dictionaryExpr
        || ["Data", "String", "Set", "Array", "Dictionary"].contains(call.name ?? "")
    case .memberAccessExpr:
      let access = cast(MemberAccessExprSyntax.self)
      return access.base == nil && ["zero", "empty"].contains(access.declName.baseName.text)
    default: return false
    }
  }
}

extension TryExprSyntax {
  /// Whether the fallback is what the failure means.
  func isLenient(fallback: ExprSyntax) -> Bool {
    let core = expression.core
    let call = core.as(FunctionCallExprSyntax.self)
    if call?.argument("forKey") != nil { return true }
    if isLeniencyInDecoding { return true }
    if fallback.kind == .booleanLiteralExpr {
      if Surroundings(of: self)?.isPredicate ?? false { return true }
      if core.kind == .prefixOperatorExpr || core.kind == .sequenceExpr { return true }
      let asked = [call?.name, core.lastName].compactMap(\.self)
        .compactMap { words(of: $0).first }
      return asked.contains {
        ["is", "has", "can", "check", "contains", "exists", "was"].contains($0)
      }
    }
    if call?.name == "contentsOfDirectory" {
      return enclosingRoutine?.node.mentions { $0.text == "removeItem" } ?? false
    }
    return false
  }

  private var isLeniencyInDecoding: Bool { Surroundings(of: self)?.isDecoding ?? false }
}

private func isInService(_ node: SequenceExprSyntax) -> Bool {
  guard let type = TypeDeclaration(around: node) else { return false }
  return ["Service", "Client", "Repository", "Store", "API", "Gateway", "Provider", "Storage"]
    .contains { type.name.hasSuffix($0) }
}

private let fabricatedFallbackExamples: [Example] = [
  .bad("func total() -> Int { ↓(try? store.count()) ?? 0 }"),
  .bad("func f() { let items = ↓(try? load()) ?? [] }"),
  .bad("func f() async { let name = ↓(try? await api.name()) ?? \"\" }"),
  .bad("final class ItemService { func f() -> [Item] { return ↓(try? fetch()) ?? [Item]() } }"),
  .bad("struct A { var balance: Decimal { ↓(try? ledger.balance()) ?? .zero } }"),
  .bad("func f() { use(↓(try? open()) ?? -1) }"),
  .bad("func f() { items = ↓(try? store.items()) ?? [] }"),
  .bad("func f() -> Int { return ↓(try? first()) ?? 0 + 1 }"),
  .good("func total() throws -> Int { try store.count() }"),
  .good("func f() { let items = (try? load()) ?? cached }", because: "it reads what is known"),
  .good(
    """
    init(from decoder: any Decoder) throws {
      let box = try decoder.container(keyedBy: Key.self)
      count = (try? box.decode(Int.self, forKey: .count)) ?? 0
    }
    """, because: "the decoding is lenient by intent"),
  .good("func f() -> Bool { (try? url.checkResourceIsReachable()) ?? false }"),
  .good(
    """
    func clear() {
      for file in (try? fileManager.contentsOfDirectory(atPath: folder)) ?? [] {
        _ = try? fileManager.removeItem(atPath: file)
      }
    }
    """),
  .good("func f() -> Int? { (try? load()) ?? nil }"),
  .good("var isReady: Bool { (try? probe()) ?? false }", because: "failing is the answer"),
]
