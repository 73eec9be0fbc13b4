// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayJSONRPC

let client = try JSONRPCClient(webSocket: URL(filePath: "/"))
print(try await client.call("queryNetwork/tip"))
