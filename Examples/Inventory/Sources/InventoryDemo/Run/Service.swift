// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import InventoryUpstream

/// The service, as whoever steers its faults and reads its books sees it.
struct Service: Sendable {
  private struct Changes: Decodable {
    let twins: [TwinReading]
    let next: String
    let more: Bool
  }

  let wire: Wire

  /// Switches to other faults, and leaves a mark before and after that.
  func switchFaults(_ faults: FaultSettings, phase: Int) async throws {
    await leave(Mark(.before, phase: phase))
    let answer = try await wire.send(
      "POST", "/control/faults", try JSONEncoder().encode(faults))
    guard answer.status == 200 else {
      throw DemoFailure("The faults \(faults.mode.rawValue) could not be switched on.")
    }
    await leave(Mark(.after, phase: phase))
  }

  /// Whatever the fault does with the request, it stands in the ledger.
  private func leave(_ mark: Mark) async {
    _ = try? await wire.send("GET", "/features/recall-check?subject=demo", key: mark.key)
  }

  func ledger() async throws -> LedgerReading {
    try await wire.send("GET", "/control/ledger").document(LedgerReading.self)
  }

  /// How many requests of the app came after a mark.
  func requests(since mark: Mark) async throws -> Int {
    let requests = try await ledger().requests
    guard let start = requests.firstIndex(where: { $0.key == mark.key }) else { return 0 }
    return requests[start...].count { !Mark.isMark($0.key) }
  }

  /// All twins: their documents, or their tombstones from the list of changes.
  func twins() async throws -> [String: TwinReading] {
    var twins: [String: TwinReading] = [:]
    var cursor = ""
    while true {
      let changes = try await wire.send("GET", "/twins?since=\(cursor)").document(Changes.self)
      for twin in changes.twins {
        let answer = try await wire.send("GET", "/twins/\(twin.id)")
        twins[twin.id] =
          answer.status == 404 && twin.fields == nil
          ? twin : try answer.document(TwinReading.self)
      }
      guard changes.more else { return twins }
      cursor = changes.next
    }
  }
}

/// The items of the app.
struct Items: Sendable {
  private struct Page: Decodable {
    struct Line: Decodable { let id: String }

    let items: [Line]
    let next: String?
  }

  let wire: Wire

  /// Reads the items of the list, and those with known ids that it may leave out.
  func read(_ known: Set<String>) async throws -> [String: ItemReading] {
    var items: [String: ItemReading] = [:]
    for id in known.union(try await listed()) {
      let answer = try await wire.send("GET", "/api/items/\(id)")
      if answer.status != 404 { items[id] = try answer.document(ItemReading.self) }
    }
    return items
  }

  private func listed() async throws -> Set<String> {
    var ids: Set<String> = []
    var place = ""
    while true {
      let page = try await wire.send("GET", "/api/items?limit=200\(place)").document(Page.self)
      ids.formUnion(page.items.map(\.id))
      guard let next = page.next else { return ids }
      place = "&after=\(next)"
    }
  }
}
