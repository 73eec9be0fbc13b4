// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// The checklist of a migration to one type of errors.
@Suite struct ChecklistTests {
  private static let sources = [
    AuditSource(
      path: "Sources/App/CartError.swift",
      text: """
        import Foundation
        enum CartError: LocalizedError {
          case empty, expired
          var errorDescription: String? { "Your cart is empty." }
          var recoverySuggestion: String? { "Add something." }
        }
        extension AppError {
          init(_ error: CartError) { self = .cart }
        }
        struct Cart {
          func pay() throws {
            if items.isEmpty { throw CartError.empty }
            throw CartError.expired
          }
        }
        """),
    AuditSource(
      path: "Sources/App/SyncError.swift",
      text: """
        enum SyncError: Error { case offline }
        private enum Inner: Error { case one }
        func sync() throws(SyncError) {
          do {
            try send()
          } catch let error as SyncError {
            throw .offline
          } catch is AppError {
            log(error)
          }
        }
        """),
    AuditSource(
      path: "Tests/AppTests/CartTests.swift",
      text: """
        struct FakeError: Error {}
        @Test func pays() {
          #expect(throws: CartError.empty) { try Cart().pay() }
          do { try f() } catch is CartError {}
        }
        """),
  ]

  private func report(appError: String?) async throws -> AuditReport {
    var configuration = try AuditConfiguration(yaml: appError.map { "app_error: \($0)" } ?? "")
    configuration.notesMembers = true
    return await Audit(configuration).run(Self.sources)
  }

  @Test func `on a terminal it is a table`() async throws {
    let text = try await report(appError: "AppError").text(as: .checklist)
    #expect(
      text == """
        Migration to `AppError`: 2 types of errors, 1 done.

        Type       Throws  Conversion  Description  Suggestion  Tests  Cases   Catches  Declared at
        CartError       2  present     present      present         1  1 of 2        0  \
        Sources/App/CartError.swift:2
        SyncError       1  missing     missing      missing         0  0 of 1        1  \
        Sources/App/SyncError.swift:1

        1 catch clause asks for `AppError`.

        For people to look at:
          [ ] No data is lost when an operation fails halfway
          [ ] A person who cannot go on has another way
          [ ] Features that need what is missing are switched off, and come back
          [ ] What is shown from a cache says how old it is
          [ ] Texts are friendly, and blame nobody
          [ ] The same failure does not alert anybody twice in a row

        """)
  }

  @Test func `on a page it is a list of tasks`() async throws {
    let text = try await report(appError: "AppError").text(as: .markdown)
    #expect(
      text.contains(
        """
        ### `SyncError`

        [`Sources/App/SyncError.swift:1`](Sources/App/SyncError.swift#L1)

        - [x] Throw sites are listed (B31): \
        [`Sources/App/SyncError.swift:7`](Sources/App/SyncError.swift#L7)
        - [ ] There is a conversion into `AppError` (B32, B33)
        - [ ] Throw sites use it (B34): 1 to look at
        - [ ] Tests provoke it (B35): none; no test names `.offline`
        - [ ] It has a text for people (B36): `errorDescription`
        - [ ] It says what to do (B36): `recoverySuggestion`
        - [ ] Catch clauses know what it becomes (B37): \
        [`Sources/App/SyncError.swift:6`](Sources/App/SyncError.swift#L6)

        """), "\(text)")
    #expect(text.contains("- [x] There is a conversion into `AppError` (B32, B33)"))
    #expect(text.contains("### For people to look at\n\n- [ ] No data is lost"))
    #expect(!text.contains("Inner") && !text.contains("FakeError"))
  }

  @Test func `without a type for all errors nothing is said of conversions`() async throws {
    let text = try await report(appError: nil).text(as: .checklist)
    #expect(text.hasPrefix("Migration: 2 types of errors, 1 done.\n"))
    #expect(text.contains("SyncError       1  -           missing"))
    #expect(text.contains("name the type for the errors of the whole app as `app_error`"))
    let page = try await report(appError: nil).text(as: .markdown)
    #expect(!page.contains("B32"))
  }

  @Test func `without types of errors there is nothing to do`() {
    #expect(Samples.clean.text(as: .checklist) == "No types of errors.\n")
    #expect(!Samples.clean.text(as: .markdown).contains("Checklist"))
  }

  @Test func `types of one name each have their own throws`() async throws {
    func source(_ target: String, _ type: String) -> [AuditSource] {
      [
        AuditSource(
          path: "Sources/\(target)/\(type).swift",
          text: "struct \(type) { enum Failure: Error { case \(target.lowercased()), full } }"),
        AuditSource(
          path: "Sources/\(target)/Use.swift",
          text: "func f() throws { throw \(type).Failure.full }"),
        AuditSource(
          path: "Sources/\(target)/More.swift",
          text: "func g() throws { throw \(type).Failure.\(target.lowercased()) }"),
      ]
    }
    let report = await Audit().run(source("App", "Cart") + source("Net", "Link"))
    let rows = report.text(as: .checklist).split(separator: "\n").filter { $0.contains(".Failure") }
    #expect(rows.map { $0.prefix(20) } == ["Cart.Failure       2", "Link.Failure       2"])
  }
}
