// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HTTPTypes
public import Hummingbird
import NIOCore

extension Health {
  /// The answer to whoever asks whether the process can serve, for any framework.
  ///
  /// - Parameter showingFindings: Whether the answer says what was found, which tells strangers
  ///   what the service is made of.
  /// - Returns: 200 or 503, and a document with `status`, `level` and perhaps `findings`.
  public func answer(showingFindings: Bool) async -> (status: HTTPResponse.Status, body: Data) {
    let report = await report()
    let document = Document(
      status: report.isReady ? "ready" : report.isStopping ? "stopping" : "not ready",
      level: report.level.map { "\($0)" },
      findings: showingFindings ? report.findings : nil)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    // Names and words alone: there is nothing in it that cannot be encoded.
    let body = (try? encoder.encode(document)) ?? Data("{}".utf8)
    return (report.isReady ? .ok : .serviceUnavailable, body)
  }

  private struct Document: Encodable {
    let status: String
    let level: String?
    let findings: [Report.Finding]?
  }
}

extension RouterMethods {
  /// Adds `/live`, which answers while the process runs, and `/ready`, which answers 200 while it
  /// can serve and 503 otherwise.
  ///
  /// Both answer GET, and HEAD without a body, whether or not the router does that by itself. Add
  /// them before the middleware that refuses requests, which holds only for routes added after it.
  ///
  /// - Parameters:
  ///   - health: What is asked.
  ///   - showingFindings: Whether `/ready` says what was found, for services that strangers do not
  ///     reach; the default is that it does not.
  /// - Returns: The routes, for more.
  @discardableResult
  public func addHealth(_ health: Health, showingFindings: Bool = false) -> Self {
    addHealth("live") { Response.health(.ok, Data(#"{"status":"alive"}"#.utf8)) }
    return addHealth("ready") {
      let (status, body) = await health.answer(showingFindings: showingFindings)
      return Response.health(status, body)
    }
  }

  @discardableResult
  private func addHealth(
    _ path: RouterPath, answer: @escaping @Sendable () async -> Response
  ) -> Self {
    get(path) { _, _ in await answer() }
    return head(path) { _, _ in await answer().createHeadResponse() }
  }
}

extension Response {
  fileprivate static func health(_ status: HTTPResponse.Status, _ body: Data) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }
}
