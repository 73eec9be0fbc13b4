// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let technicalTextShown = Forms(
    "MS401",
    bad: #"""
      struct FailedView: View {
        let error: any Error
        var body: some View {
          VStack {
            Text("Something went wrong: \(error)")
            Button("Retry", action: retry)
          }
        }
      }
      ---
      @MainActor final class ProfileModel: ObservableObject {
        @Published var errorMessage: String?
        func save() async {
          do {
            try await store.save(profile)
          } catch {
            self.errorMessage = "Saving failed: \(error)"
          }
        }
      }
      ---
      final class StatusController: UIViewController {
        func start() {
          service.onError { error in
            self.statusLabel.text = "Error \(error)"
          }
        }
      }
      ---
      struct LoginView: View {
        @State private var alertMessage = ""
        func login() {
          Task {
            do { try await auth.login() } catch let e { alertMessage = "Login failed (\(e))" }
          }
        }
      }
      ---
      func delete() {
        do {
          try store.delete(id)
        } catch {
          let alert = UIAlertController(
            title: "Error", message: "Code \((error as NSError).code)", preferredStyle: .alert)
          present(alert, animated: true)
        }
      }
      ---
      struct Row: View {
        let error: any Error
        var body: some View {
          Label("Failed: \(String(describing: error))", systemImage: "xmark")
        }
      }
      ---
      upload(file) { result in
        switch result {
        case .success: break
        case .failure(let error): HUD.showToast("Upload failed: \(error)")
        }
      }
      ---
      import SwiftUI

      func remove(_ id: Int) async {
        do {
          try await api.delete(id)
        } catch let error as NSError {
          model.message = "\(error.domain) \(error.code)"
        }
      }
      ---
      struct ErrorScreen: View {
        var error: Error
        var body: some View {
          List { Text("\(type(of: error))") }
        }
      }
      ---
      @Observable final class OrdersModel {
        var errorText = ""
        func load() async {
          do {
            orders = try await store.orders()
          } catch {
            await MainActor.run { self.errorText = "\(error)" }
          }
        }
      }
      ---
      struct StateView: View {
        var body: some View {
          switch state {
          case .failed(let error): Text("Could not load: \(String(describing: error))")
          case .loading: ProgressView()
          }
        }
      }
      ---
      final class PlayerController: UIViewController {
        private func play() {
          do {
            try player.play()
          } catch {
            errorLabel.text = "Playback failed with \(error)"
          }
        }
      }
      ---
      do {
        try await purchase()
      } catch {
        showAlert(title: "Oops", message: "Purchase failed: \(error)")
      }
      """#,
    good: #"""
      do { try save() } catch { logger.error("saving failed: \(error)") }
      ---
      struct A: View { var body: some View { Text("Something went wrong. Try again.") } }
      ---
      @Observable final class Model {
        var message = ""
        func save() { do { try store.save() } catch { message = userMessage(for: error) } }
      }
      ---
      struct A: View { var body: some View { Text("\(errors.count) files could not be read") } }
      ---
      do { try save() } catch { throw AppError.saving("could not save: \(error)") }
      ---
      struct A: View {
        let error: AppError
        var body: some View { Text(error.userMessage) }
      }
      """#)
}
