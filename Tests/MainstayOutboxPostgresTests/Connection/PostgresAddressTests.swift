// SPDX-License-Identifier: Apache-2.0

import MainstayOutbox
import MainstayOutboxPostgres
import Testing

@Suite struct PostgresAddressTests {
  @Test(arguments: [
    (
      "postgresql://ada:geheim@db.example:5433/work?sslmode=require",
      "postgresql://ada@db.example:5433/work"
    ),
    ("postgres://db.example", "postgresql://db.example"),
    ("host=db.example dbname=work user=ada password='ge heim'", "postgresql://ada@db.example/work"),
    ("postgresql://a:geheim@one:1,two:2/work", "postgresql://a@one,two:1,2/work"),
    ("service=work password=geheim", "service work"),
    ("postgresql:///?host=/run/postgresql", "postgresql:///run/postgresql"),
    ("dbname=postgresql://a:geheim@b/c host=d", "postgresql://d/…"),
  ])
  func `an address is shown without its password`(text: String, shown: String) throws {
    let address = try PostgresAddress(text)
    #expect(address.description == shown)
    #expect(!"\(address)".contains("heim"))
  }

  @Test(arguments: [
    ("", "it is empty"), ("  \n", "it is empty"),
    ("foo", "since it is neither a PostgreSQL URL nor options such as host=localhost: write"),
    ("work.sqlite", "neither a PostgreSQL URL"), ("http://db.example", "neither a PostgreSQL URL"),
    ("postgresql://a:geheim%zz@b", "percent-encoded"),
    ("password=geheim heim", "since one of its options has no value: write"),
    ("postgresql://b:70000", "a port is a number"),
    ("postgresql://b:nought/x", "a port is a number"), ("host=a\0b", "zero byte"),
    ("postgresql://h?geheim=1", "invalid URI query parameter"),
    ("postgresql://[::1", "IPv6"),
  ])
  func `what is no address is refused, with what to do and without its words`(
    text: String, reason: String
  ) {
    let error = #expect(throws: OutboxError.self) { try PostgresAddress(text) }
    #expect(error?.code == .unavailable)
    let details = error?.details ?? ""
    #expect(details.contains(reason), "\(details)")
    #expect(details.hasSuffix("write it as postgresql://user@host:5432/database."))
    #expect(!details.contains("heim"))
  }

  @Test func `the address of a server is told from the path of a file`() {
    #expect(PostgresAddress.isAddress("postgresql://host/db"))
    #expect(PostgresAddress.isAddress("Postgres://host"))
    #expect(!PostgresAddress.isAddress("/var/lib/outbox.sqlite"))
    #expect(!PostgresAddress.isAddress("postgres.sqlite"))
  }

  @Test func `addresses that say the same are equal`() throws {
    #expect(
      try PostgresAddress("postgresql://a@b:1/c")
        == PostgresAddress("user=a host=b port=1 dbname=c"))
  }
}
