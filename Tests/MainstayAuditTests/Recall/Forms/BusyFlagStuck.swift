// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let busyFlagStuck = Forms(
    "MS407",
    bad: #"""
      @MainActor final class FeedModel: ObservableObject {
        @Published var isLoading = false
        @Published var error: Error?
        func load() async {
          isLoading = true
          do {
            posts = try await api.posts()
            isLoading = false
          } catch {
            self.error = error
          }
        }
      }
      ---
      struct LoginView: View {
        @State private var isBusy = false
        func login() {
          isBusy = true
          Task {
            do {
              try await auth.login(name, password)
              isBusy = false
              dismiss()
            } catch {
              message = "Login failed"
            }
          }
        }
      }
      ---
      @Observable final class SyncModel {
        var syncing = false
        func sync() async throws {
          syncing = true
          do {
            try await cloud.sync()
            syncing = false
          } catch {
            throw SyncError.failed(error)
          }
        }
      }
      ---
      final class UploadViewController: UIViewController {
        private var isUploading = false
        private func upload() {
          guard !isUploading else { return }
          isUploading = true
          Task { @MainActor in
            do {
              let url = try await service.upload(image)
              self.isUploading = false
              self.show(url)
            } catch {
              self.showError(error)
            }
          }
        }
      }
      ---
      actor Refresher {
        private var isRefreshing = false
        func refresh() async {
          if isRefreshing { return }
          isRefreshing = true
          do {
            token = try await client.refresh(token)
            isRefreshing = false
          } catch {
            logger.error("\(error)")
          }
        }
      }
      ---
      class SearchModel: ObservableObject {
        @Published var loading: Bool = false
        func search(_ text: String) async {
          self.loading = true
          do {
            self.hits = try await client.search(text)
            self.loading = false
          } catch let e as SearchError {
            self.loading = false
            self.error = e
          } catch {
            self.error = .other(error)
          }
        }
      }
      ---
      @MainActor class PayModel: ObservableObject {
        @Published var isPaying = false
        func pay() async -> Receipt? {
          isPaying = true
          do {
            let receipt = try await gateway.pay(amount)
            isPaying = false
            return receipt
          } catch {
            log.error("\(error)")
            return nil
          }
        }
      }
      ---
      @Observable final class ImportModel {
        var isImporting = false
        func run(_ url: URL) {
          isImporting = true
          do {
            rows = try CSV(url).rows
            isImporting = false
          } catch {
            lastError = error
          }
        }
      }
      ---
      struct PhotosView: View {
        @State private var showSpinner = false
        var body: some View {
          Button("Load") {
            showSpinner = true
            Task {
              do {
                photos = try await library.photos()
                showSpinner = false
              } catch {
                errorText = "No photos"
              }
            }
          }
        }
      }
      ---
      @Observable class ChatModel {
        var isSending = false
        func send(_ text: String) async {
          guard !text.isEmpty else { return }
          isSending = true
          do {
            let sent = try await socket.send(text)
            messages.append(sent)
            isSending = false
          } catch is CancellationError {
            return
          } catch {
            isSending = false
            show(error)
          }
        }
      }
      ---
      @MainActor final class BackupModel {
        var inProgress = false
        func backUp() async {
          inProgress = true
          progress = 0
          do {
            for file in files {
              try await store.put(file)
              progress += 1
            }
            inProgress = false
          } catch {
            alert = Alert(error)
          }
        }
      }
      ---
      final class ScanModel: ObservableObject {
        @Published var scanning = false
        func scan() {
          scanning = true
          Task {
            do {
              let code = try await scanner.next()
              await MainActor.run {
                self.code = code
                self.scanning = false
              }
            } catch {
              logger.error("\(error)")
            }
          }
        }
      }
      ---
      @Observable final class ListModel {
        var isFetchingMore = false
        func fetchMore() async {
          isFetchingMore = true
          do {
            let page = try await api.page(next)
            if page.isEmpty {
              isFetchingMore = false
              return
            }
            items += page
            isFetchingMore = false
          } catch {
            failed = true
          }
        }
      }
      ---
      extension PlayerModel {
        func prepare() async {
          isPreparing = true
          do {
            item = try await loader.item(url)
            isPreparing = false
          } catch let failure {
            delegate?.player(self, failed: failure)
          }
        }
      }
      ---
      @Observable final class DeleteModel {
        var isDeleting = false
        func delete(_ id: ID) async {
          do {
            isDeleting = true
            try await api.delete(id)
            isDeleting = false
          } catch {
            message = "Not deleted"
          }
        }
      }
      """#,
    good: #"""
      @Observable final class Model {
        var isLoading = false
        func load() async {
          isLoading = true
          defer { isLoading = false }
          do { items = try await api.items() } catch { show(error) }
        }
      }
      ---
      @Observable final class Model {
        var isLoading = false
        func load() async {
          isLoading = true
          do {
            items = try await api.items()
            isLoading = false
          } catch {
            isLoading = false
            show(error)
          }
        }
      }
      ---
      @Observable final class Model {
        var isLoading = false
        func load() async {
          isLoading = true
          do { items = try await api.items() } catch { show(error) }
          isLoading = false
        }
      }
      ---
      @Observable final class Model {
        var isLoggedIn = false
        func logIn() async {
          do {
            try await auth.logIn()
            isLoggedIn = true
          } catch { show(error) }
        }
      }
      ---
      @Observable final class Model {
        var isLoading = false
        func load() async {
          isLoading = true
          do {
            items = try await api.items()
            isLoading = false
          } catch {
            finish(error)
          }
        }
        private func finish(_ error: any Error) {
          isLoading = false
          show(error)
        }
      }
      """#)
}
