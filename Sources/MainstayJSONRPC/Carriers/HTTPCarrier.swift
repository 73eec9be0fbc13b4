// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayHTTP

/// Carries each message by a POST of its own.
///
/// The body is looked at before the status and its type: there are servers that answer each error
/// of JSON-RPC with 400 (T19), and servers that call all they say a page.
final class HTTPCarrier: Carrier {
  private let url: URL
  private let transport: any HTTPTransport
  private let headers: HTTPHeaderFields
  private let exchanges = Locked<[CallsStateMachine.Bundle: Task<Void, Never>]>([:])

  init(_ url: URL, _ transport: any HTTPTransport, _ options: JSONRPCClient.Options) {
    self.url = url
    self.transport = transport
    var headers: HTTPHeaderFields = [
      "Content-Type": "application/json", "Accept": "application/json",
    ]
    headers.merge(options.headers)
    self.headers = headers
  }

  func send(_ message: OutgoingMessage, over connection: Int, for core: ClientCore) {
    // Made under the lock, so that it is known before it can end.
    exchanges.withLock { exchanges in
      exchanges[message.bundle] = Task {
        await exchange(message, for: core)
        _ = self.exchanges.withLock { $0.removeValue(forKey: message.bundle) }
      }
    }
  }

  func giveUp(_ bundle: CallsStateMachine.Bundle) {
    exchanges.withLock { $0.removeValue(forKey: bundle) }?.cancel()
  }

  func open(_ connection: Int, for core: ClientCore) {}
  func reply(_ bytes: Data, over connection: Int) {}
  func drop(_ connection: Int) {}

  private func exchange(_ message: OutgoingMessage, for core: ClientCore) async {
    do {
      let reply = try await transport.send(
        HTTPTransmission(.post, url, headers: headers, body: .bytes(message.bytes)))
      let limit = core.options.maximumMessageSize
      let body = try await reply.body.collect(upTo: limit)
      try take(body.bytes, isCut: body.isCut, of: reply, to: message, for: core)
    } catch let error as AppError {
      core.failed(message.bundle, wasSent: error.mayHaveBeenSent, error)
    } catch let error as JSONRPCConnectionError {
      core.failed(message.bundle, wasSent: true, error)
    } catch {
      core.failed(message.bundle, wasSent: true, error)
    }
  }

  private func take(
    _ body: Data, isCut: Bool, of reply: HTTPReply, to message: OutgoingMessage,
    for core: ClientCore
  ) throws {
    let isSuccess = (200...299).contains(reply.status)
    if body.isEmpty, isSuccess, !message.hasCalls { return core.written(message.bundle) }
    var flaw = isCut ? "at most \(core.options.maximumMessageSize) bytes" : "an answer"
    do throws(JSONValue.ReadingError) {
      let value = try JSONValue(reading: body, limits: core.limits)
      if Self.isEnvelope(value) { return core.answered(value, body, in: message.bundle) }
      flaw = "no message of JSON-RPC"
    } catch {
      if !isCut { flaw = error.description }
    }
    // A success without a word, or with too many of them, is no page to sign in with.
    let isPage = !isSuccess || !body.isEmpty && !isCut
    if isPage, Self.isPortal(reply) { throw portal(reply) }
    guard isSuccess else { throw error(reply, body, to: message) }
    if !message.hasCalls { return core.written(message.bundle) }
    guard !isCut else {
      throw JSONRPCConnectionError(.tooLarge, wasSent: true, details: flaw)
    }
    core.unreadable("\(flaw). \(Excerpt.of(body))", in: message.bundle)
  }

  /// Over TLS nobody but the service, or who stands before it, can have answered, and it may have
  /// done what it was asked.
  private func portal(_ reply: HTTPReply) -> AppError {
    let isSecure = url.scheme?.lowercased() == "https"
    return AppError.portal().adding(
      metadata: ["http.status": String(reply.status), "http.sent": isSecure ? "maybe" : "no"])
  }

  private func error(
    _ reply: HTTPReply, _ body: Data, to message: OutgoingMessage
  ) -> AppError {
    HTTPError(
      status: reply.status, method: "POST", url: url.absoluteString,
      headers: reply.headers.byName, body: body, hasIdempotencyKey: message.isRepeatable
    ).asAppError
  }

  /// A page for people, or a way to one, stands between here and the service.
  static func isPortal(_ reply: HTTPReply) -> Bool {
    if (300...399).contains(reply.status) || reply.status == 511 { return true }
    let type = reply.headers["content-type"].map { $0.prefix { $0 != ";" }.lowercased() }
    return (200...299).contains(reply.status) && type?.hasPrefix("text/html") == true
  }

  private static func isEnvelope(_ value: JSONValue) -> Bool {
    (value.array ?? [value]).contains { element in
      if case .other = Envelope(element) { false } else { true }
    }
  }
}
