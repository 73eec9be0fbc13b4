// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import MainstayOutbox
import MainstayTesting

/// A folder that goes away with the test.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "outbox-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  var database: URL { url.appending(path: "outbox.sqlite") }

  deinit { try? FileManager.default.removeItem(at: url) }
}

/// A value that tests change from anywhere.
final class Box<Value: Sendable>: Sendable {
  private let state: Locked<Value>

  init(_ value: Value) { state = Locked(value) }

  var value: Value {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  @discardableResult func change<T: Sendable>(_ body: (inout sending Value) -> sending T) -> T {
    state.withLock(body)
  }
}

struct Note: QueuedOperation, Equatable {
  static let kind: OperationKind = "note"
  var text: String
}
