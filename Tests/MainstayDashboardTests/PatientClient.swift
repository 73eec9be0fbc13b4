// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import TestSupport
import Testing

/// A client that waits for its answers for as long as they take.
///
/// That of the test kit gives up after 20 seconds, and so fails tests where a machine stands still.
struct PatientClient: Sendable {
  private let client: TestClient
  /// Where the server listens.
  let port: Int?

  fileprivate init(port: Int) {
    self.port = port
    client = TestClient(host: "localhost", port: port, configuration: .init(timeout: .patience))
    client.connect()
  }

  func execute(
    uri: String, method: HTTPRequest.Method, headers: HTTPFields = [:], body: ByteBuffer? = nil
  ) async throws -> TestResponse {
    var headers = headers
    headers[.connection] = "keep-alive"
    let answer = try await client.execute(
      TestClient.Request(uri, method: method, authority: "localhost", headers: headers, body: body))
    return TestResponse(head: answer.head, body: answer.body ?? ByteBuffer())
  }

  fileprivate func shutDown() async throws { try await client.shutdown() }
}

/// An answer, as the test kit has it, whose own only the kit can make.
struct TestResponse: Sendable {
  let head: HTTPResponse
  let body: ByteBuffer

  var status: HTTPResponse.Status { head.status }
  var headers: HTTPFields { head.headerFields }
}

extension ApplicationProtocol {
  /// Serves on a free port of this machine while a test asks.
  func live<Value: Sendable>(
    _ test: @escaping @Sendable (PatientClient) async throws -> Value
  ) async throws -> Value {
    try await self.test(.live) { kit in
      let client = PatientClient(port: try #require(kit.port))
      do {
        let value = try await test(client)
        try await client.shutDown()
        return value
      } catch {
        try? await client.shutDown()
        throw error
      }
    }
  }
}
