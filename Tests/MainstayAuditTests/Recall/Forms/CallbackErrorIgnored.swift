// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let callbackErrorIgnored = Forms(
    "MS209",
    bad: #"""
      URLSession.shared.dataTask(with: request) { data, response, error in
        guard let data = data else { return }
        self.parse(data)
      }.resume()
      ---
      store.requestAccess(to: .event) { granted, error in
        DispatchQueue.main.async { self.isGranted = granted }
      }
      ---
      container.loadPersistentStores { description, error in
        self.isLoaded = true
      }
      ---
      let handler: (Data?, Error?) -> Void = { data, error in
        cache.store(data)
      }
      ---
      center.requestAuthorization(options: [.alert]) { [weak self] granted, err in
        if granted { self?.register() }
      }
      ---
      api.users(page: 2, completion: { users, error in
        self.users += users ?? []
        self.isLoading = false
      })
      ---
      geocoder.reverseGeocodeLocation(location) { (placemarks, error) in
        if let place = placemarks?.first {
          label.text = place.name
        } else {
          label.text = "Unknown place"
        }
      }
      ---
      auth.signIn(withEmail: email, password: password) { (result: User?, error: Error?) in
        guard let user = result?.user else {
          completion(false)
          return
        }
        completion(user.isActive)
      }
      ---
      await withCheckedContinuation { continuation in
        reader.read { value, error in
          continuation.resume(returning: value)
        }
      }
      ---
      HKHealthStore().execute(HKSampleQuery(type, limit: 1) { query, samples, error in
        for sample in samples ?? [] { add(sample) }
      })
      ---
      database.collection("posts").getDocuments() { snapshot, error -> Void in
        posts = snapshot!.documents.map(Post.init)
      }
      ---
      private lazy var onFinish: (String?, NSError?) -> Void = { name, error in
        self.name = name
      }
      ---
      producer.start { [weak self] (value, error) in
        guard let self, let value else { return }
        switch value {
        case .done: self.close()
        case .more: self.next()
        }
      }
      """#,
    good: #"""
      load { data, error in
        if let error { report(error) }
        show(data)
      }
      ---
      load { data, _ in show(data) }
      ---
      load { data, error in finish(data, error) }
      ---
      load { data, error in
        guard error == nil else { return fail() }
        show(data)
      }
      ---
      let onError: (Error) -> Void = { error in log.error("\(error)") }
      ---
      load { data, errorCode in show(data) }
      """#)
}
