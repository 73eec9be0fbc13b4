// SPDX-License-Identifier: Apache-2.0

// In configurations a span of time is a plain number of seconds: `"breakFor": 2.5`.

extension KeyedDecodingContainer {
  /// A value, or its default where the key is missing.
  package func decode<T: Decodable>(_ key: Key, default value: T) throws -> T {
    try decodeIfPresent(T.self, forKey: key) ?? value
  }

  /// A number of seconds cut to a year; nil where the key is missing.
  ///
  /// What is negative stays so, for whoever checks the value.
  package func decodeSeconds(_ key: Key) throws -> Duration? {
    guard let seconds = try decodeIfPresent(Double.self, forKey: key) else { return nil }
    return seconds < 0 ? .zero - .clamped(seconds: -seconds) : .clamped(seconds: seconds)
  }
}

extension KeyedEncodingContainer {
  /// A number of seconds; nothing for nil.
  package mutating func encodeSeconds(_ duration: Duration?, _ key: Key) throws {
    try encodeIfPresent(duration?.inSeconds, forKey: key)
  }
}
