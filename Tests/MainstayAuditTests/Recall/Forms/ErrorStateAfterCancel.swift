// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let errorStateAfterCancel = Forms(
    "MS301",
    bad: #"""
      @MainActor final class ProfileModel: ObservableObject {
        @Published var errorMessage: String?

        func load() async {
          errorMessage = nil
          do {
            profile = try await api.profile()
          } catch {
            errorMessage = error.localizedDescription
          }
        }
      }
      ---
      struct SearchView: View {
        @State private var error: (any Error)?
        var body: some View {
          List(results) { Row($0) }
            .task(id: query) {
              do {
                results = try await client.search(query)
              } catch {
                self.error = error
              }
            }
        }
      }
      ---
      @Observable class OrdersViewModel {
        var showAlert = false
        var alertMessage = ""
        func refresh() {
          Task {
            do {
              orders = try await store.orders()
            } catch {
              alertMessage = "Could not load the orders"
              showAlert = true
            }
          }
        }
      }
      ---
      @MainActor class FeedViewModel: ObservableObject {
        enum State { case loading, loaded([Post]), failed(Error) }
        @Published var state: State = .loading
        func load() async {
          state = .loading
          do {
            let posts = try await service.posts()
            state = .loaded(posts)
          } catch {
            state = .failed(error)
          }
        }
      }
      ---
      final class DetailViewController: UIViewController {
        private var lastError: Error?
        func reload() {
          task = Task { @MainActor in
            do {
              let item = try await repository.item(id)
              show(item)
            } catch let e {
              self.lastError = e
            }
          }
        }
      }
      ---
      @Observable final class Downloader {
        private(set) var hasFailed = false
        func download() async {
          do {
            for url in urls {
              files.append(try await session.download(from: url))
            }
          } catch {
            log.error("\(error)")
            hasFailed = true
          }
        }
      }
      ---
      struct LoginView: View {
        @State private var loginError = ""
        func login() {
          isBusy = true
          Task {
            defer { isBusy = false }
            do {
              try await auth.login(name, password)
              dismiss()
            } catch {
              await MainActor.run {
                loginError = "Login failed"
              }
            }
          }
        }
      }
      ---
      @MainActor final class MapModel: ObservableObject {
        @Published var error: MapError?
        func route() async {
          do {
            route = try await router.route(from: start, to: end)
          } catch let failure as MapError {
            error = failure
          } catch {
            self.error = .other(error)
          }
        }
      }
      ---
      @Observable final class ChatModel {
        var failure: String?
        func send(_ text: String) async {
          do {
            if isOnline {
              try await socket.send(text)
            } else {
              try await outbox.add(text)
            }
          } catch {
            if messages.isEmpty {
              failure = "\(error)"
            }
          }
        }
      }
      ---
      final class Presenter {
        var viewState = ViewState()
        func start() async {
          do {
            viewState.items = try await useCase.run()
          } catch {
            viewState.errorText = L10n.loadingFailed
          }
        }
      }
      ---
      extension SettingsModel {
        func sync() async -> Bool {
          do {
            try await cloud.sync()
            return true
          } catch {
            syncError = error
            return false
          }
        }
      }
      ---
      struct PhotoView: View {
        @State private var errorText: String?
        var body: some View {
          Image(photo)
            .refreshable {
              do {
                photo = try await loader.load()
              } catch {
                errorText = String(describing: error)
              }
            }
        }
      }
      ---
      @MainActor final class ImportModel: ObservableObject {
        @Published var alert: AlertItem?
        func run(_ url: URL) async {
          do {
            let (bytes, _) = try await URLSession.shared.bytes(from: url)
            for try await line in bytes.lines { lines.append(line) }
          } catch {
            alert = AlertItem(title: "Import failed", error: error)
          }
        }
      }
      ---
      actor Session {
        var lastFailure: (any Error)?
        func connect() async {
          guard lastFailure == nil else { return }
          do {
            channel = try await bootstrap.connect(host: host, port: port).get()
          } catch {
            lastFailure = error
          }
        }
      }
      ---
      @Observable final class PlayerModel {
        var errorDescription: String? = nil
        init(_ url: URL) {
          Task { [weak self] in
            do {
              let asset = try await AVURLAsset(url: url).load(.duration)
              self?.duration = asset
            } catch {
              self?.errorDescription = "This cannot be played"
            }
          }
        }
      }
      """#,
    good: #"""
      @Observable final class Model {
        var message: String?
        func load() async {
          message = nil
          do {
            items = try await api.items()
          } catch is CancellationError {
          } catch {
            message = "Not loaded"
          }
        }
      }
      ---
      @Observable final class Model {
        var message: String?
        func load() async {
          do {
            items = try await api.items()
          } catch {
            guard !Task.isCancelled else { return }
            message = "Not loaded"
          }
        }
      }
      ---
      @Observable final class Model {
        var message: String?
        func save() {
          message = nil
          do { try store.save() } catch { message = "Not saved" }
        }
      }
      ---
      func load() async -> String? {
        var message: String?
        do { try await api.ping() } catch { message = "\(error)" }
        return message
      }
      ---
      @Observable final class Model {
        var error: (any Error)?
        func load() async {
          do {
            items = try await api.items()
          } catch let failure as URLError where failure.code == .cancelled {
            return
          } catch {
            if error is CancellationError { return }
            self.error = error
          }
        }
      }
      """#)
}
