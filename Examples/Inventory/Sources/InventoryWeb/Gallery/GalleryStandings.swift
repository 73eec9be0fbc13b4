// SPDX-License-Identifier: Apache-2.0

import InventoryCore
import Mainstay
import MainstayUI
import Observation

/// The states of the connection and of what works, at the edge of a page and as a dot.
@MainActor enum GalleryStandings {
  private static let note: LocalizableText = "Changes are kept and sent later."

  /// The connection in every state: its name, when it is met, and how it is shown.
  private static let connections: [(String, String, String, ConnectionPresentation)] = [
    ("connected", "Connected", "All is well.", .init(.connected)),
    ("back", "Back", "For a moment after it was gone.", .init(.connected, isBack: true)),
    ("reconnecting", "Coming back", "It seems to be back.", .init(.reconnecting, note: note)),
    ("disconnected", "Gone", "There is no network.", .init(.disconnected, note: note)),
    ("failed", "Nothing gets through", "There is a network.", .init(.failed, note: note)),
    (
      "portal", "A page to sign in", "The network of a hotel.",
      .init(.failed, isPortal: true, note: note)
    ),
  ]

  static func dots() -> [GalleryState] {
    connections.map { name, caption, remark, shown in
      var state = GalleryState("dot", name, caption, remark)
      state.dot = DotView(shown)
      return state
    }
  }

  static func banners() async -> [GalleryState] {
    var offline = GalleryState(
      "banner", "offline", "Something needed a connection",
      "A state, and no mishap: it stands in nobody’s way.")
    let presenter = ErrorPresenter(mapping: .inventory)
    presenter.present(AppError.offline(), retry: {})
    offline.banner = presenter.banner.map { NoticeView($0, in: offline.place) }
    // Of a connection that was never gone nothing is said.
    let connected = connections.dropFirst().map { name, caption, remark, shown in
      var state = GalleryState("banner", name, caption, remark)
      state.banner = NoticeView(shown)
      return state
    }
    return [offline] + connected + levels()
  }

  private static let plan = DegradationPlan.standard.with(features: [
    .init("scan", needs: [.camera], alternative: "Type the digits below the bars."),
    .init("ask", needs: [.network]),
  ])

  /// What is said while less works: nearly everything, what needs no network, the minimum.
  private static func levels() -> [GalleryState] {
    let missing: [(String, String, DegradationPlan.NeedID)] = [
      ("limited", "Less works: limited", .camera), ("basic", "Less works: basic", .storage),
      ("away", "Less works: offline", .network), ("minimal", "Less works: minimal", .memory),
    ]
    return missing.map { name, caption, need in
      let controller = DegradationController(plan)
      controller.report(need, isMet: false)
      var state = GalleryState("banner", name, caption, "Something that the app needs is missing.")
      state.banner = LevelPresentation(controller.status).map { NoticeView($0) }
      return state
    }
  }

  /// What is said once at each change of what works, on the way down and on the way up.
  static func changes() async -> [GalleryState] {
    let controller = DegradationController(plan, dwell: .milliseconds(1), riseDelay: .zero)
    let toasts = Toasts()
    let presenter = LevelPresenter(following: controller, toasts: toasts)
    var states: [GalleryState] = []
    for (name, caption, isMet) in [("down", "Less works", false), ("up", "More works", true)] {
      let told = Gate()
      withObservationTracking {
        _ = toasts.visible
      } onChange: {
        told.open()
      }
      controller.report(.network, isMet: isMet)
      await told.pass()
      var state = GalleryState("toast", name, caption, "Each change of level is told once.")
      state.toastList = GalleryState.ToastList(
        items: toasts.visible.suffix(1).map {
          ScreenView.ToastView($0, base: GalleryState.address(of: state.name))
        })
      states.append(state)
    }
    _ = presenter
    return states
  }
}
