// SPDX-License-Identifier: Apache-2.0

extension Forms {
  static let forceTry = Forms(
    "MS601",
    bad: #"""
      func save(_ item: Item) {
        let data = try! JSONEncoder().encode(item)
        defaults.set(data, forKey: "item")
      }
      ---
      let rows = try! context.fetch(request)
      ---
      var users: [User] {
        try! database.read { try User.fetchAll($0) }
      }
      ---
      Task {
        let (data, _) = try! await URLSession.shared.data(from: url)
        await show(data)
      }
      ---
      items.forEach { try! realm.add($0) }
      ---
      if isFirst {
        try! FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      ---
      guard let user = try! await api.user(id) else { return }
      ---
      try! channel.writeAndFlush(buffer).wait()
      ---
      return try! String(contentsOf: file, encoding: .utf8)
      ---
      let value = wrap(try! decoder.decode(Item.self, from: data))
      """#,
    good: #"""
      func save(_ item: Item) throws {
        let data = try JSONEncoder().encode(item)
        defaults.set(data, forKey: "item")
      }
      ---
      let rows = (try? context.fetch(request)) ?? stored
      ---
      do { try run() } catch { report(error) }
      ---
      let first = items.first!
      ---
      let text = "try! this"
      """#)
}
