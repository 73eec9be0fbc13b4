// SPDX-License-Identifier: Apache-2.0

extension Rule {
  static let untestedErrorCase = Rule(
    "MS802", "untested-error-case", .info, .optIn, serves: ["A47"],
    places: [.production],
    summary: "No test names a case of one of the project's errors.",
    why: "What happens when it is thrown has never been seen; that is where handling is wrong.",
    guess: "A test that provokes a case names it; equal names of two types are not told apart.",
    onPurpose: "A private type, which no test can name.",
    remedy: .none("Somebody must write the test."),
    examples: untestedErrorCaseBad + untestedErrorCaseGood,
    checks: .project { index, project in
      guard !index.testMembers.isEmpty else { return }
      for type in index.errorTypes where !type.isFileLocal {
        for element in type.cases where index.testMembers[element.name] == nil {
          project.report(
            element.site, in: type.pathClass, "No test names `\(type.name).\(element.name)`")
        }
      }
    })
}

private let tests = [
  "Tests/AppTests/CartTests.swift":
    "@Test func refuses() { #expect(throws: CartError.empty) { try f() } }"
]

private let untestedErrorCaseBad: [Example] = [
  .bad("enum CartError: Error { case empty; case ↓expired }", others: tests),
  .bad(
    """
    public enum CartError: LocalizedError {
      case empty
      case ↓full(limit: Int), ↓closed
    }
    """, others: tests),
  .bad("enum PayError { case ↓declined }\nextension PayError: Error {}", others: tests),
  .bad("struct Cart { enum Failure: Error { case empty, ↓locked } }", others: tests),
  .bad("indirect enum CartError: Error { case ↓nested(CartError), empty }", others: tests),
]

private let untestedErrorCaseGood: [Example] = [
  .good("enum CartError: Error { case empty }", others: tests),
  .good("enum CartError: Error { case empty, expired }", because: "the project has no tests here"),
  .good("enum Color { case red, empty }", others: tests, because: "that is no error"),
  .good("private enum CartError: Error { case expired }", others: tests),
  .good(
    "enum FakeError: Error { case odd }", path: "Tests/AppTests/Fakes.swift", others: tests,
    because: "it belongs to the tests"),
]
