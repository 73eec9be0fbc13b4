// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// Counters of a transaction that does much, and what is dropped behind a dead letter.
  ///
  /// The server keeps all versions of a row until the transaction that wrote them ends, and looks
  /// at all of them each time that it writes another one. So a bulk was quadratic.
  static let counters = counting + folding + takingAll + coalescing + dropping

  private static let counting = """
    -- Where a transaction counts: in rows that no other one counts in until it ends, so that nobody
    -- ever waits for a counter. One that may go on for long has other rows to choose from. A lock
    -- that is held already is granted again at once, and so the first try nearly always does. With
    -- more transactions than rows, some count in the same one, and wait. One that counts often goes
    -- on in another row now and then, which is folded later.
    create or replace function mainstay.shard() returns integer language plpgsql volatile as $$
    declare
      v_uses integer := coalesce(nullif(current_setting('mainstay.uses', true), ''), '0');
      v_is_late boolean := coalesce(current_setting('mainstay.late', true) = 'yes', false);
      v_base integer := case when v_is_late then 128 else 0 end;
      v_count integer := case when v_is_late then 256 else 128 end;
      v_start integer := pg_backend_pid() % v_count;
      v_shard integer;
    begin
      perform set_config('mainstay.uses', (v_uses + 1)::text, true);
      if v_uses >= 64 then
        if v_uses % 64 = 0 then
          perform set_config(
            'mainstay.shard', (1000 + floor(random() * 2000000000)::integer)::text, true);
        end if;
        return current_setting('mainstay.shard')::integer;
      end if;
      for v_step in 0..v_count - 1 loop
        v_shard := v_base + (v_start + v_step) % v_count;
        if pg_try_advisory_xact_lock(hashtext('mainstay.load'), v_shard) then
          return v_shard;
        end if;
      end loop;
      return v_base + v_start;
    end $$;

    -- Counts in the row of this transaction, or to what it holds back until all are counted.
    create or replace function mainstay.count_load(
      p_enqueued bigint, p_pending bigint, p_bytes bigint
    ) returns void language plpgsql volatile as $$
    declare
      v_held bigint[] := nullif(current_setting('mainstay.held', true), '')::bigint[];
    begin
      if v_held is not null then
        perform set_config('mainstay.held', array[
          v_held[1] + p_enqueued, v_held[2] + p_pending, v_held[3] + p_bytes]::text, true);
        return;
      end if;
      insert into mainstay.load as l (shard, enqueued, pending, bytes)
      values (mainstay.shard(), p_enqueued, p_pending, p_bytes)
      on conflict (shard) do update set enqueued = l.enqueued + excluded.enqueued,
        pending = l.pending + excluded.pending, bytes = l.bytes + excluded.bytes;
    end $$;

    -- What the store holds, as limits count it.
    create or replace function mainstay.held_load(out pending bigint, out bytes bigint)
    language plpgsql volatile as $$
    declare
      v_held bigint[] := nullif(current_setting('mainstay.held', true), '')::bigint[];
    begin
      select coalesce(sum(l.pending), 0) + coalesce(v_held[2], 0),
          coalesce(sum(l.bytes), 0) + coalesce(v_held[3], 0)
        into pending, bytes from mainstay.load as l;
    end $$;


    """

  private static let folding = """
    -- Puts the rows together that transactions have left which counted often.
    create function mainstay.fold_counters() returns void language plpgsql volatile as $$
    declare
      v_load record;
      v_row record;
    begin
      with gone as (
        delete from mainstay.load as l where l.shard = any (array(
          select o.shard from mainstay.load as o where o.shard >= 1000
          limit 10000 for update skip locked))
        returning l.enqueued, l.pending, l.bytes
      )
      select count(*) as n, sum(g.enqueued) as enqueued, sum(g.pending) as pending,
          sum(g.bytes) as bytes
        into v_load from gone as g;
      if v_load.n > 0 then
        perform mainstay.count_load(
          v_load.enqueued::bigint, v_load.pending::bigint, v_load.bytes::bigint);
      end if;
      for v_row in
        with gone as (
          delete from mainstay.receipt as r where r.ctid = any (array(
            select o.ctid from mainstay.receipt as o where o.shard >= 1000
            limit 10000 for update skip locked))
          returning r.*
        )
        select g.kind, g.reason, sum(g.count)::bigint as count, sum(g.bytes)::bigint as bytes,
            min(g.first_at) as first_at, max(g.last_at) as last_at
          from gone as g group by g.kind, g.reason order by g.kind, g.reason
      loop
        insert into mainstay.receipt as r (kind, reason, shard, count, bytes, first_at, last_at)
        values (v_row.kind, v_row.reason, mainstay.shard(), v_row.count, v_row.bytes,
          v_row.first_at, v_row.last_at)
        on conflict (kind, reason, shard) do update set count = r.count + excluded.count,
          bytes = r.bytes + excluded.bytes, first_at = least(r.first_at, excluded.first_at),
          last_at = greatest(r.last_at, excluded.last_at);
      end loop;
    end $$;

    -- Drops days that are over, and forgets those ends that have no day of their own: some of them,
    -- so that it never takes long. It folds counters, too. Answers whether there may be more.
    create or replace function mainstay.forget_days(p_history_days integer) returns boolean
    language plpgsql volatile as $$
    declare
      v_first bigint := (mainstay.clock() / 86400000 - p_history_days) * 86400000;
      v_name text;
      v_count bigint;
    begin
      perform mainstay.be_patient(50);
      begin
        perform mainstay.fold_counters();
      exception
        when lock_not_available then null;
      end;
      begin
        for v_name in select c.relname from pg_inherits as i join pg_class
          as c on c.oid = i.inhrelid
          where i.inhparent = 'mainstay.outcome'::regclass and c.relname ~ '^outcome_[0-9]{8}$'
            and to_date(substring(c.relname from 9), 'YYYYMMDD')
              < (clock_timestamp() at time zone 'UTC')::date - p_history_days
        loop
          execute format('drop table mainstay.%I', v_name);
        end loop;
      exception
        when insufficient_privilege or lock_not_available then null;
      end;
      delete from mainstay.outcome_other where ctid = any (array(
        select ctid from mainstay.outcome_other where at < v_first order by at limit 10000));
      get diagnostics v_count = row_count;
      return v_count >= 10000;
    end $$;


    """

  private static let takingAll = """
    -- Takes several operations in, one after the other; one answer for each. Where a lock is not
    -- free for as long as the patience lasts, in milliseconds, none is kept. They are counted
    -- together, when all of them are there.
    create or replace function mainstay.take_all(
      p_new mainstay.arrival[], p_maximum_pending bigint, p_maximum_bytes bigint,
        p_outcomes boolean,
      p_now bigint, p_patience integer default null
    ) returns table (code text, uuid uuid) language plpgsql volatile as $$
    declare
      v_at bigint := coalesce(p_now, mainstay.clock());
      v_new mainstay.arrival;
      v_answer mainstay.arrival_answer;
      v_held bigint[];
    begin
      perform mainstay.be_patient(p_patience);
      perform mainstay.lock_arrivals(
        array(select a.lane from unnest(p_new) as a),
        array(select a.unique_key from unnest(p_new) as a),
        array(select n from unnest(p_new) as a, unnest(a.needs) as n),
        array(select a.ordering_key from unnest(p_new) as a),
        p_maximum_pending is not null or p_maximum_bytes is not null, cardinality(p_new) > 1);
      perform set_config('mainstay.held', '{0,0,0}', true);
      foreach v_new in array p_new loop
        v_answer := mainstay.take_locked(
          v_new, p_maximum_pending, p_maximum_bytes, p_outcomes, v_at);
        code := v_answer.code;
        uuid := v_answer.uuid;
        return next;
      end loop;
      v_held := current_setting('mainstay.held')::bigint[];
      perform set_config('mainstay.held', '', true);
      if v_held <> '{0,0,0}' then
        perform mainstay.count_load(v_held[1], v_held[2], v_held[3]);
      end if;
    end $$;

    -- As all functions that look for few rows.
    alter function mainstay.take_all(
        mainstay.arrival[], bigint, bigint, boolean, bigint, integer)
      set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
      set enable_mergejoin = off set jit = off;


    """
}
