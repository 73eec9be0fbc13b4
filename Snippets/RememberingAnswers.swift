// SPDX-License-Identifier: Apache-2.0
// The example on the page about answers that processes remember together.

import Hummingbird
import Mainstay
import MainstayOutboxPostgres
import MainstayServer

/// What is known of a request; the middleware that signs callers in sets the account.
struct CallContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  var account: String?

  init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
  }
}

let address = try PostgresAddress("postgresql://app@db.internal/shop")
let router = Router(context: CallContext.self)

// snippet.show
let answers = PostgresIdempotencyStore(at: address)
try await answers.open()
router.addMiddleware {
  // Who has signed in, and not what it was shown with: a token is renewed.
  IdempotencyMiddleware(answers) { _, context in context.account }
}
// snippet.end
await answers.close()
