// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// How leases end, and what people and the app decide.
  static let decisions =
    lanes + "create function " + settle + lock + settleRest + "\n\n" + deciding
    + "create function " + cancel + expediting

  /// The end of a lease and of a conflict anew, and their plans.
  ///
  /// What may have been done and is in conflict is gone once somebody cancels it, since nobody can
  /// ask what became of it.
  static let doubts =
    "create or replace function " + settle + lock + settleRest + "\n\n"
    + "create or replace function " + cancel + plans

  private static let lanes = """
    -- A rest stands beside whatever else closes the lane; a weaker cause leaves a stronger one
    -- alone.
    create function mainstay.close_lane(
      p_lane text, p_cause text, p_wait bigint, p_now bigint
    ) returns void language plpgsql volatile as $$
    declare
      v_at bigint := coalesce(p_now, mainstay.clock());
      v_causes text[] := '{throttled,needsUser,paused}';
    begin
      if p_cause = 'throttled' and p_wait is not null then
        insert into mainstay.lane as l (name, rest_until) values (p_lane, v_at + p_wait)
          on conflict (name) do update set rest_until = excluded.rest_until
          where coalesce(l.rest_until, 0) < excluded.rest_until;
        return;
      end if;
      insert into mainstay.lane as l (name, cause, until) values (p_lane, p_cause, v_at + p_wait)
        on conflict (name) do update set cause = excluded.cause, until = excluded.until
        where l.cause is null or l.until <= v_at
          or array_position(v_causes, l.cause) <= array_position(v_causes, excluded.cause);
    end $$;

    -- Keeps what the other side has of the record, and the key under which it is sent anew.
    create function mainstay.note_news(
      p_id bigint, p_record bytea, p_latest bytea, p_key text, p_merges integer
    ) returns void language plpgsql volatile as $$
    begin
      insert into mainstay.latest (key, state) values (p_record, p_latest)
        on conflict (key) do update set state = excluded.state;
      update mainstay.op set merges = p_merges, idem_key = coalesce(p_key, idem_key),
        checkpoint = case when p_key is null then checkpoint end where id = p_id;
    end $$;

    """

  /// What is done to an operation whose lease ends is done by one at a time.
  private static let lock = """

      select uuid, kind, lane, ordering_key, cancelled into v_row from mainstay.op
        where id = p_id and lease_token = p_token and state = 'leased' for update;

    """

  private static let deciding = """
    -- Makes ready what is due, and answers in how many milliseconds something else is, and whether
    -- there may be more to let in, or more that has expired. What is due and left, since somebody's
    -- open transaction is at it, does not count: nobody can do anything about that.
    create function mainstay.promote(
      p_kinds text[], p_versions integer[], p_outcomes boolean, p_now bigint,
      out next bigint, out is_partial boolean
    ) language plpgsql volatile as $$
    declare
      v_at bigint := coalesce(p_now, mainstay.clock());
      v_next bigint;
      v_count integer;
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
          limit 10000 for no key update skip locked) as u));
      is_partial := mainstay.let_in_left(v_at);
      is_partial := mainstay.expire(1000, p_outcomes, v_at) >= 1000 or is_partial;
      select min(t) into v_next from (
        select min(run_at) as t from mainstay.op where run_at > v_at
        union all select min(until) from mainstay.lane where until > v_at
        union all select min(rest_until) from mainstay.lane where rest_until > v_at
        union all select min(expires_at) from mainstay.op where expires_at > v_at) as times;
      next := case when v_count >= 1000 then 0 else v_next - v_at end;
    end $$;

    create function mainstay.redrive(p_uuid uuid, p_now bigint) returns boolean
    language plpgsql volatile as $$
    declare
      v_at bigint := coalesce(p_now, mainstay.clock());
      v_dead mainstay.dead;
    begin
      select * into v_dead from mainstay.dead where uuid = p_uuid for update;
      if not found then return false; end if;
      if v_dead.ordering_key is not null
        then perform mainstay.lock_key(v_dead.ordering_key); end if;
      delete from mainstay.dead where id = v_dead.id;
      insert into mainstay.op (id, uuid, kind, version, lane, ordering_key, priority, rank,
        expendable, constraints, state, enqueued_at, merges, effect, lease_token, idem_key,
        error_code, error_message, error_words, checkpoint, timeout, payload)
      values (v_dead.id, v_dead.uuid, v_dead.kind, v_dead.version, v_dead.lane, v_dead.ordering_key,
        v_dead.priority, v_dead.rank, v_dead.expendable, v_dead.constraints, 'blocked',
        v_dead.enqueued_at, v_dead.merges, v_dead.effect, v_dead.lease_token, v_dead.idem_key,
        v_dead.error_code, v_dead.error_message, v_dead.error_words, v_dead.checkpoint,
        v_dead.timeout, v_dead.payload);
      perform mainstay.count_load(0, 1, octet_length(v_dead.payload));
      -- It may have held back one that stands before it, which was redriven earlier.
      if v_dead.ordering_key is null then perform mainstay.release(v_dead.id, v_at);
      else perform mainstay.unblock(v_dead.ordering_key, v_at); end if;
      return true;
    end $$;

    create function mainstay.discard(p_uuid uuid, p_outcomes boolean, p_now bigint) returns boolean
    language plpgsql volatile as $$
    declare
      v_at bigint := coalesce(p_now, mainstay.clock());
      v_row record;
    begin
      delete from mainstay.dead where uuid = p_uuid
        returning id, kind, ordering_key, octet_length(payload) as bytes,
          holds_key and effect not in ('notSent', 'refused') as is_doubtful into v_row;
      if not found then return false; end if;
      -- The other side may have another version of the record than what is kept.
      if v_row.is_doubtful then
        perform mainstay.outdate_latest(array[coalesce(v_row.ordering_key, uuid_send(p_uuid))]);
      end if;
      delete from mainstay.attempt where op = v_row.id;
      perform mainstay.leave_receipt(v_row.kind, 'discarded', 1, v_row.bytes, v_at);
      if p_outcomes then
        perform mainstay.keep_outcome(p_uuid, v_row.kind, 'discarded', null, v_at);
      end if;
      perform mainstay.tell(v_row.id, 'gone', v_at);
      perform mainstay.unblock(v_row.ordering_key, v_at);
      perform mainstay.forget_latest(coalesce(v_row.ordering_key, uuid_send(p_uuid)));
      return true;
    end $$;

    create function mainstay.learn(
      p_uuid uuid, p_latest bytea, p_key text, p_merges integer, p_fields text
    ) returns boolean language plpgsql volatile as $$
    declare
      v_row record;
    begin
      select id, ordering_key, state into v_row from mainstay.op
        where uuid = p_uuid and state <> 'leased' and effect in ('notSent', 'refused') for update;
      if not found then return false; end if;
      perform mainstay.note_news(
        v_row.id, coalesce(v_row.ordering_key, uuid_send(p_uuid)), p_latest, p_key, p_merges);
      if v_row.state <> 'conflicted' then return true; end if;
      if p_fields is null then
        delete from mainstay.conflict where op = v_row.id;
        update mainstay.op set state = 'ready' where id = v_row.id;
      else
        update mainstay.conflict set remote = p_latest, fields = p_fields where op = v_row.id;
      end if;
      return true;
    end $$;

    -- Ends a conflict; a payload is sent instead of what was there, in the form of its version, and
    -- without one that is dropped.
    create function mainstay.resolve(
      p_uuid uuid, p_payload bytea, p_key text, p_version integer, p_outcomes boolean, p_now bigint
    ) returns boolean language plpgsql volatile as $$
    declare
      v_row record;
    begin
      select id, octet_length(payload) as bytes into v_row from mainstay.op
        where uuid = p_uuid and state = 'conflicted' for update;
      if not found then return false; end if;
      if p_payload is null then
        return mainstay.remove(
          v_row.id, 'dropped', null, p_outcomes, coalesce(p_now, mainstay.clock()));
      end if;
      delete from mainstay.conflict where op = v_row.id;
      -- What somebody has decided is sent, however long that took.
      update mainstay.op set state = 'ready', payload = p_payload,
        version = coalesce(p_version, version), idem_key = p_key, attempt = 0, unreachable = 0,
        merges = 0, checkpoint = null, effect = 'notSent', expires_at = null where id = v_row.id;
      perform mainstay.count_load(0, 0, octet_length(p_payload) - v_row.bytes);
      return true;
    end $$;

    """

  private static let cancel = """
    mainstay.cancel(p_uuid uuid, p_outcomes boolean, p_now bigint) returns text
    language plpgsql volatile as $$
    declare
      v_row record;
    begin
      select id, state, effect, ordering_key into v_row from mainstay.op where uuid = p_uuid
        for update;
      if not found then return null; end if;
      if v_row.state <> 'leased' and v_row.effect in ('notSent', 'refused') then
        perform mainstay.remove(
          v_row.id, 'cancelled', null, p_outcomes, coalesce(p_now, mainstay.clock()));
        return 'cancelled';
      end if;
      -- Nobody here can ask what became of it. Of a conflict it is known what came after it.
      if v_row.state in ('parked', 'conflicted') then
        if v_row.state = 'parked' then
          perform mainstay.outdate_latest(array[coalesce(v_row.ordering_key, uuid_send(p_uuid))]);
        end if;
        perform mainstay.remove(
          v_row.id, 'cancelled', null, p_outcomes, coalesce(p_now, mainstay.clock()));
        return 'mayHaveHappened';
      end if;
      -- What may have been sent is reconciled at once, whatever it waits for.
      update mainstay.op set cancelled = true, run_at = null, start_at = null, constraints = null,
        state = case when state in ('scheduled', 'waiting') then 'ready' else state end
        where id = v_row.id;
      return case v_row.state when 'leased' then 'stopping' else 'mayHaveHappened' end;
    end $$;

    """

  private static let expediting = """
    -- Makes ready what waits because the network could not be reached; less important ones a little
    -- later.
    create function mainstay.expedite(
      p_delay bigint, p_normal integer, p_now bigint
    ) returns void language plpgsql volatile as $$
    declare
      v_at bigint := coalesce(p_now, mainstay.clock());
    begin
      update mainstay.op set run_at = v_at + p_delay
        where state = 'scheduled' and unreachable > 0 and p_delay > 0 and priority < p_normal
          and run_at > v_at + p_delay;
      update mainstay.op set state = 'ready', run_at = null, unreachable = 0
        where state = 'scheduled' and run_at is not null and unreachable > 0
          and (priority >= p_normal or p_delay = 0);
    end $$;
    """
}
