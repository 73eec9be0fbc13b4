// SPDX-License-Identifier: Apache-2.0

import Mainstay
import MainstayHTTP
import TestSupport
import Testing

/// The rules of RFC 9111, one by one.
@Suite(.requirement("O39")) struct CachingOverHTTPTests {
  private func loaded(_ headers: [String: String]) -> ResponseCache.Loaded<String> {
    .value("v", headers: headers)
  }

  @Test(
    arguments: [
      ("max-age=60", 60), ("MAX-AGE = \"60\" ", 60), ("public, max-age=60,s-maxage=9", 60),
      ("max-age=60, max-age=30", 30), ("max-age=30, max-age=60", 30), ("max-age=-1", 0),
      ("max-age=1.5", 0), ("max-age=", 0), ("max-age", 0), ("max-age=٣", 0), ("no-cache", 0),
      ("no-cache=\"a, max-age=99\", max-age=60", 0), ("max-age=99999999999999999999", 31_536_000),
      ("", nil), (",, ,=", nil), ("x=\"max-age=5", nil), ("xmax-age=5", nil),
    ] as [(String, Int64?)])
  func `the lifetime is read`(text: String, seconds: Int64?) {
    #expect(loaded(["cache-control": text]).freshFor == seconds.map { .seconds($0) })
  }

  @Test func `what must not be kept, or not be given stale, or is for one person`() {
    #expect(!loaded(["Cache-Control": "No-Store, max-age=60"]).isKept)
    #expect(!loaded(["Vary": "Accept, *"]).isKept)
    #expect(loaded(["Vary": "Accept"]).isKept)
    #expect(loaded(["Cache-Control": "max-age=60, must-revalidate"]).mustRevalidate)
    #expect(loaded(["Cache-Control": "no-cache"]).mustRevalidate)
    #expect(!loaded(["Cache-Control": "proxy-revalidate"]).mustRevalidate)
    #expect(loaded(["Cache-Control": "private"]).isPersonal)
    #expect(loaded(["Pragma": "no-cache"]).freshFor == .zero)
    #expect(loaded(["Pragma": "no-cache", "Cache-Control": "max-age=5"]).freshFor == .seconds(5))
    let plain = loaded([:])
    #expect(plain.isKept && !plain.mustRevalidate && !plain.isPersonal && plain.freshFor == nil)
  }

  @Test(
    arguments: [
      ("stale-if-error=600", 600, nil), ("max-age=5, Stale-If-Error = \"9\"", 9, nil),
      ("stale-while-revalidate=30, stale-if-error=60", 60, 30), ("stale-if-error=0", 0, nil),
      ("stale-if-error", 0, nil), ("stale-if-error=soon, stale-while-revalidate=-1", 0, 0),
      ("stale-if-error=9, stale-if-error=5", 5, nil), ("x-stale-if-error=9", nil, nil),
      ("stale-if-error=99999999999999999999", 31_536_000, nil), ("", nil, nil),
    ] as [(String, Int64?, Int64?)])
  func `how long it may be given stale is read`(text: String, error: Int64?, behind: Int64?) {
    let value = loaded(["Cache-Control": text])
    #expect(value.staleIfError == error.map { .seconds($0) })
    #expect(value.staleWhileRevalidate == behind.map { .seconds($0) })
  }

  @Test func `dates count where no number does`() {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    #expect(
      loaded(["Date": date, "Expires": "Sun, 06 Nov 1994 08:50:37 GMT"]).freshFor == .seconds(60))
    #expect(
      loaded(["Date": date, "Expires": "Sunday, 06-Nov-94 08:48:37 GMT"]).freshFor == .zero)
    #expect(loaded(["Date": date, "Expires": "0"]).freshFor == .zero)
    #expect(loaded(["Expires": date]).freshFor == .zero)
    #expect(loaded(["Expires": date, "Date": "soon"]).freshFor == .zero)
    #expect(loaded(["Expires": date, "Cache-Control": "max-age=5"]).freshFor == .seconds(5))
    #expect(
      loaded(["Date": date, "Expires": date, "Cache-Control": "max-age=5"]).freshFor == .seconds(5))
  }

  @Test func `version and age are read`() {
    let value = loaded(["ETag": "W/\"1\"", "AGE": "30"])
    #expect(value.validator == "W/\"1\"" && value.age == .seconds(30) && value.value == "v")
    #expect(loaded(["Age": "-5"]).age == .zero)
    #expect(loaded(["Age": "600, 10"]).age == .seconds(600))
    let unchanged = ResponseCache.Loaded<String>.unchanged(headers: ["cache-control": "max-age=9"])
    #expect(unchanged.value == nil && unchanged.freshFor == .seconds(9))
  }

  @Test func `a kept answer is asked for by its version and given anew`() async throws {
    let cache = ResponseCache("a", of: .account(1), in: MemoryCacheStore())
    let seen = Log()
    for _ in 0..<3 {
      let answer = try await cache.value(for: "a", as: String.self) { version in
        seen.add(version ?? "none")
        let headers = ["Cache-Control": "no-cache", "ETag": "\"7\""]
        return version == nil ? .value("v", headers: headers) : .unchanged(headers: headers)
      }
      #expect(answer == CachedValue("v", .fresh))
    }
    #expect(seen.lines == ["none", "\"7\"", "\"7\""])
  }
}
