// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// What it costs to find out which group an error belongs to.
enum IdentityScenarios {
  static let all = [
    Scenario("fingerprint-typed", "`Fingerprint(of:)`, an enum, half of its cases with a payload") {
      count in
      let errors: [any Error] = [Typed.empty, Typed.full(limit: 7), Typed.gone, Typed.old(days: 3)]
      for index in 0..<count { keep(Fingerprint(of: errors[index & 3])) }
    },
    Scenario("fingerprint-byte", "`Fingerprint(of:)`, an enum without payloads") { count in
      let errors: [any Error] = [Plain.red, Plain.green]
      for index in 0..<count { keep(Fingerprint(of: errors[index & 1])) }
    },
    Scenario("fingerprint-code", "`Fingerprint(of:)`, an `AppError` without causes") { count in
      let error: any Error = failing([])
      for _ in 0..<count { keep(Fingerprint(of: error)) }
    },
    Scenario("fingerprint-nserror", "`Fingerprint(of:)`, an `NSError` without causes") { count in
      let error: any Error = NSError(domain: "Shop", code: 7)
      for _ in 0..<count { keep(Fingerprint(of: error)) }
    },
    Scenario("fingerprint-chain", "`Fingerprint(of:)`, two `AppError`, an `NSError`, an enum") {
      count in
      let inner = NSError(domain: "Shop", code: 7, userInfo: [NSUnderlyingErrorKey: Plain.red])
      let error: any Error = failing([failing([inner])])
      for _ in 0..<count { keep(Fingerprint(of: error)) }
    },
    Scenario("message-template", "`MessageTemplate`, 100 bytes for each call") { count in
      for index in 0..<count { keep(MessageTemplate(messages[index % messages.count])) }
    },
    Scenario("clusters", "`MessageClusters.add`, 1,000 messages of 20 kinds over again") { count in
      let clusters = MessageClusters()
      let messages = (0..<1000).map {
        "job \(words[$0 % 20]) of user \(words[$0 / 50]) failed at \($0)"
      }
      for index in 0..<count { keep(clusters.add(messages[index % 1000])) }
    },
  ]

  private enum Typed: Error { case empty, gone, full(limit: Int), old(days: Int) }
  private enum Plain: Error { case red, green }

  private static func failing(_ causes: [any Error]) -> AppError {
    AppError(
      code: "sync.failed", kind: .unknown, disposition: .permanent, title: "Not synced",
      message: "Nothing was synced.", underlying: causes)
  }

  private static let words = (0..<20).map { number in
    String(Character(UnicodeScalar(UInt8(97 + number)))) + "lpha"
  }

  /// Lines as servers write them, each of 100 bytes.
  private static let messages = [
    "GET https://api.example.com/items/17?page=2 from 10.0.0.7 failed after 1.5 s with 503, try 3",
    "Order 4,150,908 of ada@example.com was refused: card 7C0F2A9E-3B1D-4E55-9A60-1F2E3D4C5B6A",
    "2026-11-22T03:04:05Z cannot open /var/lib/shop/data.sqlite: database is locked by process 812",
    "The connection was closed by the other side before the answer was whole; nothing was written",
  ].map { String(($0 + String(repeating: ".", count: 100)).prefix(100)) }
}
