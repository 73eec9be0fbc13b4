// SPDX-License-Identifier: Apache-2.0

internal import CLibpq
internal import Foundation

/// One session with a server, over libpq; it lives on its own thread and nowhere else.
final class PostgresSession {
  let connection: OpaquePointer
  let line: SessionLine
  let settings: PostgresConnection.Settings
  var statements: StatementCache

  private init(
    _ connection: OpaquePointer, _ line: SessionLine, _ settings: PostgresConnection.Settings
  ) {
    self.connection = connection
    self.line = line
    self.settings = settings
    statements = StatementCache(capacity: settings.preparedStatements)
  }

  deinit { PQfinish(connection) }

  /// Begins a thread that opens a session and answers what the line brings.
  ///
  /// - Parameters:
  ///   - address: Where the server is.
  ///   - settings: What the session is like.
  ///   - line: What it answers.
  ///   - opened: Told once, how the opening ended.
  static func start(
    at address: PostgresAddress, _ settings: PostgresConnection.Settings, _ line: SessionLine,
    opened: Reply<Result<PostgresConnection.Facts, PostgresError>>
  ) {
    let thread = Thread {
      do throws(PostgresError) {
        let session = try open(at: address, settings, line)
        opened.give(.success(session.facts))
        line.end(session.serve())
      } catch {
        line.end(error)
        opened.give(.failure(error))
      }
    }
    thread.name = "mainstay.postgres"
    thread.stackSize = 1_024 * 1_024
    thread.start()
  }

  private var facts: PostgresConnection.Facts {
    PostgresConnection.Facts(
      processID: PQbackendPID(connection), serverVersion: Int(PQserverVersion(connection)),
      usesTLS: usesTLS)
  }

  /// Answers until the line is closed or the session is lost.
  ///
  /// - Returns: Why it is over.
  private func serve() -> PostgresError {
    while true {
      switch line.next() {
      case .end: return .closed
      case .answer(let request):
        let result = answer(request)
        line.rests(isReusable: isReusable(after: result), refusal: refusal)
        // The line ends first, so that whoever hears of the loss finds the session closed.
        if !isSound { line.end(Self.lost) }
        request.reply.give(result)
        tellNotifications()
        if !isSound { return Self.lost }
      case .wait:
        let ready = line.wakeFile.wait(for: PQsocket(connection), writes: false, until: nil)
        guard ready.canRead else { continue }
        guard consume(), PQstatus(connection) == CONNECTION_OK else {
          return Self.lost
        }
        tellNotifications()
      }
    }
  }

  /// Whether somebody else may go on with the session.
  private func isReusable(after result: Result<PostgresRows, PostgresError>) -> Bool {
    if case .failure(let error) = result, error.kind == .readOnly {
      // Another server may be the primary by now; the address says where to look.
      refusal = error
    }
    return isSound && refusal == nil && PQtransactionStatus(connection) == PQTRANS_IDLE
  }

  /// Whether the session can go on; false once its server or the way to it is gone.
  var isSound: Bool { !isGivenUp && PQstatus(connection) == CONNECTION_OK }
  /// Whether an answer did not come in time, so that nobody knows where the session stands.
  var isGivenUp = false
  /// Whether the last address that was tried did not answer in time.
  private var isTooLate = false
  /// What the server said where it takes no changes.
  private var refusal: PostgresError?

  static let lost = PostgresError(
    .lost, "The connection to the server was lost: try again.")

  /// Whether what is said is encrypted.
  var usesTLS: Bool { PQsslInUse(connection) != 0 }

  /// Takes what has come, and says whether the connection is whole.
  ///
  /// What is left of a record of TLS does not show at the socket. A record has 16 KB at most, and
  /// libpq takes 8 KB of it or more at once.
  func consume() -> Bool {
    (0..<(usesTLS ? 3 : 1)).allSatisfy { _ in PQconsumeInput(connection) == 1 }
  }

  func tellNotifications() {
    while let note = PQnotifies(connection) {
      line.tell(
        PostgresNotification(
          channel: String(cString: note.pointee.relname),
          payload: String(cString: note.pointee.extra)))
      PQfreemem(note)
    }
  }
}

// Opening.
extension PostgresSession {
  private static func open(
    at address: PostgresAddress, _ settings: PostgresConnection.Settings, _ line: SessionLine
  ) throws(PostgresError) -> PostgresSession {
    guard line.wakeFile.isOpen else {
      throw PostgresError(.unreachable, "This process has no file left: raise its limit of files.")
    }
    var hosts = address
    while true {
      let session = try begin(at: hosts, settings, line)
      do throws(PostgresError) {
        try session.finishOpening(at: address)
        return session
      } catch {
        guard session.isTooLate, let others = session.others(of: hosts) else { throw error }
        hosts = others
      }
    }
  }

  private static func begin(
    at address: PostgresAddress, _ settings: PostgresConnection.Settings, _ line: SessionLine
  ) throws(PostgresError) -> PostgresSession {
    CryptoLibrary.stayWhole()
    let options = settings.options(over: address)
    let started = withStrings(options.map(\.0)) { keywords in
      withStrings(options.map(\.1)) { values in PQconnectStartParams(keywords, values, 0) }
    }
    guard let started else {
      throw PostgresError(.unreachable, "This process has no memory left for a connection.")
    }
    return PostgresSession(started, line, settings)
  }

  private func finishOpening(at address: PostgresAddress) throws(PostgresError) {
    // With the five letters of the error: nothing else says what a server that refuses means.
    PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
    var limit = OpeningLimit(settings.connecting(to: address))
    // Before anything was said, the socket is waited for until it can be written to.
    var isReading = false
    while true {
      guard PQstatus(connection) != CONNECTION_BAD else { throw failure(at: address) }
      let deadline = limit.deadline(at: place, now: .now)
      if try isOpen(isReading: &isReading, until: deadline, at: address) { break }
    }
    guard PQserverVersion(connection) >= 130_000 else {
      throw PostgresError(
        .tooOld,
        "The server at \(address) is PostgreSQL \(PQserverVersion(connection) / 10_000), "
          + "which is too old: use 13 or newer.")
    }
    guard PQsetnonblocking(connection, 1) == 0 else { throw Self.lost }
    PQsetErrorVerbosity(connection, PQERRORS_DEFAULT)
  }

  /// The address that is being tried; the socket has the same number at each of them.
  private var place: String {
    [PQhost(connection), PQhostaddr(connection), PQport(connection)].map(Self.text)
      .joined(separator: " ")
  }

  /// Where else it may be tried, after a host that let somebody come and said no more.
  private func others(of address: PostgresAddress) -> PostgresAddress? {
    address.after(host: Self.text(PQhost(connection)), port: Self.text(PQport(connection)))
  }

  private static func text(_ words: UnsafeMutablePointer<CChar>?) -> String {
    words.map { String(cString: $0) } ?? ""
  }

  /// Goes one step on.
  private func isOpen(
    isReading: inout Bool, until deadline: ContinuousClock.Instant, at address: PostgresAddress
  ) throws(PostgresError) -> Bool {
    guard !line.isClosed else { throw .closed }
    guard ContinuousClock.now < deadline else {
      isTooLate = true
      throw PostgresError(
        .unreachable,
        "The server at \(address) does not answer in time: start it, or correct the "
          + "address.")
    }
    let ready = line.wakeFile.wait(for: PQsocket(connection), writes: !isReading, until: deadline)
    guard ready.canRead || ready.canWrite else { return false }
    switch PQconnectPoll(connection) {
    case PGRES_POLLING_OK: return true
    case PGRES_POLLING_FAILED: throw failure(at: address)
    case PGRES_POLLING_READING: isReading = true
    default: isReading = false
    }
    return false
  }

  private func failure(at address: PostgresAddress) -> PostgresError {
    PostgresError(opening: String(cString: PQerrorMessage(connection)), address: address)
  }

  /// Lends strings as a list that ends with nil.
  private static func withStrings<T>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> T
  ) -> T {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies.map { UnsafePointer($0) } + [nil])
  }
}
