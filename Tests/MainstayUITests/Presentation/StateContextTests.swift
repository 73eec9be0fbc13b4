// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayTesting
import MainstayUI
import Observation
import TestSupport
import Testing

/// A model of an app, as the error pages have it.
@MainActor @Observable private final class Screen {
  var error: AppError?
}

@MainActor @Suite(.ends(withinMinutes: 2)) struct StateContextTests {
  private struct Cart: Sendable, Equatable {
    var lines: [String] = []
    var note = ""
  }

  private func client() -> StateClient<Cart> {
    StateClient("cart", Cart(), invariants: [.init("few lines") { $0.lines.count < 3 }])
  }

  @Test func `a change is on the screen on return, and one of others soon after`() async throws {
    let client = client()
    let context = await StateContext(client)
    #expect(await context.update { $0.lines = ["a"] })
    #expect(context.state.lines == ["a"] && context.snapshot.version == 1)
    try await client.update { $0.lines = ["b"] }
    while context.snapshot.version < 2, !Task.isCancelled { await Task.yield() }
    #expect(context.state.lines == ["b"] && context.failure == nil)
  }

  @Test func `what is refused is not shown, and says why`() async {
    let sink = MemorySink()
    let monitor = ErrorMonitor(sinks: [sink])
    let context = await StateContext(client(), monitor: monitor)
    #expect(await !context.update("Fill the cart") { $0.lines = ["a", "b", "c"] })
    #expect(context.state == Cart())
    #expect(context.failure?.code == AppError.Client.changeRefused("").appError.code)
    #expect(context.failure?.severity == .warning, "nothing is damaged")
    #expect(await monitor.flush(within: .patience))
    #expect(sink.reports.map(\.operation) == ["Fill the cart"])
    // The next change clears it, and a cancellation leaves none.
    #expect(await context.update { $0.note = "soon" } && context.failure == nil)
    #expect(await !context.update { _ in throw CancellationError() })
    #expect(context.failure == nil)
  }

  @Test func `a control that writes something wrong names its property`() async {
    let context = await StateContext(client())
    await context.set("call first", at: \.note, named: "note")
    #expect(context.state.note == "call first" && context.failure == nil)
    await context.set(["a", "b", "c"], at: \.lines, named: "lines")
    #expect(context.state.lines.isEmpty)
    #expect(context.failure?.code == AppError.Context.bindingFailed(property: "").appError.code)
    // The team learns why: by which invariant.
    let cause = context.failure?.cause(as: AppError.self)
    #expect(cause?.code == AppError.Client.changeRefused("").appError.code)
    #expect(cause?.details?.contains("few lines") == true)
    #expect(context.failure?.message == cause?.message, "nothing is wrong with the app")
    #expect(context.failure?.details?.contains("lines") == true)
    context.dismissFailure()
    #expect(context.failure == nil)
  }

  @Test func `of two refusals in other words the second is told to observers`() {
    let screen = Screen()
    screen.error = .validation("The name is too long.")
    let changed = Flag()
    withObservationTracking {
      _ = screen.error
    } onChange: {
      changed.raise()
    }
    screen.error = .validation("The name has a space.")
    #expect(changed.isRaised && screen.error?.message == "The name has a space.")
  }

  @Test func `two states of one error with other buttons are not equal`() {
    func state(_ actions: [RecoveryAction]) -> ErrorState {
      let error = AppError(
        code: "a", kind: .server, disposition: .permanent, title: "T", message: "M.",
        actions: actions)
      return ErrorState(error, at: Date(timeIntervalSince1970: 0), isManual: true)
    }
    #expect(state([.help]) == state([.help]) && state([.help]) != state([.dismiss]))
  }

  @Test func `a client that ends is told`() async throws {
    let client = client()
    let context = await StateContext(client)
    await client.end()
    while context.failure == nil, !Task.isCancelled { await Task.yield() }
    #expect(context.failure?.code == AppError.Context.observationFailed("").appError.code)
  }

  @Test func `a context that goes is not kept`() async {
    let client = client()
    var context: StateContext<Cart>? = await StateContext(client)
    weak let kept = context
    #expect(await client.listenerCount == 1)
    context = nil
    #expect(kept == nil)
    while await client.listenerCount > 0, !Task.isCancelled { await Task.yield() }
  }
}
