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
    let messages = MessageCount()
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await step in steps { await perform(step) }
        return false
      }
      group.addTask {
        for await message in connection.messages {
          messages.add()
          switch message {
          case .text(let text): world.receive(Data(text.utf8), on: connection.number)
          case .binary(let bytes): world.receive(Data(bytes), on: connection.number)
          }
        }
        world.leave(connection.number)
        return true
      }
      group.addTask {
        var (seen, isIdle) = (0, false)
        while !isIdle {
          do { try await clock.sleep(for: idleTimeout) } catch { return false }
          let now = messages.value
          isIdle = now == seen
          seen = now
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

private final class MessageCount: Sendable {
  private let count = Locked(0)
  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}
