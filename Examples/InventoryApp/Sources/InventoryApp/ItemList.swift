// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Mainstay
  import MainstayOutbox
  import MainstayUI
  import SwiftUI

  /// All items, with those that wait to be sent.
  struct ItemList: View {
    let inventory: Inventory

    @State private var loading = TaskModel<Shelf>(isEmpty: \.items.isEmpty)
    @State private var edited: ItemDraft?
    @Environment(ErrorPresenter.self) private var presenter

    var body: some View {
      NavigationStack {
        Group {
          if let shelf = inventory.shelf {
            list(of: shelf)
          } else {
            TaskView(loading) { _ in
              EmptyView()
            } empty: {
              ContentUnavailableView("Nothing here yet", systemImage: "shippingbox")
            }
          }
        }
        .navigationTitle("Inventory")
        .toolbar {
          Button("New item", systemImage: "plus") { edited = ItemDraft() }
          Button("Load again", systemImage: "arrow.clockwise") {
            Task { await load() }
          }
          .disabled(loading.isLoading)
        }
        .sheet(item: $edited) { ItemForm(draft: $0, inventory: inventory) }
      }
      .task { await load() }
    }

    private func list(of shelf: CachedValue<Shelf>) -> some View {
      List {
        if shelf.hasLocalChanges {
          Label("Some changes wait to be sent", systemImage: "clock")
        }
        ForEach(shelf.value.items) { item in
          Button {
            edited = ItemDraft(item: item)
          } label: {
            VStack(alignment: .leading) {
              Text(verbatim: item.name)
              Text(verbatim: item.place).font(.footnote).foregroundStyle(.secondary)
            }
          }
          .buttonStyle(.plain)
        }
      }
      .refreshable { await load() }
    }

    /// What was kept stays on screen, so that an error stands beside it and not in its place.
    private func load() async {
      await loading.run("Load the inventory") { [inventory] in try await inventory.load() }
      guard inventory.shelf != nil, let error = loading.error else { return }
      // Where the device has no connection, that stands at the edge already.
      let isSaid = error.kind == .offline && inventory.connection.presentation.status != .connected
      if !isSaid { presenter.present(error, during: "Load") { await load() } }
    }
  }
#endif
