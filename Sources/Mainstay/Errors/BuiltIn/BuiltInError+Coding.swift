// SPDX-License-Identifier: Apache-2.0

import Foundation

extension BuiltInError {
  static let decoding = BuiltInError(
    "data.decoding", .decoding, .permanent,
    title: "The data could not be read",
    message: "The data has a form that the app does not understand.",
    suggestion: "Update the app. If it happens again, contact support.")

  static let encoding = BuiltInError(
    "data.encoding", .encoding, .permanent,
    title: "This could not be prepared",
    message: "The app could not put this into the form in which it is saved or sent.",
    suggestion: "Change what you entered, or contact support.")

  static let coding: [BuiltInError] = [decoding, encoding]
}

extension BuiltInMapping {
  static func decodingFailure(_ error: DecodingError, at site: SourceSite) -> AppError {
    var metadata: [String: String] = [:]
    let what: String
    switch error {
    case .typeMismatch(let type, _): what = "expected \(QualifiedTypeName.of(type))"
    case .valueNotFound(let type, _): what = "no value, expected \(QualifiedTypeName.of(type))"
    case .keyNotFound(let key, _): what = "missing key \(key.stringValue)"
    case .dataCorrupted: what = "damaged data"
    @unknown default: what = "not decodable"
    }
    let path = JSONPointer(codingPath: error.context?.codingPath ?? [])
    metadata["decoding.path"] = path.description
    return AppError(
      .decoding, details: "\(what) at \"\(path)\"", metadata: metadata, cause: error, at: site)
  }

  static func encodingFailure(_ error: EncodingError, at site: SourceSite) -> AppError {
    let path = JSONPointer(codingPath: error.context?.codingPath ?? [])
    return AppError(
      .encoding, details: "not encodable at \"\(path)\"",
      metadata: ["encoding.path": path.description], cause: error, at: site)
  }
}

extension JSONPointer {
  init(codingPath: [any CodingKey]) {
    self.init(tokens: codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue })
  }
}
