// SPDX-License-Identifier: Apache-2.0

internal import InventoryUpstream

// What became of each thing.
extension Judge {
  /// The posts of a thing whose keys were applied, in the order in which they were posted.
  private struct Thing {
    let id: String
    let applied: [Post]
  }

  private var things: [Thing] {
    let first = keys.compactMap { posts[$0]?.first }
    return Dictionary(grouping: first, by: \.item).sorted { $0.key < $1.key }.compactMap { item in
      let applied = item.value.filter { entries[$0.key] != nil }
      guard let scan = applied.first, let id = entries[scan.key]?.first?.twin else { return nil }
      return Thing(id: id, applied: applied)
    }
  }

  var order: Found {
    let places = Dictionary(
      evidence.ledger.applied.enumerated().map { ($0.element.key, $0.offset) },
      uniquingKeysWith: { first, _ in first })
    return things.flatMap { thing in
      zip(thing.applied, thing.applied.dropFirst()).compactMap { earlier, later in
        guard let before = places[earlier.key], let after = places[later.key], after < before
        else { return nil }
        return (later.key, "\(later.key) was applied before \(earlier.key), which was asked first.")
      }
    }
  }

  var equal: Found {
    let ids = Set(evidence.items.keys).union(evidence.twins.keys)
    let scans = Dictionary(
      things.compactMap { thing in thing.applied.first.map { (thing.id, $0.key) } },
      uniquingKeysWith: { first, _ in first })
    let different: Found = ids.sorted().flatMap { id in
      differences(id).map { (scans[id], "\(scans[id] ?? "nobody’s") (\(id)): \($0)") }
    }
    let mistaken: Found = things.flatMap { thing in
      mistakes(thing).map { ($0.key, "\($0.key) (\(thing.id)): \($0.text)") }
    }
    return different + mistaken
  }

  /// What the two sides say differently.
  private func differences(_ id: String) -> [String] {
    switch (evidence.items[id], evidence.twins[id]) {
    case (nil, nil): return []
    case (nil, let twin?): return twin.fields == nil ? [] : ["only the service has it."]
    case (.some, nil): return ["the service never heard of it."]
    case (let item?, let twin?):
      guard let fields = twin.fields else {
        return ["the service has deleted it, the app has not."]
      }
      var found = item.fields.differences(from: fields).map { "the sides differ in \($0)." }
      // The catalog is asked again until it answers, so it knows the book or does not.
      if !["done", "unknown"].contains(item.enrichment) {
        found.append("its enrichment is \(item.enrichment).")
      }
      if item.sync != "synced" { found.append("its state is \(item.sync) instead of synced.") }
      return found
    }
  }

  /// Where the sides have something else than what was applied last.
  private func mistakes(_ thing: Thing) -> [(key: String, text: String)] {
    var isDeleted = false
    var wanted: [(name: String, value: String, key: String)] = []
    for post in thing.applied {
      switch post.kind {
      case .scan(let isbn): wanted.append(("barcode", isbn, post.key))
      case .delete: isDeleted = true
      case .edit(let edit):
        wanted.append(("notes", edit.notes, post.key))
        if let location = edit.location { wanted.append(("location", location, post.key)) }
        if let quantity = edit.quantity { wanted.append(("quantity", "\(quantity)", post.key)) }
      }
    }
    guard let fields = evidence.twins[thing.id]?.fields else {
      let last = thing.applied.last?.key ?? ""
      return isDeleted ? [] : [(last, "the service does not have it.")]
    }
    if isDeleted {
      return [(thing.applied.last?.key ?? "", "it was deleted, and the service has it.")]
    }
    let last = Dictionary(wanted.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    return last.values.sorted { $0.name < $1.name }.compactMap { wish in
      let value = fields.members.first { $0.name == wish.name }?.value
      guard value != wish.value else { return nil }
      return (wish.key, "it wrote the \(wish.name) \(wish.value), which is \(value ?? "nothing").")
    }
  }
}

// How fast the requests came.
extension Judge {
  /// The phases with an announced limit, and how many requests came within a second at most; all
  /// count, whatever they were answered.
  var limited: [(limit: Int, fastest: Int)] {
    evidence.phases.compactMap { phase in
      guard phase.faults.mode == .rateLimited, let limit = phase.faults.limit,
        let start = time(.after, phase.number), let end = time(.before, phase.number + 1)
      else { return nil }
      let times = evidence.ledger.requests.filter { !Mark.isMark($0.key) }.map(\.at)
        .filter { start <= $0 && $0 <= end }.sorted()
      var first = 0
      var fastest = 0
      for (index, time) in times.enumerated() {
        while times[first] <= time - 1000 { first += 1 }
        fastest = max(fastest, index - first + 1)
      }
      return (limit, fastest)
    }
  }

  var rate: Found {
    limited.filter { $0.fastest > 2 * $0.limit }.map {
      (nil, "\($0.fastest) requests came within one second, where \($0.limit) are announced.")
    }
  }
}
