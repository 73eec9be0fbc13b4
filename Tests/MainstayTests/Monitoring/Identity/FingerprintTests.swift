// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

enum CartError: Error {
  case empty
  case full(limit: Int)
  case refused(reason: String, by: String)
}

private enum TalkingError: Error, CustomStringConvertible {
  case first, second

  var description: String { "always the same words" }
}

enum Warehouse {
  enum CartError: Error { case empty }
}

private enum PaymentError: AppErrorConvertible {
  case declined(reason: String)
  case gatewayDown

  var appError: AppError {
    switch self {
    case .declined(let reason):
      AppError(
        code: "payments.declined", kind: .denied, disposition: .needsUser,
        title: "Card declined", message: "The bank said: \(reason).")
    case .gatewayDown:
      AppError(
        code: "payments.gateway-down", kind: .server, disposition: .transient(),
        title: "No payments", message: "Payments are not possible now.",
        underlying: [URLFault.reset])
    }
  }
}

private enum URLFault {
  static let reset = NSError(domain: NSURLErrorDomain, code: -1005)
}

private struct WordyError: Error, CustomStringConvertible {
  let description: String
}

private struct SpokenError: LocalizedError, CustomStringConvertible {
  let errorDescription: String?
  var description: String { errorDescription ?? "" }
}

private struct Note: Fingerprint.Wrapper {
  let wrapped: any Error
}

private func failing(_ causes: (any Error)...) -> AppError {
  AppError(
    code: "sync.failed", kind: .unknown, disposition: .permanent, title: "Not synced",
    message: "Nothing was synced.", underlying: causes)
}

private func wrapping(_ cause: any Error, code: Int = 1) -> NSError {
  NSError(domain: "Shop", code: code, userInfo: [NSUnderlyingErrorKey: cause])
}

private func tier(_ error: any Error) -> Fingerprint.Tier { Fingerprint.explain(error).tier }

@Suite struct FingerprintTests {
  @Test(.requirement("B41")) func `payloads are together and cases are apart`() {
    let full = Fingerprint(of: CartError.full(limit: 3))
    #expect(full == Fingerprint(of: CartError.full(limit: 70_000)))
    #expect(full != Fingerprint(of: CartError.empty))
    let refused = Fingerprint(of: CartError.refused(reason: "age", by: "Ada"))
    #expect(refused == Fingerprint(of: CartError.refused(reason: "", by: "Bob")))
    #expect(refused != full)
    #expect(tier(CartError.empty) == .type)
  }

  @Test(.requirement("B41")) func `a custom description hides no case`() {
    let (first, second) = (TalkingError.first, TalkingError.second)
    #expect(Fingerprint(of: first) != Fingerprint(of: second))
    #expect(tier(first) == .type)
  }

  @Test func `types of one name in two places are apart`() {
    #expect(Fingerprint(of: CartError.empty) != Fingerprint(of: Warehouse.CartError.empty))
  }

  @Test func `local types have no address in their name`() {
    enum Local: Error { case broken }
    let explanation = Fingerprint.explain(Local.broken)
    #expect(!explanation.description.contains("unknown context"))
    #expect(explanation.components.map(\.value).contains("broken"))
  }

  @Test func `what may be two types of one name says so`() {
    func first() -> any Error {
      enum LoadError: Error { case failed }
      return LoadError.failed
    }
    func second() -> any Error {
      enum LoadError: Error { case failed }
      return LoadError.failed
    }
    #expect(type(of: first()) != type(of: second()))
    #expect(Fingerprint(of: first()) == Fingerprint(of: second()))
    for error in [first(), failing(first())] {
      let hints = Fingerprint.explain(error).components.filter { $0.value.hasSuffix("LoadError") }
      #expect(hints.map { $0.hint.contains("in other files") } == [true], "\(hints)")
    }
    let open = Fingerprint.explain(CartError.empty).components
    #expect(!open.contains { $0.hint.contains("in other files") })
  }

  @Test(.requirement("B41")) func `the stable code decides, whatever the texts say`() {
    let first = Fingerprint(of: PaymentError.declined(reason: "no money"))
    #expect(first == Fingerprint(of: PaymentError.declined(reason: "stolen")))
    #expect(tier(PaymentError.declined(reason: "")) == .code)
    let renamed = AppError(
      code: "payments.declined", kind: .validation, disposition: .permanent,
      title: "Karte abgelehnt", message: "Die Bank lehnt ab.")
    #expect(first == Fingerprint(of: renamed))
  }

  @Test(.requirement("B41", "T21")) func `texts for people are never in it`() {
    let spoken = ["Das ging nicht.", "That failed.", ""].map { SpokenError(errorDescription: $0) }
    #expect(Set(spoken.map { Fingerprint(of: $0) }).count == 1)
    #expect(tier(spoken[0]) == .type)
    let texts = ["Rot", "Red"].map {
      NSError(domain: "Shop", code: 7, userInfo: [NSLocalizedDescriptionKey: $0])
    }
    #expect(Fingerprint(of: texts[0]) == Fingerprint(of: texts[1]))
  }

  @Test(.requirement("B41")) func `domain and number tell bridged errors apart`() {
    let lost = Fingerprint(of: URLError(.badURL))
    #expect(lost == Fingerprint(of: NSError(domain: NSURLErrorDomain, code: -1000)))
    #expect(lost != Fingerprint(of: URLError(.badServerResponse)))
    #expect(lost != Fingerprint(of: NSError(domain: "Shop", code: -1000)))
    #expect(tier(URLError(.badURL)) == .domain)
  }

  @Test(.requirement("B41")) func `the innermost cause is in it and those between are not`() {
    let bare = Fingerprint(of: wrapping(CartError.empty))
    #expect(bare != Fingerprint(of: wrapping(CartError.full(limit: 1))))
    #expect(bare != Fingerprint(of: NSError(domain: "Shop", code: 1)))
    let longer = wrapping(wrapping(CartError.empty, code: 2))
    #expect(bare == Fingerprint(of: longer))
    let other = wrapping(wrapping(CartError.empty, code: 3))
    #expect(Fingerprint(of: longer) == Fingerprint(of: other))
    #expect(Fingerprint(of: longer, chain: .whole) != Fingerprint(of: other, chain: .whole))
  }

  @Test func `causes are a set`() {
    let some = Fingerprint(of: failing(CartError.empty, URLFault.reset, CartError.empty))
    #expect(some == Fingerprint(of: failing(URLFault.reset, CartError.empty)))
    #expect(some != Fingerprint(of: failing(CartError.empty)))
  }

  @Test func `wrappers are stepped through`() {
    let bare = Fingerprint(of: CartError.empty)
    #expect(bare == Fingerprint(of: Note(wrapped: Note(wrapped: CartError.empty))))
    #expect(
      Fingerprint(of: failing(Note(wrapped: CartError.empty)))
        == Fingerprint(of: failing(CartError.empty)))
    #expect(Fingerprint(of: Note(wrapped: CancellationError())).isCancellation)
  }

  static let caught: [any Error] = [
    CartError.empty, CartError.full(limit: 3), PaymentError.declined(reason: "no"),
    PaymentError.gatewayDown, URLError(.badURL), URLError(.timedOut), POSIXError(.ENOSPC),
    CocoaError(.fileReadCorruptFile), CocoaError(.fileNoSuchFile), CancellationError(),
    wrapping(CartError.empty), wrapping(URLError(.timedOut)), WordyError(description: "at 5"),
    SpokenError(errorDescription: "x"), failing(CartError.empty),
    wrapping(CancellationError()), AppError.offline(),
    Rejection(policy: "shop", reason: .circuitOpen),
    DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "")),
  ]

  @Test(.requirement("B41"), arguments: caught.indices)
  func `mapping moves no error to another group`(_ index: Int) {
    let error = Self.caught[index]
    #expect(Fingerprint(of: error) == Fingerprint(of: AppError.from(error)))
    let mapping = ErrorMapping.standard.adding(CartError.self) { error in
      AppError(
        code: "cart", kind: .validation, disposition: .permanent, title: "Cart",
        message: "Look at the cart.")
    }
    ErrorMapping.with(mapping) {
      #expect(Fingerprint(of: error) == Fingerprint(of: AppError.from(error)))
    }
  }

  @Test func `a mapping that the app added gives its code`() {
    let plain = Fingerprint(of: CartError.empty)
    let mapping = ErrorMapping.standard.adding(CartError.self) { _ in
      AppError(
        code: "cart", kind: .validation, disposition: .permanent, title: "Cart",
        message: "Look at the cart.")
    }
    let mapped = ErrorMapping.with(mapping) { Fingerprint(of: CartError.empty) }
    #expect(mapped != plain)
    #expect(Fingerprint(of: CartError.empty) == plain)
    ErrorMapping.with(mapping) { #expect(tier(CartError.empty) == .code) }
  }

  @Test(.requirement("B41")) func `where the program runs groups by kind alone`() {
    let full: [any Error] = [
      POSIXError(.ENOSPC), CocoaError(.fileWriteOutOfSpace),
      CocoaError(.fileWriteUnknown, userInfo: [NSUnderlyingErrorKey: POSIXError(.ENOSPC)]),
    ]
    #expect(Set(full.map { Fingerprint(of: $0) }).count == 1)
    #expect(
      Fingerprint(of: URLError(.notConnectedToInternet)) == Fingerprint(of: AppError.offline()))
    #expect(Fingerprint(of: URLError(.timedOut)) == Fingerprint(of: POSIXError(.ETIMEDOUT)))
    #expect(Fingerprint(of: AppError.timeout()) != Fingerprint(of: AppError.offline()))
    #expect(tier(full[0]) == .environment)
  }

  @Test(.requirement("B41")) func `a code that an author gave comes before the kind`() {
    func coded(_ code: ErrorCode, _ kind: ErrorKind, _ cause: (any Error)? = nil) -> AppError {
      AppError(
        code: code, kind: kind, disposition: .transient(), title: "Not paid",
        message: "Nothing was paid.", underlying: cause.map { [$0] } ?? [])
    }
    let late = coded("payments.gateway-timeout", .timeout)
    let errors: [any Error] = [
      late, URLError(.timedOut), coded("shop.sync-timeout", .timeout),
      AppError.Capability.validationTimedOut("scanner"), AppError.Service.timeout,
      Rejection(policy: "shop", reason: .deadlineTooClose), POSIXError(.ENOSPC),
      coded("outbox.full", .storageFull), coded("outbox.disk-full", .storageFull),
      AppError.Data.saveFailed(POSIXError(.ENOSPC)), coded("shop.offline", .offline),
      AppError.offline(), AppError.portal(),
    ]
    #expect(Set(errors.map { Fingerprint(of: $0) }).count == errors.count)
    #expect(tier(late) == .code)
    #expect(tier(coded("payments.gateway-timeout", .timeout, URLError(.timedOut))) == .code)
    for error in errors {
      #expect(Fingerprint(of: error) == Fingerprint(of: AppError.from(error)))
    }
    let record = RecordedError(AppError.timeout())
    #expect(Fingerprint(of: record) == Fingerprint(of: AppError.timeout()))
  }

  @Test(.requirement("B41", "E8")) func `a cancellation has no group`() {
    let stops: [any Error] = [
      CancellationError(), URLError(.cancelled), POSIXError(.ECANCELED), AppError.cancelled(),
      CocoaError(.userCancelled), wrapping(wrapping(CancellationError())),
      AppError.from(CancellationError()),
    ]
    for error in stops {
      #expect(Fingerprint(of: error) == .cancellation)
      #expect(Fingerprint(of: error).isCancellation)
      #expect(tier(error) == .cancellation)
    }
    #expect(!Fingerprint(of: CartError.empty).isCancellation)
  }

  @Test(.requirement("B41")) func `a key given with the report decides alone`() {
    let keyed = Fingerprint(of: CartError.empty, key: "checkout")
    #expect(keyed == Fingerprint(of: wrapping(CartError.full(limit: 1)), key: "checkout"))
    #expect(keyed == Fingerprint(key: "checkout"))
    #expect(keyed != Fingerprint(key: "Checkout"))
    #expect(Fingerprint(of: CartError.empty, key: " ") == Fingerprint(of: CartError.empty))
    #expect(Fingerprint.explain(CartError.empty, key: "checkout").tier == .key)
  }

  @Test func `a key may split a group by an id`() {
    let numbers = ["order 17", "order 18"].map { Fingerprint(of: CartError.empty, key: $0) }
    #expect(numbers[0] != numbers[1])
  }
}
