// SPDX-License-Identifier: Apache-2.0

extension Rule {
  static let errorNotPresentable = Rule(
    "MS102", "error-not-presentable", .info, .strict, serves: ["A5", "B1", "C7"],
    places: [.production, .example],
    summary: "An error type has no text for people, in no part of the project.",
    why: """
      Whoever shows such an error shows the system's text: "The operation couldn't be completed. \
      (App.PayError error 0.)".
      """,
    guess: "Errors of servers and of tools are for developers; what else they import says so.",
    onPurpose: "Make it `private`, or convert it into the error type of the app.",
    remedy: .unsafe("Writes an extension with a text for each case, made from the case's name."),
    examples: [
      // What a fix leaves to the author is no answer to read: the first good example is.
      .bad("enum ↓PayError: Error { case declined }"),
      .bad(
        "enum ↓PayError: Error { case declined }",
        fixed: """
          import Foundation

          enum PayError: Error { case declined }

          extension PayError: LocalizedError {
            var errorDescription: String? {
              switch self {
              case .declined: return "Declined."
              }
            }
            var recoverySuggestion: String? {
              switch self {
              case .declined: return nil
              }
            }
          }
          """),
      .bad("public struct ↓ParseFailure: Error, Equatable { public let line: Int }"),
      .bad(
        """
        import SwiftUI

        protocol PaymentFailure: Error {}

        extension Checkout {
          public enum ↓Failure: PaymentFailure {
            case cardExpired(until: Date)
            case limit(Int), blocked
          }
        }
        """),
      .bad("struct ↓Declined {}\nextension Declined: Error {}"),
      .bad(
        "final class ↓SyncError: Error { let attempt = 1 }",
        others: ["Sources/App/Other.swift": "enum SyncError2: LocalizedError {}"]),
      .good(
        """
        enum PayError: LocalizedError {
          case declined
          var errorDescription: String? { "Your bank declined the payment." }
          var recoverySuggestion: String? { "Use another card." }
        }
        """),
      .good(
        "enum PayError: Error { case declined }",
        others: [
          "Sources/App/Texts.swift":
            "extension PayError: LocalizedError { var errorDescription: String? { text } }"
        ], because: "another file gives it texts"),
      .good("private enum PayError: Error { case declined }"),
      .good("func f() { enum Stop: Error { case now } }", because: "it never leaves the function"),
      .good(
        "import Hummingbird\nenum PayError: Error { case declined }",
        because: "a server shows no error as it is"),
      .good(
        """
        enum PayError: Error { case declined }
        extension AppError { init(_ error: PayError) { self = .payment } }
        """, because: "the app's error has the text"),
      .good(
        "enum PayError: Error { case declined }", path: "Sources/tool/main.swift",
        because: "a tool prints for developers"),
    ],
    checks: .project { index, project in
      let app = project.vocabulary.appErrorName
      let converters = project.vocabulary.converters
      for type in index.errorTypes where type.isForOthers && type.name != app {
        guard !index.conforms(type, to: presentable.union(converters)),
          !index.hasForeignAncestors(type), !index.converts(type, into: app, by: converters),
          index.showsErrors(type.target),
          // A library that says what happened leaves it to the app to say it to people.
          !(type.isPublic && index.conforms(type, to: ["CustomStringConvertible"]))
        else { continue }
        project.report(
          type.site, in: type.pathClass, "`\(type.name)` has no text that a person can read",
          // What is there already would be declared twice.
          fix: localizedTexts.contains { index.hasProperty($0, in: type) }
            ? nil : type.skeleton(isNew: true))
      }
    })
}

/// Protocols and classes that give an error a text for people.
private let presentable: Set<String> = [
  "LocalizedError", "CustomNSError", "RecoverableError", "NSError",
  "CustomLocalizedStringResourceConvertible",
]

/// The texts that an extension would add, and what another rule makes one of.
private let localizedTexts = [
  "errorDescription", "failureReason", "recoverySuggestion", "localizedDescription",
]

extension IndexedType {
  /// Whether code of other files can meet it, and it can come to be.
  var isForOthers: Bool { !isFileLocal && !(kind == .enumeration && cases.isEmpty) }

  /// Adds an extension with the texts of a `LocalizedError`, or with the suggestion alone.
  func skeleton(isNew: Bool) -> Fix? {
    guard let extensionPlace, kind == .enumeration else { return nil }
    let access = isPublic ? "public " : ""
    let wide = cases.map { element in "    case .\(element.name.escaped): return " }
    let texts = zip(wide, cases).map { $0 + "\"\($1.name.asTitle)\"" }
    let nothing = wide.map { $0 + "nil" }
    func property(_ name: String, _ arms: [String]) -> String {
      """
        \(access)var \(name): String? {
          switch self {
      \(arms.joined(separator: "\n"))
          }
        }

      """
    }
    let suggestion = property("recoverySuggestion", nothing)
    let text =
      isNew
      ? "extension \(qualifiedName): LocalizedError {\n" + property("errorDescription", texts)
        + suggestion + "}"
      : "extension \(qualifiedName) {\n" + suggestion + "}"
    let edits =
      [isNew ? importEdit : nil, Edit(extensionPlace..<extensionPlace, "\n\n" + text)]
      .compactMap(\.self)
    return Fix(
      isSafe: false, title: isNew ? "add texts for people" : "add a suggestion for each case",
      edits: edits, key: isNew ? localizedErrorKey : nil)
  }
}

extension ProjectIndex {
  /// Whether errors of a target can come before a person: no server and no tool, and something in
  /// it uses Foundation, which shows them.
  fileprivate func showsErrors(_ target: String) -> Bool {
    let modules = imports[target] ?? []
    guard !modules.isEmpty else { return true }
    let isInside = modules.contains { module in
      developerModules.contains(module) || developerPrefixes.contains { module.hasPrefix($0) }
    }
    return !isInside && usesFoundation(target)
  }

  /// Whether Foundation is there, in which `LocalizedError` lies.
  func usesFoundation(_ target: String) -> Bool {
    let modules = imports[target] ?? []
    return modules.isEmpty || !modules.isDisjoint(with: foundationModules)
  }
}

/// What servers and tools import.
private let developerModules: Set<String> = [
  "ArgumentParser", "ServiceLifecycle", "AsyncHTTPClient", "PackagePlugin", "XCTest", "Testing",
  "FlyingFox", "PostgresNIO", "ServiceContext", "Tracing",
]
private let developerPrefixes = [
  "NIO", "Hummingbird", "Vapor", "GRPC", "AWSLambda", "Fluent", "SwiftSyntax", "SwiftCompiler",
  "SwiftParser", "_NIO", "CNIO",
]

extension String {
  /// The name as code has to write it.
  fileprivate var escaped: String {
    keywords.contains(self) ? "`\(self)`" : self
  }

  /// The words of a name as a sentence: "Card expired." for `cardExpired`.
  fileprivate var asTitle: String {
    let text = words(of: self).joined(separator: " ")
    return text.prefix(1).uppercased() + text.dropFirst() + "."
  }
}

/// Names of cases that are keywords even behind a dot.
private let keywords: Set<String> = ["init", "self", "Type", "Protocol"]
