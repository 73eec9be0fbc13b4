// SPDX-License-Identifier: Apache-2.0

/// Begins a call in a task of its own; on return it has run as far as it can without waiting.
///
/// So a test knows that a caller stands in a queue, and in which order callers came, and guesses
/// nothing. Systems before those of 2025 cannot begin a task at once: there it is given time.
///
/// - Parameter operation: The call.
/// - Returns: Its task.
public func started<T: Sendable>(
  _ operation: @escaping @Sendable () async throws -> T
) async -> Task<T, any Error> {
  if #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) {
    return Task.immediate { try await operation() }
  }
  let task = Task { try await operation() }
  for _ in 0..<1_000 { await Task.yield() }
  return task
}

/// Begins so many calls, one after the other, each as far as it can without waiting.
///
/// - Parameters:
///   - count: How many.
///   - operation: The call; it is given its number, from 0.
/// - Returns: Their tasks.
public func started<T: Sendable>(
  _ count: Int, _ operation: @escaping @Sendable (Int) async throws -> T
) async -> [Task<T, any Error>] {
  var tasks: [Task<T, any Error>] = []
  for number in 0..<count { tasks.append(await started { try await operation(number) }) }
  return tasks
}
