// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// How the server plans what is asked most often.
  ///
  /// These functions look for few rows by an index, whatever their parameters are, so one plan does
  /// for all calls: planning each call anew took longer than running it. Such a plan may be made
  /// while a table is empty, and is kept until the server has counted the rows, so it must not read
  /// a whole table. An estimate that has become wrong must not start the server's compiler either.
  /// Where it has counted that there are none, even a join with an index reads all of that, and
  /// does so again for each row that it looks up. So these functions look rows up as values, by an
  /// array of ids, or by `lateral` with a limit or a lock: that leaves no other way than the index.
  ///
  /// A later step that replaces one of them has to say so again.
  static let plans = """
    do $$
    declare
      v_function regprocedure;
    begin
      for v_function in select p.oid::regprocedure from pg_proc as p
        where p.pronamespace = (select relnamespace from pg_class
            where oid = 'mainstay.op'::regclass)
          and p.proname in ('claim', 'held', 'complete', 'settle', 'promote', 'take_plain',
            'take_all', 'enqueue_bytes')
      loop
        execute format('alter function %s set plan_cache_mode = force_generic_plan '
          'set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off '
          'set jit = off', v_function);
      end loop;
    end $$;
    """
}
