// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Mainstay
import MainstayServer
import NIOCore
import TestSupport
import Testing

/// The names by which a service may be called.
@Suite(.ends(withinMinutes: 2)) struct HostTests {
  private func isAllowed(_ authority: String?, _ names: Set<String> = []) -> Bool {
    let head = HTTPRequest(method: .get, scheme: nil, authority: authority, path: "/")
    return (try? AllowedHosts(names).check(head)) != nil
  }

  @Test(arguments: [
    "localhost", "LocalHost:8080", "127.0.0.1", "127.0.0.1:8080", "[::1]", "[::1]:8080",
    "192.168.1.7:80", "[fe80::1]", "0.0.0.0:8080",
  ])
  func `the machine itself and addresses are always allowed`(authority: String) {
    #expect(isAllowed(authority))
  }

  @Test(arguments: [
    nil, "", ":", ":80", "evil.test", "evil.test:8080", "localhost.evil.test", "127.0.0.1.nip.io",
    "127.0.0.1.nip.io:80", "evil.test:80:localhost", "localhost@evil.test", "::1", "[127.0.0.1]",
    "[evil.test]", "[]", "127.1", "0x7f000001", "2130706433", "127.0.0.1.", "127.0.0.1/evil.test",
    "[::1", "::1]",
  ])
  func `a foreign name is refused, and so is none`(authority: String?) {
    #expect(!isAllowed(authority))
  }

  @Test func `names can be added, in capitals or not`() {
    #expect(isAllowed("shelf.home.arpa:80", ["Shelf.home.arpa"]))
    #expect(isAllowed("SHELF.home.arpa", ["shelf.home.arpa:8080"]))
    #expect(!isAllowed("home.arpa", ["shelf.home.arpa"]))
    #expect(isAllowed("localhost", ["shelf.home.arpa"]))
    #expect(!isAllowed("", [""]) && !isAllowed(nil, [""]))
  }

  @Test func `a page of a foreign name neither reads nor writes`() async throws {
    let router = Router()
    router.add(middleware: ProblemMiddleware())
    router.add(middleware: HostMiddleware())
    router.get("items") { _, _ in "all" }
    router.delete("items") { _, _ in "gone" }
    try await Application(router: router).test(.live) { client in
      // The client of the kit always says `localhost`, and waits for 20 seconds alone.
      let stranger = TestClient(
        host: "localhost", port: try #require(client.port),
        configuration: .init(timeout: .patience))
      stranger.connect()
      let known = TestClient.Request("/items", method: .get, authority: "localhost")
      #expect(try await stranger.execute(known).status == .ok)
      for method in [HTTPRequest.Method.get, .delete] {
        var request = TestClient.Request("/items", method: method, authority: "evil.test:8080")
        request.head.headerFields[.origin] = "http://evil.test:8080"
        let answer = try await stranger.execute(request)
        #expect(answer.status == .forbidden)
        let text = String(buffer: answer.body ?? ByteBuffer())
        #expect(text.contains("server.host-unknown") && !text.contains("evil.test"))
      }
      try await stranger.shutdown()
    }
  }
}
