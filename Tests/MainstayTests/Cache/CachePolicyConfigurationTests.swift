// SPDX-License-Identifier: Apache-2.0

import Foundation
import Mainstay
import TestSupport
import Testing

@Suite(.requirement("P10", "T8")) struct CachePolicyConfigurationTests {
  private func decode(_ json: String) throws -> CachePolicy.Configuration {
    try JSONDecoder().decode(CachePolicy.Configuration.self, from: Data(json.utf8))
  }

  @Test func `a file says how long answers are given`() throws {
    let settings = try decode(
      #"{"freshFor": 2.5, "staleWhileRevalidate": "always", "staleIfError": "never"}"#)
    #expect(
      settings
        == CachePolicy.Configuration(
          freshFor: .milliseconds(2_500), staleWhileRevalidate: .always, staleIfError: .never))
    #expect(try decode("{}") == CachePolicy.Configuration())
    #expect(CachePolicy().configuration == CachePolicy.Configuration())
    let kept = try decode(#"{"staleIfError": 60}"#)
    #expect(kept.staleIfError == .within(.seconds(60)))
    for settings in [settings, kept] {
      let copy = try JSONDecoder().decode(
        CachePolicy.Configuration.self, from: JSONEncoder().encode(settings))
      #expect(copy == settings)
    }
    #expect(throws: DecodingError.self) { try decode(#"{"staleIfError": "sometimes"}"#) }
  }

  @Test func `everything that is wrong is said at once`() throws {
    let settings = try decode(
      #"{"freshFor": -1, "staleWhileRevalidate": 0, "staleIfError": -9e99}"#)
    let error = #expect(throws: ConfigurationError.self) { try CachePolicy(validating: settings) }
    #expect(
      error?.violations.map(\.option) == ["freshFor", "staleWhileRevalidate", "staleIfError"])
  }

  @Test func `a literal that is not legal stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = CachePolicy(freshFor: .seconds(-1)) }
    await #expect(processExitsWith: .failure) { _ = MemoryCacheStore(maximumBytes: 0) }
  }
}
