// SPDX-License-Identifier: Apache-2.0

internal import Mainstay
internal import MainstayHTTP
internal import MainstayJSONRPC

extension OgmiosLink.Places {
  /// What calls a method on the connection in question.
  typealias Call = (_ method: String, _ params: JSONValue?) async throws -> JSONValue

  /// Brings a new connection to where the caller is.
  ///
  /// What the server refuses is left for the call that needs it, which gets the error then.
  func restore(on session: JSONRPCSession) async throws {
    steps.connectionChanged()
    acquisition.connectionChanged()
    isServedByHTTP.withLock { $0 = false }
    connection.withLock { $0 = .init() }
    let (place, parts) = (caller.now, parts.withLock { $0 })
    let hasMoved = parts.contains(.chain) && place.chain > 0
    let hasView = parts.contains(.ledger) && place.ledger?.point != nil
    guard hasMoved || hasView else { return }
    let call: Call = { method, params throws(AppError) in try await session.call(method, params) }
    do {
      if hasMoved { try await bringChain(call) }
      if hasView { try await bringLedger(call) }
      restored()
    } catch let error where (error as? AppError)?.cause(as: JSONRPCError.self) != nil {
      // The connection is well.
    }
  }

  /// Brings a connection to the caller's place on the chain.
  func bringChain(_ call: Call) async throws {
    let place = caller.now
    guard connection.withLock({ $0.chain }) != place.chain else { return }
    connection.withLock {
      $0.chain = nil
      $0.isMoving = false
    }
    let request = OgmiosRequest.findIntersection(place.chain == 0 ? [.origin] : place.replay)
    _ = try request.read(try await call(request.method, request.params))
    connection.withLock {
      $0.chain = place.chain
      $0.isEchoExpected = true
    }
  }

  /// Brings a connection to the caller's view of the ledger, or to none.
  func bringLedger(_ call: Call) async throws {
    let view = caller.now.ledger
    guard connection.withLock({ $0.ledger }) != view?.number else { return }
    // Nobody knows what it holds after a call that was given up.
    connection.withLock { $0.ledger = .max }
    guard let view else {
      let release = OgmiosRequest<Void>.releaseLedgerState
      _ = try await call(release.method, release.params)
      connection.withLock { $0.ledger = nil }
      return
    }
    var target = view.point
    if target == nil {
      let tip = OgmiosRequest<OgmiosPoint>.networkTip
      target = try tip.read(try await call(tip.method, tip.params))
    }
    let acquire = OgmiosRequest<OgmiosPoint>.acquireLedgerState(target ?? .origin)
    let point = try acquire.read(try await call(acquire.method, acquire.params))
    caller.change { $0.acquired(view.number, at: point) }
    connection.withLock { $0.ledger = view.number }
  }
}
