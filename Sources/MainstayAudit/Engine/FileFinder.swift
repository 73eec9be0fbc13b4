// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Finds the sources below some paths: each once, in the same order on every machine.
///
/// A path that is named is taken whatever it is called. Below it, folders of tools, hidden ones,
/// links to folders, and what the configuration excludes are left out.
package struct FileFinder: Sendable {
  /// What was found.
  package struct Found: Sendable {
    /// The sources, in the order of their paths.
    package var sources: [AuditSource] = []
    /// What cannot be looked at, and why, in the order of their paths.
    package var problems: [AuditProblem] = []
    /// Whether there are tables of texts for people.
    package var hasStringTables = false
    /// What was asked for, as findings name it.
    package var named: Set<String> = []
    /// What was asked for and is left out, since the configuration excludes it.
    package var excluded: [String] = []

    package init(sources: [AuditSource] = []) { self.sources = sources }
  }

  private let excluded: [Glob]
  private let excludesNamed: Bool
  private let markdown: Bool
  fileprivate let names: PathNames
  fileprivate let project: PathNames

  /// Folders of what others wrote, or of what was built.
  static let leftOut: Set<String> = ["Pods", "Carthage", "DerivedData", "node_modules"]

  /// A finder.
  ///
  /// - Parameters:
  ///   - excluded: Globs of paths that are left out, relative to the project's folder.
  ///   - excludesNamed: Whether they hold for what is named, too.
  ///   - markdown: Whether pages in Markdown are sources as well.
  ///   - names: The working folder.
  ///   - project: The project's folder; nil where it is the working folder.
  package init(
    excluded: [String] = [], excludesNamed: Bool = false, markdown: Bool = false,
    names: PathNames = PathNames(), project: PathNames? = nil
  ) {
    self.excluded = excluded.map(Glob.init)
    self.excludesNamed = excludesNamed
    self.markdown = markdown
    self.names = names
    self.project = project ?? names
  }

  /// Looks below the paths.
  package func find(_ paths: [String]) -> Found {
    var search = Search(finder: self)
    for path in paths { search.add(path) }
    search.addLinks()
    search.found.sources.sort { $0.path < $1.path }
    search.found.problems.sort { ($0.path, $0.reason) < ($1.path, $1.reason) }
    return search.found
  }

  /// Whether the configuration leaves out a place of the project.
  package func isExcluded(_ place: String) -> Bool { excluded.contains { $0.matches(place) } }

  fileprivate func isSource(_ name: String) -> Bool {
    name.hasSuffix(".swift") || (markdown && MarkdownCode.isMarkdown(name))
  }

  /// One search, with what it has met already.
  private struct Search {
    let finder: FileFinder
    var found = Found()
    private var files: Set<FileIdentity> = []
    private var folders: Set<FileIdentity> = []
    /// Links to files; the file itself comes first, wherever it lies.
    private var links: [(path: String, root: Root)] = []
    private var root: Root

    init(finder: FileFinder) {
      self.finder = finder
      root = Root(".", finder)
    }

    // MARK: Named paths

    mutating func add(_ path: String) {
      guard !path.isEmpty else {
        found.named.insert("\"\"")
        return complain("\"\"", "it names nothing")
      }
      let name = finder.names.relative(path)
      found.named.insert(name)
      root = Root(path, finder)
      guard let status = FileStatus(path) else {
        return complain(name, missing(path))
      }
      if finder.excludesNamed, finder.isExcluded(root.place(of: path)) {
        found.excluded.append(name)
        return
      }
      switch status.kind {
      case .folder:
        // A glob that excludes the folder itself would leave nothing of what was asked for.
        let place = root.place(of: path)
        walk(path, name, finder.excluded.filter { !$0.matches(place) })
      case .file: take(path, name, status)
      default: complain(name, "it is neither a file nor a folder")
      }
    }

    private func missing(_ path: String) -> String {
      let reason = errno
      let isLink = FileStatus(path, followsLinks: false)?.kind == .link
      if isLink, reason == ENOENT { return "the link leads nowhere" }
      if isLink, reason == ELOOP { return "the link leads to itself" }
      return reason == ENOENT ? "there is no such file or folder" : SystemWords.of(reason)
    }

    // MARK: Below a folder

    private mutating func walk(_ path: String, _ name: String, _ excluded: [Glob]) {
      var open = [(path: path, name: name == "." ? "" : name)]
      while let (path, name) = open.popLast() {
        guard let status = FileStatus(path) else {
          complain(name, unreachable(name))
          continue
        }
        guard folders.insert(status.identity).inserted else { continue }
        let entries: [FolderEntry]
        do throws(POSIXError) {
          entries = try FolderEntry.all(in: path)
        } catch {
          complain(
            name.isEmpty ? "." : name,
            "the folder cannot be read: \(SystemWords.of(error.code.rawValue))")
          continue
        }
        for entry in entries.sorted(by: { $0.name < $1.name }) {
          let inner =
            name.isEmpty || name.hasSuffix("/")
            ? name + entry.name
            : name + "/" + entry.name
          let below = path + "/" + entry.name
          if !excluded.isEmpty {
            let place = root.place(of: below)
            if excluded.contains(where: { $0.matches(place) }) { continue }
          }
          if let folder = visit(entry, below, inner) { open.append(folder) }
        }
      }
    }

    /// Takes an entry, or hands it back where it is a folder to look into.
    private mutating func visit(
      _ entry: FolderEntry, _ path: String, _ name: String
    ) -> (path: String, name: String)? {
      switch entry.kind {
      case .folder:
        let isLeftOut = entry.name.hasPrefix(".") || FileFinder.leftOut.contains(entry.name)
        return isLeftOut ? nil : (path, name)
      case .link:
        if finder.isSource(entry.name) { links.append((path, root)) }
      case .file where finder.isSource(entry.name):
        if let status = FileStatus(path) {
          take(path, name, status)
        } else {
          complain(name, unreachable(name))
        }
      case .file:
        let isTable = entry.name.hasSuffix(".xcstrings") || entry.name.hasSuffix(".strings")
        if isTable { found.hasStringTables = true }
      case .other: break
      }
      return nil
    }

    /// Why something cannot be reached that its folder has just named.
    private func unreachable(_ name: String) -> String {
      let reason = errno
      // A name with other bytes was mended when it was read, and is the name of nothing then.
      return name.contains("\u{fffd}") ? "its name is no UTF-8" : SystemWords.of(reason)
    }

    mutating func addLinks() {
      for (path, root) in links {
        self.root = root
        let name = finder.names.relative(path)
        guard let status = FileStatus(path) else {
          complain(name, missing(path))
          continue
        }
        if status.kind == .file { take(path, name, status) }
      }
    }

    private mutating func take(_ path: String, _ name: String, _ status: FileStatus) {
      guard files.insert(status.identity).inserted else { return }
      found.sources.append(AuditSource(path: name, fileAt: path, place: root.place(of: path)))
    }

    private mutating func complain(_ name: String, _ reason: String) {
      found.problems.append(AuditProblem(path: name, reason: reason))
    }
  }
}

/// Where a named path lies, to tell the place of each file below it within its project.
private struct Root {
  private let names: PathNames
  /// The folder that places are told from.
  private let start: String

  init(_ path: String, _ finder: FileFinder) {
    names = finder.names
    let absolute = finder.names.absolute(path)
    if absolute == finder.project.folder || absolute.hasPrefix(finder.project.folder + "/") {
      start = finder.project.folder
    } else {
      // A project elsewhere: what lies above it says nothing about its code.
      start = Repository.root(around: absolute) ?? Self.parent(of: absolute)
    }
  }

  func place(of path: String) -> String {
    let absolute = names.absolute(path)
    guard absolute.hasPrefix(start == "/" ? "/" : start + "/") else { return absolute }
    return String(absolute.dropFirst(start == "/" ? 1 : start.count + 1))
  }

  private static func parent(of path: String) -> String {
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    return parent.isEmpty ? "/" : parent
  }
}

/// Where a repository begins.
package enum Repository {
  /// The nearest folder around a path, or the path itself, that holds a repository of git.
  package static func root(around path: String) -> String? {
    var folder = path
    while folder.hasPrefix("/") {
      if FileStatus(folder + "/.git") != nil { return folder.isEmpty ? "/" : folder }
      guard let slash = folder.lastIndex(of: "/"), folder != "/" else { return nil }
      folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
    }
    return nil
  }
}
