// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// The places that limits leave, anew: what runs is counted once, however many kinds have one.
  static let places = """
    create or replace function mainstay.free_places(
      p_kinds text[], p_limits integer[], p_limit integer
    ) returns integer[] language plpgsql volatile as $$
    declare
      v_limits integer[] := '{}';
      v_shared integer[] := '{}';
      v_limited text[];
      v_paused text[];
      v_kinds text[];
      v_counts bigint[];
      v_free integer;
      v_rule mainstay.kind_limit;
      v_now bigint;
    begin
      -- Held until the claim is committed: two machines never count the same place. In one order,
      -- so that two of them never wait for each other.
      perform 1 from mainstay.kind_limit where kind = any (p_kinds) order by kind for update;
      v_paused := array(select p.kind from mainstay.pause as p where p.kind = any (p_kinds));
      v_limited := array(select l.kind from mainstay.kind_limit as l
        where l.kind = any (p_kinds) and l.concurrency is not null);
      if cardinality(v_limited) > 0 then
        select array_agg(r.kind), array_agg(r.n) into v_kinds, v_counts from (
          select o.kind, count(*) as n from mainstay.op as o
          where o.owner is not null and o.kind = any (v_limited) group by o.kind) as r;
      end if;
      for v_place in 1..coalesce(cardinality(p_kinds), 0) loop
        v_limits := v_limits || least(coalesce(p_limits[v_place], p_limit), p_limit);
        v_free := case when p_kinds[v_place] = any (v_paused) then 0 else p_limit end;
        select * into v_rule from mainstay.kind_limit where kind = p_kinds[v_place];
        if found then
          if v_rule.concurrency is not null then
            v_free := least(v_free, greatest(v_rule.concurrency - coalesce(
              v_counts[array_position(v_kinds, v_rule.kind)], 0), 0)::integer);
          end if;
          if v_rule.rate is not null then
            v_now := mainstay.clock();
            update mainstay.kind_limit set refilled_at = v_now, tokens = least(burst,
                tokens + rate * greatest(v_now - refilled_at, 0) / 1000.0)
              where kind = v_rule.kind returning * into v_rule;
            v_free := least(v_free, floor(v_rule.tokens)::integer);
          end if;
        end if;
        v_shared := v_shared || v_free;
      end loop;
      return v_limits || v_shared;
    end $$;
    """
}
