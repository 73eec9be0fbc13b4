// SPDX-License-Identifier: Apache-2.0

import Yams

extension AuditConfiguration {
  /// Reads a `.mainstay-audit.yml`.
  package init(yaml: String) throws {
    self.init()
    guard let root = try Yams.load(yaml: yaml) as? [String: Any] else { return }
    if let name = root["app_error"] as? String { vocabulary.appError = name }
    if let names = root["technical_errors"] as? [String] {
      vocabulary.technicalErrors.formUnion(names)
    }
  }
}
