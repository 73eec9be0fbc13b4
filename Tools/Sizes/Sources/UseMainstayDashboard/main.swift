// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import MainstayDashboard
import NIOCore

struct VisitContext: RemoteAddressRequestContext {
  var coreContext: CoreRequestContextStorage
  let remoteAddress: SocketAddress?

  init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
    remoteAddress = source.channel.remoteAddress
  }
}

let router = Router(context: VisitContext.self)
Dashboard().mount(on: router, at: "mainstay")
try await Application(router: router).run()
