// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import TestSupport
import Testing

/// That names and identities of an outbox come back from what was written of them.
@Suite struct OutboxNamesTests {
  private func again<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
  }

  @Test func `an identity comes back from its text, and later ones come after it`() throws {
    var random = SystemRandomNumberGenerator()
    let first = OperationID.new(at: Date(timeIntervalSince1970: 1), using: &random)
    let second = OperationID.new(at: Date(timeIntervalSince1970: 1.001), using: &random)
    #expect(OperationID(first.description) == first)
    #expect(OperationID(first.description.uppercased()) == first)
    #expect(OperationID("7") == nil && OperationID("") == nil)
    #expect(first < second && !(second < first) && !(first < first))
    #expect([second, first].sorted() == [first, second])
  }

  @Test func `names come back from JSON, as texts`() throws {
    #expect(try again("sync-twin" as OperationKind) == "sync-twin")
    #expect(try again(Lane.main) == .main)
    #expect(try again(OperationConstraint.network) == .network)
    #expect(try again(DeadLetter.Reason.crashed) == .crashed)
    #expect(try again(OutboxError.Code.full) == .full)
    let bytes = try JSONEncoder().encode(["a", "b"] as [Lane])
    #expect(String(decoding: bytes, as: UTF8.self) == #"["a","b"]"#)
  }

  @Test func `what is written of a key, a code or a pointer can be read`() throws {
    func again<Value: LosslessStringConvertible>(_ value: Value) -> Value? {
      Value(value.description)
    }
    let key = IdempotencyKey()
    #expect(again(key) == key)
    let (code, pointer): (ErrorCode, JSONPointer) = ("http.503", "/items/0")
    #expect(again(code) == code && again(pointer) == pointer)
    func identity(of value: some Identifiable<UUID>) -> UUID { value.id }
    let error = AppError.offline()
    #expect(identity(of: error) == error.id)
  }
}
