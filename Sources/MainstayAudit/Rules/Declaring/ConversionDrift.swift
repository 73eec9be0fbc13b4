// SPDX-License-Identifier: Apache-2.0

extension Rule {
  static let conversionDrift = Rule(
    "MS112", "conversion-drift", .warning, .strict, serves: ["B14"],
    places: [.production, .example],
    summary: "A list of error types misses one that the project converts elsewhere.",
    why: """
      Lists of the same types in several places drift apart: an error that one of them misses is \
      treated as unknown there, and nothing says so.
      """,
    guess: """
      A function that asks any error for three types or more means to know all that have a \
      conversion into the app's error.
      """,
    onPurpose: "Hand what is left to the one conversion that takes any error.",
    remedy: .unsafe(
      "Adds an arm for each type that is missing, where its conversion can be called."),
    examples: [
      .bad(
        """
        func present(_ error: any Error) -> AppError {
          ↓if let e = error as? A {
            return .from(e)
          } else if let e = error as? B {
            return .from(e)
          } else if let e = error as? D {
            return .from(e)
          }
          return .unknown
        }
        """,
        others: ["Sources/App/Errors.swift": conversions],
        fixed: """
          func present(_ error: any Error) -> AppError {
            if let e = error as? A {
              return .from(e)
            } else if let e = error as? B {
              return .from(e)
            } else if let e = error as? D {
              return .from(e)
            } else if let e = error as? C {
              return AppError.from(e)
            }
            return .unknown
          }
          """),
      .bad(
        """
        func present(_ error: any Error) -> AppError {
          ↓switch error {
          case let e as A: return .from(e)
          case let e as B: return .from(e)
          case let e as D: return .from(e)
          default: return .unknown
          }
        }
        """,
        others: ["Sources/App/Errors.swift": conversions],
        fixed: """
          func present(_ error: any Error) -> AppError {
            switch error {
            case let e as A: return .from(e)
            case let e as B: return .from(e)
            case let e as D: return .from(e)
            case let e as C: return AppError.from(e)
            default: return .unknown
            }
          }
          """),
      .bad(
        """
        final class Banner {
          func show(_ error: some Error) {
            ↓if let e = error as? A { show(e.text) }
            if let e = error as? B { show(e.text) }
            if let e = error as? D { show(e.text) }
          }
        }
        """, others: ["Sources/App/Errors.swift": conversions]),
      .bad(
        """
        func text(_ error: Error) -> String {
          ↓switch error {
          case is A: "a"
          case is B: "b"
          case D.failed: "d"
          default: "?"
          }
        }
        """, others: ["Sources/App/Errors.swift": conversions]),
      .bad(
        """
        extension Failure {
          init(_ problem: any Error) {
            ↓if let e = problem as? A { self = .from(e) } else if let e = problem as? B {
              self = .from(e)
            } else if let e = problem as? D { self = .from(e) } else { self = .unknown }
          }
        }
        """, configuration: "app_error: Failure",
        others: [
          "Sources/App/Errors.swift":
            conversions.replacing("AppError", with: "Failure")
            + "\nextension E: AppErrorConvertible {}"
        ]),
      .good(
        """
        func present(_ error: any Error) -> AppError {
          if let e = error as? A { return .from(e) }
          if let e = error as? B { return .from(e) }
          if let e = error as? C { return .from(e) }
          if let e = error as? D { return .from(e) }
          return .unknown
        }
        """, others: ["Sources/App/Errors.swift": conversions]),
      .good(
        """
        func present(_ error: any Error) -> AppError {
          if let e = error as? A { return .from(e) }
          if let e = error as? B { return .from(e) }
          return .unknown
        }
        """, others: ["Sources/App/Errors.swift": conversions],
        because: "two types may be all that matter here"),
      .good(
        """
        func present(_ error: any Error) -> AppError {
          if let e = error as? A { return .first(e) }
          if let e = error as? B { return .first(e) }
          if let e = error as? D { return .first(e) }
          return AppError.from(error)
        }
        """, others: ["Sources/App/Errors.swift": conversions],
        because: "the rest goes to the one conversion"),
      .good(
        """
        func isTransient(_ error: any Error) -> Bool {
          error is A || error is B || error is D
        }
        """, others: ["Sources/App/Errors.swift": conversions],
        because: "it asks for some of them, not for all"),
      .good(
        """
        func present(_ error: any Error) -> String {
          switch error {
          case let e as URLError: "\\(e.code)"
          case let e as CocoaError: "\\(e.code)"
          case let e as A: "\\(e)"
          default: ""
          }
        }
        """, others: ["Sources/App/Errors.swift": conversions]),
    ],
    checks: .project { index, project in
      let app = project.vocabulary.appErrorName
      let converters = project.vocabulary.converters
      let long = index.castLists.filter { $0.types.count >= 3 && !$0.isOpen && $0.into != "Bool" }
      guard !long.isEmpty else { return }
      let converted = index.errorTypes.filter { type in
        type.isForOthers && type.pathClass != .test && type.name != app
          && index.converts(type, into: app, by: converters)
      }
      for list in long where converters.isDisjoint(with: list.types) {
        let known = converted.filter { list.types.contains($0.name) }
        let missing = converted.filter { type in
          !list.types.contains(type.name)
            && index.ancestors(of: type).isDisjoint(with: list.types)
        }
        // A list that has only a few of them is about those few.
        guard known.count >= 2, !missing.isEmpty, missing.count <= (known.count + 1) / 2 else {
          continue
        }
        let names = missing.prefix(3).map { "`\($0.qualifiedName)`" }.joined(separator: ", ")
        project.report(
          list.site, in: list.pathClass,
          "This list of error types misses \(names)\(missing.count > 3 ? " and others" : "")",
          fix: index.arms(for: missing, in: list, app, converters))
      }
    })
}

private let conversions = """
  enum A: Error { case failed }
  enum B: Error { case failed }
  enum C: Error { case failed }
  enum D: Error { case failed }
  extension AppError {
    static func from(_ error: A) -> AppError { .a }
    static func from(_ error: B) -> AppError { .b }
    static func from(_ error: C) -> AppError { .c }
    static func from(_ error: D) -> AppError { .d }
  }
  """

extension ProjectIndex {
  /// One arm for each type, if the list makes the app's error and each has a conversion to call.
  fileprivate func arms(
    for missing: [IndexedType], in list: IndexedCastList, _ app: String, _ converters: Set<String>
  ) -> Fix? {
    guard list.into == app, let arm = list.arm else { return nil }
    var text = ""
    for type in missing {
      guard let call = call(from: type.name, into: app, by: converters) else { return nil }
      text += arm.text(type: type.qualifiedName) { call.applied(to: $0) }
    }
    return .unsafe("add what is missing", Edit(arm.place..<arm.place, text))
  }
}
