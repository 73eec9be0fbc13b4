// SPDX-License-Identifier: Apache-2.0

extension ErrorMapping {
  private enum Global {
    static let mapping = Locked<ErrorMapping?>(nil)
  }

  @TaskLocal private static var override: ErrorMapping?

  /// The mapping in force: that of the task (`with`), else the bootstrapped one,
  /// else ``standard``.
  public static var current: ErrorMapping {
    override ?? Global.mapping.withLock { $0 } ?? .standard
  }

  /// Sets the mapping of the whole process; called once, when the app starts.
  ///
  /// A second call stops the program: two parts that both believe to own the mapping would
  /// otherwise overwrite each other unseen. A test uses `with` instead.
  public static func bootstrap(_ mapping: ErrorMapping) {
    let isFirst = Global.mapping.withLock { current in
      guard current == nil else { return false }
      current = mapping
      return true
    }
    precondition(
      isFirst,
      """
      ErrorMapping.bootstrap was called twice; it is set once at launch, and tests use \
      ErrorMapping.with
      """
    )
  }

  /// Runs an operation under another mapping, for it and the child tasks that it starts.
  ///
  /// - Parameters:
  ///   - mapping: The mapping that is ``current`` meanwhile.
  ///   - operation: What is run.
  /// - Returns: What the operation returns.
  /// - Throws: What the operation throws.
  public static func with<T, E: Error>(
    _ mapping: ErrorMapping, operation: () throws(E) -> T
  ) throws(E) -> T {
    let result: Result<T, E> = $override.withValue(mapping) {
      do throws(E) { return .success(try operation()) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Runs an async operation under another mapping, for it and the child tasks that it starts.
  ///
  /// - Parameters:
  ///   - mapping: The mapping that is ``current`` meanwhile.
  ///   - operation: What is run, where its caller runs.
  /// - Returns: What the operation returns.
  /// - Throws: What the operation throws.
  public static func with<T, E: Error>(
    _ mapping: ErrorMapping, operation: () async throws(E) -> T
  ) async throws(E) -> T {
    let result: Result<T, E> = await $override.withValue(mapping) {
      do throws(E) { return .success(try await operation()) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
