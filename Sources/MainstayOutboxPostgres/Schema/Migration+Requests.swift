// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// The requests with an idempotency key that services remember.
  ///
  /// A row is a request that runs, for as long as `lease_until` is set, and an answer after that.
  /// Keys are kept as their SHA-256: any text of any length is legal, and none can be read here.
  /// Counters lie in several rows, one per transaction, as those of operations do; whoever empties
  /// one of the two tables by hand empties both.
  static let requests = """
    create table mainstay.request (
      key bytea primary key,
      claim bigint not null,
      fingerprint bytea not null,
      lease_until bigint,
      forget_at bigint not null,
      bytes bigint not null default 0,
      status integer,
      fields bytea,
      body bytea,
      check ((lease_until is null) = (status is not null)),
      check ((status is null) = (fields is null))
    ) with (
      fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
      autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0
    );

    create index request_answered on mainstay.request (forget_at) where lease_until is null;
    create index request_running on mainstay.request (lease_until) where lease_until is not null;

    create table mainstay.request_load (
      shard integer primary key,
      count bigint not null,
      bytes bigint not null
    ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);

    insert into mainstay.step (name, at) values ('requests', 0);

    create function mainstay.count_requests(p_count bigint, p_bytes bigint) returns void
    language sql volatile as $$
      insert into mainstay.request_load as l (shard, count, bytes)
      values (mainstay.shard(), p_count, p_bytes)
      on conflict (shard) do update set count = l.count + excluded.count,
        bytes = l.bytes + excluded.bytes
    $$;

    -- Up to when a lease must have lasted for its process not to count as dead. A server that has
    -- just started could not be told that anybody lives, so all of them have one lease's time.
    create function mainstay.lost_before(p_lease bigint, p_now bigint) returns bigint
    language sql volatile as $$
      select case when p_now - p_lease
        >= (extract(epoch from pg_postmaster_start_time()) * 1000)::bigint then p_now else 0 end
    $$;

    -- Forgets the oldest answers until there are fewer by so many and by so many bytes; what runs
    -- stays, unless its process is dead. Rows that others are at are passed over, so nobody waits.
    create function mainstay.forget_requests(
      p_count bigint, p_bytes bigint, p_besides bytea, p_lost_before bigint,
      out forgotten bigint, out freed bigint
    ) language plpgsql volatile as $$
    declare
      v_count bigint;
      v_bytes bigint;
    begin
      freed := 0;
      with lost as (
        select r.key from mainstay.request as r
          where r.lease_until <= p_lost_before and r.key <> p_besides
          order by r.lease_until limit p_count for update skip locked
      )
      delete from mainstay.request as r using lost as l where r.key = l.key;
      get diagnostics forgotten = row_count;
      while forgotten < p_count or freed < p_bytes loop
        with oldest as (
          select r.key from mainstay.request as r
            where r.lease_until is null and r.key <> p_besides
            order by r.forget_at limit greatest(p_count - forgotten, 1) for update skip locked
        ), gone as (
          delete from mainstay.request as r using oldest as o where r.key = o.key
            returning r.bytes
        )
        select count(*), coalesce(sum(g.bytes), 0) into v_count, v_bytes from gone as g;
        exit when v_count = 0;
        forgotten := forgotten + v_count;
        freed := freed + v_bytes;
      end loop;
      if forgotten > 0 then perform mainstay.count_requests(-forgotten, -freed); end if;
    end $$;

    -- Begins a request, or says what became of the one before it. Whoever asks again with the same
    -- claim, since it heard no answer, has begun it.
    create function mainstay.begin_request(
      p_key bytea, p_fingerprint bytea, p_claim bigint, p_lease bigint, p_lifetime bigint,
      p_maximum_count bigint, p_format integer,
      out verdict text, out was_lost boolean, out status integer, out fields bytea, out body bytea
    ) language plpgsql volatile as $$
    declare
      v_key bytea := sha256(p_key);
      v_now bigint := mainstay.clock();
      v_lost_before bigint := mainstay.lost_before(p_lease, v_now);
      v_format integer;
      v_row mainstay.request;
      v_excess bigint;
    begin
      select max(m.min_writer) into v_format from mainstay.migration as m;
      if v_format > p_format then
        raise exception 'format %', v_format using errcode = 'MS002';
      end if;
      was_lost := false;
      for v_round in 1..8 loop
        insert into mainstay.request (key, claim, fingerprint, lease_until, forget_at)
          values (v_key, p_claim, p_fingerprint, v_now + p_lease, v_now + p_lifetime)
          on conflict (key) do nothing;
        if found then
          perform mainstay.count_requests(1, 0);
          select sum(l.count) - p_maximum_count into v_excess from mainstay.request_load as l;
          if v_excess > 0 then
            select v_excess - f.forgotten into v_excess
              from mainstay.forget_requests(v_excess, 0, v_key, v_lost_before) as f;
          end if;
          verdict := 'handle';
          if v_excess > 0 then
            delete from mainstay.request as r where r.key = v_key;
            perform mainstay.count_requests(-1, 0);
            verdict := 'full';
          end if;
          return;
        end if;
        select * into v_row from mainstay.request as r where r.key = v_key;
        continue when not found;
        if v_row.claim = p_claim then
          verdict := 'handle';
          return;
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

    -- Ends a request with its answer, or without one where the status is null; false where the
    -- claim was not that of a request which runs, and nothing was changed then.
    create function mainstay.end_request(
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
      if v_excess > 0 then
        perform mainstay.forget_requests(
          0, v_excess, v_key, mainstay.lost_before(p_lease, v_now));
      end if;
      return true;
    end $$;

    -- Says that the process of some requests is alive, and answers which of them still run.
    create function mainstay.renew_requests(
      p_keys bytea[], p_claims bigint[], p_lease bigint
    ) returns setof bigint language plpgsql volatile as $$
    begin
      return query with held as materialized (
        select r.key from mainstay.request as r
          join unnest(p_keys, p_claims) as g (key, claim)
            on r.key = sha256(g.key) and r.claim = g.claim
          where r.lease_until is not null order by r.key for update of r
      )
      update mainstay.request as r set lease_until = mainstay.clock() + p_lease
        from held as h where r.key = h.key returning r.claim;
    end $$;

    -- Forgets what nobody may be told any more: one process for all, no two within ten seconds.
    create function mainstay.tidy_requests(p_lease bigint) returns bigint
    language plpgsql volatile as $$
    declare
      v_now bigint := mainstay.clock();
      v_lost_before bigint := mainstay.lost_before(p_lease, v_now);
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
        with over as (
          select r.key from mainstay.request as r
            where r.lease_until is null and r.forget_at <= v_now
            order by r.forget_at limit 1000 for update skip locked
        ), gone as (
          delete from mainstay.request as r using over as o where r.key = o.key
            returning r.bytes
        )
        select count(*), coalesce(sum(g.bytes), 0) into v_count, v_bytes from gone as g;
        v_all := v_all + v_count;
        v_all_bytes := v_all_bytes + v_bytes;
        -- The rest has its turn in ten seconds.
        exit when v_count < 1000 or mainstay.clock() > v_now + 2000;
      end loop;
      with lost as (
        select r.key from mainstay.request as r
          where r.lease_until <= v_lost_before and r.forget_at <= v_now
          order by r.lease_until limit 1000 for update skip locked
      )
      delete from mainstay.request as r using lost as l where r.key = l.key;
      get diagnostics v_count = row_count;
      v_all := v_all + v_count;
      if v_all > 0 then perform mainstay.count_requests(-v_all, -v_all_bytes); end if;
      return v_all;
    end $$;

    -- Who may work with operations may do so with answers, too.
    do $$
    declare
      v_row record;
    begin
      for v_row in select a.privilege_type as word,
          case when a.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end
            as name
        from pg_class as c cross join aclexplode(c.relacl) as a
        where c.oid = 'mainstay.op'::regclass and a.grantee <> c.relowner
          and a.privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
      loop
        execute format('grant %s on mainstay.request, mainstay.request_load to %s',
          v_row.word, v_row.name);
      end loop;
    end $$;
    """
}
