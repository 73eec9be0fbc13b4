// SPDX-License-Identifier: Apache-2.0

import Foundation
import MainstayAsyncHTTPClient
import MainstayHTTP

let books = ResilientClient("books", at: URL(filePath: "/"), over: AsyncHTTPClientTransport())
print(try await books.get("/books/1", as: String.self))
