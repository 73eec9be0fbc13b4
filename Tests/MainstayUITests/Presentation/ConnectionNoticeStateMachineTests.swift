// SPDX-License-Identifier: Apache-2.0

import Mainstay
import Testing

@testable import MainstayUI

@Suite struct ConnectionNoticeStateMachineTests {
  private var notice = ConnectionNotice()

  private mutating func take(
    _ status: ConnectionStatus, isPortal: Bool = false, at now: Duration = .zero
  ) {
    notice.take(status, isPortal: isPortal, length: .seconds(3), now: now)
  }

  @Test mutating func `nothing is said at the beginning, nor twice`() {
    take(.connected)
    #expect(!notice.isShown && notice.nextChange == nil)
    take(.disconnected)
    #expect(notice.isShown && !notice.isBack && notice.nextChange == nil)
    notice.putAway()
    take(.disconnected)
    #expect(!notice.isShown)
  }

  @Test mutating func `that it is back is said for a while, also to whoever put it away`() {
    take(.disconnected)
    notice.putAway()
    take(.connected, at: .seconds(10))
    #expect(notice.isBack && notice.nextChange == .seconds(13))
    notice.advance(to: .seconds(12))
    #expect(notice.isBack)
    notice.advance(to: .seconds(13))
    #expect(!notice.isShown && notice.nextChange == nil)
  }

  @Test mutating func `a portal that is found is news`() {
    take(.failed)
    notice.putAway()
    take(.failed, isPortal: true)
    #expect(notice.isShown && notice.isPortal)
  }

  @Test mutating func `going again ends what was said of being back`() {
    take(.disconnected)
    take(.connected)
    take(.reconnecting, at: .seconds(1))
    #expect(notice.phase == .shown)
    notice.advance(to: .seconds(60))
    #expect(notice.isShown)
  }
}
