// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// A program in a control group of its own, which fills the memory of the group and lets go of it
/// again; it prints each change of level, and how much was in use then.
@main struct PressureChild {
  static func main() async {
    #if os(Linux)
      // What hangs is ended by the kernel, a little before the test gives up.
      alarm(270)
      await Load().play()
    #endif
  }
}

#if os(Linux)
  private final class Load {
    private static let step = 4 << 20

    private let reader = SystemHealth.Reader()
    // Of memory alone: that others keep the processor busy is not what is tried here.
    private let controller = DegradationController(
      DegradationPlan(needs: [.memory]), dwell: .seconds(1), riseDelay: .milliseconds(500))
    private var blocks: [UnsafeMutableRawPointer] = []

    private var use: Double { reader.read().memoryUse ?? 0 }

    func play() async {
      print("source=\(reader.read().source.rawValue)")
      var changes = controller.changes.makeAsyncIterator()
      controller.follow(reader, every: .milliseconds(20))
      fill(to: 0.92)
      await printNext(&changes)
      // Between the two limits, and above both: the level stays.
      for _ in 0..<40 {
        empty(to: 0.87)
        poll(nil, 0, 25)
        fill(to: 0.92)
        poll(nil, 0, 25)
      }
      print("level=\(controller.status.level)")
      empty(to: 0)
      await printNext(&changes)
      print("changes=\(controller.history.count) level=\(controller.status.level)")
      controller.end()
    }

    private func fill(to share: Double) {
      while use < share {
        let block = UnsafeMutableRawPointer.allocate(byteCount: Self.step, alignment: 4096)
        // Memory that nobody has written to takes no room.
        memset(block, 1, Self.step)
        blocks.append(block)
      }
    }

    private func empty(to share: Double) {
      while use > share, let block = blocks.popLast() { block.deallocate() }
    }

    private func printNext(
      _ changes: inout AsyncStream<DegradationController.Change>.AsyncIterator
    ) async {
      guard let change = await changes.next(isolation: nil) else { return }
      let reasons = change.reasons.map(\.id.rawValue).joined(separator: ",")
      print("\(change.from)>\(change.to) \(reasons)")
    }
  }
#endif
