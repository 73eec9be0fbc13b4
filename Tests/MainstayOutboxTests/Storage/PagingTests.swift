// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayOutboxTesting
import Testing

/// What is behind a page whose last operation has gone meanwhile.
@Suite struct PagingTests {
  enum Kind: CaseIterable {
    case file, memory
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ kind: Kind) async throws -> any OutboxStore {
    let store: any OutboxStore =
      kind == .file ? SQLiteStore(at: folder.database) : InMemoryStore()
    _ = try await store.open()
    return store
  }

  private func leased(_ store: any OutboxStore) async throws -> [LeasedOperation] {
    try await store.claim(ClaimRequest(limit: 9, types: NewOperation.types, isAlone: true))
      .operations
  }

  @Test(arguments: Kind.allCases)
  func `a page goes on behind an operation that has ended`(kind: Kind) async throws {
    let store = try await open(kind)
    let ids = try await store.insert(contentsOf: ["a", "b", "c", "d"].map { .note($0) })
    let page = try await store.operations(after: nil, limit: 2).map(\.id)
    #expect(page == Array(ids.prefix(2)))
    let leases = try await leased(store)
    for one in leases where one.operation.id == ids[1] {
      #expect(try await store.settle(one.lease, OperationVerdict(.done)))
    }
    for one in leases where one.operation.id == ids[3] {
      #expect(
        try await store.settle(one.lease, OperationVerdict(.dead(.refused, followers: .holdKey))))
    }
    #expect(try await store.operations(after: ids[1], limit: 9).map(\.id) == [ids[2]])
    #expect(try await store.operations(after: ids[3], limit: 9).isEmpty, "it is a dead letter")
    #expect(try await store.operations(after: ids[2], limit: 9).isEmpty)
    await store.close()
  }

  @Test(arguments: Kind.allCases)
  func `whoever redrives or discards all dead letters meets none twice`(kind: Kind) async throws {
    let store = try await open(kind)
    let ids = try await store.insert(contentsOf: ["a", "b", "c", "d"].map { .note($0) })
    for one in try await leased(store) {
      #expect(
        try await store.settle(one.lease, OperationVerdict(.dead(.refused, followers: .holdKey))))
    }
    let first = try await store.deadLetters(after: nil, limit: 1).map(\.id)
    #expect(first == [ids[0]])
    #expect(try await store.redrive(ids[0]))
    let second = try await store.deadLetters(after: ids[0], limit: 2).map(\.id)
    #expect(second == [ids[1], ids[2]])
    #expect(try await store.discard(ids[2]))
    #expect(try await store.deadLetters(after: ids[2], limit: 2).map(\.id) == [ids[3]])
    await store.close()
  }
}
