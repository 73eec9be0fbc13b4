// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import Logging

extension Dashboard {
  /// Somebody who may see the dashboard: what pages and the log call them, and what they may do.
  public struct Visitor: Sendable, Hashable {
    /// What somebody may do; each role may do what the one before it may.
    public enum Role: String, Sendable, Hashable, CaseIterable {
      /// See all pages, and change nothing: no page has buttons for it.
      case looks
      /// Decide on dead letters, conflicts, kinds and circuits as well.
      case acts
    }

    /// The name, such as that of an account; any text is legal, and no credential should be.
    public var name: String
    /// What they may do; on a dashboard that ``Dashboard/isReadOnly`` nobody acts.
    public var role: Role

    /// Makes a visitor.
    ///
    /// - Parameters:
    ///   - name: The name, which stands in the head of each page, and in the log with each action.
    ///   - role: What they may do; the default is to act.
    public init(_ name: String, role: Role = .acts) {
      self.name = name
      self.role = role
    }
  }

  /// Says who sends a request, by its head alone; nil for nobody who may see the dashboard.
  public typealias Identification = @Sendable (HTTPRequest) async -> Visitor?

  /// What the gate was told about a request.
  enum Admission: Sendable {
    case refused
    /// Let in, by a name where that is known.
    case letIn(Visitor?)
  }
}

/// Who sends the request that is answered, where that is known.
enum CurrentVisitor {
  @TaskLocal static var visitor: Dashboard.Visitor?
}

extension Site {
  /// Whether there are actions for whoever sends the request.
  var mayAct: Bool { !dashboard.isReadOnly && CurrentVisitor.visitor?.role != .looks }

  /// Writes down what somebody has done, with the name of who has done it where that is known.
  func log(_ message: Logger.Message, _ metadata: Logger.Metadata) {
    var metadata = metadata
    metadata["visitor"] = CurrentVisitor.visitor.map { "\($0.name)" }
    dashboard.logger.notice(message, metadata: metadata)
  }
}
