// SPDX-License-Identifier: Apache-2.0

import Foundation
import InventoryCore
import Mainstay
import MainstayUI

/// The screens of those who visited last.
@MainActor final class Screens {
  /// How many are kept.
  nonisolated static let capacity = 64

  private struct Watcher {
    let id: ScreenID
    let continuation: AsyncStream<Void>.Continuation
  }

  private nonisolated let monitor: ErrorMonitor
  private nonisolated let clock: any Clock<Duration>
  /// The screens; the one that was used last stands last.
  private var screens: [(id: ScreenID, screen: Screen)] = []
  private var watchers: [Int: Watcher] = [:]
  private var nextWatcher = 0

  /// Nobody has visited yet; what the inventory tells everybody is shown from now on.
  ///
  /// - Parameters:
  ///   - inventory: What tells.
  ///   - clock: The clock by which toasts go away.
  nonisolated init(_ inventory: Inventory, clock: any Clock<Duration>) {
    monitor = inventory.monitor
    self.clock = clock
    let events = inventory.events()
    // It ends with the inventory.
    Task { @MainActor [weak self] in
      for await event in events where event.name == .toast {
        guard let toast = try? JSONDecoder().decode(ToastDocument.self, from: event.data) else {
          continue
        }
        self?.show(toast)
      }
    }
  }

  /// The screen of a visitor, who is by this the last who visited.
  func screen(_ id: ScreenID) -> Screen {
    if let index = screens.firstIndex(where: { $0.id == id }) {
      screens.append(screens.remove(at: index))
    } else {
      let screen = Screen(monitor: monitor, clock: clock) { [weak self] in self?.tell(id) }
      screens.append((id, screen))
      if screens.count > Self.capacity { screens.removeFirst() }
    }
    return screens[screens.count - 1].screen
  }

  /// Says whenever a screen changes, also one that is made anew meanwhile.
  func changes(of id: ScreenID) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = nextWatcher
    nextWatcher += 1
    watchers[number] = Watcher(id: id, continuation: continuation)
    continuation.onTermination = { [weak self] _ in
      Task { @MainActor in self?.watchers[number] = nil }
    }
    _ = screen(id)
    return stream
  }

  private func tell(_ id: ScreenID) {
    for watcher in watchers.values where watcher.id == id { watcher.continuation.yield() }
  }

  private func show(_ document: ToastDocument) {
    for (_, screen) in screens { screen.toasts.show(Toast(document)) }
  }
}

extension Toast {
  /// What the inventory tells everybody.
  fileprivate init(_ document: ToastDocument) {
    let style: Style =
      switch document.style {
      case .info: .info
      case .success: .success
      case .warning: .warning
      case .error: .error
      }
    self.init(style, "\(document.title). \(document.message)")
  }
}
