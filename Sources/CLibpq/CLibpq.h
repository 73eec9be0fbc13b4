// SPDX-License-Identifier: Apache-2.0
// PostgreSQL's client library, for Swift.

#ifndef MAINSTAY_CLIBPQ_H
#define MAINSTAY_CLIBPQ_H

#include <libpq-fe.h>

#endif
