// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
internal import MainstayOutbox

extension NewOperation {
  /// Whether it has no wishes that others could stand against, nor any that are rare.
  var isPlain: Bool {
    wishes.uniqueKey == nil && wishes.dependencies == nil && wishes.constraints.isEmpty
      && wishes.coalescing == nil && wishes.timeout == nil && wishes.base == nil
  }
}

/// What every new operation has, a column at a time.
struct PlainColumns {
  let values: [PostgresValue]

  init(_ operations: [NewOperation]) {
    values = [
      .uuids(operations.map(\.id.uuid)),
      .texts(operations.map(\.type.kind.rawValue)),
      .ints(operations.map { Int64($0.type.version) }),
      .texts(operations.map(\.lane.rawValue)),
      .bytesArray(operations.map { $0.orderingKey.map { Data($0.utf8) } }),
      .texts(operations.map(\.idempotencyKey.rawValue)),
      .bytesArray(operations.map(\.payload)),
      .ints(operations.map { $0.timeToLive?.milliseconds }),
      .texts(operations.map(\.effect.rawValue)),
      .ints(operations.map { Int64($0.wishes.priority.rawValue) }),
      .ints(operations.map(\.wishes.handicap.milliseconds)),
      .ints(operations.map { $0.wishes.delay?.milliseconds }),
      .bools(operations.map(\.wishes.isExpendable)),
    ]
  }
}

/// What some operations have besides.
struct WishColumns {
  let values: [PostgresValue]

  init(_ operations: [NewOperation]) throws {
    let wishes = operations.map(\.wishes)
    let constraints = try wishes.map { wishes -> String? in
      guard !wishes.constraints.isEmpty else { return nil }
      let names = wishes.constraints.map(\.rawValue).sorted()
      return String(decoding: try JSONEncoder().encode(names), as: UTF8.self)
    }
    values = [
      .bytesArray(operations.map(Self.uniqueKey)),
      .texts(wishes.map { $0.uniqueKey?.ifTaken.rawValue }),
      .texts(constraints),
      .texts(wishes.map { $0.dependencies?.ids.map(\.description).joined(separator: ",") }),
      .texts(wishes.map { $0.dependencies?.ifGivenUp.rawValue }),
      .uuids(wishes.map { $0.coalescing?.earlier.uuid }),
      .bytesArray(wishes.map { $0.coalescing?.expected }),
      .bytesArray(wishes.map { $0.coalescing?.payload }),
      .ints(wishes.map { $0.timeout?.milliseconds }),
      .bytesArray(wishes.map(\.base)),
    ]
  }

  /// Unique keys are bytes, and begin with the kind: any text is legal in both.
  fileprivate static func uniqueKey(_ operation: NewOperation) -> Data? {
    operation.wishes.uniqueKey.map {
      Data(operation.type.kind.rawValue.utf8) + [0] + Data($0.value.utf8)
    }
  }
}

/// What several operations have to be kept apart by from those of others.
struct LockColumns {
  let values: [PostgresValue]

  init(_ operations: [NewOperation], isBounded: Bool) {
    let needs = operations.flatMap { $0.wishes.dependencies?.ids ?? [] }
    values = [
      .texts(Array(Set(operations.map(\.lane.rawValue)))),
      .bytesArray(Array(Set(operations.compactMap(WishColumns.uniqueKey)))),
      .uuids(needs.map(\.uuid)),
      .bytesArray(Array(Set(operations.compactMap(\.orderingKey))).map { Data($0.utf8) }),
      .bool(isBounded),
    ]
  }
}
