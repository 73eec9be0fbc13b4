// SPDX-License-Identifier: Apache-2.0

extension TextCatalog {
  private enum Global {
    static let catalog = Locked<TextCatalog?>(nil)
  }

  @TaskLocal private static var override: TextCatalog?

  /// The catalogue in force: that of the task (`with`), else the bootstrapped one, else
  /// ``standard``.
  public static var current: TextCatalog {
    override ?? Global.catalog.withLock { $0 } ?? .standard
  }

  /// Sets the catalogue of the whole process; called once, when the app starts.
  ///
  /// A second call stops the program, since one of two owners would be overwritten unseen. A test
  /// uses `with` instead.
  public static func bootstrap(_ catalog: TextCatalog) {
    let isFirst = Global.catalog.withLock { current in
      guard current == nil else { return false }
      current = catalog
      return true
    }
    precondition(
      isFirst,
      "TextCatalog.bootstrap was called twice; it is set once at launch, and tests use with")
  }

  /// Runs an operation under another catalogue, for it and the child tasks that it starts.
  ///
  /// - Parameters:
  ///   - catalog: The catalogue that is ``current`` meanwhile.
  ///   - operation: What is run.
  /// - Returns: What the operation returns.
  /// - Throws: What the operation throws.
  public static func with<T, E: Error>(
    _ catalog: TextCatalog, operation: () throws(E) -> T
  ) throws(E) -> T {
    let result: Result<T, E> = $override.withValue(catalog) {
      do throws(E) { return .success(try operation()) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Runs an async operation under another catalogue, for it and the child tasks that it starts.
  ///
  /// - Parameters:
  ///   - catalog: The catalogue that is ``current`` meanwhile.
  ///   - operation: What is run, where its caller runs.
  /// - Returns: What the operation returns.
  /// - Throws: What the operation throws.
  public static func with<T, E: Error>(
    _ catalog: TextCatalog, operation: () async throws(E) -> T
  ) async throws(E) -> T {
    let result: Result<T, E> = await $override.withValue(catalog) {
      do throws(E) { return .success(try await operation()) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
