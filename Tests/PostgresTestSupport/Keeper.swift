// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Foundation

/// A shell that starts and stops one server as it is told, and ends it when this process ends.
final class Keeper: Sendable {
  /// It did not do what it was told.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let socket: Int32
  private let child: pid_t
  private let queue = DispatchQueue(label: "mainstay.tests.keeper")

  /// Starts the shell.
  ///
  /// - Parameter environment: What the script reads.
  /// - Throws: ``Failure``.
  init(_ environment: [String: String]) throws {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Self.kind, 0, &ends) == 0 else {
      throw Failure(description: "no socket is left")
    }
    socket = ends[0]
    defer { close(ends[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // In a group of its own: whoever interrupts the tests leaves it to tidy up.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    let words = ["bash", "--norc", "-c", Self.script]
    let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    let pairs = environment.map { "\($0.key)=\($0.value)" }
    let variables: [UnsafeMutablePointer<CChar>?] = pairs.map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var child = pid_t()
    let status = posix_spawn(&child, "/bin/bash", &actions, &attributes, arguments, variables)
    self.child = child
    guard status == 0 else { throw Failure(description: "the shell does not start: \(status)") }
  }

  deinit {
    close(socket)
    let child = child
    // One that nobody waits for stays as a zombie, and exit tests see the oldest child alone: they
    // would wait for ever for theirs.
    Thread.detachNewThread {
      while waitpid(child, nil, 0) < 0, errno == EINTR {}
    }
  }

  #if os(Linux)
    private static let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
  #else
    private static let kind = SOCK_STREAM
  #endif

  /// Has one command done.
  func run(_ command: String) async throws {
    let answer = await withCheckedContinuation { continuation in
      queue.async { [self] in continuation.resume(returning: exchange(command + "\n")) }
    }
    guard answer == "ok" else { throw Failure(description: "\(command): \(answer)") }
  }

  private func exchange(_ command: String) -> String {
    let bytes = Array(command.utf8)
    guard send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      return "the shell has ended"
    }
    var answer: [UInt8] = []
    var byte: UInt8 = 0
    while read(socket, &byte, 1) == 1, byte != UInt8(ascii: "\n") { answer.append(byte) }
    return String(decoding: answer, as: UTF8.self)
  }

  /// Each command is answered by one line: `ok`, or what went wrong.
  ///
  /// PostgreSQL does not run as root, so there another user of the system runs it.
  private static let script = #"""
    control() {
      $RUN_AS "$BIN/pg_ctl" -s -w -t 600 -D "$FOLDER/data" -l "$FOLDER/log" "$@" \
        </dev/null >"$FOLDER/said" 2>&1
    }
    answer() {
      if [ "$1" = 0 ]; then echo ok; return; fi
      tail -n 3 "$FOLDER/said" "$FOLDER/log" 2>&1 | tr '\n' ' '; echo
    }
    # What else the tests have open must not live on in a server.
    for file in /proc/self/fd/*; do
      number=${file##*/}
      if [ "$number" -gt 2 ]; then eval "exec $number>&-"; fi
    done
    umask 022
    mkdir -p "$FOLDER" && { [ -z "$RUN_AS" ] || chown postgres "$FOLDER"; }
    cd "$FOLDER"
    while read -r command argument; do
      case $command in
        init)
          echo "$PASSWORD" >"$FOLDER/password"
          $RUN_AS "$BIN/initdb" -D "$FOLDER/data" -U "$SUPERUSER" --pwfile="$FOLDER/password" \
            --auth-local=trust --auth-host=scram-sha-256 -E UTF8 --no-locale --no-sync \
            --wal-segsize=4 </dev/null >"$FOLDER/said" 2>&1
          answer $? ;;
        copy) cp -a "$argument/data" "$FOLDER/data" >"$FOLDER/said" 2>&1; answer $? ;;
        set) echo "$argument" >>"$FOLDER/data/postgresql.conf"; answer $? ;;
        own)
          [ -z "$RUN_AS" ] || chown postgres "$FOLDER/data/$argument"
          chmod 600 "$FOLDER/data/$argument"; answer $? ;;
        start) control start; answer $? ;;
        stop) control -m "$argument" stop; answer $? ;;
      esac
    done
    control -m immediate stop
    cd /; rm -rf "$FOLDER"
    """#
}
