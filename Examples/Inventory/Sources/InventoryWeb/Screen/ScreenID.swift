// SPDX-License-Identifier: Apache-2.0

import Hummingbird

/// What a browser's cookie says: 128 random bits, by which its screen is found.
struct ScreenID: Sendable, Hashable {
  static let cookie = "inventory-screen"

  let text: String

  /// A new one, which nobody can guess.
  init() {
    var generator = SystemRandomNumberGenerator()
    let bits = UInt128.random(in: .min ... .max, using: &generator)
    let digits = String(bits, radix: 16)
    text = String(repeating: "0", count: 32 - digits.count) + digits
  }

  /// Takes the text of a cookie; nil for any that was not made here.
  init?(_ text: String) {
    guard text.utf8.count == 32,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    self.text = text
  }

  /// What a request says.
  init?(_ request: Request) {
    guard let text = request.cookies[Self.cookie]?.value else { return nil }
    self.init(text)
  }

  /// The cookie, which ends with the browser, and which no script and no other site can use.
  var header: String { "\(Self.cookie)=\(text); Path=/; HttpOnly; SameSite=Strict" }
}
