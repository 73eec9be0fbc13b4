// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayJSONRPC
import MainstayOgmios
import TestSupport
import Testing

/// An answer of JSON-RPC is one row, whichever module reads it.
@Suite struct OneClassificationTests {
  /// What decides how an error is handled, counted and shown.
  private struct Row: Equatable {
    let code: ErrorCode
    let kind: ErrorKind
    let disposition: Disposition
    let severity: Severity
    let group: Fingerprint

    init(_ error: some AppErrorConvertible) {
      let app = error.appError
      (code, kind, disposition, severity) = (app.code, app.kind, app.disposition, app.severity)
      group = Fingerprint(of: error)
    }

    init(_ error: AppError) {
      (code, kind, disposition) = (error.code, error.kind, error.disposition)
      (severity, group) = (error.severity, Fingerprint(of: error))
    }
  }

  @Test(
    .requirement("B14", "D4"),
    arguments: [-32_700, -32_600, -32_601, -32_602, -32_603], [true, false])
  func `a number of the standard is the same to every module`(
    number: Int, isRepeatable: Bool
  ) {
    let core = Row(AppError.jsonRPC(code: number, message: "no", isRepeatable: isRepeatable))
    let client = Row(
      JSONRPCError(
        code: Int64(number), message: "no", method: "a", isRepeatable: isRepeatable))
    #expect(client == core)
    let unlisted = Row(
      JSONRPCError(
        code: Int64(number), message: "no", method: "a", catalog: JSONRPCErrorCatalog([]),
        isRepeatable: isRepeatable))
    #expect(unlisted == core, "a catalogue that leaves it out takes nothing from the standard")
    let method = isRepeatable ? "nextBlock" : "submitTransaction"
    let ogmios = Row(OgmiosError(code: Int64(number), message: "no", method: method))
    if number == -32_602 {
      // To Ogmios it is a transaction that no era can read: a group and a code of its own.
      #expect(ogmios.code == "ogmios.minus-32602" && ogmios.group != core.group)
      #expect(ogmios.kind == core.kind && ogmios.disposition == core.disposition)
    } else {
      #expect(ogmios == core)
    }
  }

  @Test(.requirement("B14"), arguments: [-32_000, -32_099, -32_768, -5, 0, 3_117, .max, .min])
  func `a number that nobody has given a meaning is the same to core and client`(_ number: Int) {
    let core = Row(AppError.jsonRPC(code: number))
    #expect(Row(JSONRPCError(code: Int64(number), message: "", method: "a")) == core)
    #expect(core.disposition == .unclassified && core.kind == .server)
  }

  @Test func `no two numbers have one code`() {
    let numbers = [-32_603, 32_603, -32_000, 32_000, -31_999, 31_999, -3_117, 3_117, 0]
    #expect(Set(numbers.map { AppError.jsonRPC(code: $0).code }).count == numbers.count)
  }

  @Test func `an answer keeps its number where every error of a service has it`() {
    let error = JSONRPCError(code: -32_602, message: "password: hunter22", method: "a").appError
    #expect(error.serverCode == -32_602)
    #expect(error.serverMessage?.contains("hunter22") == false)
    #expect(error.title == JSONRPCError(code: -32_602, message: "", method: "b").appError.title)
    #expect(error.title.description == "The service did not take the request")
  }
}
