// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayHTTP

let books = ResilientClient("books", at: URL(filePath: "/"))
print(try await books.get("/books/1", as: String.self))
