// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import MainstayOutbox
  import MainstayUI
  import SwiftUI

  /// What waits and why, and a switch to try it out.
  struct StatusPage: View {
    let inventory: Inventory
    @State private var isReachable = true
    @Environment(ErrorPresenter.self) private var presenter

    var body: some View {
      NavigationStack {
        Form {
          Section("Connection") {
            HStack {
              ConnectionDot(inventory.connection)
              Text(verbatim: inventory.connection.presentation.title)
            }
            Toggle("The service can be reached", isOn: $isReachable)
          }
          Section("Changes") {
            LabeledContent("Waiting", value: inventory.snapshot.pending.formatted())
            LabeledContent("Being sent", value: inventory.snapshot.running.formatted())
            LabeledContent("Given up", value: inventory.snapshot.dead.formatted())
            ForEach(inventory.letters) { letter in
              LabeledContent(SaveItem.name(in: letter) ?? "A change", value: letter.message)
              Button("Try again") {
                attempt("Try again") { try await inventory.outbox.redrive(letter.id) }
              }
              Button("Discard", role: .destructive) {
                attempt("Discard") { try await inventory.outbox.discard(letter.id) }
              }
            }
          }
        }
        .navigationTitle("Status")
      }
      .onChange(of: isReachable) { _, isReachable in
        attempt("Reach the service") { try await inventory.setReachable(isReachable) }
      }
    }

    private func attempt(_ doing: String, _ work: @escaping @MainActor () async throws -> Void) {
      Task {
        do { try await work() } catch { presenter.present(error, during: doing) }
      }
    }
  }
#endif
