// SPDX-License-Identifier: Apache-2.0

/// Runs an operation and throws whatever it throws as an ``AppError``.
///
/// It runs where its caller runs: a `@MainActor` caller stays on the main actor. An `AppError`
/// passes through, cancellation becomes `AppError.cancelled`.
///
/// - Parameters:
///   - doing: What is being done, such as "Load inventory"; added to the error's context.
///   - mapping: How foreign errors are mapped; the default is ``ErrorMapping/current``.
///   - fileID: The caller's file; leave it out.
///   - function: The caller's function; leave it out.
///   - line: The caller's line; leave it out.
///   - operation: What is run.
/// - Returns: What the operation returns.
/// - Throws: What the operation throws, as `AppError`.
@inlinable
public func withAppErrors<T>(
  _ doing: String? = nil, mapping: ErrorMapping? = nil,
  fileID: String = #fileID, function: String = #function, line: Int = #line,
  operation: () async throws -> T
) async throws(AppError) -> T {
  do {
    return try await operation()
  } catch {
    throw error.mapped(
      doing: doing, by: mapping, at: SourceSite(fileID: fileID, function: function, line: line))
  }
}

/// Runs an operation and throws whatever it throws as an ``AppError``.
///
/// - Parameters:
///   - doing: What is being done, such as "Load inventory"; added to the error's context.
///   - mapping: How foreign errors are mapped; the default is ``ErrorMapping/current``.
///   - fileID: The caller's file; leave it out.
///   - function: The caller's function; leave it out.
///   - line: The caller's line; leave it out.
///   - operation: What is run.
/// - Returns: What the operation returns.
/// - Throws: What the operation throws, as `AppError`.
@inlinable
public func withAppErrors<T>(
  _ doing: String? = nil, mapping: ErrorMapping? = nil,
  fileID: String = #fileID, function: String = #function, line: Int = #line,
  operation: () throws -> T
) throws(AppError) -> T {
  do {
    return try operation()
  } catch {
    throw error.mapped(
      doing: doing, by: mapping, at: SourceSite(fileID: fileID, function: function, line: line))
  }
}

extension Error {
  @usableFromInline
  func mapped(doing: String?, by mapping: ErrorMapping?, at site: SourceSite) -> AppError {
    let error = (mapping ?? .current).map(self, at: site)
    guard let doing else { return error }
    return error.adding(context: AppError.Frame(doing, site: site))
  }
}

extension Error {
  /// This error as people and policies see it, by ``ErrorMapping/current``.
  ///
  /// It is ``AppError/from(_:mapping:fileID:function:line:)`` without the place of the call, which
  /// a property cannot know.
  public var asAppError: AppError {
    mapped(doing: nil, by: nil, at: SourceSite(function: "asAppError"))
  }
}

extension AppError {
  /// Any error as people and policies see it; one that is an `AppError` already stays itself.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - mapping: How foreign errors are mapped; the default is ``ErrorMapping/current``.
  ///   - fileID: The file where it was caught; leave it out.
  ///   - function: The function where it was caught; leave it out.
  ///   - line: The line where it was caught; leave it out.
  /// - Returns: What the error is mapped to.
  public static func from(
    _ error: any Error, mapping: ErrorMapping? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> AppError {
    error.mapped(
      doing: nil, by: mapping, at: SourceSite(fileID: fileID, function: function, line: line))
  }
}

extension Result {
  /// The same result with its error as people and policies see it.
  ///
  /// - Parameters:
  ///   - mapping: How foreign errors are mapped; the default is ``ErrorMapping/current``.
  ///   - fileID: The file where it was caught; leave it out.
  ///   - function: The function where it was caught; leave it out.
  ///   - line: The line where it was caught; leave it out.
  /// - Returns: The value, or what the error is mapped to.
  public func mapToAppError(
    mapping: ErrorMapping? = nil,
    fileID: String = #fileID, function: String = #function, line: Int = #line
  ) -> Result<Success, AppError> {
    mapError {
      .from($0, mapping: mapping, fileID: fileID, function: function, line: line)
    }
  }

  /// The error, where there is one.
  public var error: Failure? {
    switch self {
    case .success: nil
    case .failure(let error): error
    }
  }
}
