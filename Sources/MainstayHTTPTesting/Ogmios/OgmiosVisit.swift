// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Mainstay

/// One WebSocket from its opening to its end.
struct OgmiosVisit: Sendable {
  private let connection: WebSocketServer.Connection
  private let world: OgmiosWorld

  init(_ connection: WebSocketServer.Connection, _ world: OgmiosWorld) {
    self.connection = connection
    self.world = world
  }

  /// Answers until the client is gone, or has said nothing for too long.
  func run<C: Clock<Duration>>(idleTimeout: Duration, clock: C) async {
    let steps = world.enter(connection.number)
    let (start, last) = (clock.now, LastMessage())
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await step in steps { await perform(step) }
        return false
      }
      group.addTask {
        for await message in connection.messages {
          last.came(start.duration(to: clock.now))
          switch message {
          case .text(let text): world.receive(Data(text.utf8), on: connection.number)
          case .binary(let bytes): world.receive(Data(bytes), on: connection.number)
          }
        }
        world.leave(connection.number)
        return true
      }
      group.addTask {
        while true {
          let due = start.advanced(by: last.reading + idleTimeout)
          if due <= clock.now { break }
          do { try await clock.sleep(until: due, tolerance: nil) } catch { return false }
        }
        await connection.close(code: 1000, reason: "idle")
        return false
      }
      while let isOver = await group.next(), !isOver {}
      group.cancelAll()
    }
  }

  private func perform(_ step: OgmiosWorld.Step) async {
    switch step {
    case .send(let text): await connection.send(text)
    case .close(let code, let reason): await connection.close(code: code, reason: reason)
    case .hangUp: await connection.hangUp()
    case .reset: await connection.reset()
    }
  }
}

/// How long after the beginning of a connection its last message came.
private final class LastMessage: Sendable {
  private let last = Locked(Duration.zero)
  var reading: Duration { last.withLock { $0 } }
  func came(_ reading: Duration) { last.withLock { $0 = reading } }
}
