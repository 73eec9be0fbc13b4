// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// A long backlog goes by parts.
  ///
  /// It is what is too much in a store far above its limits, and what was parked while nobody had a
  /// worker for it. All of it at once took longer than a statement may, so nothing ever went.
  static let backlog = makingRoom + promoting

  private static let makingRoom = """
    -- Drops what has expired, and then what is expendable, until a newcomer has room; false where
    -- it has none. A holder is the one whose place it takes; what the newcomer needs stays. Of what
    -- was too much before it, a few go with each newcomer: no one has to wait for all.
    create or replace function mainstay.make_room(
      p_new mainstay.arrival, p_holder bigint, p_freed bigint, p_maximum_pending bigint,
      p_maximum_bytes bigint, p_outcomes boolean, p_at bigint
    ) returns boolean language plpgsql volatile as $$
    declare
      v_size bigint := octet_length(p_new.payload);
      v_rows bigint;
      v_bytes bigint;
      v_victims bigint[] := '{}';
      v_own bigint := v_size - p_freed;
      v_is_enough boolean := false;
      v_row record;
      v_found integer := 100;
    begin
      if p_maximum_pending is null and p_maximum_bytes is null then return true; end if;
      -- One after the other: two newcomers must not take the same place.
      perform pg_advisory_xact_lock(hashtext('mainstay.room'), 0);
      -- What nobody wants any more goes before what somebody does, however much of it there is.
      loop
        select sum(pending) + 1 - p_maximum_pending, sum(bytes) + v_size - p_freed - p_maximum_bytes
          into v_rows, v_bytes from mainstay.load;
        if coalesce(v_rows, 0) <= 0 and coalesce(v_bytes, 0) <= 0 then return true; end if;
        if v_size > p_maximum_bytes then return false; end if;
        exit when v_found < 100;
        v_found := mainstay.expire(100, p_outcomes, p_at);
      end loop;
      for v_row in select id, octet_length(payload) as bytes from mainstay.op as o
        where expendable and state not in ('leased', 'conflicted') and effect in ('notSent',
          'refused')
          and not cancelled and (not p_new.expendable or priority <= p_new.priority)
          and id is distinct from p_holder and uuid <> all (coalesce(p_new.needs, '{}'))
          and (select d.op from mainstay.dep as d where d.needs = o.id limit 1) is null
        -- What somebody's transaction is at is left alone: it may come to need it.
        order by priority, id for update skip locked
      loop
        -- Somebody may have come to need it since the search began, and nobody can from now on.
        continue when exists (select 1 from mainstay.dep where needs = v_row.id);
        v_victims := v_victims || v_row.id;
        v_rows := v_rows - 1;
        v_bytes := v_bytes - v_row.bytes;
        v_own := v_own - v_row.bytes;
        v_is_enough := coalesce(v_rows, 0) <= 0 and coalesce(v_bytes, 0) <= 0
          or cardinality(v_victims) >= 5 and (coalesce(v_bytes, 0) <= 0 or v_own <= 0);
        exit when v_is_enough;
      end loop;
      if not v_is_enough then return false; end if;
      for v_row in select unnest(v_victims) as id loop
        perform mainstay.remove(v_row.id, 'evicted', null, p_outcomes, p_at);
      end loop;
      return true;
    end $$;

    -- In the order of its index: sorting all of the backlog for a few of it took longer than they
    -- did.
    alter function mainstay.make_room(
        mainstay.arrival, bigint, bigint, bigint, bigint, boolean, bigint)
      set plan_cache_mode = force_generic_plan set enable_sort = off set enable_seqscan = off
      set enable_bitmapscan = off set jit = off;


    """

  private static let promoting = """
    -- Makes ready what is due, and answers in how many milliseconds something else is, and whether
    -- there may be more to let in, or more that has expired. What is due and left, since somebody's
    -- open transaction is at it, does not count: nobody can do anything about that.
    create or replace function mainstay.promote(
      p_kinds text[], p_versions integer[], p_outcomes boolean, p_now bigint,
      out next bigint, out is_partial boolean
    ) language plpgsql volatile as $$
    declare
      v_at bigint := coalesce(p_now, mainstay.clock());
      v_next bigint;
      v_count integer;
      v_let_in integer;
    begin
      update mainstay.op set state = 'ready', run_at = null, cause = null where id = any (array(
        select id from mainstay.op where run_at <= v_at order by run_at limit 1000
        for no key update skip locked));
      get diagnostics v_count = row_count;
      update mainstay.op set state = 'ready', cause = null where id = any (array(
        select u.id from unnest(p_kinds, p_versions) as t (kind, version) cross join lateral (
          select o.id from mainstay.op as o
          where o.state = 'parked' and o.cause = 'unknownType'
            and o.kind = t.kind and o.version = t.version
          limit 1000 for no key update skip locked) as u
        limit 1000));
      get diagnostics v_let_in = row_count;
      is_partial := mainstay.let_in_left(v_at);
      is_partial := mainstay.expire(1000, p_outcomes, v_at) >= 1000 or is_partial;
      select min(t) into v_next from (
        select min(run_at) as t from mainstay.op where run_at > v_at
        union all select min(until) from mainstay.lane where until > v_at
        union all select min(rest_until) from mainstay.lane where rest_until > v_at
        union all select min(expires_at) from mainstay.op where expires_at > v_at) as times;
      next := case when greatest(v_count, v_let_in) >= 1000 then 0 else v_next - v_at end;
    end $$;

    -- As all functions that look for few rows.
    alter function mainstay.promote(text[], integer[], boolean, bigint)
      set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
      set enable_mergejoin = off set jit = off;
    """
}
