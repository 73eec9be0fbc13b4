// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// Limits that keep nobody waiting who begins nothing under them.
  ///
  /// Each claim locked the rows of all limits that it has a worker for, and wrote how far those of
  /// rates were refilled, whether something waited or not.
  static let sparing =
    placesToRead + turnsToRead + leasing + settingLimits
    + "create or replace function " + claimUnderLimits + plans

  private static let placesToRead = """
    -- What the limit of a rate lets through now. It is full where the clock was set back: nobody
    -- knows since when it was refilled.
    create function mainstay.tokens_now(p_rule mainstay.kind_limit, p_now bigint)
    returns double precision language plpgsql immutable as $$
    begin
      if p_rule.refilled_at > p_now + 5000 then return p_rule.burst; end if;
      return least(p_rule.burst,
        p_rule.tokens + p_rule.rate * greatest(p_now - p_rule.refilled_at, 0) / 1000.0);
    end $$;

    -- How many more of each type may be begun anywhere, by the limits that all machines share:
    -- first those of each type alone, and then those of its kind, which its versions share. There
    -- is no place for a kind that is paused, so nobody looks at what waits there. It only reads:
    -- it counts what is there as long as the rows of the limits are not locked.
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
    begin
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
            v_free := least(v_free,
              greatest(floor(mainstay.tokens_now(v_rule, mainstay.clock())), 0)::integer);
          end if;
        end if;
        v_shared := v_shared || v_free;
      end loop;
      return v_limits || v_shared;
    end $$;

    -- Locks the limits of these kinds until the claim is committed, where something of one of them
    -- was chosen: two machines never count the same place. False where none was.
    create function mainstay.lock_places(p_kinds text[], p_chosen bigint[]) returns boolean
    language plpgsql volatile as $$
    declare
      v_limited text[];
    begin
      if cardinality(p_chosen) = 0 then return false; end if;
      v_limited := array(
        select l.kind from mainstay.kind_limit as l where l.kind = any (p_kinds));
      if cardinality(v_limited) = 0 then return false; end if;
      perform 1 from mainstay.op as o
        where o.id = any (p_chosen) and o.kind = any (v_limited) limit 1;
      if not found then return false; end if;
      -- In one order, so that two of these never wait for each other.
      perform 1 from mainstay.kind_limit as l where l.kind = any (v_limited)
        order by l.kind for update;
      return true;
    end $$;


    """

  private static let turnsToRead = """
    -- In how many milliseconds the limit of a rate lets one more begin of one of these kinds; null
    -- where none of them is held back. After an hour at most somebody looks again: a rate may be as
    -- small as one likes.
    create or replace function mainstay.next_turn(p_kinds text[]) returns bigint
    language plpgsql volatile as $$
    declare
      v_now bigint := mainstay.clock();
    begin
      return (
        select greatest(1, min(
          ceil(least((1 - t.tokens) * 1000 / greatest(t.rate, 0.000001), 3600000))::bigint))
        from (select l.rate, mainstay.tokens_now(l, v_now) as tokens from mainstay.kind_limit as l
          where l.kind = any (p_kinds) and l.rate is not null) as t
        where t.tokens < 1
        having count(*) > 0);
    end $$;


    """

  private static let leasing = """
    create or replace function mainstay.lease(p_owner bigint, p_ids bigint[])
    returns table (token bigint, operation mainstay.operation) language plpgsql volatile as $$
    declare
      v_now bigint := mainstay.clock();
    begin
      if coalesce(cardinality(p_ids), 0) = 0 then return; end if;
      -- Held until the claim is committed: nobody takes this owner for dead meanwhile.
      perform 1 from mainstay.owner where id = p_owner and alive_until >= 0 for key share;
      if not found then
        raise exception 'owner % was taken for dead', p_owner using errcode = 'MS001';
      end if;
      return query with leased as (
        update mainstay.op as o set state = 'leased', owner = p_owner, cause = null,
          lease_token = nextval('mainstay.lease_token')
        where o.id = any (p_ids) returning o.*
      ), spent as (
        update mainstay.kind_limit as k set tokens = mainstay.tokens_now(k, v_now) - s.n,
          refilled_at = v_now
        from (select l.kind, count(*) as n from leased as l group by l.kind) as s
        where k.kind = s.kind and k.rate is not null
      )
      select l.lease_token, (l.id, l.uuid, l.kind, l.version, l.lane, l.ordering_key, l.enqueued_at,
          l.expires_at, l.attempt, l.crashes, l.effect, l.lease_token, l.idem_key, l.error_code,
          l.error_message, l.payload, l.priority, l.rank, to_jsonb(l.constraints)::text,
          l.expendable, l.merges, l.checkpoint, l.timeout, l.error_words, l.state, l.run_at,
          l.unreachable, l.cancelled)::mainstay.operation
        from leased as l order by l.rank, l.id;
    end $$;


    """

  private static let settingLimits = """
    -- Sets how many of a kind run at once, and begin in a second, on all machines together. What
    -- was refilled until now was refilled by the limit that was there.
    create or replace function mainstay.set_limit(
      p_kind text, p_concurrency integer, p_rate double precision, p_burst double precision
    ) returns void language plpgsql volatile as $$
    declare
      v_now bigint := mainstay.clock();
    begin
      if p_concurrency is null and p_rate is null then
        delete from mainstay.kind_limit where kind = p_kind;
        return;
      end if;
      insert into mainstay.kind_limit as k (kind, concurrency, rate, burst, tokens, refilled_at)
        values (p_kind, p_concurrency, p_rate, p_burst, coalesce(p_burst, 0), v_now)
        on conflict (kind) do update set concurrency = excluded.concurrency, rate = excluded.rate,
          burst = excluded.burst,
          tokens = least(coalesce(mainstay.tokens_now(k, v_now), k.tokens),
            coalesce(excluded.burst, 0)),
          refilled_at = v_now;
    end $$;


    """
}
