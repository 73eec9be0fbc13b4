// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// What could not be read, and what nobody has a worker for, each by an index of its own: a look
  /// for one of them reads nothing of the other.
  static let parked = """
    drop index mainstay.op_parked;
    create index op_parked on mainstay.op (kind, version)
      where state = 'parked' and cause = 'unknownType';
    -- In the words of those who look for it.
    create index op_unread on mainstay.op (id)
      where state = 'parked' and cause is distinct from 'unknownType';
    -- It takes a part of them, and a bitmap is made of all.
    alter function mainstay.read_anew() set enable_bitmapscan to off;
    """
}
