// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let staleError = Forms(
    "MS404",
    bad: #"""
      @MainActor final class ProfileModel: ObservableObject {
        @Published var errorMessage: String?

        func load() async {
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
        @State private var results: [Hit] = []

        private func search() async {
          do {
            results = try await client.search(query)
          } catch is CancellationError {
            return
          } catch {
            self.error = error
          }
        }
      }
      ---
      @Observable final class OrdersModel {
        var errorText: String? = nil
        func refresh() {
          Task {
            isLoading = true
            defer { isLoading = false }
            do {
              orders = try await store.orders()
            } catch {
              errorText = "The orders could not be loaded"
            }
          }
        }
      }
      ---
      class LoginViewModel: ObservableObject {
        @Published var loginError: AuthError?
        func login() {
          do {
            session = try auth.login(name, password)
          } catch {
            loginError = AuthError(error)
          }
        }
      }
      ---
      @MainActor class UploadModel: ObservableObject {
        @Published private(set) var failureMessage = ""
        func upload(_ file: URL) async {
          isBusy = true
          do {
            try await session.upload(file)
            isBusy = false
          } catch {
            isBusy = false
            failureMessage = "Upload failed"
          }
        }
      }
      ---
      @Observable final class ChatModel {
        var sendFailed = false
        func send(_ text: String) async {
          do {
            try await socket.send(text)
            messages.append(text)
          } catch {
            log.error("\(error)")
            sendFailed = true
          }
        }
      }
      ---
      struct SettingsView: View {
        @State private var saveError: String?
        var body: some View {
          Form {
            Button("Save") {
              do {
                try settings.save()
              } catch {
                saveError = "The settings were not saved"
              }
            }
          }
        }
      }
      ---
      @MainActor @Observable class MapModel {
        var error: Error?
        func route(to end: Place) async {
          guard let start else { return }
          do {
            let found = try await router.route(from: start, to: end)
            if found.isEmpty {
              steps = []
            } else {
              steps = found
            }
          } catch {
            self.error = error
            steps = []
          }
        }
      }
      ---
      final class CheckoutModel: ObservableObject {
        @Published var paymentError: String?
        @Published var isPaying = false
        @MainActor func pay() async {
          isPaying = true
          defer { isPaying = false }
          do {
            receipt = try await gateway.pay(amount)
          } catch let e {
            self.paymentError = e.localizedDescription
          }
        }
      }
      ---
      @Observable final class ImportModel {
        private(set) var lastErrorDescription: String?
        func run(_ url: URL) throws {
          do {
            rows = try CSV(url).rows
          } catch {
            lastErrorDescription = "\(url.lastPathComponent) is not readable"
            throw error
          }
        }
      }
      ---
      class WeatherStore: ObservableObject {
        @Published var error: String?
        func update() {
          Task { @MainActor [weak self] in
            guard let self else { return }
            do {
              self.forecast = try await self.service.forecast()
            } catch {
              self.error = "No forecast"
            }
          }
        }
      }
      ---
      struct LoginForm: View {
        @State var errorMessage = ""
        func submit() {
          Task {
            do {
              try await auth.login(name)
              dismiss()
            } catch {
              await MainActor.run { errorMessage = "Wrong name" }
            }
          }
        }
      }
      ---
      @MainActor final class PlayerModel: ObservableObject {
        @Published var playbackError: PlayerError?
        func play() {
          do {
            try AVAudioSession.sharedInstance().setActive(true)
            player.play()
          } catch {
            playbackError = .session(error)
          }
        }
      }
      ---
      @Observable final class SyncModel {
        var syncError: (any Error)?
        func sync(_ force: Bool) async -> Bool {
          do {
            try await cloud.sync(force: force)
            return true
          } catch {
            syncError = error
            return false
          }
        }
      }
      ---
      final class DetailViewModel: ObservableObject {
        @Published var errorDescription: String?
        func reload() async {
          await MainActor.run { isLoading = true }
          do {
            let item = try await repository.item(id)
            await MainActor.run { self.item = item }
          } catch {
            await MainActor.run { self.errorDescription = error.localizedDescription }
          }
        }
      }
      """#,
    good: #"""
      @Observable final class Model {
        var message: String?
        func load() {
          message = nil
          do { items = try store.items() } catch { message = "No items" }
        }
      }
      ---
      @Observable final class Model {
        var error: (any Error)?
        func load() async {
          defer { isLoading = false }
          error = nil
          do { items = try await api.items() } catch { self.error = error }
        }
      }
      ---
      @Observable final class Model {
        var errorText = ""
        func load() {
          do {
            items = try store.items()
            errorText = ""
          } catch { errorText = "No items" }
        }
      }
      ---
      @Observable final class Model {
        var error: (any Error)?
        func load() {
          reset()
          do { items = try store.items() } catch { self.error = error }
        }
        private func reset() { error = nil }
      }
      ---
      @Observable final class Model {
        var showsErrorAlert = false
        func load() {
          do { items = try store.items() } catch { showsErrorAlert = true }
        }
      }
      """#)
}
