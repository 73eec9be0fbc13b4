// SPDX-License-Identifier: Apache-2.0

import MainstayOgmios

let client = try OgmiosClient(endpoints: ["ws://localhost:1337"])
print(try await client.ledgerStateQuery.epoch.execute())
