// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// What the index of a project knows about its errors.
@Suite struct ProjectIndexTests {
  @Test(arguments: [
    "enum E: Error {}", "struct E: Swift.Error {}", "final class E: NSError {}",
    "enum E: String, LocalizedError, Sendable {}", "enum E: Equatable & Error {}",
    "struct E {}\nextension E: Error {}", "enum E: AppErrorConvertible {}",
    "protocol P: Error {}\nenum E: P {}", "class Parent: Error {}\nfinal class E: Parent {}",
    "protocol P where Self: Error {}\nstruct E: P {}",
    "typealias Problem = Error & Sendable\nenum E: Problem {}",
    "protocol P: Q {}\nprotocol Q: LocalizedError {}\nextension E: P {}\nactor E {}",
    "class Parent {}\nextension Parent: Error {}\nclass E: Parent {}",
  ])
  func `a type is an error through whatever it inherits`(code: String) async {
    let index = await index(of: code)
    #expect(index.isError("E"))
    #expect(index.errorTypes.map(\.name).contains("E"))
  }

  @Test(arguments: [
    "enum E {}", "struct E: Equatable {}", "extension Error { var code: Int { 1 } }\nstruct E {}",
    "struct E { let error: any Error }", "struct E<T: Error> {}", "// enum E: Error {}\nenum E {}",
    "/* extension E: Error {} */ struct E {}", "class E: Parent {}\nclass Parent: E {}",
  ])
  func `a type that only speaks of errors is none`(code: String) async {
    let index = await index(of: code)
    #expect(!index.isError("E"))
    #expect(index.errorTypes.isEmpty)
  }

  @Test func `parts of a type may lie in any file, under its full name`() async throws {
    let index = await index(
      of: "extension Cart { enum Failure { case empty } }",
      "extension Shop.Cart.Failure: LocalizedError { var errorDescription: String? { nil } }",
      "enum Failure { case other }")
    let type = try #require(index.errorTypes.first)
    #expect(index.errorTypes.count == 1)
    #expect(type.qualifiedName == "Cart.Failure")
    #expect(index.hasProperty("errorDescription", in: type))
    #expect(!index.hasProperty("recoverySuggestion", in: type))
    #expect(index.parts(of: type).count == 2)
  }

  @Test func `two targets may each have a type of one name`() async {
    let index = await index(at: [
      "Sources/One/E.swift": "public enum E: Error { case a }",
      "Sources/Two/E.swift": "enum E { case a }\nextension E: LocalizedError {}",
    ])
    let types = index.errorTypes
    #expect(types.map(\.target) == ["Sources/One", "Sources/Two"])
    #expect(types.map { index.conforms($0, to: ["LocalizedError"]) } == [false, true])
  }

  @Test func `a type in a private type, and one in a function, are known in their file alone`()
    async
  {
    let index = await index(
      of: """
        private struct Outer { enum A: Error { case x } }
        func f() { enum B: Error { case x } }
        fileprivate enum C: Error { case x }
        struct Open { enum D: Error { case x } }
        public extension Open { enum F: Error { case x } }
        """)
    #expect(index.errorTypes.filter(\.isFileLocal).map(\.name) == ["A", "B", "C"])
    #expect(index.errorTypes.filter(\.isPublic).map(\.name) == ["F"])
  }

  @Test func `a type says of itself where it lies and what it holds`() async throws {
    let index = await index(
      of: """
        enum E: Error {
          case a, b(Int, code: String)
          var text: String? { nil }
          static var other: Int { 1 }
        }
        """)
    let type = try #require(index.errorTypes.first)
    #expect(type.path == "Sources/App/File0.swift")
    #expect(type.line == 1)
    #expect(type.target == "Sources/App")
    #expect(type.kind == .enumeration)
    #expect(type.cases.map(\.name) == ["a", "b"])
    #expect(type.cases.map(\.payload) == [[], ["Int", "String"]])
    #expect(type.cases.map(\.site.line) == [2, 2])
    #expect(type.properties == ["text": "String?"])
  }

  // MARK: Conversions

  @Test(arguments: [
    "extension AppError { static func from(_ error: E) -> AppError { .x } }",
    "extension AppError { static func from(_ error: E) -> Self { .x } }",
    "extension AppError { init(_ error: E) {} }",
    "extension AppError { public convenience init?(wrapping error: App.E, at place: Int) {} }",
    "func convert(_ error: E) -> AppError { .x }",
    "extension E: AppErrorConvertible {}",
    "protocol Domain: AppErrorConvertible {}\nextension E: Domain {}",
    "extension E { var appError: AppError { .x } }",
    "extension E { func asAppError() -> AppError { .x } }",
    "enum AppError: Error { case e(E) }",
    "extension AppError { init(_ e: any Error) { if let e = e as? E { self = .e } } }",
    "func f(_ e: Error) -> AppError { switch e { case let e as E: .e; default: .x } }",
    "func f(_ e: some Error) -> AppError { switch e { case is E: .e; default: .x } }",
    "func f(_ e: any Error) -> AppError { switch e { case E.failed: .e; default: .x } }",
    "func f(_ e: (any Error)?) -> AppError { guard let e = e as? E else { return .x }; return .e }",
    "extension Error { var app: AppError { if let e = self as? E { .e } else { .x } } }",
    "func f() throws { do { try g() } catch let e as E { throw AppError.e(e) } }",
    "func f() throws(AppError) { do { try g() } catch is E { throw .e } catch { throw .x } }",
    "let mapping = ErrorMapping.standard.adding(E.self) { AppError($0) }",
    "typealias Old = E\nextension AppError { init(_ error: Old) {} }",
    "protocol P: Error {}\nextension E: P {}\nextension AppError { init(_ error: any P) {} }",
  ])
  func `a conversion is found in any of its forms`(code: String) async throws {
    let index = await index(of: "enum E: Error { case failed }", code)
    #expect(try converts("E", index))
  }

  @Test(arguments: [
    "func f(_ error: E) -> String { \"\" }",
    "extension AppError { var e: E { .failed } }",
    "extension Other { init(_ error: E) {} }",
    "extension Other { static func from(_ error: E) -> Self { .x } }",
    "// extension E: AppErrorConvertible {}",
    "func f(_ e: any Error) -> Bool { e is E }",
    "func f() { do { try g() } catch let e as E { show(e) } catch { log(error) } }",
    "struct Screen { var error: AppError? { nil } }",
    "extension AppError { init(_ error: F) {} }\nenum F: Error { case failed }",
    "extension F { enum E: Error { case failed } }\nextension F.E: AppErrorConvertible {}",
  ])
  func `what only looks like a conversion is none`(code: String) async throws {
    let index = await index(of: "enum E: Error { case failed }", code)
    #expect(try !converts("E", index))
  }

  @Test func `the configuration names the error of the app and the protocols`() async throws {
    let index = await index(
      of: "enum E: Error { case failed }\nextension Failure { init(_ e: E) {} }",
      configuration: "app_error: Failure")
    let type = try #require(index.errorTypes.first)
    #expect(index.converts(type, into: "Failure", by: []))
    #expect(!index.converts(type, into: "AppError", by: []))
    #expect(index.converts(type, into: "AppError", by: ["Error"]))
  }

  // MARK: Lists of casts

  @Test(arguments: [
    "if let x = e as? A {} else if let x = e as? B {} else if e is C {}",
    "switch e { case let x as A: f(x); case is B: g(); case C.failed: h(); default: i() }",
    "if let x = e as? A { f(x) }\nguard let x = e as? B else { return }\nif case let y as C = e {}",
  ])
  func `a chain of casts is a list of types`(body: String) async {
    let index = await index(of: "func show(_ e: any Error) {\n\(body)\n}")
    #expect(index.castLists.map(\.types) == [["A", "B", "C"]])
    #expect(index.castLists.map(\.site.line) == [2])
  }

  @Test func `casts of something else are no list`() async {
    let index = await index(
      of: """
        func show(_ e: any Error, _ value: Any) {
          if let x = value as? A { f(x) }
          switch value { case is B: f(); case C.failed: g(); default: h() }
        }
        func other(_ value: Any) { if let x = value as? A { f(x) } }
        """)
    #expect(index.castLists.isEmpty)
  }

  // MARK: Throw sites, clauses and members

  @Test func `throws and clauses are known by type and member`() async {
    let index = await index(
      of: """
        func f() throws(E) {
          throw .a
          throw E.b(1)
          throw Module.E(code: 1)
          throw E.init()
          throw error
          do { try g() } catch let e as F { h(e) } catch E.c {} catch is G {} catch {}
        }
        """)
    #expect(index.throwSites.map(\.type) == ["E", "E", "E", "E"])
    #expect(index.throwSites.map(\.member) == ["a", "b", nil, nil])
    #expect(index.catchSites.compactMap(\.type) == ["F", "E", "G"])
  }

  @Test(arguments: [
    "let e = E.empty", "throw E.empty", "done(.failure(.empty))",
    "func f() throws(E) { throw .empty }",
    "func f() -> E { return .empty }", "func f<T>() -> T { return .empty }", "let e: E = .empty",
    "extension E { static var one: Self { .empty } }", "extension E { static let all = [empty] }",
    "typealias F = E\nlet e = F.empty", "let e = Module.E.empty", "let e = flag ? E.empty : nil",
  ])
  func `a case is made wherever it may be meant`(code: String) async throws {
    #expect(try await makes("empty", code))
  }

  @Test(arguments: [
    "let e = Other.empty", "func f() -> Other { return .empty }\nenum Other { case empty }",
    "switch e { case .empty: f(); default: g() }", "let b = e == .empty", "let b = E.empty != e",
    "do { try f() } catch E.empty {}", "if case .empty = e {}", "let b = list.empty",
    "list.empty()", "let e = E.empty(3)", "let e: [Int] = .empty(3)",
  ])
  func `a case is not made by asking for it, nor by others of its name`(code: String) async throws {
    #expect(try await !makes("empty", code))
  }

  @Test func `labels tell cases of one name apart`() async throws {
    let index = await index(
      of: """
        enum E: Error { case failed(code: Int, String), slow(Int = 1) }
        let one = .failed(3)
        let two = E.slow()
        """)
    let type = try #require(index.errorTypes.first)
    #expect(type.cases.map { index.constructs($0, of: type) } == [false, true])
  }

  @Test(arguments: [
    ("#expect(throws: E.a) { try f() }", true), ("#expect(e == .a)", true),
    ("if case .a = e {}", true), ("catch E.a {}", true), ("switch e { case .a: f() }", true),
    ("#expect(Other.a == x)", false), ("#expect(list.a)", false), ("// E.a", false),
  ])
  func `a test names a case by making it or by asking for it`(code: String, isNamed: Bool)
    async throws
  {
    let text = code.hasPrefix("catch") ? "do { try f() } \(code)" : code
    let index = await index(at: [
      "Sources/App/E.swift": "enum E: Error { case a }",
      "Tests/AppTests/ETests.swift": "import Testing\n@Test func t() { \(text) }",
    ])
    let type = try #require(index.errorTypes.first)
    let element = try #require(type.cases.first)
    #expect(index.isNamedInTests(element, of: type) == isNamed)
  }

  @Test func `the index is the same for any number of jobs`() async {
    let sources = (0..<20).map { number in
      AuditSource(
        path: "Sources/App/File\(number).swift",
        text:
          "enum E\(number): Error { case a }\nextension E\((number + 1) % 20): LocalizedError {}")
    }
    let one = await Audit().run(sources, jobs: 1).index
    let many = await Audit().run(sources, jobs: 4).index
    #expect(one.errorTypes.map(\.qualifiedName) == many.errorTypes.map(\.qualifiedName))
    #expect(one.errorTypes.count == 20)
  }

  // MARK: What the tests share

  private func makes(_ name: String, _ code: String) async throws -> Bool {
    let index = await index(of: "enum E: Error { case \(name) }", code)
    let type = try #require(index.errorTypes.first)
    let element = try #require(type.cases.first)
    return index.constructs(element, of: type)
  }

  private func converts(_ name: String, _ index: ProjectIndex) throws -> Bool {
    let type = try #require(index.errorTypes.first { $0.qualifiedName == name })
    return index.converts(type, into: "AppError", by: ["AppErrorConvertible"])
  }

  private func index(of files: String..., configuration: String = "app_error: AppError")
    async -> ProjectIndex
  {
    let named = files.enumerated().map { ("Sources/App/File\($0.offset).swift", $0.element) }
    return await index(at: Dictionary(uniqueKeysWithValues: named), configuration: configuration)
  }

  private func index(at files: [String: String], configuration: String = "app_error: AppError")
    async -> ProjectIndex
  {
    var read = (try? AuditConfiguration(yaml: configuration)) ?? AuditConfiguration()
    read.profile = .all
    return await Audit(read).run(files.map { AuditSource(path: $0.key, text: $0.value) }).index
  }
}
