// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

/// Errors that were made to hurt whoever looks at them.
private final class Loop: NSError, @unchecked Sendable {
  override var userInfo: [String: Any] { [NSUnderlyingErrorKey: self] }
}

/// Describes itself by all that describes errors.
private struct SelfPortrait: Error, CustomStringConvertible {
  var description: String {
    RecordedError(self).description + AppError.from(self).description
      + AppError.unknown(self).details.debugDescription
  }
}

private struct Talker: LocalizedError, CustomStringConvertible {
  let text: String
  var errorDescription: String? { text }
  var description: String { text }
}

private struct Describer: Error, CustomStringConvertible {
  let description: String
}

private func chain(of length: Int) -> NSError {
  var error = NSError(domain: "Shop", code: 0)
  for code in 1...length {
    error = NSError(domain: "Shop", code: code, userInfo: [NSUnderlyingErrorKey: error])
  }
  return error
}

@Suite struct HostileErrorTests {
  /// Everything that this part of the core does with an error.
  private func look(at error: any Error) throws {
    let mapped = AppError.from(error)
    #expect(!mapped.title.isBlank && !mapped.message.isBlank)
    #expect(mapped.message.string().utf8.count < 5_000)
    #expect(mapped.description.utf8.count < 200_000)
    #expect(RecordedError(error).text.utf8.count < 20_000)
    #expect(mapped.asAppError.id == mapped.id)
    #expect(mapped.cause(as: DecodingError.self) == nil)
    #expect(!error.isCancellation)
    #expect(try JSONEncoder().encode(mapped).count < 2_000_000)
    let wrapped = AppError.Service.unknown(error)
    #expect(!wrapped.appError.title.isBlank)
    #expect(AppError.from(wrapped).kind == .unknown)
  }

  @Test(.ends(withinMinutes: 5)) func `a cause that leads back to itself comes to an end`() throws {
    try look(at: Loop(domain: "Shop", code: 1))
  }

  @Test(.ends(withinMinutes: 5)) func `a chain of 10,000 causes is looked at in bounded work`()
    throws
  {
    let long = chain(of: 10_000)
    try look(at: long)
    #expect(AppError.from(long).cause(as: NSError.self) === long)
  }

  @Test(.ends(withinMinutes: 5))
  func `10,000 families in one another are looked at in bounded work`()
    throws
  {
    var error: any Error = Describer(description: "deep")
    for _ in 0..<10_000 { error = AppError.Service.unknown(error) }
    try look(at: error)
  }

  @Test(.ends(withinMinutes: 5)) func `an error that describes itself by its record ends`() throws {
    try look(at: SelfPortrait())
    #expect(String(describing: SelfPortrait()).utf8.count < 100_000)
  }

  @Test(.ends(withinMinutes: 5)) func `one whose mapping names it as its cause ends`() throws {
    let mapping = ErrorMapping.standard.adding(SelfPortrait.self) { error in
      AppError(
        code: "a.portrait", kind: .unknown, disposition: .unclassified, title: "Painted",
        message: "It paints itself.", underlying: [error])
    }
    try ErrorMapping.with(mapping) {
      try look(at: SelfPortrait())
      #expect(AppError.from(SelfPortrait()).underlying.count == 1)
      #expect(!Fingerprint(of: SelfPortrait()).isCancellation)
    }
  }

  @Test(
    .ends(withinMinutes: 5),
    arguments: ["x", "あ", " ", "\n", "👩‍👩‍👧", "{0}", "\u{301}", "a@b.c ", "https://x/?q=1 "])
  func `a text of ten million bytes is cut`(_ piece: String) throws {
    let text = String(repeating: piece, count: 10_000_000 / piece.utf8.count)
    try look(at: Talker(text: text))
    try look(at: Describer(description: text))
    try look(at: NSError(domain: "S", code: 1, userInfo: [NSLocalizedDescriptionKey: text]))
  }

  @Test(arguments: ["", " ", "\u{0}", "\u{FFFD}", "\u{202E}", "\u{10FFFF}"])
  func `an error with nothing to say is shown all the same`(_ text: String) throws {
    try look(at: Talker(text: text))
    try look(at: Describer(description: text))
  }

  @Test func `text that is not valid UTF-8 is shown with marks`() throws {
    let bytes = String(decoding: [0x41, 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80], as: UTF8.self)
    try look(at: Talker(text: bytes))
    // Half of a pair of UTF-16, as an NSString may hold it.
    let half = NSString(characters: [0x41, 0xd83d, 0x42], length: 3)
    try look(
      at: NSError(domain: "S", code: 1, userInfo: [NSLocalizedDescriptionKey: half as String]))
  }

  @Test func `a text is cut between characters`() {
    let text = "x" + String(repeating: "あ", count: 5_000)
    let shown = AppError.from(Talker(text: text)).message.string()
    #expect(shown.hasPrefix("xあ") && shown.hasSuffix("あ…"))
    #expect(!shown.contains("\u{FFFD}"))
  }
}
