// SPDX-License-Identifier: Apache-2.0

/// A walk over an error and all that caused it, from the outside in, that always comes to an end.
///
/// It goes ten errors deep and meets 256 errors at most. What comes again below itself, the same
/// object or the same identity, is left out there. A wrapper has no identity and is stepped
/// through.
struct CauseWalk {
  /// An identity that was met below the outermost.
  struct Cause: Hashable {
    let depth: Int
    let identity: ErrorIdentity
    /// Whether nothing else caused it.
    let isInnermost: Bool
  }

  private static let maximumDepth = 10
  private static let maximumErrors = 256

  /// The outermost error that has an identity; nil where the errors inside a wrapper are a set.
  private(set) var outermost: ErrorIdentity?
  /// What is below, in an order that does not depend on the order in which causes were named.
  private(set) var causes: [Cause] = []

  private var left = Self.maximumErrors
  private var objects: [ObjectIdentifier] = []

  init(of error: any Error, mapped: AppError?) {
    var subject = ErrorSubject(caught: error, mapped: mapped)
    if let object = ErrorObject.of(error) { objects.append(ObjectIdentifier(object)) }
    while subject.identity == nil, subject.causes.count == 1, left > 0 {
      left -= 1
      subject = ErrorSubject(subject.causes[0])
    }
    outermost = subject.identity
    guard !subject.causes.isEmpty else { return }
    let path = subject.identity.map { [$0] } ?? []
    for cause in subject.causes { visit(cause, below: path) }
    var seen: Set<Cause> = []
    causes = causes.filter { $0.identity != outermost && seen.insert($0).inserted }
    causes.sort {
      $0.depth != $1.depth
        ? $0.depth < $1.depth : ErrorIdentity.precedes($0.identity, $1.identity)
    }
  }

  /// Notes the error and what is below it.
  ///
  /// - Returns: Whether anything came of it that was not on the path already.
  @discardableResult
  private mutating func visit(_ error: any Error, below path: [ErrorIdentity]) -> Bool {
    guard left > 0 else { return false }
    left -= 1
    let object = ErrorObject.of(error).map { ObjectIdentifier($0) }
    if let object {
      if objects.contains(object) { return false }
      objects.append(object)
    }
    defer { if object != nil { objects.removeLast() } }
    let subject = ErrorSubject(error)
    var path = path
    var isNew = false
    if let identity = subject.identity, identity != path.last {
      if path.contains(identity) { return false }
      path.append(identity)
      isNew = true
    }
    var hasCauses = false
    if path.count < Self.maximumDepth {
      for cause in subject.causes {
        let isBelow = visit(cause, below: path)
        hasCauses = hasCauses || isBelow
      }
    }
    if isNew, let identity = subject.identity {
      causes.append(Cause(depth: path.count - 1, identity: identity, isInnermost: !hasCauses))
    }
    return isNew || hasCauses
  }
}
