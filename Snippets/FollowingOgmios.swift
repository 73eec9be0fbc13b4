// SPDX-License-Identifier: Apache-2.0
// The example on the page about calling Ogmios.

import MainstayOgmios

private actor BlockIndex {
  var points: [OgmiosPoint] = []

  func append(_ block: OgmiosBlock) async throws {
    if let point = block.point { points.append(point) }
  }

  func removeAll(after point: OgmiosPoint) async throws {
    points.removeSubrange(((points.lastIndex(of: point) ?? -1) + 1)...)
  }

  var newestFirst: [OgmiosPoint] { points.reversed() }
}

private func follow(_ client: OgmiosClient, _ index: BlockIndex) async throws {
  // snippet.follow
  let known = await index.newestFirst
  try await client.chainSync.findIntersection(known.isEmpty ? [.origin] : known)
  for try await step in client.chainSync.blocks(ahead: 100) {
    switch step {
    case .forward(let block, _): try await index.append(block)
    case .backward(let point, _): try await index.removeAll(after: point)
    }
  }
  // snippet.end
}
