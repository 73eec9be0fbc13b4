// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hummingbird

/// Adds paths to a group, and refuses every other request below it behind the same gate.
struct Routes<Context: RemoteAddressRequestContext> {
  typealias Answer = @Sendable (Request, Context) async throws -> Response

  private static var methods: [HTTPRequest.Method] {
    [.get, .head, .post, .put, .patch, .delete, .options, .trace, .connect]
  }

  let site: Site
  let group: RouterGroup<Context>

  /// Adds a page; whoever asks for its head alone is answered alike, and the gate keeps the rest.
  func page(_ path: String, _ page: @escaping @Sendable (Request, Context) async throws -> Page) {
    read(path) { [site] in site.answer($0, try await page($0, $1)) }
  }

  /// Adds what can be read, whole or its head alone.
  func read(_ path: String, _ answer: @escaping Answer) {
    add(path, [.get: answer, .head: answer])
  }

  /// Adds what a form does, for whoever may act.
  func action(_ path: String, _ answer: @escaping Answer) {
    add(
      path,
      [
        .post: { [site] request, context in
          guard site.mayAct else { throw Refusal.mayOnlyLook }
          return try await answer(request, context)
        }
      ])
  }

  /// Adds a path with its methods; all others are refused.
  func add(_ path: String, _ answers: [HTTPRequest.Method: Answer]) {
    for method in Self.methods {
      if let answer = answers[method] {
        group.on(RouterPath(path), method: method) { try await answer($0, $1) }
      } else {
        group.on(RouterPath(path), method: method) { _, _ -> Response in
          throw WrongMethod(allowed: Self.methods.filter { answers.keys.contains($0) })
        }
      }
    }
  }

  /// Refuses what does not exist.
  func addUnknown() {
    for method in Self.methods {
      group.on("**", method: method) { _, _ -> Response in throw Refusal.unknownPage }
    }
  }
}
