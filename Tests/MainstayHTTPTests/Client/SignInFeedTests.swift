// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayHTTP
import TestSupport
import Testing

/// Who hears that somebody has signed in.
@Suite(.ends(withinMinutes: 2)) struct SignInFeedTests {
  @Test func `all who listen hear of a sign-in, and that another attempt may be worth it`()
    async throws
  {
    let authorization = HTTPAuthorization { _ in "token" }
    var first = authorization.signIns.makeAsyncIterator()
    var second = authorization.signIns.makeAsyncIterator()
    authorization.signIn("a")
    #expect(await first.next() != nil)
    #expect(await second.next() != nil)
    authorization.askAgain()
    #expect(await first.next() != nil)
  }

  @Test func `who listens is let go with the sign-in`() async {
    var authorization: HTTPAuthorization? = HTTPAuthorization { _ in "token" }
    var listener = authorization?.signIns.makeAsyncIterator()
    authorization = nil
    #expect(await listener?.next() == nil)
  }
}
