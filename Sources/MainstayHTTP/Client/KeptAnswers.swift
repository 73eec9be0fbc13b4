// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

/// The cache of a client, and under which keys its answers are kept there: by their address, and by
/// the fields of its requests that a service may choose an answer by.
///
/// Source: RFC 9111, sections 4.1 and 4.4.
struct KeptAnswers: Sendable {
  let cache: ResponseCache

  /// Stands for the fields: keys lie open in a store, and a field may hold a secret.
  private let digest: String
  /// Fields by which an answer may vary and still be the right one for its key.
  private let settled: Set<String>
  /// Fields that all requests have.
  private let headers: HTTPHeaderFields
  /// Whose answers are kept says the partition; these change with each sign-in.
  private let personal: Set<String>

  init(_ cache: ResponseCache, _ settings: ResilientClient.Settings, signedBy field: String?) {
    let signing: Set = ["authorization", "cookie"]
    var headers = settings.headers
    if !headers.contains("accept") {
      headers.append("Accept", ResilientClient.Request(.get, "").accept)
    }
    self.init(
      cache, headers, own: [:], personal: signing.union(field.map { [$0.lowercased()] } ?? []))
  }

  private init(
    _ cache: ResponseCache, _ headers: HTTPHeaderFields, own: HTTPHeaderFields,
    personal: Set<String>
  ) {
    self.cache = cache
    self.headers = headers
    self.personal = personal
    var all = headers
    all.merge(own)
    // Its name is new with each version of an app, whose answers are to outlive that. What one call
    // has of its own is meant, whatever it is.
    let fields = all.byName.filter { name, _ in
      own.contains(name) || !personal.contains(name) && name != "user-agent"
    }
    let text = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\n" }.joined()
    let words = SHA256.hash(Array(text.utf8)).prefix(4)
    digest = words.map { String($0, radix: 36) }.joined(separator: "-")
    // What a value decodes from is the same in any packing, and only browsers have an origin.
    settled = personal.union(fields.keys).union(["accept-encoding", "origin"])
  }

  /// The same for a request with fields of its own, which win over those of all.
  func asked(with own: HTTPHeaderFields) -> KeptAnswers {
    own.all.isEmpty ? self : KeptAnswers(cache, headers, own: own, personal: personal)
  }

  /// What the answer to a `GET` is kept under.
  func key(of address: WireAddress) -> String { Self.start(of: address.text) + digest }

  /// No address has a space: this begins the keys of one and of no other.
  private static func start(of address: String) -> String { "GET \(address) " }

  /// Says that what is kept of some addresses may be wrong, whatever fields it was asked for with.
  func invalidate(_ addresses: [String]) async {
    for address in addresses { await cache.invalidate(.prefix(Self.start(of: address))) }
  }

  /// What was loaded, which is never given without asking where it depends on more than its key.
  ///
  /// - Parameters:
  ///   - response: The answer.
  ///   - version: What was asked with; nil for nothing.
  ///   - loaded: What the answer says by itself.
  /// - Returns: What is kept.
  func heeding<Value: Sendable>(
    _ response: ResilientClient.Response, to version: String?,
    _ loaded: ResponseCache.Loaded<Value>
  ) -> ResponseCache.Loaded<Value> {
    var loaded = loaded
    let asked = version.map { KeptVersion($0) }
    // A 304 may leave out the `ETag` that it confirms, which says more than a date.
    let mayHaveDate = loaded.value != nil || asked?.isDate != false
    var named = loaded.validator.map { KeptVersion(tag: $0) }
    if named == nil, mayHaveDate {
      named = response.headers["last-modified"].map { KeptVersion(date: $0) }
    }
    // What it says of itself is said of the address that has answered.
    if response.move != nil { named = nil }
    if response.move == .passing { loaded.freshFor = .zero }
    heed(response.status, &loaded)
    if isOpen(response, asked) {
      loaded.freshFor = .zero
      loaded.mustRevalidate = true
      named = (named ?? (loaded.value == nil ? asked : nil))?.ofOneOfMany
    } else if loaded.value == nil {
      named = named ?? asked?.ofTheOnly
    }
    loaded.validator = named?.text
    return loaded
  }

  /// Whether an answer depends on more than its key.
  ///
  /// A 304 that does not say what it depends on leaves that as it was (RFC 9111, section 4.3.4).
  private func isOpen(_ response: ResilientClient.Response, _ asked: KeptVersion?) -> Bool {
    guard let text = response.headers["vary"] else {
      return response.status == 304 && asked?.isOfOneOfMany == true
    }
    return !settled.isSuperset(of: CacheDirectives.directives(text).map(\.name))
  }

  /// What the status says about keeping an answer: a part is not the whole, and one that says how
  /// far somebody is with something is out of date with the next step.
  ///
  /// Source: RFC 9111, sections 3 and 4.2.2; RFC 9110, section 15.1.
  private func heed<Value: Sendable>(_ status: Int, _ loaded: inout ResponseCache.Loaded<Value>) {
    if status == 206 { loaded.isKept = false }
    guard loaded.freshFor == nil, ![200, 203, 204, 304].contains(status) else { return }
    loaded.freshFor = .zero
    loaded.mustRevalidate = true
  }
}
