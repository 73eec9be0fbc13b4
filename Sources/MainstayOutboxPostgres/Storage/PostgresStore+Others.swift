// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay
package import MainstayOutbox

/// What other processes do with the same tables.
extension PostgresStore: SharedStore {
  /// How long nobody looks at most: half of it at least, by chance, so that many processes do not
  /// look at once.
  private static let look = Duration.seconds(1)

  /// Calls back when another process says that there is something to do, and now and then in any
  /// case: what it says may be lost, and what falls due is said by nobody.
  package func watchOthers(_ changed: @escaping @Sendable () -> Void) async {
    let listener =
      isPooled ? nil : PostgresListener(address, channels: [sql("mainstay.wake")])
    await withTaskGroup { group in
      if let listener {
        group.addTask {
          for await event in listener.events {
            if case .interrupted = event { continue }
            changed()
          }
        }
      }
      group.addTask { [weak self] in
        // What others do takes real time, whatever clock the outbox has.
        let (timeline, chance) = (Timeline.live, Chance())
        while self?.isOpen == true {
          let wait = Self.look * (0.5 + chance.fraction() / 2)
          do { try await timeline.sleep(until: timeline.now + wait) } catch { return }
          changed()
        }
      }
      await group.next()
      group.cancelAll()
      listener?.stop()
    }
  }

  package func cancelledRuns() async throws -> [OperationID] {
    let rows = try await run(
      "SELECT uuid FROM mainstay.op WHERE owner = $1 AND cancelled", [.int(try owner)])
    return try rows.compactMap { try UUID(uuidString: $0.text(0)).map(OperationID.init) }
  }

  /// Calls back with what was given up, and not by the end of its run.
  package func watchGivenUp(_ found: @escaping @Sendable (GivenUp) async -> Void) async {
    for await operation in givenUp.stream { await found(operation) }
  }

  private var isOpen: Bool { state.withLock { $0.owner != nil && !$0.isClosed } }
}
