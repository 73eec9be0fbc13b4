// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// The claim anew: limits are locked where something was chosen under one, and not before.
  static let claimUnderLimits = """
    mainstay.claim(
      p_owner bigint, p_lease bigint, p_limit integer, p_kinds text[], p_versions integer[],
      p_limits integer[], p_alone boolean, p_unmet text[], p_format integer, p_now bigint
    ) returns table (
      is_exclusive boolean, is_partial boolean, token bigint, set_aside jsonb,
      operation mainstay.operation
    ) language plpgsql volatile as $$
    declare
      v_at bigint := coalesce(p_now, mainstay.clock());
      v_types text[] := array(
        select k || '/' || v from unnest(p_kinds, p_versions) as t (k, v) order by 1);
      v_closed text[] := array(
        select name from mainstay.lane where rest_until > v_at
        union all select name from mainstay.lane where until > v_at and cause is not null
        union all select name from mainstay.lane where cause is not null and until is null);
      v_limits integer[];
      v_exact integer[];
      v_open text[];
      v_aside integer := 0;
      v_is_ready boolean;
      v_chosen bigint[];
      v_found bigint := 0;
      v_suspect bigint;
      v_waits boolean;
      v_unknown jsonb := '[]';
    begin
      perform mainstay.attend(p_owner, p_lease, v_types, p_format);
      if cardinality(p_unmet) > 0 then v_aside := mainstay.set_aside(p_unmet, v_types); end if;
      v_limits := mainstay.free_places(p_kinds, p_limits, p_limit);
      for v_round in 1..2 loop
        -- The types that have a place: one that lost its last run and has none keeps nobody
        -- waiting.
        v_open := array(select t.kind || '/' || t.version
          from unnest(p_kinds, p_versions, v_limits[:cardinality(p_kinds)],
            v_limits[cardinality(p_kinds) + 1:]) as t (kind, version, free, shared)
          where t.free > 0 and t.shared > 0);
        v_chosen := '{}';
        -- In words that only the small index of suspects can answer: a plan that is made while
        -- there is little, and kept when there is much, would read everything that is ready
        -- otherwise.
        select o.id into v_suspect from mainstay.op as o
          where p_alone is not null
            and o.crashes > 0 and array_position('{ready}', o.state) is not null
            and \(isWanted("o", at: "v_at"))
            and (o.constraints is null or not o.constraints && p_unmet)
            and o.lane not in (select unnest(v_closed))
            and array_position(v_open, o.kind || '/' || o.version) is not null
          order by o.id limit 1 for no key update skip locked;
        if v_suspect is null then
          v_chosen := mainstay.pick(p_limit, p_kinds, p_versions, v_limits, v_closed, p_unmet,
            p_alone is not null, v_at);
          v_is_ready := v_chosen is not null;
          v_chosen := coalesce(v_chosen, '{}');
          if cardinality(v_chosen) < p_limit and cardinality(p_kinds) > 0 then
            v_chosen := mainstay.pick_held(
              v_chosen, p_limit, p_kinds, p_versions, v_limits, v_closed, p_unmet, v_at);
          end if;
          if cardinality(v_chosen) = 0 then
            select o.id into v_suspect from mainstay.op as o
              where p_alone is not null
                and o.crashes > 0 and o.state = 'waiting' and o.run_at is null
                and \(isWanted("o", at: "v_at"))
                and not o.constraints && p_unmet and o.lane not in (select unnest(v_closed))
                and array_position(v_open, o.kind || '/' || o.version) is not null
              order by o.id limit 1 for no key update skip locked;
          end if;
        end if;
        if v_suspect is not null and p_alone then v_chosen := array[v_suspect]; end if;
        exit when v_round = 2 or not mainstay.lock_places(p_kinds, v_chosen);
        -- Others may have begun something since the places were counted: then it is chosen anew.
        v_exact := mainstay.free_places(p_kinds, p_limits, p_limit);
        exit when not exists (
          select 1 from unnest(v_limits, v_exact) as t (before, now) where t.now < t.before);
        v_limits := v_exact;
      end loop;
      if v_suspect is not null then
        return query select
          true, v_aside >= 1000, null::bigint, null::jsonb, null::mainstay.operation;
      end if;
      return query select null::boolean, null::boolean, l.token, null::jsonb, l.operation
        from mainstay.lease(p_owner, v_chosen) as l;
      if v_suspect is not null then return; end if;
      v_found := cardinality(v_chosen);
      -- One that only enqueues does not judge what others can do.
      if v_is_ready and v_found < p_limit and cardinality(p_kinds) > 0 then
        v_unknown := mainstay.park_unknown(1000);
        v_aside := greatest(v_aside, (select coalesce(sum((u ->> 'count')::integer), 0)
          from jsonb_array_elements(v_unknown) as u));
      end if;
      -- Whoever found less than it could run waits to be told of more.
      v_waits := v_found < p_limit and cardinality(p_kinds) > 0;
      update mainstay.owner as w set is_waiting = v_waits
        where w.id = p_owner and w.is_waiting <> v_waits;
      return query select
        false, v_aside >= 1000, null::bigint, v_unknown, null::mainstay.operation;
    end $$;


    """
}
