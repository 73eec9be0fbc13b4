// SPDX-License-Identifier: Apache-2.0
// The examples on the page about the connection.

import Foundation
import Mainstay

func listen(to monitor: ConnectivityMonitor) async {
  for await status in monitor.statuses {
    print(status)
  }
}

func recorded<T>(
  by monitor: ConnectivityMonitor, from host: String, _ call: () async throws -> T
) async throws -> T {
  let start = ContinuousClock.now
  do {
    let value = try await call()
    monitor.record(.delivered, from: host, lasting: .now - start)
    return value
  } catch {
    monitor.record(error, from: host, lasting: .now - start)
    throw error
  }
}

func probed(
  _ url: URL, by client: @escaping @Sendable (URL, [String: String]) async throws -> (Int, Data)
) -> ConnectivityMonitor {
  let probe = ConnectivityProbe(url, expecting: .echo) { request in
    let (status, body) = try await client(request.url, request.headers)
    return ConnectivityProbe.Response(status: status, body: body)
  }
  return ConnectivityMonitor(probe: probe)
}
