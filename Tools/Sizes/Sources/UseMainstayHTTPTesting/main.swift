// SPDX-License-Identifier: Apache-2.0

import MainstayHTTPTesting

let proxy = try await FaultProxy(to: 1) { _ in .none }
print(proxy.port)
