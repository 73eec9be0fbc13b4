// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private struct StoreError: Error, Equatable { var number = 1 }
private enum Shelf: Error { case empty }

private func named(
  _ code: ErrorCode, underlying: [any Error] = [], at fileID: String = #fileID
) -> AppError {
  AppError(
    code: code, kind: .server, disposition: .transient(), title: "T", message: "M.",
    underlying: underlying, fileID: fileID)
}

private struct Refused: AppErrorConvertible {
  var why: AppError?
  var appError: AppError {
    why
      ?? AppError(
        code: "shop.refused", kind: .denied, disposition: .permanent, title: "T", message: "M.")
  }
}

@Suite struct ErrorMappingTests {
  @Test(.requirement("B2", "B11", "B26", "T13"))
  func `an error that nobody maps stays unknown with type and cause`() {
    let error = AppError.from(StoreError(number: 7))
    #expect(error.code == "unknown")
    #expect(error.kind == .unknown)
    #expect(error.disposition == .unclassified)
    #expect(error.disposition.retry == .never)
    #expect(error.cause(as: StoreError.self) == StoreError(number: 7))
    #expect(error.details?.contains("StoreError") == true)
    #expect(error.site.fileID == "MainstayTests/ErrorMappingTests.swift")
  }

  @Test(.requirement("T13"))
  func `a network failure below a foreign error does not make it network`() {
    let error = NSError(
      domain: "Shop", code: 1, userInfo: [NSUnderlyingErrorKey: URLFailure.lost])
    #expect(AppError.from(error).kind == .unknown)
    #expect(AppError.from(error).cause(as: NSError.self) == error)
  }

  @Test(.requirement("B14")) func `the newest mapping is asked first and nil passes on`() {
    let mapping = ErrorMapping.standard
      .adding(StoreError.self) { _ in named("first") }
      .adding(any: { $0 is StoreError ? named("second") : nil })
      .adding(StoreError.self) { $0.number == 1 ? nil : named("third") }
    #expect(mapping.map(StoreError(number: 1)).code == "second")
    #expect(mapping.map(StoreError(number: 2)).code == "third")
    #expect(mapping.map(Shelf.empty).code == "unknown")
    #expect(ErrorMapping.standard.map(StoreError()).code == "unknown")
  }

  @Test func `a mapping for a domain sees the NSError`() {
    let mapping = ErrorMapping.standard
      .adding(domain: "Shop") { $0.code == 5 ? named("shop.five") : nil }
    #expect(mapping.map(NSError(domain: "Shop", code: 5)).code == "shop.five")
    #expect(mapping.map(NSError(domain: "Shop", code: 6)).code == "unknown")
  }

  @Test func `a mapping for any Error sees every error, one for a class its subclasses`() {
    final class Special: NSError, @unchecked Sendable {}
    let all = ErrorMapping.standard.adding((any Error).self) { _ in named("all") }
    #expect(all.map(Shelf.empty).code == "all")
    let classes = ErrorMapping.standard.adding(NSError.self) { _ in named("object") }
    #expect(classes.map(Special(domain: "x", code: 1)).code == "object")
  }

  @Test(.requirement("B2", "B26")) func `the original is always kept and never twice`() {
    let other = NSError(domain: "Other", code: 9)
    let mapping = ErrorMapping.standard
      .adding(StoreError.self) { named("store", underlying: [$0]) }
      .adding(domain: "Shop") { _ in named("shop", underlying: [other]) }
    #expect(mapping.map(StoreError()).underlying.count == 1)
    let shop = NSError(domain: "Shop", code: 1)
    #expect(mapping.map(shop).underlying.map { $0 as NSError } == [shop, other])
  }

  @Test func `an object stays the same one when generic code hands it on`() {
    func failure<F: Error>(of result: Result<Int, F>, _ mapping: ErrorMapping) -> AppError? {
      guard case .failure(let error) = result else { return nil }
      return mapping.map(error)
    }
    let shop = NSError(domain: "Shop", code: 1)
    let mapping = ErrorMapping.standard
      .adding(domain: "Shop") { _ in named("shop", underlying: [shop]) }
    #expect(failure(of: Result<Int, any Error>.failure(shop), mapping)?.underlying.count == 1)
    #expect(failure(of: Result<Int, NSError>.failure(shop), mapping)?.underlying.count == 1)
  }

  @Test func `one that is an AppError already stays itself, also through NSError`() {
    let error = AppError.offline()
    let mapping = ErrorMapping.standard.adding(any: { _ in named("all") })
    #expect(mapping.map(error).id == error.id)
    #expect(mapping.map(error as NSError).id == error.id)
    #expect(AppError.unknown(error).id == error.id)
  }

  @Test(.requirement("E35")) func `a mapping for everything does not swallow cancellation`() {
    let mapping = ErrorMapping.standard.adding(any: { _ in named("all") })
    #expect(mapping.map(CancellationError()) == .cancelled())
    #expect(mapping.map(URLError(.cancelled)) == .cancelled())
  }

  @Test func `a mapping may say that an error is a cancellation`() {
    let mapping = ErrorMapping.standard.adding(Shelf.self) { _ in .cancelled() }
    #expect(mapping.map(Shelf.empty).isCancellation)
    #expect(!Shelf.empty.isCancellation)
    ErrorMapping.with(mapping) {
      #expect(Shelf.empty.isCancellation)
      #expect(!ErrorMapping.standard.map(Shelf.empty).isCancellation)
    }
  }

  @Test func `a mapping that asks about its own error comes to an end`() {
    let mapping = ErrorMapping.standard
      .adding(any: { $0.isCancellation ? .cancelled() : nil })
      .adding(StoreError.self) { AppError.from($0).adding(metadata: ["a": "b"]) }
    ErrorMapping.with(mapping) {
      let error = AppError.from(StoreError())
      #expect(error.code == "unknown")
      #expect(error.metadata["a"] == "b")
      #expect(!StoreError().isCancellation)
    }
  }

  @Test func `the override holds for child tasks and does not leak`() async {
    let mapping = ErrorMapping.standard.adding(StoreError.self) { _ in named("test") }
    await ErrorMapping.with(mapping) {
      async let child = AppError.from(StoreError()).code
      let task = Task { AppError.from(StoreError()).code }
      let detached = Task.detached { AppError.from(StoreError()).code }
      #expect(await child == "test")
      #expect(await task.value == "test")
      #expect(await detached.value == "unknown")
    }
    #expect(AppError.from(StoreError()).code == "unknown")
    #expect(AppError.from(StoreError(), mapping: mapping).code == "test")
  }

  @Test(.requirement("B14", "A41")) func `a mapping that is given is asked about causes too`() {
    let mapping = ErrorMapping.standard.adding(Shelf.self) { _ in .offline() }
    let failure = AppError.Data.saveFailed(Shelf.empty)
    #expect(AppError.from(failure).disposition == .unclassified)
    #expect(AppError.from(failure, mapping: mapping).disposition == .transient())
    #expect(mapping.map(failure).kind == .offline)
    let result = Result<Int, any Error>.failure(failure).mapToAppError(mapping: mapping)
    #expect(result.error?.kind == .offline)
    #expect(throws: ErrorMapping.with(mapping) { failure.asAppError }) {
      try withAppErrors(mapping: mapping) { throw failure }
    }
    ErrorMapping.with(mapping) {
      #expect(AppError.from(failure, mapping: .standard).disposition == .unclassified)
    }
    let asking = ErrorMapping.standard.adding(Shelf.self) { _ in .offline() }
      .adding(StoreError.self) { _ in AppError.from(Shelf.empty) }
    #expect(AppError.from(StoreError(), mapping: asking).kind == .offline)
  }

  @Test func `a mapping that is given decides about cancellation and group`() {
    let stopping = ErrorMapping.standard.adding(Shelf.self) { _ in .cancelled() }
    #expect(AppError.unknown(Shelf.empty, mapping: stopping).isCancellation)
    #expect(AppError.decoding(Shelf.empty, mapping: stopping).isCancellation)
    #expect(!AppError.unknown(Shelf.empty).isCancellation)
    #expect(AppError.from(AppError.Data.saveFailed(Shelf.empty), mapping: stopping).isCancellation)
    let mapping = ErrorMapping.standard.adding(Shelf.self) { _ in named("shelf.empty") }
    let group = ErrorMapping.with(mapping) { Fingerprint(of: Shelf.empty) }
    #expect(Fingerprint(of: Shelf.empty, mapping: mapping) == group)
    #expect(Fingerprint(of: Shelf.empty) != group)
    #expect(Fingerprint.explain(Shelf.empty, mapping: mapping).fingerprint == group)
    #expect(
      Fingerprint.difference(Shelf.empty, named("shelf.empty"), mapping: mapping).shared.count == 1)
    let groups = ErrorGroups(["shelf": Shelf.empty], mapping: mapping)
    #expect(groups.entries.map(\.code) == ["shelf.empty"])
    #expect(groups.entries.map(\.fingerprint) == [group.description])
  }

  @Test(.requirement("A46"))
  func `an error without a place of its own has that of its conversion`() throws {
    let errors: [any Error] = [
      AppError.Data.saveFailed(Shelf.empty), AppError.Network.offline, AppError.Service.cancelled,
      Rejection(policy: "shop", reason: .circuitOpen), AppError.Data.saveFailed().appError,
      StoreError(), Shelf.empty, Refused(), CancellationError(),
    ]
    let mapping = ErrorMapping.standard.adding(Shelf.self) { _ in named("shelf.empty") }
    for error in errors {
      let line = #line + 1
      let site = AppError.from(error, mapping: mapping).site
      #expect(site.fileID == "MainstayTests/ErrorMappingTests.swift", "\(error)")
      #expect(site.line == line, "\(error)")
    }
    let monitor = ErrorMonitor(mapping: mapping)
    monitor.capture(AppError.Data.saveFailed(Shelf.empty), fileID: "Shop/Save.swift", line: 7)
    monitor.capture(Shelf.empty, fileID: "Shop/Shelf.swift", line: 8)
    #expect(monitor.history.map(\.site.fileID) == ["Shop/Shelf.swift", "Shop/Save.swift"])
    let (near, far) = (AppError.Network.offline, ErrorMapping.standard)
    #expect(
      Fingerprint(of: far.map(near, fileID: "A/A.swift"))
        == Fingerprint(of: far.map(near, fileID: "B/B.swift", line: 1)))
  }

  @Test(.requirement("A46")) func `an error with a place of its own keeps it`() {
    let error = named("shop.closed", at: "Shop/Door.swift")
    #expect(AppError.from(error).site.fileID == "Shop/Door.swift")
    #expect(AppError.from(Refused(why: error)).site.fileID == "Shop/Door.swift")
    let mapping = ErrorMapping.standard.adding(Shelf.self) { _ in error }
    #expect(AppError.from(Shelf.empty, mapping: mapping).site.fileID == "Shop/Door.swift")
    #expect(Shelf.empty.asAppError.site.function == "asAppError")
  }

  @Test func `the override passes on what its operation throws, with its type`() async {
    do throws(StoreError) {
      try await ErrorMapping.with(.standard) { () async throws(StoreError) in throw StoreError() }
    } catch {
      #expect(error.number == 1)
    }
  }

  @Test func `bootstrap sets the mapping of the process`() async {
    await #expect(processExitsWith: .success) {
      ErrorMapping.bootstrap(.standard.adding(StoreError.self) { _ in named("app") })
      precondition(AppError.from(StoreError()).code == "app")
      precondition(AppError.from(CancellationError()).isCancellation)
    }
  }

  @Test func `bootstrap twice stops the program`() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      ErrorMapping.bootstrap(.standard)
      ErrorMapping.bootstrap(.standard)
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.contains("ErrorMapping.bootstrap was called twice"))
  }

  @Test(.requirement("B15", "B16", "B13", "T12")) func `a result is mapped and shows its error`() {
    let failure: Result<Int, any Error> = .failure(StoreError())
    let success: Result<Int, any Error> = .success(3)
    let mapped: Result<Int, AppError> = failure.mapToAppError()
    #expect(mapped.error?.code == "unknown")
    #expect(mapped.error?.site.fileID == "MainstayTests/ErrorMappingTests.swift")
    #expect(success.mapToAppError() == .success(3))
    #expect(success.error == nil)
    #expect(success.mapToAppError().flatMap { .success($0 + 1) } == .success(4))
  }

  @Test(
    .requirement("B1"),
    arguments: [
      nil, "", "  ", "\u{200B}", "The operation could not be completed. (Shop.Cart error 1.)",
      "Der Vorgang konnte nicht abgeschlossen werden. (NSURLErrorDomain-Fehler -999.)",
      "未能完成操作。（NSURLErrorDomain错误-999。）",
      "The operation couldn’t be completed. (d error 7.)",
    ])
  func `a text that says nothing is not shown`(_ text: String?) {
    let error = AppError.from(TextError(text))
    #expect(error.message.string() == "The app met a problem that it does not recognize.")
  }

  @Test(.requirement("B1")) func `the name of the error itself makes it a text that says nothing`()
  {
    let name = String(reflecting: TextError.self)
    for text in ["Gick inte (\(name) fel 1).", "(\(name) 1)", "(d 7)", "出错（d错误7。）"] {
      let object = NSError(domain: "d", code: 2, userInfo: [NSLocalizedDescriptionKey: text])
      let error: any Error = text.contains(name) ? TextError(text) : object
      let shown = AppError.from(error).message.string()
      #expect(shown == "The app met a problem that it does not recognize.", "\(text)")
    }
    let other = NSError(
      domain: "d", code: 2, userInfo: [NSLocalizedDescriptionKey: "Nobody is in (door 7)."])
    #expect(AppError.from(other).message.string() == "Nobody is in (door 7).")
  }

  @Test(
    .requirement("E29"),
    arguments: [
      "The cart is full (at most 20).", "Only 3 are left.", "Choose another file (step 2)", "No.",
      "Nobody answers (example.com 2).", "Look into the log (shop.log 7).",
    ])
  func `a text that an author wrote is shown`(_ text: String) {
    #expect(AppError.from(TextError(text)).message.string() == text)
    let object = NSError(domain: "S", code: 2, userInfo: [NSLocalizedDescriptionKey: text])
    #expect(AppError.from(object).message.string() == text)
  }
}
