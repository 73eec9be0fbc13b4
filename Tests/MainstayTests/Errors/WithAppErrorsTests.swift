// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

private struct StoreError: Error {}

/// State that may not leave the main actor.
@MainActor private final class Screen {
  final class Item { var name = "" }

  private let item = Item()
  private(set) var shown: AppError?

  func load(failing: Bool) async throws(AppError) -> String {
    try await withAppErrors("Load inventory") {
      MainActor.assertIsolated()
      item.name = "before"
      await Task.yield()
      MainActor.assertIsolated()
      if failing { throw StoreError() }
      item.name = "after"
      return item.name
    }
  }

  func run(failing: Bool) async {
    do {
      _ = try await load(failing: failing)
    } catch {
      shown = error  // inferred to be an `AppError`, and nothing else can be thrown
    }
    MainActor.assertIsolated()
  }
}

@Suite struct WithAppErrorsTests {
  @Test(.requirement("B4", "T17")) func `keeps the isolation and the type of its caller`() async {
    let screen = await Screen()
    await screen.run(failing: false)
    #expect(await screen.shown == nil)
    await screen.run(failing: true)
    let shown = await screen.shown
    #expect(shown?.code == "unknown")
    #expect(shown?.cause(as: StoreError.self) != nil)
    #expect(shown?.context.map(\.operation) == ["Load inventory"])
  }

  @Test(.requirement("B4")) func `works in code that does not wait`() {
    func total() throws(AppError) -> Int {
      try withAppErrors("Add up") { throw StoreError() }
    }
    let line = #line
    do throws(AppError) {
      try withAppErrors { throw StoreError() }
    } catch {
      let isTyped: AppError = error
      #expect(isTyped.site.line == line + 2)
      #expect(isTyped.site.fileID == "MainstayTests/WithAppErrorsTests.swift")
    }
    #expect(throws: AppError.self) { try total() }
    #expect(throws: Never.self) { try withAppErrors { 3 } }
  }

  @Test func `an AppError passes through and only gains context`() async {
    let original = AppError.offline()
    let result = await Result<Void, AppError> { () async throws(AppError) in
      try await withAppErrors("Outer") {
        await Task.yield()
        try withAppErrors("Inner") { throw original }
      }
    }
    #expect(result.error?.id == original.id)
    #expect(result.error?.context.map(\.operation) == ["Inner", "Outer"])
    #expect(result.error?.underlying.isEmpty == true)
  }

  @Test(.requirement("E8", "E12")) func `cancellation becomes the cancelled error`() async {
    let task = Task {
      try withAppErrors { try Task.checkCancellation() }
    }
    task.cancel()
    let error = await task.result.error as? AppError
    #expect(error.map { $0 == .cancelled() } ?? true)
    #expect(throws: AppError.cancelled()) { try withAppErrors { throw CancellationError() } }
  }

  @Test func `takes the mapping that it is given`() {
    let mapping = ErrorMapping.standard.adding(StoreError.self) { _ in .offline() }
    #expect(throws: AppError.offline()) {
      try withAppErrors(mapping: mapping) { throw StoreError() }
    }
  }
}

extension Result where Success: Sendable {
  fileprivate init(_ body: () async throws(Failure) -> Success) async {
    do throws(Failure) {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
