// SPDX-License-Identifier: Apache-2.0

/// How many requests a service takes in a time, as it announces in the header `RateLimit-Policy`.
///
/// Source: https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
package struct RateLimitPolicy: Sendable, Hashable {
  /// How many requests; 1 or more.
  package let quota: Int
  /// In which time; 1 second to a day.
  package let window: Duration

  /// A policy; nil where a number is not in its range.
  package init?(quota: Int, seconds: Int) {
    guard (1...1_000_000_000).contains(quota), (1...86_400).contains(seconds) else { return nil }
    self.quota = quota
    window = .seconds(seconds)
  }

  /// The slowest of the policies in a header, such as `"burst";q=20;w=1, "day";q=5000;w=86400`; nil
  /// where none can be read.
  package static func slowest(_ header: String) -> RateLimitPolicy? {
    header.split(separator: ",").compactMap { item in
      var numbers: [Substring: Int] = [:]
      for part in item.split(separator: ";").dropFirst() {
        let pair = part.split(separator: "=", maxSplits: 1)
        guard pair.count == 2 else { continue }
        let name = pair[0].trimmed
        numbers[name] = Int(pair[1].trimmed)
      }
      guard let quota = numbers["q"], let seconds = numbers["w"] else { return nil }
      return RateLimitPolicy(quota: quota, seconds: seconds)
    }
    .max { $0.interval < $1.interval }
  }

  /// The time between two requests: they are spread evenly, and a little slower than is allowed, so
  /// that wherever the service begins to count, and though some arrive early, there are not too
  /// many.
  var interval: Duration { window * 21 / (quota * 20) }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var text = self
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
