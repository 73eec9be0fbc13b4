// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Mainstay

extension Diagnostics.Section {
  /// How it stands with a service: its status, its last error and its last failures, redacted.
  ///
  /// - Parameters:
  ///   - monitor: The monitor of the service.
  ///   - version: Of what version the service is; nil, the default, where nobody knows.
  ///   - transport: What carries its calls, such as `websocket`; nil by default.
  /// - Returns: The section `service.` with the name of the service.
  public static func service<Client>(
    _ monitor: ServiceMonitor<Client>, version: String? = nil, transport: String? = nil
  ) -> Diagnostics.Section {
    Diagnostics.Section("service.\(monitor.name)") {
      ServiceRecord(
        status: monitor.status, version: version, transport: transport,
        lastError: monitor.lastError.map { ServiceRecord.Failure($0, nil, nil) },
        history: monitor.history.prefix(ServiceRecord.maximumFailures).map {
          ServiceRecord.Failure($0.error, $0.operation, $0.date)
        })
    }
  }
}

private struct ServiceRecord: Encodable {
  /// So many that the section has room for all of them.
  static let maximumFailures = 50

  struct Failure: Encodable {
    let code: String
    let kind: String
    let message: String
    let operation: String?
    let date: Date?

    init(_ error: AppError, _ operation: String?, _ date: Date?) {
      code = error.code.rawValue
      kind = error.kind.rawValue
      message = BoundedText.redacted(error.message.description, to: 400)
      self.operation = operation.map { BoundedText.redacted($0, to: 100) }
      self.date = date
    }
  }

  let status: ConnectionStatus
  let version: String?
  let transport: String?
  let lastError: Failure?
  let history: [Failure]
}
