// SPDX-License-Identifier: Apache-2.0

import MainstayAudit
import Testing

private let sleep = "try? await Task.sleep(for: .seconds(1))"
private let poll = "while true { \(sleep); if await isReady() { break } }"
private let wait = "while !isReady { await refresh(); \(sleep) }"

/// What MS302 puts behind a sleep that swallows cancellation.
@Suite struct SleepFixTests {
  @Test(arguments: [poll, wait])
  func `a wait that was cancelled does not pass for one that ended`(loop: String) async throws {
    let more = "func f() async { \(loop); await commit(); deleteCopy() }"
    #expect(try await mended(more, unsafe: false) == nil)
    #expect(try await mended(more) == exit("return", in: more))
    let task = "job = Task { \(loop); await commit() }"
    #expect(try await mended(task, unsafe: false) == nil)
    #expect(try await mended(task) == exit("return", in: task))
    let throwing = "func f() async throws { \(loop); commit() }"
    #expect(try await mended(throwing, unsafe: false) == nil)
    #expect(try await mended(throwing) == exit("throw CancellationError()", in: throwing))
    let inner = "func f() async { for n in 1...2 { \(loop); commit(n) } }"
    #expect(try await mended(inner, unsafe: false) == nil)
    let value = "func f() async -> Int { \(loop); return count }"
    #expect(try await mended(value, unsafe: false) == nil)
    #expect(try await mended(value) == exit("break", in: value))
  }

  @Test(arguments: [poll, wait])
  func `a loop that nothing follows is left safely`(loop: String) async throws {
    for code in [
      "func f() async { \(loop) }", "func f() async { if isOn { \(loop); return } }",
      "job = Task { \(loop) }", "class A { init() async { do { \(loop) } } }",
    ] {
      #expect(try await mended(code, unsafe: false) == exit("break", in: code), "\(code)")
    }
  }

  @Test func `a loop whose clause takes the cancellation of its sleep is left behind the clause`()
    async throws
  {
    let sleep = "do { try await Task.sleep(for: .seconds(1)) } catch { log.info(\"\\(error)\") }"
    let code = "func f() async { while isOn { \(sleep) } }"
    let exit = "\(sleep); if Task.isCancelled { break }"
    #expect(try await mended(code, unsafe: false) == code.replacing(sleep, with: exit))
    let round = "func f() async { while isOn { \(sleep.replacing("log", with: "continue; log")) } }"
    #expect(try await mended(round) == nil)
  }

  @Test(arguments: [
    "while true { do { try await Task.sleep(for: .seconds(1)) } catch {} }",
    "while true { await tick(); do { try await Task.sleep(for: .seconds(1)) } catch { continue } }",
  ])
  func `a loop that spins is one finding, not also a retry`(loop: String) async throws {
    let code = "func f() async { \(loop) }"
    let found = try await report(of: .good(code), profile: .default).findings
    #expect(found.map(\.rule) == ["MS302"])
  }

  @Test func `nothing is thrown where a clause would take it, or nobody may`() async throws {
    let caught = "func f() async throws { do { \(poll); try g() } catch { show(error) } }"
    #expect(try await mended(caught) == exit("return", in: caught))
    let typed = "func f() async throws(PayError) -> Int { \(poll); g(); return 1 }"
    #expect(try await mended(typed) == nil)
    let top = "\(poll); await commit()"
    #expect(try await mended(top) == nil)
  }

  /// The code with a way out behind its sleep.
  private func exit(_ statement: String, in code: String) -> String {
    code.replacing(sleep, with: "\(sleep); if Task.isCancelled { \(statement) }")
  }

  /// The code after its finding was mended; nil where that has no fix.
  private func mended(_ code: String, unsafe: Bool = true) async throws -> String? {
    let found = try await report(of: .good(code), profile: .default).findings
      .filter { $0.rule == "MS302" }
    #expect(found.count == 1, "\(code)")
    let run = FixRun(found, in: Array(code.utf8), unsafe: unsafe)
    return run.fixed.isEmpty ? nil : String(decoding: run.bytes, as: UTF8.self)
  }
}
