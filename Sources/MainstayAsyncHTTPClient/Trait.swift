// SPDX-License-Identifier: Apache-2.0

#if !HTTPClient
  #error(
    "MainstayAsyncHTTPClient needs the trait HTTPClient: .package(url: …, traits: [\"HTTPClient\"])"
  )
#endif
