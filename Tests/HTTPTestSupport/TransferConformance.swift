// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
package import MainstayHTTP
internal import MainstayTesting
internal import TestSupport
internal import Testing

/// What every transport tells of a long body while that goes.
package enum TransferConformance {
  /// A body, and whether a transport tells that its parts go.
  package struct Case: Sendable, CaseIterable, CustomTestStringConvertible {
    fileprivate let length: Int
    fileprivate let isInParts: Bool

    package static var allCases: [Case] {
      [
        Case(length: 1, isInParts: false), Case(length: 65_536, isInParts: false),
        Case(length: 65_537, isInParts: false), Case(length: 3_000_001, isInParts: false),
        Case(length: 1, isInParts: true), Case(length: 300_001, isInParts: true),
      ]
    }

    package var testDescription: String { "\(length) bytes\(isInParts ? " in parts" : "")" }
    fileprivate var isTold: Bool { isInParts || length > 65_536 }
  }

  /// Checks that a body arrives whole, and that the limit of its attempt hears of its parts.
  package static func check(_ transport: any HTTPTransport, _ body: Case) async throws {
    let server = try await LoopbackServer { _, _ in .reply(201) }
    let address = try #require(URL(string: server.origin))
    // Its time stands still: the limit ends nothing.
    let clock = ManualClock()
    let seen = Locked<[Duration?]>([])
    let client = ResilientClient(
      "uploads", at: address, over: transport, clock: clock,
      onExchange: { _ in seen.withLock { $0.append(Patience.current?.length) } }
    ) { _ in
      Pipeline("uploads", clock: clock) {
        Timeout(.seconds(60), clock: clock).patient(silence: .seconds(90))
      }
    }
    let bytes = Data((0..<body.length).map { UInt8(truncatingIfNeeded: $0 / 7) })
    let content: HTTPMessageBody =
      body.isInParts ? .stream { HTTPByteStream(inParts: bytes) } : .bytes(bytes)
    _ = try await client.send(.init(.post, "/a", body: content))
    #expect(server.received.map(\.body) == [bytes])
    #expect(seen.withLock { $0 } == [.seconds(body.isTold ? 90 : 60)])
  }
}
