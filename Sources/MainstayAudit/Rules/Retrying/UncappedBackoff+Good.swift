// SPDX-License-Identifier: Apache-2.0

let uncappedBackoffGood: [Example] = [
  .good(
    """
    func delay(for attempt: Int) -> Duration {
      .seconds(min(60, pow(2.0, Double(attempt))))
    }
    """),
  .good(
    """
    for attempt in 0..<5 {
      do { return try await fetch() } catch {
        try await Task.sleep(nanoseconds: UInt64(pow(2, Double(attempt)) * 1e9))
      }
    }
    """, because: "five attempts bound it"),
  .good(
    """
    while true {
      do { return try await fetch() } catch {
        try await Task.sleep(for: delay)
        delay = min(delay * 2, .seconds(30))
      }
    }
    """),
  .good(
    """
    while true {
      do { return try await fetch() } catch {
        attempt += 1
        if attempt >= 4 { throw error }
        try await Task.sleep(for: .seconds(UInt64(pow(2.0, Double(attempt)))))
      }
    }
    """, because: "four attempts bound it"),
  .good("let bytes = Int(pow(2.0, Double(bits)))", because: "that is no delay"),
  .good(
    """
    while true {
      do { return try await fetch() } catch {
        if delay < maximumDelay { delay *= 2 }
        try await Task.sleep(for: delay)
      }
    }
    """, because: "a condition bounds it"),
  .good(
    """
    func backoff(_ attempt: Int) -> UInt64 {
      let exponent = min(attempt, 6)
      return UInt64(pow(2, Double(exponent)))
    }
    """),
  .good("func backoff(_ attempt: Int) -> UInt64 { UInt64(1 << min(attempt, 6)) }"),
  .good(
    """
    while !isDone && attempt < 3 {
      try? await Task.sleep(nanoseconds: UInt64(pow(2, Double(attempt)) * 1e9))
    }
    """, because: "three attempts bound it, beside another condition"),
  .good(
    """
    func refresh(attempt: Int = 0) async {
      do { try await fetch() } catch {
        guard !(error is CancellationError) else { return }
        if attempt < limits.attempts {
          try? await Task.sleep(nanoseconds: UInt64(pow(2, Double(attempt)) * 1e9))
          await refresh(attempt: attempt + 1)
        }
      }
    }
    """, because: "the limit is kept elsewhere, and such limits are small"),
  .good(
    """
    struct Client {
      let maximumRetries = 3
      func delay(_ attempt: Int) -> UInt64 { UInt64(pow(2, Double(attempt))) }
    }
    """, because: "three attempts bound it"),
]
