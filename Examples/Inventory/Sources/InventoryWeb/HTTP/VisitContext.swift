// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import NIOCore

/// A request and where it comes from, which the dashboard has to know.
struct VisitContext: RemoteAddressRequestContext {
  var coreContext: CoreRequestContextStorage
  let remoteAddress: SocketAddress?

  init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
    remoteAddress = source.channel.remoteAddress
  }
}
