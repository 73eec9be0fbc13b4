// SPDX-License-Identifier: Apache-2.0
// The example on the page about answers that processes remember together.

import Hummingbird
import Mainstay
import MainstayOutboxPostgres
import MainstayServer

let address = try PostgresAddress("postgresql://app@db.internal/shop")
let router = Router()

// snippet.show
let answers = PostgresIdempotencyStore(at: address)
try await answers.open()
router.addMiddleware {
  IdempotencyMiddleware(answers) { request, _ in
    request.headers[.authorization] ?? ""
  }
}
// snippet.end
await answers.close()
