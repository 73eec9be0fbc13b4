// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import InventoryUpstream
import Testing

/// The samples in `Examples/Inventory/Contract`, against the code and against a service that runs.
@Suite struct ContractTests {
  /// A sample: its bytes, and its members as JSON compares them.
  private struct Sample {
    let text: String
    let json: NSDictionary

    init(_ name: String) throws {
      let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Contract")
      text = try String(contentsOf: folder.appending(path: "\(name).json"), encoding: .utf8)
      json = try ContractTests.members(Data(text.utf8))
    }

    /// Whether the code reads it and writes the same again.
    func survives(as type: (some Codable).Type) throws -> Bool {
      let document = try JSONDecoder().decode(type, from: Data(text.utf8))
      return try ContractTests.members(JSONEncoder().encode(document)) == json
    }
  }

  private static func members(_ data: Data) throws -> NSDictionary {
    try #require(JSONSerialization.jsonObject(with: data) as? NSDictionary)
  }

  private func expect(_ answer: Answer, equals name: String) throws {
    let members = try Self.members(Data(answer.bytes))
    #expect(members == (try Sample(name).json), "\(name): \(answer.text)")
  }

  @Test func `every sample is read and written as it stands`() throws {
    #expect(try Sample("upstream-book").survives(as: Book.self))
    #expect(try Sample("upstream-twin-request").survives(as: TwinFields.self))
    #expect(try Sample("upstream-twin").survives(as: Twin.self))
    #expect(try Sample("upstream-tombstone").survives(as: Twin.self))
    #expect(try Sample("upstream-changes").survives(as: TwinChanges.self))
    #expect(try Sample("upstream-effect").survives(as: Effect.self))
    #expect(try Sample("upstream-photo").survives(as: Photo.self))
    #expect(try Sample("upstream-photo-effect").survives(as: Effect.self))
    #expect(try Sample("upstream-photo-progress").survives(as: UploadProgress.self))
    #expect(try Sample("upstream-feature").survives(as: FeatureAnswer.self))
    #expect(try Sample("upstream-faults-request").survives(as: FaultSettings.self))
    #expect(try Sample("upstream-faults").survives(as: FaultSettings.self))
    #expect(try Sample("upstream-ledger").survives(as: Ledger.self))
    for problem in ["invalid", "stale", "key-reused", "in-progress", "not-found"] {
      #expect(try Sample("upstream-problem-\(problem)").survives(as: ProblemDocument.self))
    }
  }

  @Test func `a service that runs answers with the samples`() async throws {
    let request = try Sample("upstream-twin-request").text
    try await Service().inMemory { client in
      let address = "/twins/\(twin)"
      let make: HTTPFields = [.ifNoneMatch: "*"]
      try expect(try await client.get("/books/9780141439518"), equals: "upstream-book")
      let made = try await client.send(.put, address, key: "scan-1", headers: make, request)
      try expect(made, equals: "upstream-twin")
      _ = try await client.send(.put, address, key: "scan-1", headers: make, request)
      try expect(try await client.get("/effects/scan-1"), equals: "upstream-effect")
      try expect(
        try await client.send(.put, address, key: "edit-1", headers: [.ifMatch: "\"7\""], request),
        equals: "upstream-problem-stale")
      try expect(
        try await client.send(.delete, address, key: "scan-1"),
        equals: "upstream-problem-key-reused")
      try expect(
        try await client.send(.put, address, key: "edit-1", #"{"title": "", "quantity": -1}"#),
        equals: "upstream-problem-invalid")
      try await photo(client, address)
      try expect(
        try await client.send(.delete, address, key: "delete-1"), equals: "upstream-tombstone")
      try expect(try await client.get(address), equals: "upstream-problem-not-found")
      try expect(try await client.get("/control/ledger"), equals: "upstream-ledger")
    }
  }

  private func photo(_ client: Client, _ address: String) async throws {
    for (range, name) in [(0..<2, "upstream-photo-progress"), (2..<5, "upstream-photo")] {
      let headers: HTTPFields = [
        .contentType: "image/jpeg",
        .contentRange: "bytes \(range.lowerBound)-\(range.upperBound - 1)/5",
      ]
      let bytes = range.map { UInt8($0) }
      let answer = try await client.send(
        .put, address + "/photo", key: "photo-1", headers: headers, bytes: bytes)
      try expect(answer, equals: name)
    }
    try expect(try await client.get("/effects/photo-1"), equals: "upstream-photo-effect")
  }

  @Test func `features, faults and changes look like their samples`() async throws {
    try await Service().inMemory { client in
      try expect(
        try await client.get("/features/resale-value?subject=Emma"), equals: "upstream-feature")
      let faults = try Sample("upstream-faults-request").text
      try expect(
        try await client.send(.post, "/control/faults", faults), equals: "upstream-faults")
      try await client.fault(#"{"mode": "healthy"}"#)
      _ = try await client.send(.put, "/twins/\(twin)", key: "1", emma)
      let changes = try Self.members(Data(try await client.get("/twins").bytes))
      #expect(
        changes.allKeys.compactMap { $0 as? String }.sorted()
          == (try Sample("upstream-changes").json.allKeys.compactMap { $0 as? String }.sorted()))
    }
  }
}
