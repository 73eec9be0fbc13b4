// SPDX-License-Identifier: Apache-2.0

import MainstayAudit

/// What changed in the sources of a run, each asked of the repository that it lies in.
struct ChangedSources {
  private let names: PathNames
  private let revision: String
  private var repositories: [String: Git] = [:]
  /// The repository around the working folder, or why there is none.
  private let home: Result<Git, Git.Failure>

  /// The lines of sources that differ from a revision, as findings name them.
  ///
  /// - Parameters:
  ///   - sources: What is looked at; without any it is about the working folder.
  ///   - revision: What each repository is asked for: what differs from where it was left. A
  ///     submodule is asked for the commit that the repository around it had for it there.
  ///   - names: The working folder.
  /// - Returns: The lines, by the paths of the sources.
  /// - Throws: Where git is missing, knows no such revision, or knows nothing of a source.
  static func lines(
    of sources: [AuditSource], since revision: String, names: PathNames
  ) throws(Git.Failure) -> ChangedLines {
    var changes = ChangedSources(revision: revision, names: names)
    return try changes.lines(of: sources)
  }

  private init(revision: String, names: PathNames) {
    self.names = names
    self.revision = revision
    do throws(Git.Failure) {
      home = .success(try Git(around: names.folder))
    } catch {
      home = .failure(error)
    }
  }

  private mutating func lines(of sources: [AuditSource]) throws(Git.Failure) -> ChangedLines {
    guard !sources.isEmpty else {
      let git = try home.get()
      return try git.changedLines(since: git.start(since: revision), in: []).named(names)
    }
    var places: [(path: String, real: String)] = []
    var paths: [String: [String]] = [:]
    var tops: [String: String] = [:]
    for source in sources {
      guard case .file(let file) = source.content else { continue }
      let real = PathNames.real(file) ?? names.absolute(file)
      let folder = Self.folder(of: real)
      let top: String
      if let known = tops[folder] { top = known } else { top = try self.top(around: folder) }
      tops[folder] = top
      places.append((source.path, real))
      paths[top, default: []].append(String(real.dropFirst(top == "/" ? 1 : top.count + 1)))
    }
    var all = ChangedLines()
    for (top, paths) in paths.sorted(by: { $0.key < $1.key }) {
      let start = try self.start(in: top)
      all.add(try repository(at: top).changedLines(since: start, in: paths))
    }
    var named = all.named(names)
    // Findings name what lies behind a link by the link.
    for place in places {
      if let lines = all[path: place.real] { named.replace(place.path, with: lines) }
    }
    return named
  }

  /// The top folder of the repository that a folder without links lies in.
  private func top(around folder: String) throws(Git.Failure) -> String {
    let nearest = Repository.root(around: folder)
    // Git may be told of a repository that no folder shows.
    if case .success(let git) = home, nearest == nil, Self.contains(git.top, folder) {
      return git.top
    }
    if let nearest { return nearest }
    _ = try home.get()
    throw Git.Failure(message: "There is no repository of git around \(folder).")
  }

  private mutating func repository(at top: String) throws(Git.Failure) -> Git {
    if case .success(let git) = home, git.top == top { return git }
    if let known = repositories[top] { return known }
    let git = try Git(elsewhere: top)
    repositories[top] = git
    return git
  }

  /// The revision that counts in a repository.
  private mutating func start(in top: String) throws(Git.Failure) -> String {
    if case .success(let git) = home, git.top == top { return try git.start(since: revision) }
    guard let outer = Repository.root(around: Self.folder(of: top)), outer != top else {
      return try repository(at: top).start(since: revision)
    }
    let start = try self.start(in: outer)
    let path = String(top.dropFirst(outer == "/" ? 1 : outer.count + 1))
    return try repository(at: outer).commit(ofSubmodule: path, at: start) ?? revision
  }

  private static func contains(_ top: String, _ folder: String) -> Bool {
    folder == top || folder.hasPrefix(top == "/" ? "/" : top + "/")
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}
