// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import InventoryUpstream
import Testing

@Suite struct ChangesTests {
  private func id(_ number: Int) -> String {
    "00000000-0000-4000-8000-0000000000" + (number < 10 ? "0\(number)" : "\(number)")
  }

  @Test func `changes come once each, in the order of the last one, with tombstones`() async throws
  {
    try await Service().inMemory { client in
      for number in 1...3 {
        _ = try await client.send(.put, "/twins/\(id(number))", key: "\(number)", emma)
      }
      let all: TwinChanges = try await client.get("/twins").document()
      #expect(all.twins.map(\.id) == [id(1), id(2), id(3)] && !all.more)
      let empty: TwinChanges = try await client.get("/twins?since=\(all.next)").document()
      #expect(empty.twins.isEmpty && empty.next == all.next)

      _ = try await client.send(.put, "/twins/\(id(2))", key: "4", emma)
      _ = try await client.send(.delete, "/twins/\(id(1))", key: "5")
      let later: TwinChanges = try await client.get("/twins?since=\(all.next)").document()
      #expect(later.twins.map(\.id) == [id(2), id(1)])
      #expect(later.twins.map { $0.fields == nil } == [false, true])
      let again: TwinChanges = try await client.get("/twins?since=").document()
      #expect(again.twins.map(\.id) == [id(3), id(2), id(1)])
    }
  }

  @Test func `long lists come in pages`() async throws {
    try await Service().inMemory { client in
      for number in 1...5 {
        _ = try await client.send(.put, "/twins/\(id(number))", key: "\(number)", emma)
      }
      var found: [String] = []
      var cursor = ""
      var more = true
      while more {
        let page: TwinChanges =
          try await client.get("/twins?since=\(cursor)&limit=2").document()
        #expect(page.twins.count <= 2)
        found += page.twins.map(\.id)
        (cursor, more) = (page.next, page.more)
      }
      #expect(found == (1...5).map(id))
    }
  }

  @Test func `a cursor of another history is 410, and what is none is 400`() async throws {
    let foreign = try await Service().inMemory { client in
      _ = try await client.send(.put, "/twins/\(twin)", key: "1", emma)
      return try await client.get("/twins").document(TwinChanges.self).next
    }
    try await Service().inMemory { client in
      let gone = try await client.get("/twins?since=\(foreign)")
      #expect(gone.status == 410)
      #expect(try gone.problem().type.hasSuffix("/unknown-cursor"))
      let own = try await client.get("/twins").document(TwinChanges.self).next
      #expect(try await client.get("/twins?since=\(own)0").status == 200)
      #expect(try await client.get("/twins?since=\(own)7").status == 410)
      for wrong in ["since=seven", "since=a.b", "since=a.-1", "limit=0", "limit=x", "limit=1001"] {
        #expect(try await client.get("/twins?\(wrong)").problem().status == 400, "\(wrong)")
      }
    }
  }
}
