// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import MainstayUI
  import SwiftUI

  /// A list of what somebody owns, which works without a network.
  @main
  struct InventoryApp: App {
    @State private var opening = TaskModel<Inventory>()
    @State private var presenter = ErrorPresenter()
    @State private var toasts = Toasts()

    var body: some Scene {
      WindowGroup {
        TaskView(opening) { inventory in
          Screens(inventory: inventory)
        } empty: {
          EmptyView()
        }
        .task { await opening.run("Open the inventory") { try await .open() } }
        .environment(presenter)
        .environment(toasts)
        .errorAlert(presenter)
        .toasts(toasts)
      }
    }
  }

  /// The list and the status, once everything is open.
  private struct Screens: View {
    let inventory: Inventory

    @Environment(ErrorPresenter.self) private var presenter

    var body: some View {
      TabView {
        ItemList(inventory: inventory)
          .tabItem { Label("Items", systemImage: "shippingbox") }
        StatusPage(inventory: inventory)
          .tabItem { Label("Status", systemImage: "arrow.triangle.2.circlepath") }
      }
      .connectionBanner(inventory.connection)
      .errorBanner(presenter)
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
