// SPDX-License-Identifier: Apache-2.0

import Hummingbird

/// The switches for whoever tests against this service.
struct ControlRoutes: Sendable {
  let store: UpstreamStore
  let faults: FaultControl

  func add(to table: RouteTable) {
    table.add("control/faults", [.post: setFaults])
    table.add("control/ledger", [.get: ledger])
  }

  @Sendable func setFaults(
    _ request: Request, _ context: UpstreamContext
  ) async throws -> Response {
    let bytes = try await request.bytes(upTo: TwinRoutes.maximumBytes)
    let settings = try JSON.decode(FaultRequest.self, from: bytes).settings
    await faults.set(settings)
    return try .json(settings)
  }

  @Sendable func ledger(_ request: Request, _ context: UpstreamContext) async throws -> Response {
    try .json(await store.ledger)
  }
}
