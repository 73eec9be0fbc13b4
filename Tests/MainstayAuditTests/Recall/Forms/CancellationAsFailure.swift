// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let cancellationAsFailure = Forms(
    "MS304",
    bad: #"""
      switch urlError.code {
      case .notConnectedToInternet: return .offline
      case .cancelled: return .unknown
      default: return .server
      }
      ---
      do {
        try await load()
      } catch is CancellationError {
        errorMessage = "The request was cancelled"
      } catch {
        errorMessage = text(of: error)
      }
      ---
      do {
        try await breaker.run(work)
      } catch is CancellationError {
        breaker.recordFailure()
        throw CancellationError()
      }
      ---
      do {
        try await job.run()
      } catch is CancellationError {
        logger.error("job \(job.id) was cancelled")
      } catch {
        logger.error("job \(job.id) failed: \(error)")
      }
      ---
      static func map(_ error: URLError) -> APIError {
        switch error.code {
        case .timedOut:
          return .timeout
        case .cancelled:
          return APIError.unknown(error)
        default:
          return .network(error)
        }
      }
      ---
      @Observable final class FeedModel {
        var state: State = .idle
        func load() async {
          do {
            state = .loaded(try await api.items())
          } catch let error as URLError where error.code == .cancelled {
            self.state = .failed(error)
          } catch {
            self.state = .failed(error)
          }
        }
      }
      ---
      struct SyncView: View {
        @State private var showError = false
        func sync() async {
          do {
            try await cloud.sync()
          } catch is CancellationError {
            self.showError = true
          } catch {
            report(error)
          }
        }
      }
      ---
      func show(_ error: any Error) {
        switch error {
        case is CancellationError:
          self.alertMessage = "Something went wrong"
        default:
          self.alertMessage = error.localizedDescription
        }
      }
      ---
      do {
        try await call()
      } catch {
        if error is CancellationError {
          failureCount += 1
        }
        throw error
      }
      ---
      switch status {
      case .cancelled: throw ServerError.internalError
      case .ok: return
      default: throw ServerError.other
      }
      ---
      func fetch() async throws -> Item {
        do {
          return try await api.item()
        } catch _ as CancellationError {
          throw AppError.generic("Cancelled")
        }
      }
      ---
      @MainActor final class UploadModel: ObservableObject {
        @Published var error: UploadError?
        func upload() async {
          do {
            try await session.upload(file)
          } catch URLError.cancelled {
            error = UploadError.failed
          } catch {
            self.error = .other
          }
        }
      }
      ---
      extension AppError {
        init(_ code: URLError.Code) {
          switch code {
          case .cancelled: self = .unknown
          case .badURL: self = .invalid
          default: self = .network
          }
        }
      }
      """#,
    good: #"""
      switch urlError.code {
      case .cancelled: return .cancelled
      default: return .server
      }
      ---
      do {
        try await load()
      } catch is CancellationError {
        logger.debug("cancelled")
      } catch {
        errorMessage = text(of: error)
      }
      ---
      do { try await load() } catch is CancellationError { throw CancellationError() }
      ---
      do {
        try await load()
      } catch is CancellationError {
        isLoading = false
        errorMessage = nil
      }
      ---
      switch order.status {
      case .cancelled: return "This order was cancelled"
      case .open: return "This order is open"
      }
      ---
      switch purchase {
      case .userCancelled: return .cancelled
      case .success(let receipt): return .bought(receipt)
      }
      """#)
}
