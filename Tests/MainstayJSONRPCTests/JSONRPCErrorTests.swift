// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayHTTP
import MainstayJSONRPC
import TestSupport
import Testing

/// What errors of servers mean, by a catalogue that is data.
@Suite struct JSONRPCErrorTests {
  private static let json = """
    [
      {"code": 3117, "name": "UnknownOutputReferences", "title": "It may be spent",
       "meaning": "What {was} to be spent is not there.", "disposition": {"name": "unknownOutcome"},
       "suggestion": "Look at the chain first.", "help": "https://example.com/3117"},
      {"code": -32603, "name": "Broken", "meaning": "It broke.",
       "disposition": {"name": "transient", "retryAfter": 5}}
    ]
    """

  private func catalog() throws -> JSONRPCErrorCatalog {
    try .standard.merging(JSONRPCErrorCatalog(json: Data(Self.json.utf8)))
  }

  @Test(.requirement("D4", "D20")) func `a catalogue is read from a file, and says what to do`()
    throws
  {
    let error = try JSONRPCError(
      code: 3117, message: "unknown utxo", data: .array([.integer(1)]), method: "submit",
      catalog: catalog())
    let shown = error.asAppError
    #expect(shown.code == "jsonrpc.3117")
    #expect(shown.disposition == .unknownOutcome)
    #expect(shown.title.description == "It may be spent")
    #expect(shown.message.description == "What {was} to be spent is not there.")
    #expect(shown.suggestion?.description == "Look at the chain first.")
    #expect(shown.help?.absoluteString == "https://example.com/3117")
    #expect(shown.metadata["jsonrpc.name"] == "UnknownOutputReferences")
    #expect(shown.metadata["server.message"] == "unknown utxo")
    #expect(shown.cause(as: JSONRPCError.self)?.data == .array([.integer(1)]))
  }

  @Test func `the newer of two catalogues wins, and both are written again`() throws {
    let catalog = try catalog()
    #expect(catalog[-32603]?.name == "Broken")
    #expect(catalog[-32601]?.name == "MethodNotFound")
    #expect(catalog[1] == nil)
    #expect(catalog.entries.map(\.code) == [-32700, -32603, -32602, -32601, -32600, 3117])
    let data = try JSONEncoder().encode(catalog)
    #expect(try JSONRPCErrorCatalog(json: data) == catalog)
    #expect(throws: DecodingError.self) {
      _ = try JSONRPCErrorCatalog(json: Data(#"[{"code": "3117"}]"#.utf8))
    }
  }

  @Test(.requirement("D9", "T14")) func `an unknown number keeps everything and promises nothing`()
  {
    let error = JSONRPCError(
      code: .max, message: "127.0.0.1:1337 after 2003 ms", data: .string("x"), method: "a")
    let shown = error.asAppError
    #expect(shown.code == "jsonrpc.9223372036854775807")
    #expect(shown.disposition == .unclassified)
    #expect(shown.title.isBlank == false)
    #expect(error.entry == nil)
    #expect(
      JSONRPCError(code: .min, message: "", method: "a").asAppError.code
        == "jsonrpc.minus-9223372036854775808")
  }

  @Test func `what may have happened has an unknown outcome, unless it may happen twice`() {
    for (isRepeatable, disposition) in [(true, Disposition.transient()), (false, .unknownOutcome)] {
      let error = JSONRPCError(
        code: -32603, message: "", method: "a", isRepeatable: isRepeatable)
      #expect(error.asAppError.disposition == disposition)
    }
  }

  @Test func `what may have happened is looked for before it is tried again`() {
    let elsewhere = JSONRPCErrorCatalog([])
    for catalog in [JSONRPCErrorCatalog.standard, elsewhere] {
      let error = JSONRPCError(code: -32603, message: "", method: "pay", catalog: catalog)
        .asAppError
      #expect(error.disposition == .unknownOutcome)
      #expect(error.suggestion == AppError.timeout().with(disposition: .unknownOutcome).suggestion)
    }
  }

  @Test func `a call whose time was over before it was sent may be tried again`() {
    let reasons: [JSONRPCConnectionError.Reason] = [.unreadable, .violation, .tooLarge, .lost]
    for reason in reasons {
      let end = JSONRPCConnectionError(reason, cause: AppError.http(status: 403))
      let error = JSONRPCConnectionError(.timedOut, method: "pay", cause: end).asAppError
      #expect(error.disposition == .transient(), "\(reason)")
      #expect(error.kind == .timeout, "\(reason)")
      #expect(error.cause(as: JSONRPCConnectionError.self) != nil)
    }
  }

  @Test(.requirement("T22")) func `texts survive the way through NSError`() throws {
    let error: any Error = try JSONRPCError(
      code: 3117, message: "", method: "a", catalog: catalog())
    #expect(error.localizedDescription == "What {was} to be spent is not there.")
    #expect((error as NSError).localizedRecoverySuggestion == "Look at the chain first.")
  }

  @Test func `secrets in the words of a server are not told`() {
    let error = JSONRPCError(code: 1, message: "password: hunter22", method: "a")
    #expect(!error.description.contains("hunter22"))
    #expect(error.asAppError.metadata["server.message"]?.contains("hunter22") == false)
  }
}
