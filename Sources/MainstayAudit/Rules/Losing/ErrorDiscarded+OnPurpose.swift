// SPDX-License-Identifier: Apache-2.0

/// Clauses that say why they drop an error, or that answer for it in another way, and one that does
/// not.
let errorDiscardedOnPurpose: [Example] = [
  .good(
    """
    func read() {
      defer {
        do { try db.commit() } catch { try? db.rollback() }
      }
      show(db.rows())
    }
    """, because: "where all is over, nobody can be told"),
  .good(
    """
    func end() {
      // Commit or roll back, but leave the transaction. (A commit may fail where it is cancelled.)
      do { try db.commit() } catch { try? db.rollback() }
    }
    """),
  .good(
    """
    func order() throws -> [Column] {
      do { return try db.primaryKey(table).columns } catch {
        // There is no key: take all columns, as for a view.
        return try db.columns(table)
      }
    }
    """, because: "the second way says why, and its error goes on"),
  .good(
    """
    func send(_ parts: [Part]) async {
      for part in parts {
        do { try await write(part) } catch {
          // If a write fails, the request has failed elsewhere, too.
          return
        }
      }
    }
    """),
  .bad(
    """
    func settings() -> Settings {
      do { return try load() } ↓catch {
        // The file cannot be read on the first start.
        return Settings()
      }
    }
    """),
  .good(
    """
    var address: Address? {
      do { return try socket.address() } catch SocketError.closed {
        return lastAddress
      } catch { return nil }
    }
    """, because: "the one error that matters is told apart"),
  .good(
    """
    init?(_ text: String) {
      do { value = try parser.read(until: quote).string } catch { return nil }
    }
    """, because: "the error says that no quote comes"),
]
