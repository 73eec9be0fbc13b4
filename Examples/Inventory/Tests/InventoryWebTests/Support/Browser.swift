// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

/// A browser without a script: it keeps its cookie, and sends forms as they stand on the page.
actor Browser {
  private let client: any TestClientProtocol
  private(set) var cookie: String?

  init(_ client: any TestClientProtocol) { self.client = client }

  /// Says that it has a cookie.
  func take(cookie: String) { self.cookie = cookie }

  func get(
    _ path: String, method: HTTPRequest.Method = .get, _ headers: HTTPFields = [:]
  ) async throws -> Page {
    try await send(method, path, nil, headers)
  }

  /// Sends fields, and goes nowhere.
  func post(_ path: String, _ fields: KeyValuePairs<String, String>) async throws -> Page {
    let body = fields.map { "\($0.key.formPart)=\($0.value.formPart)" }.joined(separator: "&")
    return try await post(path, body: body)
  }

  /// Sends a body, and goes nowhere.
  func post(
    _ path: String, body: String, type: String = "application/x-www-form-urlencoded"
  ) async throws -> Page {
    try await send(.post, path, body, [.contentType: type])
  }

  /// Fills in a form of a page, sends it, and goes where the answer leads.
  @discardableResult
  func submit(_ action: String, of page: Page, _ typed: [String: String] = [:]) async throws -> Page
  {
    let hidden = try #require(page.form(action), "no form \(action)")
    let all = hidden.merging(typed) { $1 }.sorted { $0.key < $1.key }
    let body = all.map { "\($0.key.formPart)=\($0.value.formPart)" }.joined(separator: "&")
    let answer = try await post(action, body: body)
    guard answer.status == 303 else { return answer }
    return try await get(try #require(answer.headers["location"]))
  }

  private func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: String?, _ headers: HTTPFields
  ) async throws -> Page {
    var headers = headers
    if headers[.accept] == nil { headers[.accept] = "text/html,application/xhtml+xml,*/*;q=0.8" }
    headers[.cookie] = cookie.map { "other=1; \($0)" }
    let page = try await client.execute(
      uri: path, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) }
    ) { response in
      Page(
        status: response.status.code,
        headers: Dictionary(
          response.headers.map { ($0.name.canonicalName.lowercased(), $0.value) },
          uniquingKeysWith: { $1 }),
        text: String(buffer: response.body))
    }
    if let set = page.headers["set-cookie"]?.split(separator: ";").first { cookie = String(set) }
    return page
  }
}

extension String {
  /// The text as a form sends it.
  fileprivate var formPart: String {
    let legal = CharacterSet(
      charactersIn: "*-._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
    let text = addingPercentEncoding(withAllowedCharacters: legal) ?? ""
    return text.replacing(" ", with: "+")
  }
}
