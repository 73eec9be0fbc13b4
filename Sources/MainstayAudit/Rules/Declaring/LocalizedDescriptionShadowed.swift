// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let localizedDescriptionShadowed = Rule(
    "MS105", "localized-description-shadowed", .error, .default, serves: ["C7", "E10"],
    summary:
      "An error type declares `localizedDescription`, which nobody reads through `any Error`.",
    why: """
      Caught as `any Error`, it shows the system's text instead: only a `LocalizedError` with an \
      `errorDescription` is asked for its own.
      """,
    guess: "A type is an error if some file of the project says so.",
    onPurpose: "Conform to `CustomNSError` and give the text in `errorUserInfo`.",
    remedy: .safe(
      "Renames a computed property to `errorDescription` and adds `LocalizedError`; unsafe where "
        + "it is public, or Foundation is new."),
    examples: [
      .bad(
        """
        import Foundation
        struct Declined: Error {
          ↓var localizedDescription: String { "Your bank declined the payment." }
        }
        """,
        fixed: """
          import Foundation
          struct Declined: LocalizedError {
            var errorDescription: String? { "Your bank declined the payment." }
          }
          """),
      .bad(
        """
        enum PayError: String, Error {
          case declined
          ↓public var localizedDescription: String {
            switch self {
            case .declined: return "Your bank declined the payment."
            }
          }
        }
        """),
      .bad(
        """
        enum PayError: Error { case declined }
        extension PayError {
          ↓var localizedDescription: String { "Your bank declined the payment." }
        }
        """),
      .bad(
        "extension Cart.Failure {\n  ↓var localizedDescription: String { \"\\(self)\" }\n}",
        others: [
          "Sources/App/Cart.swift": "extension Cart { enum Failure: PaymentError { case empty } }",
          "Sources/App/Errors.swift": "protocol PaymentError: Swift.Error {}",
        ]),
      .bad("struct Declined: Error { ↓let localizedDescription: String }"),
      .bad(
        """
        enum PayError: LocalizedError {
          case declined
          ↓var localizedDescription: String { "Your bank declined the payment." }
        }
        """),
      .bad(
        """
        enum PayError: LocalizedError { case declined }
        extension PayError { ↓var localizedDescription: String { "Declined." } }
        """,
        fixed: """
          enum PayError: LocalizedError { case declined }
          extension PayError { var errorDescription: String? { "Declined." } }
          """),
      .bad(
        """
        struct Declined: Error {
          ↓var localizedDescription: String { "Declined." }
          var errorDescription: String? { "Your bank declined the payment." }
        }
        """,
        fixed: """
          struct Declined: Error {
            var localizedDescription: String { "Declined." }
            var errorDescription: String? { "Your bank declined the payment." }
          }
          """),
      .good(
        """
        struct Declined: LocalizedError {
          var errorDescription: String? { "Your bank declined the payment." }
        }
        """),
      .good(
        "struct Row { var localizedDescription: String { title } }", because: "it is no error"),
      .good(
        "class Failure: NSError { override var localizedDescription: String { \"No.\" } }",
        because: "it overrides what everybody reads"),
      .good(
        """
        struct Declined: CustomNSError {
          var localizedDescription: String { "Your bank declined the payment." }
          var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: localizedDescription] }
        }
        """),
      .good(
        """
        enum PayError: LocalizedError {
          case declined
          var errorDescription: String? { "Your bank declined the payment." }
          var localizedDescription: String { errorDescription ?? "" }
        }
        """, because: "the text is there for everybody"),
      .good(
        "struct Wrapper: Model { var localizedDescription: String { \"\" } }",
        others: [
          "Sources/App/Other.swift": "enum Errors { struct Wrapper: Error {} }"
        ], because: "another type of that name is the error"),
      .good(
        """
        struct Declined: Error { static let localizedDescription = "Declined" }
        protocol Described: Error { var localizedDescription: String { get } }
        """),
    ],
    checks: .variable { variable, file in
      guard variable.names("localizedDescription"), let type = variable.ownerOfInstance,
        !variable.modifiers.has(.override)
      else { return }
      let name = TypeSurroundings(type).qualifiedName
      let path = file.path
      let renaming = variable.renaming
      let conforming = [file.foundationImport, type.localizedErrorEdit].compactMap(\.self)
      let isNew = file.foundationImport != nil
      let isSeen = variable.isSeenOutside(type)
      file.report(
        variable, "`any Error` never asks `\(type.name)` for this text, and shows the system's",
        judging: { index in
          let types = index.declarations(of: name, in: path)
          guard let first = types.first, types.allSatisfy(index.isShadowing) else { return nil }
          // What has both texts needs somebody who knows which of them is right.
          if types.contains(where: { index.hasProperty("errorDescription", in: $0) }) {
            return .init()
          }
          let isLocalized = types.allSatisfy { index.conforms($0, to: ["LocalizedError"]) }
          return .init(
            fix: renaming.map { edits in
              Fix(
                isSafe: !isSeen && (isLocalized || !isNew && !first.isPublic),
                title: "make it the text of a `LocalizedError`"
                  + (isNew && !isLocalized ? ", import Foundation" : "")
                  + (isSeen ? ", and take a public name away" : ""),
                edits: isLocalized ? edits : conforming + edits,
                key: isLocalized ? nil : first.localizedErrorKey)
            })
        })
    })
}

extension VariableDeclSyntax {
  /// Whether it declares one property, of this name.
  func names(_ name: String) -> Bool {
    guard let binding = bindings.first, bindings.count == 1 else { return false }
    return binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == name
  }

  /// The type whose values have the property; nil for locals, static ones and requirements.
  var ownerOfInstance: TypeDeclaration? {
    guard parent?.kind == .memberBlockItem, !isStatic, let type = TypeDeclaration(around: self),
      type.kind != .protocolType
    else { return nil }
    return type
  }

  /// Whether code of other modules may read it.
  func isSeenOutside(_ type: TypeDeclaration) -> Bool {
    let names: [Keyword] = [.public, .open, .package]
    if names.contains(where: modifiers.has) { return true }
    // What an extension declares is as open as that says.
    return type.kind == .extension && names.contains(where: type.modifiers.has)
  }

  /// What makes it an `errorDescription`, where it is computed.
  fileprivate var renaming: [Edit]? {
    guard let binding = bindings.first, binding.accessorBlock != nil, binding.initializer == nil,
      let annotation = binding.typeAnnotation, annotation.type.trimmedDescription == "String"
    else { return nil }
    let end = annotation.type.bytes.upperBound
    return [Edit(binding.pattern.bytes, "errorDescription"), Edit(end..<end, "?")]
  }
}

extension ProjectIndex {
  /// Whether a `localizedDescription` that a type declares is not read through `any Error`.
  fileprivate func isShadowing(_ type: IndexedType) -> Bool {
    guard isError(type), !conforms(type, to: ["NSError", "CustomNSError", "AppErrorConvertible"]),
      !hasForeignAncestors(type)
    else { return false }
    if conforms(type, to: ["LocalizedError"]) && hasProperty("errorDescription", in: type) {
      return false
    }
    // A protocol of the project that asks for it is read as that protocol.
    return !ancestors(of: type).union([type.name]).contains { name in
      (types[name] ?? []).contains {
        $0.kind == .protocolType && $0.properties["localizedDescription"] != nil
      }
    }
  }
}
