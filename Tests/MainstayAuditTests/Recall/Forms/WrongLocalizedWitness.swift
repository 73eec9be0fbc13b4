// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let wrongLocalizedWitness = Forms(
    "MS106",
    bad: #"""
      enum SyncError: LocalizedError {
        case offline
        var errorDescription: String { "You are offline" }
      }
      ---
      enum SyncError: Error {
        case offline
        var errorDescription: String? { "You are offline" }
      }
      ---
      public struct ServiceError: LocalizedError {
        public let message: String
        public var errorDescription: String { return message }
      }
      ---
      enum AuthError: Error, LocalizedError {
        case locked
        var errorDescription: String? { "Locked" }
        var recoverySuggestion: String { "Ask for a new code" }
      }
      ---
      struct RequestError: Error {
        let status: Int
        var failureReason: String? { "The status was \(status)" }
      }
      ---
      enum DiskError: Error { case full }

      extension DiskError: LocalizedError {
        public var errorDescription: String {
          switch self {
          case .full: "The disk is full"
          }
        }
      }
      ---
      enum DiskError: Error { case full }

      extension DiskError {
        var errorDescription: String? {
          switch self {
          case .full: return NSLocalizedString("disk.full", comment: "")
          }
        }
      }
      ---
      struct FormError: LocalizedError {
        let errorDescription: String
        init(_ text: String) { errorDescription = text }
      }
      ---
      final class PeerError: LocalizedError {
        var errorDescription: String = "The peer left"
      }
      ---
      enum CameraError: Int, Error, CaseIterable {
        case denied = 1, missing
        var recoverySuggestion: String? {
          self == .denied ? "Allow the camera in the settings" : nil
        }
      }
      ---
      struct Failure: Swift.Error, Sendable {
        var errorDescription: String { "It failed" }
      }
      ---
      enum Api {
        enum Problem: Foundation.LocalizedError {
          case gone
          var failureReason: String { "It is gone" }
          var errorDescription: String? { "Not found" }
        }
      }
      ---
      extension CartError: LocalizedError {
        var errorDescription: String {
          get { "The cart is empty" }
        }
      }
      enum CartError: Error { case empty }
      ---
      enum TaxError: Error, Equatable {
        case noRate(String)
        var errorDescription: String? {
          if case .noRate(let country) = self { return "No rate for \(country)" }
          return nil
        }
        var failureReason: String? { nil }
      }
      """#,
    good: #"""
      enum SyncError: LocalizedError {
        case offline
        var errorDescription: String? { "You are offline" }
        var recoverySuggestion: String? { "Check the connection" }
      }
      ---
      struct RowModel {
        var errorDescription: String { row.isValid ? "" : "Not valid" }
      }
      ---
      enum SyncError: Error { case offline }
      extension SyncError: LocalizedError {
        public var errorDescription: Optional<String> { "You are offline" }
      }
      ---
      struct FormError: LocalizedError {
        let errorDescription: String?
        init(_ text: String) { errorDescription = text }
      }
      ---
      final class LoginModel: ObservableObject {
        @Published var errorDescription: String = ""
      }
      ---
      enum SyncError: Error {
        case offline
        var userMessage: String { "You are offline" }
      }
      """#)
}
