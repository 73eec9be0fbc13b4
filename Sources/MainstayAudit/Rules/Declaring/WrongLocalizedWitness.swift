// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let wrongLocalizedWitness = Rule(
    "MS106", "wrong-localized-witness", .error, .default, serves: ["B20"],
    summary: "A text of an error is a `String` instead of a `String?`, or has no `LocalizedError`.",
    why: """
      The requirement is a `String?` of `LocalizedError`. A property of another type, or of \
      another type's protocol, compiles and is never asked for: people see the system's text.
      """,
    guess: "A type is an error if some file of the project says so.",
    onPurpose: "Give a text for other uses another name.",
    remedy: .safe(
      "Makes it a `String?` and adds `LocalizedError`; with `--unsafe` where code reads the text "
        + "or may read it, an answer is decoded into it, or Foundation is new."),
    examples: [
      .bad(
        """
        enum PayError: LocalizedError {
          case declined
          ↓var errorDescription: String { "Your bank declined the payment." }
        }
        """,
        fixed: """
          enum PayError: LocalizedError {
            case declined
            var errorDescription: String? { "Your bank declined the payment." }
          }
          """),
      .bad(
        """
        enum PayError: Error {
          case declined
          ↓var errorDescription: String? { "Your bank declined the payment." }
        }
        """),
      .bad(
        """
        struct Declined: LocalizedError {
          ↓let errorDescription: String
          ↓public var recoverySuggestion: String { "Use another card." }
          var failureReason: String? { nil }
        }
        """),
      .bad(
        """
        enum PayError: Error { case declined }
        extension PayError {
          ↓var failureReason: String {
            switch self {
            case .declined: "The bank said no."
            }
          }
        }
        """),
      .bad("struct Declined: LocalizedError { ↓var errorDescription = \"Declined.\" }"),
      .bad(
        "extension PayError { ↓var recoverySuggestion: String { \"Use another card.\" } }",
        others: [
          "Sources/App/Errors.swift":
            "enum PayError: LocalizedError { case no; var errorDescription: String? { nil } }"
        ]),
      .good(
        """
        enum PayError: LocalizedError {
          case declined
          var errorDescription: String? { "Your bank declined the payment." }
        }
        """),
      .good(
        """
        enum PayError: Error { case declined }
        extension PayError { var errorDescription: String? { "Declined." } }
        extension PayError: LocalizedError {}
        """, because: "one of its parts is a `LocalizedError`"),
      .good("struct Row { var errorDescription: String { text } }", because: "it is no error"),
      .good("struct Declined: LocalizedError { let errorDescription: Optional<String> }"),
      .good(
        "struct Rejected: Error { let failureReason: String }",
        because: "it is what the error carries, whatever its name"),
      .good(
        "struct OAuthError: Error, Codable { let error: String; let errorDescription: String? }",
        because: "it is a field of an answer"),
      .good(
        "struct Answer: Error { let errorDescription: String }\nextension Answer: Decodable {}"),
      .good("struct Declined: AbortError { var errorDescription: String? { nil } }"),
      .good(
        """
        struct Declined: CustomNSError {
          var errorDescription: String { "Declined." }
          var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription] }
        }
        """),
      .good("func f() { let errorDescription: String = \"\" }"),
      .good(
        """
        import Dispatch
        struct UnknownHost: Error { var errorDescription: String { "" } }
        """, because: "there is no `LocalizedError` without Foundation"),
    ],
    checks: .variable { variable, file in
      guard let name = variable.localizedText, let type = variable.ownerOfInstance,
        let binding = variable.bindings.first
      else { return }
      let isOptional = binding.isOptionalString
      guard isOptional || binding.isString else { return }
      let article = name == "errorDescription" ? "an" : "a"
      let isStored = binding.accessorBlock == nil
      let isCarried = isStored && name != "errorDescription"
      let isRead = isStored && binding.initializer == nil
      let owner = TypeSurroundings(type).qualifiedName
      let path = file.path
      let retyping = isOptional ? nil : binding.optionalEdit
      let conforming = [file.foundationImport, type.localizedErrorEdit, retyping]
      let isNew = file.foundationImport != nil
      let isSeen = variable.isSeenOutside(type)
      file.report(
        variable, "Nobody asks for this text",
        judging: { index in
          let types = index.declarations(of: owner, in: path)
          guard !types.isEmpty, types.allSatisfy({ index.mayHaveWrongTexts($0, name) }) else {
            return nil
          }
          // With a `?`, an answer without the text would be taken that is refused now.
          let isDecoded = isRead && types.contains { index.conforms($0, to: decodable) }
          let isAsked = index.textReads.contains(name) || isDecoded || isSeen
          let alsoSeen = isSeen ? ", a change for other modules" : ""
          if types.allSatisfy({ index.conforms($0, to: ["LocalizedError"]) }) {
            guard !isOptional else { return nil }
            return .init(
              message: "`LocalizedError` never asks for \(article) `\(name)` that is no `String?`",
              fix: retyping.map {
                Fix(isSafe: !isAsked, title: "make it a `String?`" + alsoSeen, edits: [$0])
              })
          }
          guard !isCarried, !isDecoded, !types.contains(where: index.mayBeLocalized),
            types.allSatisfy({ index.usesFoundation($0.target) })
          else { return nil }
          return .init(
            message:
              "`\(name)` is never asked for, since `\(types[0].name)` is no `LocalizedError`",
            fix: isOptional || retyping != nil
              ? Fix(
                isSafe: !isNew && !types[0].isPublic && (isOptional || !isAsked),
                title: "add `LocalizedError`" + (isNew ? ", import Foundation" : "")
                  + (isOptional ? "" : alsoSeen),
                edits: conforming.compactMap(\.self),
                key: types[0].localizedErrorKey)
              : nil)
        })
    })
}

/// What fills the properties of a type from an answer.
private let decodable: Set<String> = ["Decodable", "Codable"]

extension VariableDeclSyntax {
  /// Which of the texts of a `LocalizedError` it declares.
  fileprivate var localizedText: String? {
    guard let pattern = bindings.first?.pattern.as(IdentifierPatternSyntax.self),
      bindings.count == 1
    else { return nil }
    switch pattern.identifier.text {
    case "errorDescription", "failureReason", "recoverySuggestion": return pattern.identifier.text
    default: return nil
    }
  }
}

extension PatternBindingSyntax {
  fileprivate var isOptionalString: Bool {
    guard let type = typeAnnotation?.type.trimmedDescription else { return false }
    return ["String?", "Optional<String>", "Swift.String?", "String!"].contains(type)
  }

  fileprivate var isString: Bool {
    if let type = typeAnnotation?.type.trimmedDescription {
      return type == "String" || type == "Swift.String"
    }
    return initializer?.value.is(StringLiteralExprSyntax.self) ?? false
  }

  fileprivate var optionalEdit: Edit? {
    if let type = typeAnnotation?.type {
      return Edit(type.bytes.upperBound..<type.bytes.upperBound, "?")
    }
    return Edit(pattern.bytes.upperBound..<pattern.bytes.upperBound, ": String?")
  }
}

extension ProjectIndex {
  /// Whether a type is an error, and no protocol of the project asks it for this text.
  fileprivate func mayHaveWrongTexts(_ type: IndexedType, _ property: String) -> Bool {
    guard isError(type), !conforms(type, to: ["NSError"]), type.kind != .protocolType else {
      return false
    }
    return !ancestors(of: type).contains { name in
      (types[name] ?? []).contains {
        $0.kind == .protocolType && $0.properties[property] != nil
      }
    }
  }

  /// Whether something that the project does not show may ask it for its texts.
  fileprivate func mayBeLocalized(_ type: IndexedType) -> Bool {
    conforms(type, to: ["LocalizedError", "CustomNSError", "AppErrorConvertible"])
      || hasForeignAncestors(type)
  }
}
