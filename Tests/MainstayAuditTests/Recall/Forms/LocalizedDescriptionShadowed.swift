// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let localizedDescriptionShadowed = Forms(
    "MS105",
    bad: #"""
      enum UploadError: Error {
        case tooLarge
        var localizedDescription: String { "The file is too large" }
      }
      ---
      public enum NetworkError: Error, Equatable {
        case offline, timeout

        public var localizedDescription: String {
          switch self {
          case .offline: return "You are offline"
          case .timeout: return "The server took too long"
          }
        }
      }
      ---
      struct ServerFailure: Swift.Error {
        let status: Int
        let localizedDescription: String
      }
      ---
      enum LoginError: Error { case wrongPassword }

      extension LoginError {
        var localizedDescription: String {
          NSLocalizedString("login.wrong", comment: "")
        }
      }
      ---
      enum ScanError: String, Error {
        case noCamera = "No camera"
        var localizedDescription: String { rawValue }
      }
      ---
      struct StoreError { let reason: String }

      extension StoreError: Error {
        var localizedDescription: String { return reason }
      }
      ---
      final class RemoteError: Error, Sendable {
        let text: String
        init(text: String) { self.text = text }
        var localizedDescription: String { text }
      }
      ---
      enum CryptoError: Error, CustomStringConvertible {
        case badKey
        var description: String { "bad key" }
        var localizedDescription: String { description }
      }
      ---
      struct ValidationError: Error {
        var field: String
        var localizedDescription: String {
          get { "\(field) is not valid" }
        }
      }
      ---
      enum MapError: Error {
        case noRoute
        public var localizedDescription: String {
          #if os(iOS)
          return String(localized: "No route was found")
          #else
          return "No route"
          #endif
        }
      }
      ---
      enum QueueError: Error {
        case full
      }

      extension QueueError: Equatable {
        internal var localizedDescription: String {
          if self == .full { return "The queue is full" }
          return "Something else"
        }
      }
      ---
      enum Payments {
        enum Failure: Error {
          case declined(code: Int)
          var localizedDescription: String {
            guard case .declined(let code) = self else { return "" }
            return "Declined with \(code)"
          }
        }
      }
      ---
      struct ParseError: Error, Codable, Hashable {
        let line: Int

        @inlinable
        var localizedDescription: String { "Line \(line) is not valid" }
      }
      ---
      private enum PrinterError: any Error & Sendable {
        case jammed
        var localizedDescription: String { "The printer is jammed" }
      }
      """#,
    good: #"""
      enum UploadError: LocalizedError {
        case tooLarge
        var errorDescription: String? { "The file is too large" }
      }
      ---
      enum UploadError: Error, LocalizedError {
        case tooLarge
        var errorDescription: String? { localizedDescription }
        var localizedDescription: String { "The file is too large" }
      }
      ---
      struct Country: Identifiable {
        let id: String
        var localizedDescription: String { Locale.current.localizedString(forRegionCode: id) ?? id }
      }
      ---
      enum SortOrder: String, CaseIterable {
        case name, date
        var localizedDescription: String { NSLocalizedString(rawValue, comment: "") }
      }
      ---
      enum LoginError: Error { case wrongPassword }
      extension LoginError: LocalizedError {
        var errorDescription: String? { "The password is wrong" }
      }
      ---
      protocol Describing { var localizedDescription: String { get } }
      """#)
}
