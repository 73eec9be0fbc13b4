// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let forcedFailureUnwrap = Forms(
    "MS603",
    bad: #"""
      let data = (try? Data(contentsOf: url))!
      ---
      let failure = error as! APIError
      show(failure.message)
      ---
      load { response in
        self.show(response.error!)
      }
      ---
      do {
        try await auth.login()
      } catch {
        let authError = error as! AuthError
        handle(authError)
      }
      ---
      let user = (try? await api.user(id))!
      ---
      var items: [Item] { (try? decoder.decode([Item].self, from: data))! }
      ---
      if result.isFailure { throw result.failure! }
      ---
      switch (error as! NetworkError) {
      case .offline: showOffline()
      case .server: showServer()
      }
      ---
      return (error as! URLError).code == .timedOut
      ---
      guard response.data != nil else { throw response.error! }
      ---
      completion((try? JSONSerialization.data(withJSONObject: body))!)
      ---
      operation.completionBlock = {
        self.delegate?.failed(with: operation.error!)
      }
      ---
      let reader = try? Reader(path)
      let lines = (try? reader!.lines())!.count
      """#,
    good: #"""
      let data = try Data(contentsOf: url)
      ---
      if let failure = error as? APIError { show(failure.message) }
      ---
      let nserror = error as NSError
      ---
      if let error = response.error { show(error) }
      ---
      let cell = row as! ItemCell
      ---
      guard let user = try? await api.user(id) else { return }
      """#)
}
