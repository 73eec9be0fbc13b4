// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import MainstayOutboxPostgres

@Suite struct OpeningLimitTests {
  @Test func `each address has its own time, and a second more than the system gives it`() {
    var limit = OpeningLimit(.seconds(5))
    let start = ContinuousClock.now
    #expect(limit.deadline(at: "db 10.0.0.1 5432", now: start) == start + .seconds(6))
    // The same address goes on, and then the system gives it up.
    #expect(
      limit.deadline(at: "db 10.0.0.1 5432", now: start + .seconds(4)) == start + .seconds(6))
    let next = start + .seconds(5)
    #expect(limit.deadline(at: "db 10.0.0.2 5432", now: next) == next + .seconds(6))
  }

  @Test(
    arguments: [
      ("postgresql://one,two,three/x", "one", "5432", "postgresql://two,three:,/x"),
      ("postgresql://one:1,two:2/x", "one", "1", "postgresql://two:2/x"),
      ("postgresql://same:1,same:2,last:3/x", "same", "2", "postgresql://last:3/x"),
      ("postgresql://one,two:7/x?port=7", "one", "7", "postgresql://two:7/x"),
      ("hostaddr=10.0.0.1,10.0.0.2 port=7", "10.0.0.1", "7", "postgresql://10.0.0.2:7"),
      ("host=a,b hostaddr=10.0.0.1,10.0.0.2", "a", "5432", "postgresql://b"),
    ])
  func `the hosts after one that says nothing are left`(
    text: String, host: String, port: String, left: String
  ) throws {
    let others = try #require(try PostgresAddress(text).after(host: host, port: port))
    #expect(others.description == left)
    #expect(others.options["target_session_attrs"] == "read-write")
    if let address = others.options["hostaddr"] { #expect(address == "10.0.0.2") }
  }

  @Test func `after the last host, and where chance decides, none is left`() throws {
    let address = try PostgresAddress("postgresql://one:1,two:2/x")
    #expect(address.after(host: "two", port: "2") == nil)
    #expect(address.after(host: "three", port: "1") == nil)
    #expect(try PostgresAddress("postgresql://one/x").after(host: "one", port: "5432") == nil)
    let any = try PostgresAddress("postgresql://one,two/x?target_session_attrs=any")
    let others = try #require(any.after(host: "one", port: "5432"))
    #expect(others.options["target_session_attrs"] == "any")
  }
}
