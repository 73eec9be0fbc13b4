// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let resultFailureIgnored = Forms(
    "MS208",
    bad: #"""
      switch result {
      case .success(let items):
        self.items = items
      case .failure:
        break
      }
      ---
      AF.request(url).responseDecodable(of: Feed.self) { response in
        switch response.result {
        case .success(let feed):
          self.feed = feed
          self.tableView.reloadData()
        case .failure(_):
          break
        }
      }
      ---
      service.load { [weak self] result in
        guard let self else { return }
        switch result {
        case let .success(user):
          self.user = user
        case .failure:
          return
        }
      }
      ---
      switch await task.result {
      case .failure: break
      case .success(let value): show(value)
      }
      ---
      for outcome in outcomes {
        switch outcome {
        case .success(let row): rows.append(row)
        case .failure: continue
        }
      }
      ---
      switch Result(catching: { try load() }) {
      case .success(let config):
        apply(config)
      case .failure(_):
        return
      }
      ---
      func completed(_ result: Result<Data, any Error>) {
        switch result {
        case .success(let data):
          if data.isEmpty {
            retry()
          } else {
            keep(data)
          }
        case .failure:
          ()
        }
      }
      ---
      future.whenComplete { outcome in
        switch outcome {
        case .success(let channel): self.channel = channel
        case .failure: break
        }
      }
      ---
      switch completion {
      case .success(let url): open(url)
      case .failure(let error): break
      }
      ---
      let receiver = { (result: Result<Session, APIError>) in
        switch result {
        case Result.success(let session): start(session)
        case Result.failure: return
        }
      }
      ---
      switch result {
      case .success: dismiss()
      case .failure(let _): break
      }
      ---
      switch result.map(\.count) {
      case .success(let count): badge = count
      case .failure: break
      }
      ---
      guard isOpen else { return }
      switch (await service.fetch(id)) {
      case .success(let response): accept(response)
      case .failure: return ()
      }
      ---
      photos.save(image) { outcome in
        DispatchQueue.main.async {
          switch outcome {
          case .success(let id):
            self.ids.append(id)
            self.onSaved?(id)
          // The user sees it anyway.
          case .failure:
            break
          }
        }
      }
      ---
      store.products { loadResult in
        if case .success(let products) = loadResult {
          self.products = products
        }
      }
      ---
      func finished(_ outcome: Result<Receipt, StoreError>) {
        guard case let .success(receipt) = outcome else { return }
        receipts.append(receipt)
      }
      """#,
    good: #"""
      switch result {
      case .success(let items): self.items = items
      case .failure(let error): show(error)
      }
      ---
      switch result {
      case .success(let items): self.items = items
      case .failure: showOffline()
      }
      ---
      switch outcome {
      case .success: count += 1
      case .skipped: break
      case .failure(let error): log.error("\(error)")
      }
      ---
      let value = try result.get()
      ---
      store.products { result in
        guard case .success(let products) = result else {
          return self.showFailure()
        }
        self.products = products
      }
      ---
      var isSuccess: Bool {
        switch result {
        case .success: return true
        case .failure: return false
        }
      }
      """#)
}
