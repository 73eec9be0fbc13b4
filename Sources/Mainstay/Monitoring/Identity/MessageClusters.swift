// SPDX-License-Identifier: Apache-2.0

/// Finds out which messages differ only in values that no ``MessageTemplate`` knows.
///
/// It is the second level below a ``Fingerprint``, for texts of other people's code: "user ada not
/// found" and "user bob not found" become "user <*> not found". Messages of different types or
/// codes are never compared. It learns from each message in the order in which they come, so the
/// same order gives the same clusters; each has the id of its first template and keeps it.
///
/// ```swift
/// let clusters = MessageClusters()
/// let match = clusters.add("user ada not found", type: "PSQLError", code: "")
/// print(match.id, match.template)
/// ```
///
/// The method is Drain (He, Zhu, Zheng, Lyu, ICWS 2017). Memory is bounded: the cluster that was
/// not met for the longest time makes room.
public final class MessageClusters: Sendable {
  /// Messages that belong together.
  public struct Cluster: Sendable, Hashable, Codable, Identifiable {
    /// The exact group of the message that it began with; it never changes.
    public let id: Fingerprint
    /// The words that all have, with `<*>` where they differ.
    public internal(set) var template: String
    /// The template of the message that it began with.
    public let firstTemplate: String
    /// The type of the errors; empty where none was given.
    public let type: String
    /// The code of the errors; empty where none was given.
    public let code: String
    /// How many messages it has.
    public internal(set) var count: Int
  }

  /// Where one message belongs.
  public struct Match: Sendable, Hashable {
    /// The cluster.
    public let id: Cluster.ID
    /// The exact group of the message: of its type, code and template.
    public let fingerprint: Fingerprint
    /// The template of the cluster.
    public let template: String
    /// Whether the message began it.
    public let isNew: Bool
  }

  private let machine: Locked<MessageClustersStateMachine>

  /// Begins without clusters.
  ///
  /// A setting that is not legal stops the program.
  ///
  /// - Parameters:
  ///   - depth: How deep the tree is; its first `depth - 3` words lead a message to the clusters
  ///     that it may join. 3 to 16; the default is 4.
  ///   - similarity: Which part of the words a message must have in common with a cluster; more
  ///     than 0, to 1. The default is 0.6, since errors are short; 0.4 suits long lines.
  ///   - maximumChildren: How many words are told apart at one place; 2 to 10,000, the default is
  ///     100.
  ///   - maximumClusters: How many clusters are kept; 1 to 100,000, the default is 1,000.
  public convenience init(
    depth: Int = 4, similarity: Double = 0.6, maximumChildren: Int = 100,
    maximumClusters: Int = 1000
  ) {
    let configuration = Configuration(
      depth: depth, similarity: similarity, maximumChildren: maximumChildren,
      maximumClusters: maximumClusters)
    do throws(ConfigurationError) {
      try self.init(validating: configuration)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Begins without clusters, with settings that come from outside.
  ///
  /// - Parameter configuration: The settings.
  /// - Throws: ``ConfigurationError`` with everything that is not legal.
  public init(validating configuration: Configuration) throws(ConfigurationError) {
    machine = Locked(MessageClustersStateMachine(try configuration.checked()))
  }

  /// Counts a message and says where it belongs.
  ///
  /// - Parameters:
  ///   - message: The message; its template is made here.
  ///   - type: The type of the error; messages of different types are never together.
  ///   - code: The code of the error, or its domain and number.
  /// - Returns: The cluster, which has learned from the message.
  @discardableResult
  public func add(_ message: String, type: String = "", code: String = "") -> Match {
    let message = Message(message, type: type, code: code)
    return machine.withLock { $0.add(message) }
  }

  /// Says where a message would belong, without counting it.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - type: The type of the error.
  ///   - code: The code of the error, or its domain and number.
  /// - Returns: The cluster that all of its words fit; nil where there is none.
  public func match(_ message: String, type: String = "", code: String = "") -> Match? {
    let message = Message(message, type: type, code: code)
    return machine.withLock { $0.match(message) }
  }

  /// The clusters, the largest first.
  public var clusters: [Cluster] { machine.withLock { $0.clusters } }

  /// How many clusters there are.
  public var count: Int { machine.withLock { $0.count } }

  /// How many clusters have made room for others.
  public var evicted: Int { machine.withLock { $0.evicted } }
}

extension MessageClusters {
  /// Settings that come from outside, such as a file; checked by
  /// ``MessageClusters/init(validating:)``.
  public struct Configuration: Sendable, Hashable, Codable {
    /// How deep the tree is; 3 to 16, the default is 4.
    public var depth: Int
    /// Which part of the words must be the same; more than 0, to 1; the default is 0.6.
    public var similarity: Double
    /// How many words are told apart at one place; 2 to 10,000, the default is 100.
    public var maximumChildren: Int
    /// How many clusters are kept; 1 to 100,000, the default is 1,000.
    public var maximumClusters: Int

    /// Makes settings.
    public init(
      depth: Int = 4, similarity: Double = 0.6, maximumChildren: Int = 100,
      maximumClusters: Int = 1000
    ) {
      self.depth = depth
      self.similarity = similarity
      self.maximumChildren = maximumChildren
      self.maximumClusters = maximumClusters
    }

    /// Decodes the settings; a key that is missing gets its default.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      self.init()
      depth = try values.decode(.depth, default: depth)
      similarity = try values.decode(.similarity, default: similarity)
      maximumChildren = try values.decode(.maximumChildren, default: maximumChildren)
      maximumClusters = try values.decode(.maximumClusters, default: maximumClusters)
    }

    func checked() throws(ConfigurationError) -> MessageClustersStateMachine.Settings {
      var found = Violations()
      found.check((3...16).contains(depth), "depth", depth, "it must be 3 to 16")
      found.check(
        similarity > 0 && similarity <= 1, "similarity", similarity,
        "it must be more than 0, to 1")
      found.check(
        (2...10_000).contains(maximumChildren), "maximumChildren", maximumChildren,
        "it must be 2 to 10,000")
      found.check(
        (1...100_000).contains(maximumClusters), "maximumClusters", maximumClusters,
        "it must be 1 to 100,000")
      guard found.all.isEmpty else {
        throw ConfigurationError(subject: "MessageClusters", violations: found.all)
      }
      return MessageClustersStateMachine.Settings(
        leadingWords: depth - 3, similarity: similarity, maximumChildren: maximumChildren,
        maximumClusters: maximumClusters)
    }
  }
}
