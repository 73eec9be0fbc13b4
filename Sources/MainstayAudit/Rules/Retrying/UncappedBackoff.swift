// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Rule {
  static let uncappedBackoff = Rule(
    "MS505", "uncapped-backoff", .warning, .default, serves: ["A8", "D12", "T8"],
    summary: "A delay grows by powers or doubling, and nothing bounds it.",
    why: """
      After some dozen attempts the wait is longer than anybody stays, and a number too large for \
      an integer stops the program.
      """,
    guess: "A power turned into an integer near a name such as `delay` or `retry` is a delay.",
    onPurpose: "Bound the delay with `min`, or the attempts with a number up to 10.",
    remedy: .safe("Bounds the delay to a minute with `min`, where the code tells its unit."),
    examples: [
      .bad(
        """
        func delay(for attempt: Int) -> UInt64 {
          ↓UInt64(pow(2.0, Double(attempt)) * 1_000_000_000)
        }
        """,
        fixed: """
          func delay(for attempt: Int) -> UInt64 {
            UInt64(min(pow(2.0, Double(attempt)) * 1_000_000_000, 60_000_000_000))
          }
          """),
      .bad(
        """
        var delay = Duration.seconds(1)
        while true {
          do { return try await fetch() } catch {
            attempts += 1
            if attempts == limit { throw error }
            try await Task.sleep(for: delay)
            ↓delay *= 2
          }
        }
        """,
        fixed: """
          var delay = Duration.seconds(1)
          while true {
            do { return try await fetch() } catch {
              attempts += 1
              if attempts == limit { throw error }
              try await Task.sleep(for: delay)
              delay = min(delay * 2, .seconds(60))
            }
          }
          """),
      .bad(
        """
        func withRetry<T>(_ retries: Int, _ work: () async throws -> T) async throws -> T {
          for attempt in 0..<retries {
            do { return try await work() } catch {
              try await Task.sleep(nanoseconds: ↓UInt64(pow(2, Double(attempt))) * second)
            }
          }
          throw LoadError.unavailable
        }
        """),
      .bad(
        """
        while !isDone {
          do { try send(); isDone = true } catch {
            Thread.sleep(forTimeInterval: backoff)
            ↓backoff = backoff * 2
          }
        }
        """),
      .bad(
        """
        final class Reconnector {
          func nextRetryDelay() -> Int {
            let milliseconds = 100 * ↓Int(exp2(Double(failures)))
            return milliseconds
          }
        }
        """),
      .bad(
        """
        func retryDelay(_ retries: Int) -> DispatchTimeInterval {
          .milliseconds(↓Int(pow(2.0, Double(retries)) * 100))
        }
        """,
        fixed: """
          func retryDelay(_ retries: Int) -> DispatchTimeInterval {
            .milliseconds(Int(min(pow(2.0, Double(retries)) * 100, 60_000)))
          }
          """),
      .bad(
        "try await Task.sleep(nanoseconds: ↓UInt64(pow(2, Double(n))) * 1_000_000)",
        fixed:
          "try await Task.sleep(nanoseconds: UInt64(min(pow(2, Double(n)), 60_000)) * 1_000_000)"
      ),
      .bad(
        "func delay(_ attempt: Int) -> Int { ↓Int(pow(2, Double(attempt)) * 1000) }",
        fixed: "func delay(_ attempt: Int) -> Int { Int(pow(2, Double(attempt)) * 1000) }"),
      .bad(
        """
        func retryDelay(_ attempt: Int) -> UInt64 {
          ↓UInt64(min(1_000_000_000 << attempt, 60_000_000_000))
        }
        """),
    ] + uncappedBackoffGood,
    checks: .call { call, file in checkPower(call, file) },
    .sequence { sequence, file in checkDoubling(sequence, file) })

  private static let integers: Set<String> = [
    "UInt64", "Int", "Int64", "UInt", "UInt32", "Int32", "useconds_t",
  ]

  private static func checkPower(_ call: FunctionCallExprSyntax, _ file: AuditedFile) {
    guard let type = call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text,
      integers.contains(type), call.arguments.count == 1, let value = call.firstArgument,
      call.arguments.first?.label == nil, let power = value.power, !power.isConstant
    else { return }
    let routine = call.enclosingFunction ?? call.enclosingRoutine
    // Without a routine it is code of a script, of which the statement alone is looked at.
    let scope = routine?.node ?? call.nearest(CodeBlockItemSyntax.self).map { Syntax($0) }
    let isShift = power.kind == .sequenceExpr
    let isCapped = scope.map { isShift ? $0.capsExponent : $0.isCapped } ?? false
    guard call.isDelay(in: routine) || power.growsWithAttempts, !isCapped,
      !call.isBounded(in: file)
    else {
      return
    }
    // What is shifted too far is negative and then 0: no `min` around it bounds it.
    guard !isShift else {
      return file.report(
        call, "This delay grows without a bound; what is shifted too far is negative, and then 0")
    }
    file.report(
      call, "This delay grows without a bound, until it no longer fits into `\(type)`",
      fix: call.minute.map { minute in
        .safe(
          "bound the delay",
          Edit(value.bytes.lowerBound..<value.bytes.lowerBound, "min("),
          Edit(value.bytes.upperBound..<value.bytes.upperBound, ", \(minute))"))
      })
  }

  private static func checkDoubling(_ sequence: SequenceExprSyntax, _ file: AuditedFile) {
    guard let name = sequence.changedTarget?.lastName, sequence.multiplies(name) else { return }
    guard let loop = sequence.enclosingLoop else { return checkGrowth(of: name, sequence, file) }
    guard name.isOfDelay || loop.body.waits(for: name) else { return }
    guard let sleep = loop.body.sleeps.first(where: { $0.delay.referencedNames.contains(name) }),
      !loop.body.isCapped, !loop.node.compares(name), !sequence.isBounded(in: file)
    else { return }
    let fix = sequence.cap(for: sleep, named: name).map {
      Fix.safe("bound the delay", Edit(sequence.bytes, $0))
    }
    file.report(sequence, "`\(name)` grows with every attempt, without a bound", fix: fix)
  }
}

extension Rule {
  /// A delay that an object keeps, and that every call of a function doubles.
  private static func checkGrowth(
    of name: String, _ sequence: SequenceExprSyntax, _ file: AuditedFile
  ) {
    guard name.isOfDelay, let routine = sequence.enclosingFunction, !sequence.isLocal(name),
      routine.node.waits(for: name), !routine.node.isCapped, !routine.node.compares(name)
    else { return }
    file.report(sequence, "`\(name)` grows with every attempt, without a bound")
  }
}

extension Syntax {
  /// Whether it is a call that takes the smaller of two values.
  fileprivate var isCap: Bool {
    guard let name = self.as(FunctionCallExprSyntax.self)?.name else { return false }
    return ["min", "clamp", "clamped", "minimum", "capped"].contains(name)
  }
}

extension ExprSyntax {
  /// The power or shift in it.
  fileprivate var power: Syntax? {
    var found: Syntax?
    walk { node in
      guard found == nil, node.kind != .closureExpr else { return false }
      if let call = node.as(FunctionCallExprSyntax.self),
        ["pow", "exp2", "exp"].contains(call.name)
      {
        found = node
      } else if let sequence = node.as(SequenceExprSyntax.self),
        sequence.elements.contains(where: {
          $0.as(BinaryOperatorExprSyntax.self)?.operator.text == "<<"
        })
      {
        found = node
      }
      return true
    }
    return found
  }
}

extension Syntax {
  /// Whether its size depends on a number of attempts.
  fileprivate var growsWithAttempts: Bool {
    referencedNames.contains { name in
      words(of: name).contains {
        ["attempt", "attempts", "retry", "retries", "tries"].contains($0)
      }
    }
  }

  /// Whether it names nothing but what makes numbers of literals.
  fileprivate var isConstant: Bool {
    referencedNames.isSubset(of: ["pow", "exp2", "exp", "Double", "Int", "UInt64", "Float"])
  }
}

extension FunctionCallExprSyntax {
  /// Whether its value is waited for, by what stands around it.
  fileprivate func isDelay(in routine: Routine?) -> Bool {
    if routine?.name?.isOfDelay ?? false { return true }
    if TypeDeclaration(around: self)?.name.isOfDelay ?? false { return true }
    var current = Syntax(self).parent
    while let here = current, here.id != routine?.node.id {
      if let call = here.as(FunctionCallExprSyntax.self), Sleep(call) != nil { return true }
      if let binding = here.as(PatternBindingSyntax.self) {
        let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.bareText
        if name?.isOfDelay ?? false { return true }
      }
      if let sequence = here.as(SequenceExprSyntax.self),
        sequence.changedTarget?.lastName?.isOfDelay ?? false
      {
        return true
      }
      current = here.parent
    }
    return false
  }
}

extension String {
  fileprivate var isOfDelay: Bool {
    words(of: self).contains {
      ["delay", "backoff", "retry", "pause", "wait", "sleep"].contains($0)
    }
  }
}

extension SyntaxProtocol {
  /// Whether a call in it takes the smaller of two values.
  fileprivate var isCapped: Bool { contains { $0.isCap } }

  /// Whether such a call bounds how far something is shifted, rather than what comes of a shift.
  fileprivate var capsExponent: Bool {
    let shifted = every(PatternBindingSyntax.self).filter { $0.initializer?.shifts ?? false }
    var names: Set<String> = []
    for binding in shifted { binding.pattern.collectBoundNames(into: &names) }
    return contains { $0.isCap && !$0.shifts && !$0.mentionsAny(of: names) }
  }

  /// Whether it shifts by something that is no number, nor the smaller of two.
  private var shifts: Bool {
    contains { node in
      guard let sequence = node.as(SequenceExprSyntax.self),
        sequence.elements.contains(where: {
          $0.as(BinaryOperatorExprSyntax.self)?.operator.text == "<<"
        })
      else { return false }
      return sequence.elements.last?.contains { $0.isCap } != true
    }
  }

  fileprivate func waits(for name: String) -> Bool {
    sleeps.contains { $0.delay.referencedNames.contains(name) }
  }

  /// Whether it compares a name's value with something.
  fileprivate func compares(_ name: String) -> Bool {
    contains { node in
      guard let sequence = node.as(SequenceExprSyntax.self),
        sequence.mentions(where: { $0.bareText == name })
      else { return false }
      return sequence.elements.contains {
        let sign = $0.as(BinaryOperatorExprSyntax.self)?.operator.text ?? ""
        return ["<", ">", "<=", ">="].contains(sign)
      }
    }
  }

  /// Whether a small number of attempts stands in the loops around it, or in the file.
  fileprivate func isBounded(in file: AuditedFile) -> Bool {
    var loop = enclosingLoop
    while let here = loop {
      if let count = here.literalCount ?? here.literalBound ?? here.exitBound {
        return count <= 10
      }
      if let limit = here.limitName, enclosingFunction?.hasParameter(limit) != true {
        // The limit is kept elsewhere, and such limits are small.
        return true
      }
      loop = here.node.enclosingLoop
    }
    return isUnderLimit || file.attemptLimit.map { $0 <= 10 } ?? false
  }

  /// Whether a condition around it compares a count with a limit that is kept elsewhere:
  /// `if attempt < maximumAttempts`.
  private var isUnderLimit: Bool {
    var current = Syntax(self).parent
    while let here = current, here.kind != .functionDecl, here.kind != .memberBlock {
      let checks = here.as(IfExprSyntax.self)?.conditions.every(SequenceExprSyntax.self) ?? []
      for check in checks.flatMap(\.comparisons) where ["<", "<="].contains(check.sign) {
        if let number = check.right.integer { return number <= 10 }
        if let limit = check.right.lastName {
          return enclosingFunction?.hasParameter(limit) != true
        }
      }
      current = here.parent
    }
    return false
  }
}

extension Routine {
  fileprivate func hasParameter(_ name: String) -> Bool {
    parameters.contains { $0.name.bareText == name }
  }
}

extension Loop {
  /// The name in `1...limit` or `while attempt < limit` that bounds the attempts.
  fileprivate var limitName: String? {
    let places = sequence.map { [Syntax($0)] } ?? conditions
    for sequence in places.flatMap({ $0.every(SequenceExprSyntax.self) }) {
      let bound = sequence.comparisons.first { ["...", "..<", "<", "<="].contains($0.sign) }
      if let bound { return bound.right.lastName }
    }
    return nil
  }
}
