// SPDX-License-Identifier: Apache-2.0

import MainstayOutbox
import Testing

@testable import MainstayOutboxPostgres

/// What libpq says, also in versions and places that the tests do not meet.
@Suite struct PostgresErrorReadingTests {
  private static let place = #"connection to server at "db" (10.0.0.1), port 5432 failed: "#

  private func read(
    _ message: String, at address: String = "postgresql://db/x"
  ) throws -> PostgresError {
    PostgresError(opening: message, address: try PostgresAddress(address))
  }

  @Test func `of two attempts at one place, the one for want of encryption says nothing`() throws {
    let refused = Self.place + "FATAL:  28P01: password authentication failed for user \"a\"\n"
    let bare = Self.place + "FATAL:  28000: no pg_hba.conf entry for host, no encryption\n"
    let untrusted = Self.place + "SSL error: certificate verify failed\n"
    #expect(try read(refused + bare).sqlState == "28P01")
    // With sslmode=allow it comes first.
    #expect(try read(bare + refused).sqlState == "28P01")
    for message in [untrusted + bare, bare + untrusted] {
      #expect(try read(message).text.contains("is not to be trusted"))
    }
    #expect(try read(bare).sqlState == "28000")
    #expect(try read(bare + bare.replacing("no enc", with: "SSL enc")).text.contains("no enc"))
    // Another host has its own say.
    let elsewhere = bare.replacing("10.0.0.1", with: "10.0.0.2")
    #expect(try read(refused + elsewhere).sqlState == "28000")
    #expect(try read(bare + elsewhere).sqlState == "28000")
  }

  @Test func `versions before 14 say no place`() throws {
    let hint =
      "Either provide the file or change sslmode to disable server certificate verification.\n"
    let absent = try read("root certificate file \"/x.crt\" does not exist\n" + hint)
    #expect(absent.text.contains("is not there (/x.crt): name the file of its authority"))
    let homeless = try read(
      "could not get home directory to locate root certificate file\n" + hint)
    #expect(homeless.text.contains("by is not there: name the file of its authority"))
    #expect(!absent.text.contains("disable") && !homeless.text.contains("disable"))
    let refused = "FATAL:  28000: no pg_hba.conf entry for host, SSL off\n"
    #expect(try read(refused).sqlState == "28000")
  }

  @Test(
    arguments: [
      "SSL SYSCALL error: EOF detected", "SSL error: unexpected eof while reading",
      "server closed the connection unexpectedly\n\tThis probably means the server terminated "
        + "abnormally\n\tbefore or while processing the request.\n"
        + "SSL SYSCALL error: Connection reset by peer",
    ])
  func `a connection that is cut while it is being secured may be tried again`(
    words: String
  ) throws {
    let error = try read(Self.place + words + "\n")
    #expect(error.kind == .unreachable)
    #expect(
      error.text == "The connection to postgresql://db/x was cut while it was being secured: wait "
        + "a moment, or look at what stands in between.")
  }

  @Test(
    arguments: [
      #"invalid channel_binding value: "x""#, #"invalid ssl_min_protocol_version value: "x""#,
      #"invalid gssencmode value: "x""#, #"invalid target_session_attrs value: "x""#,
      "invalid SSL protocol version range",
      #"weak sslmode "require" may not be used with sslrootcert=system (use "verify-full")"#,
      #"sslmode value "require" invalid when SSL support is not compiled in"#,
    ])
  func `a value that cannot be used is one of the address`(words: String) throws {
    let error = try read(words + "\n")
    #expect(error.kind == .address)
    #expect(error.text.hasPrefix("The address postgresql://db/x cannot be used ("))
  }

  @Test func `an address without a host to compare with is told so`() throws {
    let error = try read("host name must be specified for a verified SSL connection\n")
    #expect(error.kind == .address)
    #expect(error.text.hasSuffix("names no host to look for in a certificate: add `host` to it."))
  }

  @Test(
    arguments: [
      ("channel binding required, but SSL not in use", "gives no channel binding"),
      ("SSL error: tlsv1 alert protocol version", "no version of TLS in common"),
      ("SSL error: tlsv13 alert certificate required", "(certificate required)"),
      ("SSL error: sslv3 alert certificate revoked", "(certificate revoked)"),
      ("SSL error: sslv3 alert bad certificate", "(bad certificate)"),
      (
        #"certificate does not match private key file "/x.key": key values mismatch"#,
        "The key of sslkey (/x.key) does not belong"
      ),
      (
        "server certificate for \"a.test\" (and 1 other name) does not match host name \"db\"",
        "is for a.test and not for db"
      ),
      (
        #"private key file "/x.key" has group or world access; permissions should be u=rw (0600)"#,
        "The key file /x.key of sslkey may be read by others"
      ),
      ("SSL error: no suitable signature algorithm", "came about (SSL error: no suitable"),
    ])
  func `what is wrong with a certificate is said, and how to mend it`(
    words: String, part: String
  ) throws {
    let error = try read(Self.place + words + "\n")
    #expect(error.kind == .refused)
    #expect(error.text.contains(part), "\(error.text)")
    #expect(error.text.hasSuffix(".") && !error.text.contains("10.0.0.1"))
  }
}
