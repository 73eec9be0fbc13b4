// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import Mainstay
import MainstayServer
import NIOCore
import TestSupport

/// A small service behind all of the middleware, and the page on which a person orders a book.
final class MiddlewareService: Sendable {
  /// The field in which a page says for how long it waits, in milliseconds.
  static let deadlineField = "X-Request-Timeout"

  /// How many orders were taken.
  let orders = Log()
  /// How many requests have come to the middleware of keys.
  let asked = Log()
  /// Counted down once a request is let into the one place that there is.
  let busy = Countdown(1)
  /// Lets the request in that place go.
  let leave = Countdown(1)
  /// Counted down as soon as one of the requests with a key was answered.
  let answered = Countdown(1)
  private let isReady = Locked(true)

  /// Whether it says that it can serve.
  func become(ready: Bool) { isReady.withLock { $0 = ready } }

  /// Tells of answers to requests with a key, from outside of what knows the keys.
  private struct Watch: RouterMiddleware {
    typealias Context = BasicRequestContext

    let service: MiddlewareService

    func handle(
      _ request: Request, context: Context,
      next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
      guard request.headers[.idempotencyKey] != nil else { return try await next(request, context) }
      service.asked.add("\(request.method)")
      defer { service.answered.count() }
      return try await next(request, context)
    }
  }

  var router: Router<BasicRequestContext> {
    let router = Router(context: BasicRequestContext.self)
    let stock = Health.Check("stock") { [self] in
      guard isReady.withLock({ $0 }) else { throw AppError.Network.offline }
    }
    router.addHealth(Health([stock], lasting: .zero))
    router.get("") { _, _ in Self.page }
    let gate = Bulkhead("gate", limit: 1, queue: 0)
    router.addMiddleware {
      ProblemMiddleware()
      LoadSheddingMiddleware(
        LoadShedding(gate) { $0.path?.hasPrefix("/gate") == true ? .usual : .vital })
      DeadlineMiddleware(.seconds(600), callerSaysIn: HTTPField.Name(Self.deadlineField))
      Watch(service: self)
      IdempotencyMiddleware(InMemoryIdempotencyStore(), options: options) { _, _ in "" }
    }
    addRoutes(to: router)
    return router
  }

  private var options: IdempotencyOptions {
    var options = IdempotencyOptions()
    options.isRequired = true
    return options
  }

  private func addRoutes(to router: Router<BasicRequestContext>) {
    router.get("gate") { [busy, leave] _, _ in
      busy.count()
      await leave.passed()
      return "let go"
    }
    router.get("time") { _, _ in
      (Deadline.remaining ?? .zero) > .seconds(300) ? "ten minutes" : "less"
    }
    router.get("never") { _, _ -> String in
      // Ends when it is cancelled, and not before.
      for await _ in AsyncStream<Int>.makeStream().stream {}
      throw CancellationError()
    }
    router.post("orders") { [answered, orders] request, _ in
      let form = try await String(buffer: request.body.collect(upTo: 1_000))
      guard form.contains("book=978") else { throw Self.wrongBook }
      // The second click comes while the first one is being handled.
      await answered.passed()
      orders.add(form)
      return Response(
        status: .created, body: ResponseBody(byteBuffer: ByteBuffer(string: "order 1")))
    }
  }

  private static let wrongBook = AppError(
    code: "shop.book", kind: .validation, disposition: .permanent, title: "There is no such book",
    message: "Look at the number on its back.", field: "/book")

  private static var page: Response {
    Response(
      status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
  }

  /// The form has a key of its own, so it is one order however often it is sent.
  private static let html = """
    <!DOCTYPE html>
    <html lang="en"><head><title>Books</title></head>
    <body>
    <form id="order">
      <label for="book">Book</label> <input id="book" name="book" value="9780141439518">
      <button>Order</button>
    </form>
    <ol id="answers"></ol>
    <script>
      const key = crypto.randomUUID();
      async function ask(path, options) {
        const answer = await fetch(path, options);
        const fields = Object.fromEntries(answer.headers);
        return { status: answer.status, fields, text: await answer.text() };
      }
      document.getElementById("order").addEventListener("submit", async (event) => {
        event.preventDefault();
        const body = new URLSearchParams(new FormData(event.target));
        const answer = await ask(
          "/orders", { method: "POST", body, headers: { "Idempotency-Key": key } });
        const line = document.createElement("li");
        line.textContent = [
          answer.status, answer.fields["retry-after"], answer.fields["idempotency-replayed"],
        ].join(" ");
        document.getElementById("answers").append(line);
      });
    </script>
    </body></html>
    """
}
