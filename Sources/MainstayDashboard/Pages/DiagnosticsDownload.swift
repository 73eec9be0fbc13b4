// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Mainstay
internal import MainstayOutbox
internal import NIOCore

extension Dashboard {
  /// What makes the document for support of what is shown; nil where there are no errors to show.
  var ownDiagnostics: Diagnostics.Source? {
    guard let errors else { return nil }
    var sections: [Diagnostics.Section] = outboxes.sorted { $0.key < $1.key }.map { name, outbox in
      .outbox(outbox, name: "outbox \(name)")
    }
    if !circuits.isEmpty { sections.append(.circuits(circuits.map(\.breaker))) }
    if let levels { sections.append(.levels(levels)) }
    if let connectivity { sections.append(.connectivity(connectivity)) }
    return diagnosing(errors, sections)
  }
}

extension Site {
  /// The document for support, redacted, under a name that no other one has.
  func diagnostics() async throws -> Response {
    guard let source = dashboard.diagnostics else { throw Refusal.unknownPage }
    let document = await source.collect()
    let time = document.generatedAt.formatted(.iso8601).filter { $0.isLetter || $0.isNumber }
    let identity = UUID().uuidString.lowercased().prefix(13)
    return Response(
      status: .ok,
      headers: [
        .contentType: "application/json",
        .contentDisposition: "attachment; filename=\"diagnostics-\(time)-\(identity).json\"",
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: try document.encoded())))
  }
}
