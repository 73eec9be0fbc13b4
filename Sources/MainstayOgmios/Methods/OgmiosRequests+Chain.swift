// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import MainstayHTTP

extension OgmiosRequest<OgmiosIntersection> {
  static func findIntersection(_ points: [OgmiosPoint]) -> Self {
    // The server takes the question with points alone.
    let params: JSONValue = .object([
      "points": .array((points.isEmpty ? [.origin] : points).map(\.json))
    ])
    return Self("findIntersection", params) { r throws(OgmiosError) in try OgmiosIntersection(r) }
  }
}

extension OgmiosRequest<OgmiosChainStep> {
  static var nextBlock: Self {
    Self("nextBlock") { r throws(OgmiosError) in try OgmiosChainStep(r) }
  }
}

extension OgmiosRequest<OgmiosPoint> {
  static var networkTip: Self {
    Self("queryNetwork/tip") { r throws(OgmiosError) in try OgmiosPoint(r) }
  }
}

extension OgmiosRequest<UInt64?> {
  static var blockHeight: Self {
    Self("queryNetwork/blockHeight") { r throws(OgmiosError) in
      r.value.string == "origin" ? nil : try r.natural()
    }
  }
}

extension OgmiosRequest<Date> {
  static var startTime: Self {
    Self("queryNetwork/startTime") { r throws(OgmiosError) in try r.time() }
  }
}

extension OgmiosRequest<String> {
  static func submitTransaction(_ cbor: String) -> Self {
    Self(
      "submitTransaction", .object(["transaction": .object(["cbor": .string(cbor)])])
    ) { r throws(OgmiosError) in
      try r["transaction"]["id"].text()
    }
  }
}

extension OgmiosRequest<[OgmiosEvaluation]> {
  static func evaluateTransaction(_ cbor: String, additionalUtxo: [JSONValue]) -> Self {
    var params: [String: JSONValue] = ["transaction": .object(["cbor": .string(cbor)])]
    if !additionalUtxo.isEmpty { params["additionalUtxo"] = .array(additionalUtxo) }
    return Self("evaluateTransaction", .object(params)) { r throws(OgmiosError) in
      try r.list { r throws(OgmiosError) in try OgmiosEvaluation(r) }
    }
  }
}

extension OgmiosRequest<UInt64> {
  static var acquireMempool: Self {
    Self("acquireMempool") { r throws(OgmiosError) in
      try r["slot"].natural()
    }
  }
}

extension OgmiosRequest<OgmiosWaitingTransaction?> {
  static func nextTransaction(isWhole: Bool) -> Self {
    // Its schema takes the question without params, and its reader may want an object.
    Self(
      "nextTransaction", .object(isWhole ? ["fields": .string("all")] : [:])
    ) { r throws(OgmiosError) in
      try r["transaction"].optional { r throws(OgmiosError) in try OgmiosWaitingTransaction(r) }
    }
  }
}

extension OgmiosRequest<Bool> {
  static func hasTransaction(_ id: String) -> Self {
    Self("hasTransaction", .object(["id": .string(id)])) { r throws(OgmiosError) in try r.flag() }
  }
}

extension OgmiosRequest<OgmiosMempoolSize> {
  static var sizeOfMempool: Self {
    Self("sizeOfMempool") { r throws(OgmiosError) in
      try OgmiosMempoolSize(r)
    }
  }
}

extension OgmiosRequest<Void> {
  static var releaseMempool: Self {
    Self("releaseMempool") { _ throws(OgmiosError) in }
  }
}
