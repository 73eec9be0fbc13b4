// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import MainstayUI
  import SwiftUI

  /// A list of what somebody owns, which works without a network.
  @main
  struct InventoryApp: App {
    @State private var opening: TaskModel<Inventory>

    init() {
      // Once for all windows; so it is no task of a window, which ends with it.
      let opening = TaskModel<Inventory>()
      _opening = State(initialValue: opening)
      Task { await opening.run("Open the inventory") { try await Inventory() } }
    }

    var body: some Scene {
      WindowGroup {
        TaskView(opening) {
          Screens(inventory: $0)
        } empty: {
          EmptyView()
        }
      }
    }
  }

  /// The list and the status of a window; what it tells the person is told in no other.
  private struct Screens: View {
    let inventory: Inventory

    @State private var presenter = ErrorPresenter()
    @State private var toasts = Toasts()

    var body: some View {
      TabView {
        ItemList(inventory: inventory)
          .tabItem { Label("Items", systemImage: "shippingbox") }
        StatusPage(inventory: inventory)
          .tabItem { Label("Status", systemImage: "arrow.triangle.2.circlepath") }
      }
      .environment(presenter).environment(toasts)
      .connectionBanner(inventory.connection)
      .errorBanner(presenter).errorAlert(presenter).toasts(toasts)
      .task { await inventory.follow() }
      .task { await inventory.followOutbox() }
    }
  }
#else
  /// Without SwiftUI there is nothing to show.
  @main
  enum InventoryApp {
    static func main() { print("This example needs SwiftUI. Try `make run` instead.") }
  }
#endif
