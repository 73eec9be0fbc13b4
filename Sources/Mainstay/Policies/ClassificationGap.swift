// SPDX-License-Identifier: Apache-2.0

/// Who has yet to say what may be done about an error, and how.
package struct ClassificationGap: Sendable {
  /// What it is told of once.
  package enum Subject: Sendable, Hashable {
    case type(ObjectIdentifier)
    /// An ``AppError`` is of one type, whatever it is about.
    case code(ErrorCode)
  }

  package let subject: Subject
  private let error: any Error
  /// What an ``AppError`` comes from that is none itself.
  private let cause: (any Error)?

  package init(_ error: any Error) {
    guard let app = error as? AppError else {
      self.init(thrown: error)
      return
    }
    let cause = ErrorChain(app).dropFirst().first { !($0 is AppError) && !($0 is RecordedError) }
    // What a mapping or a wrapper made of a cause says nothing of its own.
    if let cause, app.code == BuiltInError.unknown.code {
      self.init(thrown: cause)
    } else {
      self.init(subject: .code(app.code), error: app, cause: cause)
    }
  }

  private init(thrown error: any Error) {
    self.init(subject: .type(ObjectIdentifier(Swift.type(of: error))), error: error)
  }

  private init(subject: Subject, error: any Error, cause: (any Error)? = nil) {
    (self.subject, self.error, self.cause) = (subject, error, cause)
  }

  /// The name of the type with its module.
  package var type: String { QualifiedTypeName.of(Swift.type(of: error)) }

  /// What to do about it, without a mark at the end.
  package var cure: String {
    let advice = "a disposition, such as .transient() or .permanent"
    switch subject {
    case .code(let code):
      let classify = cause.map { ", or classify \(QualifiedTypeName.of(Swift.type(of: $0)))" }
      return "Give the AppError with the code \(code.rawValue) \(advice)\(classify ?? "")"
    case .type where error is any AppErrorConvertible:
      return "Give the appError of \(type) \(advice)"
    case .type:
      return """
        Let \(type) conform to AppErrorConvertible, or add it to the ErrorMapping set by \
        ErrorMapping.bootstrap
        """
    }
  }
}

extension ClassificationGap {
  /// Which ones were told of already.
  package final class Told: Sendable {
    /// A program has only so many types, but a server may send any number of codes.
    private static let maximumCount = 1_000

    private let subjects = Locked<Set<Subject>>([])

    package init() {}

    /// Whether it was not told of before; it counts as told of from now on.
    package func isNew(_ gap: ClassificationGap) -> Bool {
      subjects.withLock { $0.count < Self.maximumCount && $0.insert(gap.subject).inserted }
    }
  }
}
