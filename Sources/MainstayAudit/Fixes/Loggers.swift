// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A property that holds a logger.
struct KnownLogger {
  let name: String
  let isStatic: Bool
  /// Whether reading it runs no code of the type.
  let isStored: Bool
  /// Whether it has its value before an initializer runs.
  let hasValue: Bool
  /// Whether code outside the isolation of its type may read it.
  let isReadAnywhere: Bool
}

extension AuditedFile {
  /// The logger that code at a place can name: a property of a type around it, or of the file.
  ///
  /// A closure is a place inside of it: what stands in it sees what it captures.
  ///
  /// - Returns: Its name, or nil where the file declares none or several, where `self` is weak or
  ///   not yet made, or where the name means something else.
  func logger(at node: some SyntaxProtocol) -> String? {
    var reach = Reach(of: Syntax(node))
    var passed: [TypeDeclaration] = []
    var found: [String] = []
    var current: Syntax? = Syntax(node)
    while found.isEmpty, let here = current {
      if here.as(ClosureExprSyntax.self)?.capturesWeakly ?? false { return nil }
      if let type = TypeDeclaration(here) {
        found = loggers(of: type).compactMap {
          reach.name(of: $0, in: type, beside: plainClasses)
        }
        if found.isEmpty { passed.append(type) }
        reach.leaveType()
      } else {
        reach.leave(here)
      }
      current = here.parent
    }
    if found.isEmpty { found = fileLoggers }
    guard found.count == 1, let name = found.first else { return nil }
    // A member of a type in between, or a local name, hides one further out.
    let isHidden =
      !name.contains(".")
      && (node.isLocal(name)
        || passed.contains { $0.property(name) != nil || $0.function(name) != nil })
    return isHidden ? nil : name
  }

  /// The loggers among the properties of a type, looked for once: a type may hold a finding in
  /// each of its members.
  private func loggers(of type: TypeDeclaration) -> [KnownLogger] {
    if let known = knownLoggers[type.node.id] { return known }
    let found = type.properties.filter { isLogger($0.binding) }.compactMap { property in
      let isLazy = property.variable.modifiers.has(.lazy)
      // To read such a one changes the value that has it.
      if isLazy, type.mayBeValue { return nil as KnownLogger? }
      return KnownLogger(
        name: property.name.text, isStatic: property.variable.isStatic,
        isStored: property.binding.accessorBlock == nil && !isLazy,
        hasValue: property.binding.initializer != nil,
        isReadAnywhere: property.variable.bindingSpecifier.tokenKind == .keyword(.let)
          || property.variable.modifiers.has(.nonisolated))
    }
    knownLoggers[type.node.id] = found
    return found
  }

  /// Whether a property holds a logger, and not one that may be missing.
  func isLogger(_ binding: PatternBindingSyntax) -> Bool {
    guard let type = binding.typeAnnotation?.type else {
      return binding.initializer?.value.as(FunctionCallExprSyntax.self)?.name == "Logger"
    }
    return type.lastName == "Logger"
      && !type.contains { [.optionalType, .implicitlyUnwrappedOptionalType].contains($0.kind) }
  }
}

/// What code at a place can name of the types around it, told while going outwards from there.
private struct Reach {
  private enum View {
    /// A value of the type, by `self`.
    case instance
    /// The type alone.
    case type
    /// The type alone, by its name: the first value of a property, or of a parameter.
    case firstValue
  }

  private let place: Syntax
  private var view = View.instance
  private var prefix = ""
  private var isCaptured = false
  /// Whether the place runs elsewhere than its type: in a closure that is sent to other threads.
  private var isSent = false
  /// Whether what is sent holds `self` without the logger, too.
  private var sendsSelf = false
  /// The work of tasks around the place, which is sent as well, but holds `self` unsaid.
  private var tasks: [ClosureExprSyntax] = []
  /// Closures around the place that somebody may keep for long.
  private var kept: [ClosureExprSyntax] = []
  /// Whether a member around it belongs to an actor of its own, which its tasks stay on.
  private var isOnActor = false
  private var isNonisolated = false
  private var isMutating = false
  private var initializer: InitializerDeclSyntax?

  init(of place: Syntax) { self.place = place }

  mutating func leave(_ node: Syntax) {
    isNonisolated = isNonisolated || node.isNonisolated
    isOnActor = isOnActor || node.isMemberOnActor
    if let closure = node.as(ClosureExprSyntax.self) {
      isCaptured = true
      if closure.isSent {
        isSent = true
        sendsSelf = sendsSelf || closure.namesSelf
      }
      if closure.isWorkOfTask {
        tasks.append(closure)
      } else {
        prefix = "self."
        if !closure.isSent, !closure.endsWithItsCall { kept.append(closure) }
      }
    } else if node.isTypeMember {
      view = .type
    } else if node.isFirstValue {
      if view == .instance { view = .firstValue }
    } else if let function = node.as(FunctionDeclSyntax.self) {
      if node.parent?.kind == .codeBlockItem { isCaptured = true }
      isMutating = isMutating || function.modifiers.has(.mutating)
    } else if let made = node.as(InitializerDeclSyntax.self) {
      initializer = made
    }
  }

  /// What lies in a type sees no value of the types around it.
  mutating func leaveType() {
    view = .type
    initializer = nil
    tasks = []
    kept = []
    isOnActor = false
  }

  /// How code at the place names a logger of a type around it; nil where it cannot.
  func name(
    of logger: KnownLogger, in type: TypeDeclaration, beside classes: @autoclosure () -> Set<String>
  ) -> String? {
    switch view {
    case .type: return logger.isStatic ? logger.name : nil
    case .firstValue: return logger.isStatic ? "\(type.name).\(logger.name)" : nil
    case .instance: break
    }
    if logger.isStatic { return "Self." + logger.name }
    // What is kept and held nothing of the object would keep it for as long, perhaps in a cycle.
    if type.mayBeObject, !kept.allSatisfy({ $0.holdsSelf(of: type) }) { return nil }
    if isSent || !tasks.isEmpty, type.mayNotBeSent(beside: classes()) {
      if isSent, !sendsSelf { return nil }
      // What held nothing of a type that may not be sent would not compile once it logs.
      if !isOnActor, !tasks.allSatisfy({ $0.holdsSelf(of: type) }) { return nil }
    }
    if isNonisolated || isSent && type.mayBeIsolated, !logger.isReadAnywhere { return nil }
    // No closure may keep a value that changes, or that is being made.
    if isCaptured, type.mayBeValue, isMutating || initializer != nil { return nil }
    let isReady =
      initializer?.hasMade(logger, before: place.position, isCaptured: isCaptured) ?? true
    return isReady ? prefix + logger.name : nil
  }
}

extension InitializerDeclSyntax {
  /// Whether `self` is far enough at a place in it for a logger to be read there.
  fileprivate func hasMade(
    _ logger: KnownLogger, before place: AbsolutePosition, isCaptured: Bool
  ) -> Bool {
    guard let body else { return false }
    let calls = body.ownCalls.filter { $0.initializes != nil }
    if calls.contains(where: { $0.position > place }) { return false }
    if calls.contains(where: { $0.initializes == "self" }) { return true }
    let sets = body.ownAssignments.filter(\.isState)
    let isComplete = !sets.contains { $0.node.position > place }
    guard logger.isStored else { return isComplete }
    let isMade =
      logger.hasValue
      || sets.contains { $0.path == logger.name && $0.node.position < place }
    return isMade && (isComplete || !isCaptured)
  }
}

extension FunctionCallExprSyntax {
  /// `self` or `super` of `self.init(…)` and `super.init(…)`.
  fileprivate var initializes: String? {
    guard let access = calledExpression.as(MemberAccessExprSyntax.self),
      access.declName.baseName.text == "init",
      let base = access.base?.trimmedDescription, base == "self" || base == "super"
    else { return nil }
    return base
  }
}

extension TypeDeclaration {
  /// Whether it may be a struct or enum.
  fileprivate var mayBeValue: Bool { [.structure, .enumeration, .extension].contains(kind) }

  /// Whether it may be a class or an actor, whose values live as long as something holds them.
  fileprivate var mayBeObject: Bool { [.classType, .actor, .extension].contains(kind) }

  /// Whether its values may belong to an actor.
  fileprivate var mayBeIsolated: Bool { kind == .actor || kind == .extension || hasGlobalActor }
}

extension FunctionCallExprSyntax {
  /// Whether what it makes goes on to somebody who listens: `a.map { … }.sink { … }`.
  fileprivate var isPartOfStream: Bool {
    var current = ExprSyntax(self)
    while let access = current.parent?.as(MemberAccessExprSyntax.self),
      let call = access.parent?.as(FunctionCallExprSyntax.self)
    {
      let names: Set<String> = [
        "sink", "assign", "store", "receive", "subscribe", "eraseToAnyPublisher", "eraseToStream",
        "bind", "drive", "share", "asObservable",
      ]
      if call.name.map(names.contains) ?? false { return true }
      current = ExprSyntax(call)
    }
    return false
  }
}

extension ClosureExprSyntax {
  /// Whether it holds `self` or something else weakly or without owning it.
  fileprivate var capturesWeakly: Bool {
    signature?.capture?.items.contains { $0.specifier != nil } ?? false
  }

  /// Whether it is handed to something that runs it on another thread, except for `Task { … }`.
  fileprivate var isSent: Bool {
    let names: Set<String> = [
      "async", "asyncAfter", "asyncAndWait", "addOperation", "addBarrierBlock", "detached",
      "addTask", "addTaskUnlessCancelled", "concurrentPerform", "detachNewThread",
    ]
    return receiver?.call.name.map(names.contains) ?? false
  }

  /// Whether it is over when the call that takes it is, so that nobody keeps it.
  fileprivate var endsWithItsCall: Bool {
    guard let (call, label) = receiver else { return false }
    // `{ … }()`
    if call.calledExpression.id == id { return true }
    guard let name = call.name else { return false }
    if Self.runners.contains(name) { return true }
    // `withLock { … }`, but not what `withObservationTracking` calls on a change.
    if name.hasPrefix("with") { return label != "onChange" }
    return Self.mappers.contains(name) && !call.isPartOfStream
  }

  private static let runners: Set<String> = [
    "forEach", "sync", "asyncAndWait", "performAndWait", "autoreleasepool", "concurrentPerform",
    "run", "assumeIsolated", "measure", "enumerateObjects", "enumerateLines",
  ]
  /// What goes over a collection at once, and over what a publisher sends later.
  private static let mappers: Set<String> = [
    "map", "compactMap", "flatMap", "filter", "reduce", "contains", "allSatisfy", "first",
    "sorted", "sort", "min", "max", "removeAll", "mapValues", "compactMapValues",
  ]

  /// Whether it holds `self` as it stands.
  fileprivate var namesSelf: Bool {
    contains { $0.as(TokenSyntax.self)?.tokenKind == .keyword(.self) }
  }

  /// Whether it holds `self` of a type around it: as it stands, or by the bare name of a member.
  fileprivate func holdsSelf(of type: TypeDeclaration) -> Bool {
    if namesSelf { return true }
    let captured = Set(signature?.capture?.items.map(\.name.bareText) ?? [])
    return Syntax(statements).contains { node in
      guard let reference = node.as(DeclReferenceExprSyntax.self), !reference.isMemberName else {
        return false
      }
      let name = reference.baseName.bareText
      return !captured.contains(name) && type.hasInstanceMember(name) && !node.isLocal(name)
    }
  }

  /// Whether it is the work of `Task { … }`, which needs no `self` in front of members; that of
  /// `Task.detached { … }` does.
  fileprivate var isWorkOfTask: Bool {
    guard var callee = receiver?.call.calledExpression else { return false }
    if let special = callee.as(GenericSpecializationExprSyntax.self) { callee = special.expression }
    return callee.as(DeclReferenceExprSyntax.self)?.baseName.text == "Task"
  }
}

extension TypeDeclaration {
  /// Whether its values have a function or property of that name, declared in this very block.
  fileprivate func hasInstanceMember(_ name: String) -> Bool {
    if let function = function(name) { return !Syntax(function).isTypeMember }
    guard let variable = property(name)?.nearest(VariableDeclSyntax.self) else { return false }
    return !variable.isStatic
  }
}

extension Syntax {
  fileprivate var hasGlobalActor: Bool {
    let attributes = asProtocol((any WithAttributesSyntax).self)?.attributes
    return attributes?.names.contains { $0.hasSuffix("Actor") } ?? false
  }

  /// Whether it is a member such as `@MainActor func f()`.
  fileprivate var isMemberOnActor: Bool {
    parent?.kind == .memberBlockItem && hasGlobalActor
  }

  /// Whether it is a member that belongs to no actor, whatever its type does.
  fileprivate var isNonisolated: Bool {
    asProtocol((any WithModifiersSyntax).self)?.modifiers.has(.nonisolated) ?? false
  }

  /// Whether it is a `static` or `class` function, property or subscript.
  fileprivate var isTypeMember: Bool {
    let modifiers =
      self.as(FunctionDeclSyntax.self)?.modifiers ?? self.as(VariableDeclSyntax.self)?.modifiers
      ?? self.as(SubscriptDeclSyntax.self)?.modifiers
    return modifiers.map { $0.has(.static) || $0.has(.class) } ?? false
  }

  /// Whether it is evaluated without a value of the type: what a stored property that is not
  /// `lazy` starts with, what a parameter has by default, and what an attribute is given.
  fileprivate var isFirstValue: Bool {
    switch kind {
    case .functionParameter, .attribute: return true
    case .initializerClause:
      guard let variable = nearest(VariableDeclSyntax.self),
        variable.parent?.kind == .memberBlockItem,
        parent?.parent?.parent?.id == variable.id
      else { return false }
      return !variable.isStatic && !variable.modifiers.has(.lazy)
    default: return false
    }
  }
}
