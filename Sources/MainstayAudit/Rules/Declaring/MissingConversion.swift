// SPDX-License-Identifier: Apache-2.0

extension Rule {
  static let missingConversion = Rule(
    "MS104", "missing-conversion", .warning, .strict, serves: ["B9", "B28", "B32", "B33"],
    places: [.production, .example],
    summary: "Nothing in the project turns an error type into the error of the app.",
    why: """
      An error without a conversion reaches people as an unknown one, whatever it knows about what \
      happened and what helps.
      """,
    guess: """
      `from(_:)`, an initializer, a property, an arm of a chain of casts, a case that holds it, or \
      a protocol that the configuration names is a conversion.
      """,
    onPurpose: "Make it `private`, or let it conform to a protocol that the configuration names.",
    remedy: .unsafe(
      "Writes a conversion whose arms are left to the author; it compiles once they are."),
    examples: [
      // What a fix leaves to the author is no answer to read: the first good example is.
      .bad("enum ↓SyncError: Error { case offline }", configuration: "app_error: AppError"),
      .bad(
        "enum ↓SyncError: Error { case offline }", configuration: "app_error: AppError",
        fixed: """
          enum SyncError: Error { case offline }

          extension AppError {
            static func from(_ error: SyncError) -> AppError {
              switch error {
              case .offline:
                #error("Say which AppError this is.")
              }
            }
          }
          """),
      .bad(
        """
        struct AppError: Error {}
        struct ↓SyncError: LocalizedError { let errorDescription: String? }
        // extension AppError { init(_ error: SyncError) { self.init() } }
        /* extension SyncError: AppErrorConvertible {} */
        """, configuration: "app_error: AppError"),
      .bad(
        """
        extension Sync {
          public enum ↓Failure: Error { case offline, conflict(version: Int) }
        }
        extension DomainError { init(_ failure: Cart.Problem) { self = .cart } }
        """, configuration: "app_error: DomainError"),
      .bad(
        "final class ↓SyncError: Error { let attempt = 1 }",
        configuration: "app_error: AppError",
        others: [
          "Sources/App/Mapping.swift":
            "func describe(_ error: SyncError) -> String { \"\\(error)\" }"
        ]),
      .bad(
        """
        enum ↓SyncError: Error { case offline }
        func isSync(_ error: any Error) -> Bool { error is SyncError }
        """, configuration: "app_error: AppError"),
      .bad(
        """
        struct Box<A: Hashable, B> where B: Error {
          struct ↓Fault: Error { let item: A }
        }
        """, configuration: "app_error: AppError",
        fixed: """
          struct Box<A: Hashable, B> where B: Error {
            struct Fault: Error { let item: A }
          }

          extension AppError {
            static func from<A: Hashable, B>(_ error: Box<A, B>.Fault) -> AppError where B: Error {
              #error("Say which AppError this is.")
            }
          }
          """),
      .bad(
        """
        struct Cart<Item> {}
        extension Cart {
          enum ↓Failure: Error { case empty }
        }
        """, configuration: "app_error: AppError"),
      .good(
        """
        enum SyncError: Error { case offline }
        extension AppError {
          static func from(_ error: SyncError) -> AppError { .network }
        }
        """, configuration: "app_error: AppError"),
      .good("enum SyncError: Error { case offline }", because: "no error of the app is named"),
      .good(
        "enum SyncError: Error { case offline }", configuration: "app_error: AppError",
        others: ["Sources/App/Texts.swift": "extension SyncError: AppErrorConvertible {}"]),
      .good(
        """
        enum SyncError: Error { case offline }
        extension AppError {
          init(_ error: any Error) {
            switch error {
            case let error as SyncError: self = .sync(error)
            default: self = .unknown
            }
          }
        }
        """, configuration: "app_error: AppError"),
      .good(
        """
        enum SyncError: Error { case offline }
        func convert(_ error: any Error) -> AppError {
          if let error = error as? SyncError { return .sync }
          return .unknown
        }
        """, configuration: "app_error: AppError"),
      .good("private enum SyncError: Error { case offline }", configuration: "app_error: AppError"),
      .good(
        "enum SyncError: Error { case offline }", path: "Tests/AppTests/SyncTests.swift",
        configuration: "app_error: AppError"),
      .good(
        """
        enum SyncError: Error { case offline }
        enum AppError: Error { case sync(SyncError) }
        """, configuration: "app_error: AppError", because: "a case holds it"),
      .good(
        """
        let mapping = ErrorMapping.standard.adding(SyncError.self) { _ in AppError(.offline) }
        enum SyncError: Error { case offline }
        """, configuration: "app_error: AppError"),
    ],
    checks: .project { index, project in
      guard let app = project.vocabulary.appError else { return }
      for type in index.errorTypes where type.isForOthers && type.name != app {
        guard !index.converts(type, into: app, by: project.vocabulary.converters) else { continue }
        project.report(
          type.site, in: type.pathClass,
          "Nothing turns `\(type.qualifiedName)` into `\(app)`",
          fix: type.conversion(into: app, index.generics(of: type)))
      }
    })
}

extension IndexedType {
  /// Adds a conversion to be filled in, with an arm for each case where it has cases.
  fileprivate func conversion(into app: String, _ generics: IndexedGenerics?) -> Fix? {
    guard let extensionPlace, let generics else { return nil }
    let arms = cases.map { element in
      """
          case .\(element.name):
            #error("Say which \(app) this is.")
      """
    }
    let body =
      kind == .enumeration
      ? """
          switch error {
      \(arms.joined(separator: "\n"))
          }
      """
      : """
          #error("Say which \(app) this is.")
      """
    let text = """


      extension \(app) {
        \(signature(generics, into: app)) {
      \(body)
        }
      }
      """
    return .unsafe(
      "add a conversion to fill in", Edit(extensionPlace..<extensionPlace, text))
  }

  private func signature(_ generics: IndexedGenerics, into app: String) -> String {
    (isPublic ? "public " : "") + "static func from\(generics.clause)"
      + "(_ error: \(generics.name)) -> \(app)\(generics.conditions)"
  }
}
