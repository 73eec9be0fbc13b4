// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Logging
internal import Mainstay

/// Notices about policies in the tables of an outbox.
package struct PostgresExchange: PolicyExchange {
  let store: PostgresStore
  /// The name of this process among those that share.
  let member: String
  /// How long a process counts that is not heard of.
  let patience: Duration

  package init(store: PostgresStore, member: String, patience: Duration) {
    self.store = store
    self.member = member
    self.patience = patience
  }

  package func exchange(
    _ told: [SharingStateMachine.Name: SharingStateMachine.Notice]
  ) async throws -> PolicyNews {
    try store.checkSchema()
    let told = Array(told)
    let rows = try await store.run(
      "SELECT * FROM mainstay.share_policies($1, $2, $3, $4, $5)",
      [
        .text(member), .texts(told.map(\.key.kind.rawValue)), .texts(told.map(\.key.name)),
        .doubles(told.map(\.value.seconds)), .double(patience.inSeconds),
      ])
    var news = PolicyNews()
    for row in rows {
      let version = try row.int(3)
      guard let kind = try row.text(ifAny: 0) else {
        news.members = max(1, Int(version))
        continue
      }
      // Another build may share what this one does not know.
      guard let kind = SharingStateMachine.Name.Kind(rawValue: kind) else { continue }
      let name = SharingStateMachine.Name(kind: kind, name: try row.text(1))
      let left = try row.isNull(2) ? nil : row.double(2)
      news.heard[name] = SharingStateMachine.Heard(
        notice: left.map { .opened(.clamped(seconds: max($0, 0))) } ?? .closed, version: version,
        isOwn: try row.bool(4))
    }
    return news
  }

  package func leave() async {
    // Where it cannot be told, others notice soon.
    if (try? store.checkSchema()) != nil {
      _ = try? await store.run(
        "DELETE FROM mainstay.policy_member WHERE member = $1", [.text(member)])
    }
    await store.pool.close()
  }
}

extension SharingStateMachine.Notice {
  /// The seconds for which calls are held back; nil once they are let through.
  fileprivate var seconds: Double? {
    switch self {
    case .opened(let left): left.inSeconds
    case .closed: nil
    }
  }
}

extension SharedPolicies {
  /// Makes policies that share through a database, and nothing to share yet.
  ///
  /// The tables are those of a ``PostgresStore`` of the same schema, whether operations are kept in
  /// them or not; somebody has to have made them, with ``PostgresStore/migrate()`` or by opening an
  /// outbox.
  ///
  /// - Parameters:
  ///   - address: The database.
  ///   - schema: The schema that holds the tables; the default is `mainstay`.
  ///   - interval: How often news are told and heard, 50 milliseconds to a minute; the default is
  ///     half a second, and what is outside is taken for the nearest.
  ///   - pooled: Whether a pooler stands before the server; the default is false.
  ///   - logger: Where it is told that the database is away.
  public convenience init(
    at address: PostgresAddress, schema: String = "mainstay",
    every interval: Duration = .milliseconds(500), pooled: Bool = false,
    logger: Logger = Logger(label: "mainstay.sharing")
  ) {
    let interval = min(max(interval, .milliseconds(50)), .seconds(60))
    let store = PostgresStore(
      at: address, schema: schema, maximumConnections: 2, migrating: false, pooled: pooled,
      logger: logger)
    let exchange = PostgresExchange(
      store: store, member: UUID().uuidString, patience: max(interval * 10, .seconds(10)))
    self.init(over: exchange, every: interval, clock: ContinuousClock(), logger: logger)
  }
}
