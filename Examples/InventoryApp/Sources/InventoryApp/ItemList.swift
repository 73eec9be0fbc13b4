// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Mainstay
  import MainstayOutbox
  import MainstayUI
  import SwiftUI

  /// All items, with those that wait to be sent.
  struct ItemList: View {
    let inventory: Inventory
    @State private var loading = TaskModel<CachedValue<Shelf>>()
    @State private var edited: ItemDraft?
    @Environment(ErrorPresenter.self) private var presenter

    var body: some View {
      NavigationStack {
        Group {
          if let shelf = inventory.shelf, !shelf.value.items.isEmpty {
            list(of: shelf)
          } else {
            TaskView(loading) { loaded in
              if loaded.value.items.isEmpty {
                ContentUnavailableView("Nothing here yet", systemImage: "shippingbox")
              }
            } empty: {
              EmptyView()
            }
          }
        }
        .navigationTitle("Inventory")
        .toolbar {
          Button("New item", systemImage: "plus") { edited = ItemDraft() }
          Button("Load again", systemImage: "arrow.clockwise") { Task { await load() } }
            .disabled(loading.isLoading)
        }
        .sheet(item: $edited) { ItemForm(draft: $0, inventory: inventory) }
      }
      .task { await load() }
    }

    private func list(of shelf: CachedValue<Shelf>) -> some View {
      List {
        if shelf.hasLocalChanges { Label("Some changes wait to be sent", systemImage: "clock") }
        if let age = shelf.freshness.age {
          Text(verbatim: "Loaded \(age.formatted(.units(width: .wide, maximumUnitCount: 1))) ago")
        }
        ForEach(shelf.value.items) { item in
          Button {
            edited = ItemDraft(item: item)
          } label: {
            LabeledContent(item.name, value: item.place)
          }
          .buttonStyle(.plain)
        }
      }
      .refreshable { await load() }
    }

    /// What was kept stays on screen, so that an error stands beside it and not in its place.
    private func load() async {
      await loading.run("Load the inventory") { [inventory] in try await inventory.load() }
      // The answer may be what was kept: then it says why there is no newer one.
      let cause = loading.error ?? loading.value?.freshness.cause
      guard inventory.shelf != nil, let error = cause else { return }
      // Where the device has no connection, that stands at the edge already.
      let isSaid = error.kind == .offline && inventory.connection.presentation.status != .connected
      if !isSaid { presenter.present(error, during: "Load") { await load() } }
    }
  }
#endif
