// SPDX-License-Identifier: Apache-2.0

internal import Mainstay

extension PostgresConnection {
  /// How a session is opened, and how long it may take for what.
  package struct Settings: Sendable, Hashable {
    /// How long each address of a host may take to let a session in; the default is 5 seconds.
    ///
    /// What the option `connect_timeout` says goes before it.
    package var connecting: Duration
    /// How long a statement may run; the default is 10 seconds.
    package var statement: Duration
    /// How long a statement may wait for a lock; the default is 5 seconds.
    package var lock: Duration
    /// How long a transaction may do nothing; the default is 30 seconds.
    package var idleInTransaction: Duration
    /// How much longer this side waits than the server is told; the default is 2 seconds.
    package var grace: Duration
    /// How many statements are kept prepared; the default is 200.
    package var preparedStatements: Int
    /// Whether a pooler stands between, which gives each transaction another session.
    ///
    /// Then nothing is prepared and no time limit is set for the session: transactions set their
    /// own, and this side watches the rest.
    package var isPooled: Bool

    package init(
      connecting: Duration = .seconds(5), statement: Duration = .seconds(10),
      lock: Duration = .seconds(5), idleInTransaction: Duration = .seconds(30),
      grace: Duration = .seconds(2), preparedStatements: Int = 200, isPooled: Bool = false
    ) {
      self.connecting = connecting.clamped
      self.statement = statement.clamped
      self.lock = lock.clamped
      self.idleInTransaction = idleInTransaction.clamped
      self.grace = grace.clamped
      self.preparedStatements = isPooled ? 0 : max(0, preparedStatements)
      self.isPooled = isPooled
    }
  }
}

extension PostgresConnection.Settings {
  /// What libpq is told: what the address, its service or the environment says goes before what is
  /// set here.
  func options(over address: PostgresAddress) -> [(String, String)] {
    let patience = Self.milliseconds(connecting(to: address))
    var options = [
      "fallback_application_name": "mainstay", "client_encoding": "UTF8",
      "keepalives_idle": "15", "keepalives_interval": "5", "keepalives_count": "3",
      "tcp_user_timeout": "\(min(max(1_000, patience), 86_400_000))",
      // Without any, whoever sits at the terminal would be asked for that of a key, and nobody may.
      "sslpassword": "-",
    ]
    // Only one of several hosts takes changes, and after a failover it is another one.
    if address.namesSeveralHosts, address.setting("target_session_attrs") == nil {
      options["target_session_attrs"] = PostgresAddress.takesChanges
    }
    // Some poolers refuse every session that comes with options.
    if !isPooled {
      // A space within a value would end it.
      options["options"] =
        (limits + [("default_transaction_isolation", Self.isolation)])
        .map { "-c \($0)=\($1.replacing(" ", with: "\\ "))" }.joined(separator: " ")
    }
    for (keyword, value) in address.outside.merging(address.options, uniquingKeysWith: { $1 }) {
      if keyword == "options", let own = options["options"] {
        options["options"] = own + " " + value
      } else if keyword != "client_encoding" {
        options[keyword] = value
      }
    }
    return options.map { ($0.key, $0.value) }
  }

  /// How long an address may take: libpq leaves that to whoever waits for its socket.
  func connecting(to address: PostgresAddress) -> Duration {
    let said = address.options["connect_timeout"] ?? address.outside["connect_timeout"]
    guard let seconds = (said ?? address.setting("connect_timeout")).flatMap({ Int64($0) }),
      seconds > 0
    else { return connecting }
    return Duration.seconds(seconds).clamped
  }

  private var limits: [(String, String)] {
    [
      ("TimeZone", "UTC"), ("bytea_output", "hex"), ("DateStyle", "ISO"),
      ("statement_timeout", "\(Self.milliseconds(statement))"),
      ("lock_timeout", "\(Self.milliseconds(lock))"),
      ("idle_in_transaction_session_timeout", "\(Self.milliseconds(idleInTransaction))"),
    ]
  }

  /// What a session and its transactions see: what is committed, whatever the role's default is.
  static let isolation = "read committed"

  /// What a transaction begins with.
  var beginning: String {
    // Each statement has to see what others have committed meanwhile.
    let begin = "BEGIN ISOLATION LEVEL \(Self.isolation)"
    guard isPooled else { return begin }
    return ([begin] + limits.map { "SET LOCAL \($0) = '\($1)'" }).joined(separator: "; ")
  }

  /// Zero would mean that there is no limit.
  private static func milliseconds(_ duration: Duration) -> Int64 {
    max(1, Int64((duration.inSeconds * 1_000).rounded(.up)))
  }
}
