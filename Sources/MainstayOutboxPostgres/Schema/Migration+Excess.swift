// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// What is above the limits of the answers goes by parts, so that no request waits or fails for
  /// all of it: somebody may have lowered a limit while very many were kept.
  ///
  /// Rows are looked up as `plans` says, since answers are all forgotten at night and come back in
  /// the morning.
  static let excess = losing + forgetting + beginning + keeping

  private static let losing = """
    -- Up to when a lease must have lasted for its process not to count as dead. A server that has
    -- just started could not be told that anybody lives, so all of them have one lease's time. So
    -- has one that has just recovered from a crash: it has thrown away its statistics.
    create or replace function mainstay.lost_before(p_lease bigint, p_now bigint) returns bigint
    language sql volatile as $$
      select case when p_now - p_lease >= (extract(epoch from greatest(
          pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time())) * 1000)::bigint
        then p_now else 0 end
    $$;


    """

  private static let forgetting = """
    -- Forgets the oldest answers until there are fewer by so many and by so many bytes, but no more
    -- than a part; what runs stays, unless its process is dead. Rows that others are at are passed
    -- over, so nobody waits. Of those who find too many at once, one takes all of them away, and
    -- each of the others as many as it has added.
    create or replace function mainstay.forget_requests(
      p_count bigint, p_bytes bigint, p_besides bytea, p_lost_before bigint,
      out forgotten bigint, out freed bigint
    ) language plpgsql volatile as $$
    declare
      v_keys bytea[] := '{}';
      v_wanted bigint;
      v_bytes bigint := 0;
      v_row record;
      v_count bigint;
    begin
      freed := 0;
      v_wanted := least(p_count, 1000);
      if v_wanted > 1 and not pg_try_advisory_xact_lock(hashtext('mainstay.forgetting'), 0) then
        v_wanted := 1;
      end if;
      if v_wanted > 0 then
        v_keys := array(select r.key from mainstay.request as r
          where r.lease_until <= p_lost_before and r.key <> p_besides
          order by r.lease_until limit v_wanted for update skip locked);
        delete from mainstay.request as r where r.key = any (v_keys);
      end if;
      forgotten := cardinality(v_keys);
      v_wanted := v_wanted - forgotten;
      if v_wanted > 0 or p_bytes > 0 then
        v_keys := '{}';
        -- Added up as they are locked: those that others are at may be smaller than these.
        for v_row in select r.key, r.bytes from mainstay.request as r
          where r.lease_until is null and r.key <> p_besides
          order by r.forget_at limit 1000 for update skip locked
        loop
          exit when v_bytes >= p_bytes and cardinality(v_keys) >= v_wanted;
          v_bytes := v_bytes + v_row.bytes;
          v_keys := v_keys || v_row.key;
        end loop;
        with gone as (
          delete from mainstay.request as r where r.key = any (v_keys) returning r.bytes
        )
        select count(*), coalesce(sum(g.bytes), 0) into v_count, freed from gone as g;
        forgotten := forgotten + v_count;
      end if;
      if forgotten > 0 then perform mainstay.count_requests(-forgotten, -freed); end if;
    end $$;


    """

  private static let beginning = """
    -- Begins a request, or says what became of the one before it. Whoever asks again with the same
    -- claim, since it heard no answer, has begun it.
    create or replace function mainstay.begin_request(
      p_key bytea, p_fingerprint bytea, p_claim bigint, p_lease bigint, p_lifetime bigint,
      p_maximum_count bigint, p_format integer,
      out verdict text, out was_lost boolean, out status integer, out fields bytea, out body bytea
    ) language plpgsql volatile as $$
    declare
      v_key bytea := sha256(p_key);
      v_now bigint := mainstay.clock();
      v_lost_before bigint;
      v_format integer;
      v_row mainstay.request;
      v_excess bigint;
      v_forgotten bigint;
    begin
      select max(m.min_writer) into v_format from mainstay.migration as m;
      if v_format > p_format then
        raise exception 'format %', v_format using errcode = 'MS002';
      end if;
      was_lost := false;
      for v_round in 1..8 loop
        v_lost_before := 0;
        insert into mainstay.request (key, claim, fingerprint, lease_until, forget_at)
          values (v_key, p_claim, p_fingerprint, v_now + p_lease, v_now + p_lifetime)
          on conflict (key) do nothing;
        if found then
          perform mainstay.count_requests(1, 0);
          verdict := 'handle';
          select sum(l.count) - p_maximum_count into v_excess from mainstay.request_load as l;
          if v_excess > 0 then
            perform 1 from mainstay.request as r where r.lease_until <= v_now limit 1;
            if found then v_lost_before := mainstay.lost_before(p_lease, v_now); end if;
            select f.forgotten into v_forgotten
              from mainstay.forget_requests(v_excess, 0, v_key, v_lost_before) as f;
            -- Where one went, this one adds nothing, and the rest goes with those that come next.
            if v_forgotten = 0 then
              delete from mainstay.request as r where r.key = v_key;
              perform mainstay.count_requests(-1, 0);
              verdict := 'full';
            end if;
          end if;
          return;
        end if;
        select * into v_row from mainstay.request as r where r.key = v_key;
        continue when not found;
        if v_row.claim = p_claim then
          verdict := 'handle';
          return;
        end if;
        if v_row.lease_until <= v_now then
          v_lost_before := mainstay.lost_before(p_lease, v_now);
        end if;
        if v_row.forget_at > v_now or v_row.lease_until > v_lost_before then
          if v_row.fingerprint <> p_fingerprint then
            verdict := 'mismatch';
            return;
          elsif v_row.lease_until is null then
            verdict := 'replay';
            status := v_row.status;
            fields := v_row.fields;
            body := v_row.body;
            return;
          elsif v_row.lease_until > v_lost_before then
            verdict := 'running';
            return;
          end if;
        end if;
        -- Its process is dead, or its time is over: one of those who ask now takes it.
        update mainstay.request as r set claim = p_claim, fingerprint = p_fingerprint,
          lease_until = v_now + p_lease, forget_at = v_now + p_lifetime, bytes = 0, status = null,
          fields = null, body = null
          where r.key = v_key and r.claim = v_row.claim
            and r.lease_until is not distinct from v_row.lease_until;
        if found then
          was_lost := v_row.lease_until is not null;
          if v_row.bytes > 0 then perform mainstay.count_requests(0, -v_row.bytes); end if;
          verdict := 'handle';
          return;
        end if;
      end loop;
      raise exception 'it met another one: do it again' using errcode = '40001';
    end $$;


    """

  private static let keeping = """
    -- Ends a request with its answer, or without one where the status is null; false where the
    -- claim was not that of a request which runs, and nothing was changed then.
    create or replace function mainstay.end_request(
      p_key bytea, p_claim bigint, p_status integer, p_fields bytea, p_body bytea,
      p_lease bigint, p_lifetime bigint, p_maximum_bytes bigint
    ) returns boolean language plpgsql volatile as $$
    declare
      v_key bytea := sha256(p_key);
      v_now bigint := mainstay.clock();
      v_body bytea := p_body;
      v_bytes bigint := 200 + octet_length(p_fields) + coalesce(octet_length(p_body), 0);
      v_excess bigint;
    begin
      if p_status is null then
        delete from mainstay.request as r
          where r.key = v_key and r.claim = p_claim and r.lease_until is not null;
        if not found then return false; end if;
        perform mainstay.count_requests(-1, 0);
        return true;
      end if;
      if v_bytes > p_maximum_bytes then
        v_body := null;
        v_bytes := 200 + octet_length(p_fields);
      end if;
      update mainstay.request as r set lease_until = null, forget_at = v_now + p_lifetime,
        bytes = v_bytes, status = p_status, fields = p_fields, body = v_body
        where r.key = v_key and r.claim = p_claim and r.lease_until is not null;
      if not found then return false; end if;
      perform mainstay.count_requests(0, v_bytes);
      select sum(l.bytes) - p_maximum_bytes into v_excess from mainstay.request_load as l;
      if v_excess > 0 then perform mainstay.forget_requests(0, v_excess, v_key, 0); end if;
      return true;
    end $$;

    -- Says that the process of some requests is alive, and answers which of them still run.
    create or replace function mainstay.renew_requests(
      p_keys bytea[], p_claims bigint[], p_lease bigint
    ) returns setof bigint language plpgsql volatile as $$
    begin
      return query with held as materialized (
        select h.key
        -- In one order, so that two of them never wait for each other.
        from (select sha256(u.key) as key, u.claim from unnest(p_keys, p_claims) as u (key, claim)
          order by 1) as g
          cross join lateral (select r.key from mainstay.request as r
            where r.key = g.key and r.claim = g.claim and r.lease_until is not null
            for update) as h
      )
      update mainstay.request as r set lease_until = mainstay.clock() + p_lease
        where r.key = any (array(select h.key from held as h)) returning r.claim;
    end $$;

    -- Forgets what nobody may be told any more: one process for all, no two within ten seconds.
    create or replace function mainstay.tidy_requests(p_lease bigint) returns bigint
    language plpgsql volatile as $$
    declare
      v_now bigint := mainstay.clock();
      v_lost_before bigint := mainstay.lost_before(p_lease, v_now);
      v_keys bytea[];
      v_count bigint;
      v_bytes bigint;
      v_all bigint := 0;
      v_all_bytes bigint := 0;
    begin
      perform 1 from mainstay.step as s where s.name = 'requests'
        and s.at not between v_now - 10000 and v_now for update skip locked;
      if not found then return 0; end if;
      update mainstay.step set at = v_now where name = 'requests';
      loop
        v_keys := array(select r.key from mainstay.request as r
          where r.lease_until is null and r.forget_at <= v_now
          order by r.forget_at limit 1000 for update skip locked);
        with gone as (
          delete from mainstay.request as r where r.key = any (v_keys) returning r.bytes
        )
        select count(*), coalesce(sum(g.bytes), 0) into v_count, v_bytes from gone as g;
        v_all := v_all + v_count;
        v_all_bytes := v_all_bytes + v_bytes;
        -- The rest has its turn in ten seconds.
        exit when v_count < 1000 or mainstay.clock() > v_now + 2000;
      end loop;
      v_keys := array(select r.key from mainstay.request as r
        where r.lease_until <= v_lost_before and r.forget_at <= v_now
        order by r.lease_until limit 1000 for update skip locked);
      delete from mainstay.request as r where r.key = any (v_keys);
      get diagnostics v_count = row_count;
      v_all := v_all + v_count;
      if v_all > 0 then perform mainstay.count_requests(-v_all, -v_all_bytes); end if;
      return v_all;
    end $$;

    do $$
    declare
      v_function regprocedure;
    begin
      for v_function in select p.oid::regprocedure from pg_proc as p
        where p.pronamespace = (select relnamespace from pg_class
            where oid = 'mainstay.request'::regclass)
          and p.proname in ('begin_request', 'end_request', 'renew_requests', 'tidy_requests',
            'forget_requests')
      loop
        execute format('alter function %s set plan_cache_mode = force_generic_plan '
          'set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off '
          'set jit = off', v_function);
      end loop;
    end $$;
    """
}
