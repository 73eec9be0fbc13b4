// SPDX-License-Identifier: Apache-2.0

internal import InventoryUpstream

/// The evidence, put in order by key and by thing; one function for each condition.
struct Judge {
  let evidence: Evidence
  /// The keys in the order in which they were posted for their things, each once.
  let keys: [String]
  let posts: [String: [Post]]
  let entries: [String: [LedgerReading.Entry]]

  init(_ evidence: Evidence) {
    self.evidence = evidence
    posts = Dictionary(grouping: evidence.posts, by: \.key)
    entries = Dictionary(grouping: evidence.ledger.applied, by: \.key)
    var seen: Set<String> = []
    keys = evidence.posts.map(\.key).filter { seen.insert($0).inserted }
  }

  var table: Verdict.Table {
    let applied = evidence.ledger.applied
    return Verdict.Table(
      accepted: keys.count(where: isAccepted), unanswered: keys.count(where: isUnanswered),
      applied: entries.count, replayed: applied.reduce(0) { $0 + $1.replayed },
      lost: keys.count { isAccepted($0) && entries[$0] == nil },
      duplicated: entries.keys.count { applications($0) > 1 }, dead: evidence.queue.dead,
      conflicts: evidence.queue.conflicts, fastest: limited.map(\.fastest).max() ?? 0,
      secondsToDrain: evidence.secondsToDrain)
  }

  func broken(_ condition: Verdict.Condition) -> [Verdict.Broken] {
    let found: [(key: String?, text: String)] =
      switch condition {
      case .happened: happened
      case .answered: answered
      case .drained: drained
      case .kept: kept
      case .known: known
      case .once: once
      case .resent: resent
      case .equal: equal
      case .order: order
      case .rate: rate
      }
    return found.map { Verdict.Broken(condition: condition, key: $0.key, text: $0.text) }
  }

  func isAccepted(_ key: String) -> Bool {
    posts[key]?.contains { $0.acceptedID != nil } ?? false
  }

  func isUnanswered(_ key: String) -> Bool {
    !isAccepted(key) && posts[key]?.contains { $0.outcome == .unanswered } ?? false
  }

  func applications(_ key: String) -> Int {
    entries[key, default: []].reduce(0) { $0 + $1.applied }
  }

  /// When the request with a mark arrived.
  func time(_ place: Mark.Place, _ phase: Int) -> Int64? {
    let key = Mark(place, phase: phase).key
    return evidence.ledger.requests.first { $0.key == key }?.at
  }
}

// What the run came to.
extension Judge {
  typealias Found = [(key: String?, text: String)]

  private var happened: Found {
    var found: Found = []
    if evidence.kills < evidence.plannedKills {
      found.append(
        (nil, "inventory was killed \(evidence.kills) of \(evidence.plannedKills) times."))
    }
    for phase in evidence.phases {
      guard let start = time(.after, phase.number), let end = time(.before, phase.number + 1) else {
        found.append((nil, "The ledger has no marks of the phase \(phase.name)."))
        continue
      }
      let isMet = evidence.ledger.requests.contains {
        !Mark.isMark($0.key) && (start...max(start, end)).contains($0.at)
      }
      if !isMet { found.append((nil, "No request met the phase \(phase.name).")) }
    }
    return found
  }

  private var answered: Found {
    var found: Found = []
    for key in keys {
      for post in posts[key, default: []] {
        switch post.outcome {
        case .accepted, .unanswered: break
        case .refused(let status):
          found.append((key, "\(key) was answered \(status) instead of 202."))
        case .failed(let reason):
          found.append((key, "\(key) got no answer while inventory was running: \(reason)."))
        }
      }
      let ids = Set(posts[key, default: []].compactMap(\.acceptedID))
      if ids.count > 1 {
        found.append((key, "\(key) was answered with the items \(ids.sorted().listed)."))
      }
    }
    return found
  }

  private var drained: Found {
    let queue = evidence.queue
    var found: Found = []
    if evidence.secondsToDrain == nil {
      found.append((nil, "The queue did not get empty: \(queue.pending) operations wait."))
    }
    if queue.dead > 0 { found.append((nil, "\(queue.dead) operations were given up.")) }
    if queue.conflicts > 0 {
      found.append((nil, "\(queue.conflicts) conflicts are open, though nobody else writes."))
    }
    if !queue.isBalanced { found.append((nil, "The ledger of the app's queue does not balance.")) }
    return found
  }
}

// What became of each key.
extension Judge {
  private var kept: Found {
    keys.filter(isAccepted).compactMap { key in
      switch entries[key, default: []].count {
      case 1: nil
      case 0: (key, "\(key) was accepted and is not in the ledger: it is lost.")
      case let count: (key, "\(key) was accepted and stands \(count) times in the ledger.")
      }
    }
  }

  private var known: Found {
    evidence.ledger.applied.compactMap { entry in
      guard let posts = posts[entry.key] else {
        return (entry.key, "\(entry.key) was applied and never posted.")
      }
      guard isAccepted(entry.key) || isUnanswered(entry.key) else {
        return (entry.key, "\(entry.key) was applied, though its post was refused.")
      }
      if let id = posts.lazy.compactMap(\.acceptedID).first, id != entry.twin {
        return (entry.key, "\(entry.key) is about \(id) and was applied to \(entry.twin).")
      }
      return nil
    }
  }

  private var once: Found {
    var seen: Set<String> = []
    return evidence.ledger.applied.map(\.key).filter { seen.insert($0).inserted }.compactMap {
      let count = applications($0)
      return count == 1 ? nil : ($0, "\($0) was applied \(count) times.")
    }
  }

  /// A 2xx in the ledger was sent; while the portal answers, a 200 is that of its page.
  private var resent: Found {
    let portals = evidence.phases.filter { $0.faults.mode == .portal }.compactMap { phase in
      time(.before, phase.number).map { $0...max($0, time(.after, phase.number + 1) ?? .max) }
    }
    let requests = evidence.ledger.requests.filter { $0.key != nil && !Mark.isMark($0.key) }
    return Dictionary(grouping: requests) { $0.key ?? "" }.sorted { $0.key < $1.key }.compactMap {
      key, requests in
      let answer = requests.firstIndex { request in
        request.isSuccess && !portals.contains { $0.contains(request.at) }
      }
      guard let answer, answer + 1 < requests.count else { return nil }
      let status = requests[answer].status ?? 0
      return (key, "\(key) was sent again after it was answered \(status).")
    }
  }
}

extension [String] {
  /// With commas.
  var listed: String { joined(separator: ", ") }
}
