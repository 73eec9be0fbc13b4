// SPDX-License-Identifier: Apache-2.0

extension Rule {
  static let missingRecoverySuggestion = Rule(
    "MS103", "missing-recovery-suggestion", .info, .strict, serves: ["B3", "B20", "A52"],
    places: [.production, .example],
    summary: "A `LocalizedError` says what happened, but nowhere what a person can do about it.",
    why: "A message without a way out leaves people with nothing to do but to give up.",
    guess: "Every error that has a text for people can have advice as well.",
    onPurpose: "Declare `recoverySuggestion` and return nil where nothing helps.",
    remedy: .unsafe("Writes an extension with one arm for each case."),
    examples: [
      // What a fix leaves to the author is no answer to read: the first good example is.
      .bad(
        """
        enum ↓PayError: LocalizedError {
          case declined
          var errorDescription: String? { "Your bank declined the payment." }
        }
        """),
      .bad(
        """
        enum ↓PayError: LocalizedError {
          case declined
          var errorDescription: String? { "Your bank declined the payment." }
        }
        """,
        fixed: """
          enum PayError: LocalizedError {
            case declined
            var errorDescription: String? { "Your bank declined the payment." }
          }

          extension PayError {
            var recoverySuggestion: String? {
              switch self {
              case .declined: return nil
              }
            }
          }
          """),
      .bad(
        "public struct ↓Declined: Error, LocalizedError { public let errorDescription: String? }"),
      .bad(
        """
        enum ↓PayError: Error { case declined, expired(Date) }
        extension PayError: LocalizedError { var errorDescription: String? { text } }
        """),
      .bad(
        """
        protocol Explained: LocalizedError {}
        struct ↓Declined: Explained { var errorDescription: String? { "Declined." } }
        """),
      .bad(
        """
        extension Checkout {
          enum ↓Failure: LocalizedError {
            case declined
            var errorDescription: String? { "Declined." }
            static var recoverySuggestion: String? { nil }
          }
        }
        """),
      .good(
        """
        enum PayError: LocalizedError {
          case declined
          var errorDescription: String? { "Your bank declined the payment." }
          var recoverySuggestion: String? { "Use another card." }
        }
        """),
      .good(
        """
        enum PayError: LocalizedError { case declined }
        extension PayError { var recoverySuggestion: String? { nil } }
        """),
      .good("enum PayError: Error { case declined }", because: "another rule finds that"),
      .good(
        "enum PayError: AppErrorConvertible { case declined }",
        because: "the app's error has the advice"),
      .good(
        """
        enum PayError: LocalizedError { case declined }
        extension AppError { static func from(_ error: PayError) -> AppError { .payment } }
        """, because: "the app's error has the advice"),
      .good(
        """
        protocol Explained: LocalizedError {}
        extension Explained { var recoverySuggestion: String? { "Try again." } }
        struct Declined: Explained { var errorDescription: String? { "Declined." } }
        """),
    ],
    checks: .project { index, project in
      let app = project.vocabulary.appErrorName
      let converters = project.vocabulary.converters
      for type in index.errorTypes where type.isForOthers && type.name != app {
        guard index.conforms(type, to: ["LocalizedError"]),
          !index.hasProperty("recoverySuggestion", in: type), !index.hasForeignAncestors(type),
          !index.converts(type, into: app, by: converters)
        else { continue }
        project.report(
          type.site, in: type.pathClass,
          "`\(type.name)` never says what a person can do about it",
          fix: type.skeleton(isNew: false))
      }
    })
}
