// SPDX-License-Identifier: Apache-2.0

#if !HTTPClient
  #error(
    "MainstayOgmios needs the trait HTTPClient: .package(url: …, traits: [\"HTTPClient\"])"
  )
#endif
