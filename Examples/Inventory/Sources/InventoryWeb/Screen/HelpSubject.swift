// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay

/// What the help page has a section about.
enum HelpSubject: String, Sendable, CaseIterable {
  case service
  case signIn = "sign-in"
  case conflicts
  case givenUp = "given-up"
  case space
  case catalog
  case scanning

  /// The section that explains an error; nil where there is none.
  static func of(_ error: AppError) -> HelpSubject? {
    switch error.code {
    case "inventory.barcode": return .scanning
    case "inventory.no-dead-letter": return .givenUp
    case "inventory.stale", "inventory.no-conflict": return .conflicts
    default: break
    }
    switch error.kind {
    case .portal: return .signIn
    case .offline, .network, .timeout, .server, .throttled, .rejected: return .service
    case .conflict: return .conflicts
    case .storageFull: return .space
    default: return nil
    }
  }

  /// Where the section is.
  var address: String { "/help#\(rawValue)" }
}

extension AppError {
  /// The same failure with the page that explains it, where there is one.
  var helped: AppError {
    let subject = HelpSubject.of(self).flatMap { URL(string: $0.address) }
    let error = AppError(
      code: code, kind: kind, disposition: disposition, severity: severity, title: title,
      message: message, suggestion: suggestion, details: details, metadata: metadata,
      actions: actions, help: help ?? subject, field: field, underlying: underlying, time: time,
      id: id)
    return context.reduce(error) { $0.adding(context: $1) }
  }
}
