// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let codeFromMessage = Forms(
    "MS110",
    bad: #"""
      do {
        try await client.send(request)
      } catch {
        if error.localizedDescription.contains("timed out") {
          await retry(request)
        } else {
          throw error
        }
      }
      ---
      do {
        try db.execute(sql)
      } catch let e where "\(e)".contains("UNIQUE constraint failed") {
        throw StoreError.duplicate
      }
      ---
      func isExpired(_ error: any Error) -> Bool {
        return error.localizedDescription.lowercased().contains("expired")
      }
      ---
      URLSession.shared.dataTask(with: url) { data, response, error in
        if let error, error.localizedDescription == "The request timed out." {
          self.showOffline()
        }
        self.finish(data, error)
      }.resume()
      ---
      do {
        try await account.login()
      } catch let error as NSError {
        if error.localizedDescription.hasPrefix("401") { await account.logout() }
        throw error
      }
      ---
      let text = error.localizedDescription
      if text.contains("quota") {
        offerUpgrade()
      }
      ---
      extension Error {
        var isOffline: Bool { localizedDescription.contains("offline") }
      }
      ---
      switch result {
      case .success(let rows):
        show(rows)
      case .failure(let error):
        if String(describing: error).contains("notFound") { create() } else { report(error) }
      }
      ---
      publisher.sink { completion in
        if case .failure(let err) = completion, err.localizedDescription.range(of: "403") != nil {
          coordinator.showLogin()
        }
      } receiveValue: { show($0) }
      ---
      guard !(error as NSError).localizedDescription.hasSuffix("was cancelled") else { return }
      ---
      switch error.localizedDescription {
      case "Not found": state = .missing
      case "Forbidden": state = .locked
      default: state = .broken(error)
      }
      ---
      future.whenFailure { error in
        if "\(error)".hasPrefix("connectionReset") { pool.restart() }
        logger.warning("\(error)")
      }
      ---
      if let apiError = error as? APIError, apiError.message.contains("rate limit") {
        await backOff()
      }
      """#,
    good: #"""
      do {
        try await client.send(request)
      } catch let error as URLError where error.code == .timedOut {
        await retry(request)
      }
      ---
      if items.contains("error") { show(items) }
      ---
      let name = error.localizedDescription
      label.text = name
      ---
      if response.headers["Content-Type"]?.contains("json") == true { parse(response) }
      ---
      log.error("\(error.localizedDescription)")
      if codes.contains(error.code) { retry() }
      ---
      if line.hasPrefix("error:") { errors.append(line) }
      """#)
}
