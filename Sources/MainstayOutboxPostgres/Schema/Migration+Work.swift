// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// What the death of a process leaves, what may be begun, and how runs end that were done.
  static let work = """
    -- The columns of an operation as workers read them.
    create view mainstay.operation as
      select id, uuid, kind, version, lane, ordering_key, enqueued_at, expires_at, attempt, crashes,
        effect, lease_token, idem_key, error_code, error_message, payload, priority, rank,
        to_jsonb(constraints)::text as constraints, expendable, merges, checkpoint,
        timeout, error_words, state, run_at, unreachable, cancelled
      from mainstay.op;

    create view mainstay.dead_letter as
      select id, uuid, kind, version, lane, ordering_key, enqueued_at, expires_at, attempt, crashes,
        effect, lease_token, idem_key, error_code, error_message, payload, priority, rank,
        to_jsonb(constraints)::text as constraints, expendable, merges, checkpoint,
        timeout, error_words, 'dead' as state, null::bigint as run_at, 0 as unreachable,
        false as cancelled, reason, since, holds_key
      from mainstay.dead;

    -- Enters one more owner; what it leases is taken back when its heartbeat fails.
    create function mainstay.enter(
      p_name text, p_lease bigint, p_format integer
    ) returns bigint language sql volatile as $$
      insert into mainstay.owner (name, since, alive_until, format)
      values (p_name, mainstay.clock(), mainstay.clock() + p_lease, p_format) returning id
    $$;

    -- Renews all leases of an owner; false where they were taken back, or some of them.
    create function mainstay.beat(p_owner bigint, p_lease bigint) returns boolean
    language plpgsql volatile as $$
    begin
      update mainstay.owner set alive_until = mainstay.clock() + p_lease where id = p_owner
        and alive_until >= 0;
      return found;
    end $$;

    -- Takes back what an owner had leased: it may have had its effect. Of what is given up then,
    -- it answers ids and kinds. What somebody's open transaction is at, or whose followers it is
    -- at, is left for the next time.
    create function mainstay.take_back(
      p_owner bigint, p_maximum_lost integer, p_kept integer, p_outcomes boolean, p_at bigint,
      out recovered integer, out quarantined integer, out given_up jsonb
    ) language plpgsql volatile set lock_timeout to '50ms' as $$
    declare
      v_row record;
    begin
      recovered := 0;
      quarantined := 0;
      given_up := '[]';
      for v_row in select id, uuid, kind, crashes from mainstay.op
        where owner = p_owner order by id for update skip locked
      loop
        begin
          update mainstay.op set state = 'ready', owner = null, crashes = crashes + 1,
            effect = 'sentUnknown' where id = v_row.id;
          perform mainstay.note_attempt(v_row.id, null, null, 'sentUnknown', p_kept, p_at);
          if v_row.crashes + 1 >= p_maximum_lost then
            perform mainstay.bury(v_row.id, 'crashed', 'holdKey', p_outcomes, p_at);
            quarantined := quarantined + 1;
            given_up := given_up
              || jsonb_build_array(jsonb_build_array(v_row.uuid, v_row.kind, 'crashed'));
          end if;
          recovered := recovered + 1;
        exception when lock_not_available then
          -- The next ones do not wait as long.
          perform mainstay.be_patient(1);
        when unique_violation then
          -- Its key is that of a dead letter, which must not keep the others from being taken back.
          null;
        end;
      end loop;
    end $$;

    -- Takes back what dead owners had leased: by the clock of the database alone. Among what was
    -- given up are those that nobody has told yet, each for one caller.
    create function mainstay.recover(
      p_besides bigint, p_maximum_lost integer, p_kept integer, p_outcomes boolean, p_now bigint,
      out recovered integer, out quarantined integer, out given_up jsonb
    ) language plpgsql volatile as $$
    declare
      v_at bigint := coalesce(p_now, mainstay.clock());
      v_owner bigint;
      v_taken record;
    begin
      recovered := 0;
      quarantined := 0;
      given_up := '[]';
      -- It leases nothing more while this row is locked: a claim holds it until it is committed.
      for v_owner in select id from mainstay.owner
        where alive_until < mainstay.clock() and id <> p_besides for update skip locked
      loop
        select * into v_taken
          from mainstay.take_back(v_owner, p_maximum_lost, p_kept, p_outcomes, v_at);
        recovered := recovered + v_taken.recovered;
        quarantined := quarantined + v_taken.quarantined;
        given_up := given_up || v_taken.given_up;
        if not exists (select 1 from mainstay.op where owner = v_owner) then
          delete from mainstay.owner where id = v_owner;
        else
          -- It stays dead until the rest was taken back, too.
          update mainstay.owner set alive_until = -1 where id = v_owner and alive_until <> -1;
        end if;
      end loop;
      with told as (
        update mainstay.dead set is_told = true where id = any (array(
          select id from mainstay.dead where not is_told order by id limit 1000
          for update skip locked))
        returning uuid, kind, reason
      )
      select given_up || coalesce(jsonb_agg(jsonb_build_array(uuid, kind, reason)), '[]')
        into given_up from told;
    end $$;

    -- Gives back what an owner has leased, and forgets it.
    create function mainstay.leave(p_owner bigint) returns void language plpgsql volatile as $$
    begin
      delete from mainstay.owner where id = p_owner;
      update mainstay.op set state = 'ready', owner = null, effect = 'sentUnknown'
        where owner = p_owner;
    end $$;

    -- Gives back what the limits of rates of some kinds have let through, one for each, since it
    -- was not begun. In one order, so that two of these never wait for each other.
    create function mainstay.give_back_turns(p_kinds text[]) returns void
    language plpgsql volatile as $$
    declare
      v_row record;
    begin
      for v_row in select k, count(*) as n from unnest(p_kinds) as k group by k order by k loop
        update mainstay.kind_limit set tokens = least(burst, tokens + v_row.n)
          where kind = v_row.k and rate is not null;
      end loop;
    end $$;

    -- Gives back what an owner has leased and does not know of, since the answer of its claim was
    -- lost.
    create function mainstay.give_back(p_owner bigint, p_known bigint[]) returns bigint
    language plpgsql volatile as $$
    declare
      v_kinds text[];
    begin
      with given as (
        update mainstay.op set state = 'ready', owner = null
          where owner = p_owner and not lease_token = any (p_known) returning kind
      )
      select array_agg(kind) into v_kinds from given;
      perform mainstay.give_back_turns(v_kinds);
      return coalesce(cardinality(v_kinds), 0);
    end $$;

    -- The owner that claims, or an error where its leases were taken back meanwhile.
    create function mainstay.attend(
      p_owner bigint, p_lease bigint, p_types text[], p_format integer
    ) returns void language plpgsql volatile as $$
    declare
      v_owner record;
      v_format integer;
    begin
      select alive_until, types into v_owner from mainstay.owner
        where id = p_owner and alive_until >= 0 for key share;
      if not found then
        raise exception 'owner % was taken for dead', p_owner using errcode = 'MS001';
      end if;
      select max(min_writer) into v_format from mainstay.migration;
      if v_format > p_format then
        raise exception 'format %', v_format using errcode = 'MS002';
      end if;
      if v_owner.types <> p_types or v_owner.alive_until < mainstay.clock() + p_lease / 2 then
        update mainstay.owner set types = p_types,
          alive_until = greatest(alive_until, mainstay.clock() + p_lease) where id = p_owner;
      end if;
    end $$;

    -- How many more of each type may be begun anywhere, by the limits that all machines share:
    -- first those of each type alone, and then those of its kind, which its versions share. There
    -- is no place for a kind that is paused, so nobody looks at what waits there.
    create function mainstay.free_places(
      p_kinds text[], p_limits integer[], p_limit integer
    ) returns integer[] language plpgsql volatile as $$
    declare
      v_limits integer[] := '{}';
      v_shared integer[] := '{}';
      v_free integer;
      v_rule mainstay.kind_limit;
      v_running bigint;
      v_now bigint;
    begin
      -- Held until the claim is committed: two machines never count the same place. In one order,
      -- so that two of them never wait for each other.
      perform 1 from mainstay.kind_limit where kind = any (p_kinds) order by kind for update;
      for v_place in 1..coalesce(cardinality(p_kinds), 0) loop
        v_limits := v_limits || least(coalesce(p_limits[v_place], p_limit), p_limit);
        v_free := case when exists (select 1 from mainstay.pause where kind = p_kinds[v_place])
          then 0 else p_limit end;
        select * into v_rule from mainstay.kind_limit where kind = p_kinds[v_place];
        if found then
          if v_rule.concurrency is not null then
            select count(*) into v_running from mainstay.op
              where kind = v_rule.kind and owner is not null;
            v_free := least(v_free, greatest(v_rule.concurrency - v_running, 0)::integer);
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

    -- Takes out what is done and still leased under its token, and answers which that is. With a
    -- patience, in milliseconds, it passes over what somebody's transaction is at, and says so;
    -- where another lock is not free for that long, nothing is taken out.
    create function mainstay.complete(
      p_ids bigint[], p_tokens bigint[], p_outputs bytea[], p_outcomes boolean, p_now bigint,
      p_patience integer default null
    ) returns table (number bigint, is_locked boolean) language plpgsql volatile as $$
    declare
      v_at bigint := coalesce(p_now, mainstay.clock());
      v_ids bigint[];
      v_keys bytea[];
      v_records bytea[];
      v_row record;
    begin
      perform mainstay.be_patient(p_patience);
      if p_patience is null then
        for v_row in select g.id, g.token from unnest(p_ids, p_tokens) as g (id, token) order by 1
        loop
          perform 1 from mainstay.op as o
            where o.id = v_row.id and o.lease_token = v_row.token and o.state = 'leased' for update;
        end loop;
      end if;
      with given as materialized (
        select l.id from unnest(p_ids, p_tokens) as g (id, token)
          cross join lateral (
            select o.id from mainstay.op as o
            where o.id = g.id and o.lease_token = g.token and o.state = 'leased'
            for update skip locked) as l
      ), gone as (
        delete from mainstay.op as o where o.id = any (array(select g.id from given as g))
        returning o.id, o.uuid, o.kind, o.ordering_key, octet_length(o.payload) as bytes,
          p_outputs[array_position(p_ids, o.id)] as output
      ), noted as (
        insert into mainstay.receipt as r (kind, reason, shard, count, bytes, first_at, last_at)
        select kind, 'done', mainstay.shard(), count(*), sum(bytes), v_at, v_at
        from gone group by kind order by kind
        on conflict (kind, reason, shard) do update set count = r.count + excluded.count,
          bytes = r.bytes + excluded.bytes, last_at = greatest(r.last_at, excluded.last_at)
      ), loaded as (
        insert into mainstay.load as l (shard, enqueued, pending, bytes)
        select mainstay.shard(), 0, -count(*), -sum(bytes) from gone having count(*) > 0
        on conflict (shard) do update set pending = l.pending + excluded.pending,
          bytes = l.bytes + excluded.bytes
      ), remembered as (
        insert into mainstay.outcome (number, uuid, kind, reason, output, at)
        select nextval('mainstay.outcome_number'), uuid, kind, 'done', output, v_at
        from gone where p_outcomes
      )
      select array_agg(id order by id),
          array_agg(distinct ordering_key) filter (where ordering_key is not null),
          array_agg(distinct coalesce(ordering_key, uuid_send(uuid)))
        into v_ids, v_keys, v_records from gone;
      if coalesce(cardinality(v_ids), 0) < cardinality(p_ids) then
        return query select g.id, true from unnest(p_ids, p_tokens) as g (id, token)
          where (select o.id from mainstay.op as o
            where o.id = g.id and o.lease_token = g.token and o.state = 'leased') is not null;
      end if;
      if v_ids is null then return; end if;
      delete from mainstay.attempt where op = any (v_ids);
      for v_row in select distinct d.needs from mainstay.dep as d where d.needs = any (v_ids)
        order by d.needs
      loop
        perform mainstay.tell(v_row.needs, 'done', v_at);
      end loop;
      for v_row in select k from unnest(v_keys) as k
        order by (hashtextextended(encode(k, 'hex'), 0) & 1023)
      loop
        perform mainstay.unblock(v_row.k, v_at);
      end loop;
      -- They have changed their records, and no news was left of those.
      perform mainstay.outdate_latest(v_records);
      delete from mainstay.latest as l where l.key = any (v_records)
        and not exists (select 1 from mainstay.op as o where o.ordering_key = l.key)
        and not exists (select 1 from mainstay.dead as d where d.ordering_key = l.key);
      return query select g.id, false from unnest(v_ids) as g (id);
    end $$;
    """
}
