// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
  public import Foundation

  /// A control group with a limit of memory, for programs that a test starts in it.
  ///
  /// It takes the rights of root, and a machine that lets groups be made.
  public struct MemoryGroup: Sendable {
    /// The folder of the group.
    public let folder: URL
    /// The limit, in bytes.
    public let limit: Int

    /// Makes a group inside of that of this process, or at the top; nil where that is not allowed.
    public init?(limit: Int) {
      self.limit = limit
      let own = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
      func path(_ controller: String) -> String {
        let line = own.split(separator: "\n").first {
          $0.split(separator: ":", omittingEmptySubsequences: false).dropFirst().first
            .map(String.init) == controller
        }
        return line?.split(separator: ":").last.map(String.init) ?? "/"
      }
      let places = [
        ("/sys/fs/cgroup/memory" + path("memory"), "memory.limit_in_bytes"),
        ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
        ("/sys/fs/cgroup" + path(""), "memory.max"), ("/sys/fs/cgroup", "memory.max"),
      ]
      for (parent, file) in places {
        let folder = URL(filePath: parent).appending(path: "mainstay-\(UUID().uuidString)")
        guard mkdir(folder.path, 0o755) == 0 else { continue }
        if Self.write("\(limit)", to: folder.appending(path: file)) {
          self.folder = folder
          return
        }
        rmdir(folder.path)
      }
      return nil
    }

    /// What a shell does to go into the group, and everything that it starts with it.
    public var entering: String { "echo $$ > '\(folder.path)/cgroup.procs'" }

    /// How many bytes are missing until a share of the limit is in use that cannot be given back.
    public func bytes(to share: Double) -> Int? {
      let names = ["memory.usage_in_bytes", "memory.current"]
      guard let used = names.compactMap({ Int(text($0) ?? "") }).first else { return nil }
      let inactive = (text("memory.stat") ?? "").split(separator: "\n").first {
        $0.hasPrefix("total_inactive_file ") || $0.hasPrefix("inactive_file ")
      }
      let spare = inactive?.split(separator: " ").last.flatMap { Int($0) } ?? 0
      return max(Int(Double(limit) * share) - used + spare, 0)
    }

    private func text(_ name: String) -> String? {
      (try? String(contentsOf: folder.appending(path: name), encoding: .utf8))?
        .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Removes the group, from which every program must have gone.
    public func remove() { rmdir(folder.path) }

    private static func write(_ text: String, to file: URL) -> Bool {
      let descriptor = open(file.path, O_WRONLY)
      guard descriptor >= 0 else { return false }
      defer { close(descriptor) }
      return Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count
    }
  }
#endif
