// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

/// What counts as using, keeping and reporting an error.
@Suite struct ErrorUseTests {
  /// Ids of the rules about lost errors that find something.
  private func rules(in code: String) async throws -> Set<String> {
    let found = try await report(of: .good(code), profile: .all).findings.map(\.rule)
    return Set(found).intersection(["MS201", "MS202", "MS205", "MS209"])
  }

  private func handler(_ body: String) -> String {
    """
    func f() throws {
      do {
        try a()
      } catch {
        \(body)
      }
    }
    """
  }

  @Test(arguments: [
    "b(error)", "self.last = error", "show(error.code)", "if let c = error as? C { b(c) }",
    "switch error { case is C: b() default: d() }", "d { b(error) }", "d { [error] in b(error) }",
    "let text = \"\\(error)\"; b(text)", "errors.append(error)", "b(.init(cause: error))",
    "guard error is C else { return }; b()",
  ])
  func `an error that is mentioned is used`(body: String) async throws {
    #expect(try await rules(in: handler(body)).isEmpty, "\(body)")
  }

  @Test(arguments: [
    "self.error.clear()", "b(error: c)", "x.error = nil; y.b()", "b(\\.error)", "c.error()",
    "do { try b() } catch let error { log(error) }; c.d()", "load { error in log(error) }",
  ])
  func `a member, a label and another error of the name are no use of it`(
    body: String
  ) async throws {
    let thrown = body + "; throw Problem.other"
    #expect(try await rules(in: handler(thrown)).contains("MS205"), "\(body)")
  }

  @Test(arguments: [
    "let e = Wrapped(error); throw e", "var e = Wrapped(); e = .failed(error); throw Outer(e)",
    "if let e = error as? C { throw D.c(e) }; throw D.other(error)",
    "for e in error.parts { throw D.part(e) }",
    "switch error { case let C.d(why): throw D.d(why) default: throw error }",
    "let code = error.code; let text = \"no \\(code)\"; throw D.failed(text)",
  ])
  func `what is made of an error carries it on`(body: String) async throws {
    #expect(!(try await rules(in: handler(body)).contains("MS205")), "\(body)")
  }

  @Test(arguments: [
    "logger.warning(\"no\")", "self.log.info(\"no\")", "Crashlytics.crashlytics().capture()",
    "print(\"no\")", "os_log(\"no\")", "showAlert()", "self?.presentBanner()", "onFailure?()",
    "delegate?.didFail()", "XCTFail()", "fatalError()", "metrics.increment(\"no\")",
    "DDLogError(\"no\")", "fputs(\"no\", stderr)", "Task { await handleFailure() }",
    "completion(.failure(C.d))", "continuation.resume(throwing: C.d)", "notifyUser()",
  ])
  func `a call that tells somebody is a report`(body: String) async throws {
    #expect(try await rules(in: handler(body)).isEmpty, "\(body)")
  }

  @Test(arguments: [
    "continuation.finish()", "stream.yield(nil)", "completion(nil)", "cache.write(nil)",
    "subject.send(completion: .finished)", "clear()", "state = .idle", "count += 1",
  ])
  func `a call that goes on as if nothing were is none`(body: String) async throws {
    #expect(try await rules(in: handler(body)) == ["MS202"], "\(body)")
  }

  @Test(arguments: [
    "catch", "catch let e", "catch let e as NSError", "catch let e as any Error",
    "catch let e as Error",
  ])
  func `a clause that takes every error is a catch-all`(clause: String) async throws {
    #expect(try await rules(in: "func f() { do { try a() } \(clause) {} }") == ["MS201"])
  }

  @Test(arguments: [
    "catch _", "catch is C", "catch let e as C", "catch C.d", "catch let e where e is C",
    "catch let e as NSError where e.code == 4",
  ])
  func `a clause for some errors is none`(clause: String) async throws {
    #expect(try await rules(in: "func f() throws { do { try a() } \(clause) {} }").isEmpty)
  }
}
