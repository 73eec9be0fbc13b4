// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Mainstay

extension ResilientClient {
  /// What the service has, or what is kept of it: while it is fresh, and where the service cannot
  /// be asked.
  ///
  /// The service is asked whether what is kept is still right, by its `ETag` or its date, and its
  /// headers say how long the answer is fresh; <doc:CachingOverHTTP> has the rules. What this
  /// client has changed, or may have, is asked for anew.
  ///
  /// - Parameters:
  ///   - path: Where it is, below the address of the client.
  ///   - type: What is kept.
  ///   - headers: Fields of its own, which win over those of the client; none by default. An answer
  ///     is kept for their values. Conditions among them are the cache's, and left out.
  ///   - policy: How long it is given; nil, the default, for the policy of the cache.
  ///   - tags: What it is about, to be invalidated by.
  ///   - isTransfer: Whether the answer is long, and waited for as long as its parts come;
  ///     ``Request/isTransfer`` has more. Nil, the default, for a short one.
  /// - Returns: The value, and what it is worth.
  /// - Throws: `AppError` where nothing that is kept may stand in. Without a cache, each call asks.
  public func cached<Value: Codable & Sendable>(
    _ path: HTTPPath, as type: Value.Type = Value.self, headers: HTTPHeaderFields = [:],
    policy: CachePolicy? = nil, tags: Set<String> = [], isTransfer: Bool? = nil
  ) async throws(AppError) -> CachedValue<Value> {
    var request = Request(.get, path)
    request.headers = headers.withoutConditions
    request.isTransfer = isTransfer
    guard let kept = core.kept?.asked(with: request.headers) else {
      return CachedValue(try decoded(try await send(request)), .fresh)
    }
    let key = kept.key(of: try core.base.address(of: path))
    do {
      return try await kept.cache.value(for: key, as: Value.self, policy: policy) {
        [request] version in
        try await load(request, version, tags, kept)
      }
    } catch {
      throw ErrorMapping.current.map(error)
    }
  }

  private func load<Value: Codable & Sendable>(
    _ request: Request, _ version: String?, _ tags: Set<String>, _ kept: KeptAnswers
  ) async throws -> ResponseCache.Loaded<Value> {
    var request = request
    if let condition = version.flatMap({ KeptVersion($0).condition }) {
      request.headers[condition.name] = condition.value
    }
    let response = try await send(request)
    let headers = response.headers.byName
    if response.status == 304 {
      return kept.heeding(response, to: version, .unchanged(headers: headers, tags: tags))
    }
    return kept.heeding(
      response, to: version, .value(try decoded(response), headers: headers, tags: tags))
  }
}
