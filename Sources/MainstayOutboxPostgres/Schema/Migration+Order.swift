// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// In which order those who enqueue wait for each other.
  static let order = """
    -- Takes what newcomers have to be kept apart by, in one order: unique keys, the room,
    -- operations that are there, lanes and ordering keys. Two who enqueue several operations never
    -- wait for each other in a circle. Rows come before ordering keys, as where an operation ends.
    -- One that comes alone and needs no others takes the rest as it goes, in the same order.
    create function mainstay.lock_arrivals(
      p_lanes text[], p_unique_keys bytea[], p_needs uuid[], p_ordering_keys bytea[],
      p_bounded boolean, p_several boolean
    ) returns void language plpgsql volatile as $$
    declare
      v_holders bigint[] := '{}';
      v_ids bigint[] := '{}';
      v_id bigint;
      v_key bytea;
      v_need uuid;
      v_bucket integer;
    begin
      for v_bucket in select distinct (hashtextextended(encode(k, 'hex'), 0) & 1023)::integer
        from unnest(p_unique_keys) as k where k is not null order by 1
      loop
        perform pg_advisory_xact_lock(hashtext('mainstay.unique'), v_bucket);
      end loop;
      if p_bounded then perform pg_advisory_xact_lock(hashtext('mainstay.room'), 0); end if;
      if not p_several and cardinality(p_needs) = 0 then return; end if;
      -- One row at a time: a plan for all of them, made while the table was small, would be slow.
      foreach v_key in array p_unique_keys loop
        select id into v_id from mainstay.op where unique_key = v_key;
        if found then v_holders := v_holders || v_id; end if;
      end loop;
      foreach v_need in array p_needs loop
        select id into v_id from mainstay.op where uuid = v_need;
        if found then v_ids := v_ids || v_id; end if;
      end loop;
      for v_id in select distinct unnest(v_holders || v_ids) order by 1 loop
        if v_id = any (v_holders) then
          perform 1 from mainstay.op where id = v_id for update;
        else
          perform 1 from mainstay.op where id = v_id for key share;
        end if;
      end loop;
      insert into mainstay.lane (name) select distinct unnest(p_lanes) order by 1
        on conflict (name) do nothing;
      for v_bucket in select distinct (hashtextextended(encode(k, 'hex'), 0) & 1023)::integer
        from unnest(p_ordering_keys) as k where k is not null order by 1
      loop
        perform pg_advisory_xact_lock(hashtext('mainstay.key'), v_bucket);
      end loop;
    end $$;

    -- Takes one operation in, by all rules.
    create function mainstay.take(
      p_new mainstay.arrival, p_maximum_pending bigint, p_maximum_bytes bigint, p_outcomes boolean,
      p_at bigint
    ) returns mainstay.arrival_answer language plpgsql volatile as $$
    begin
      perform mainstay.lock_arrivals(array[p_new.lane], array[p_new.unique_key],
        coalesce(p_new.needs, '{}'), array[p_new.ordering_key],
        p_maximum_pending is not null or p_maximum_bytes is not null, false);
      return mainstay.take_locked(p_new, p_maximum_pending, p_maximum_bytes, p_outcomes, p_at);
    end $$;

    -- Takes several operations in, one after the other; one answer for each. Where a lock is not
    -- free for as long as the patience lasts, in milliseconds, none is kept.
    create function mainstay.take_all(
      p_new mainstay.arrival[], p_maximum_pending bigint, p_maximum_bytes bigint,
        p_outcomes boolean,
      p_now bigint, p_patience integer default null
    ) returns table (code text, uuid uuid) language plpgsql volatile as $$
    declare
      v_at bigint := coalesce(p_now, mainstay.clock());
      v_new mainstay.arrival;
      v_answer mainstay.arrival_answer;
    begin
      perform mainstay.be_patient(p_patience);
      perform mainstay.lock_arrivals(
        array(select a.lane from unnest(p_new) as a),
        array(select a.unique_key from unnest(p_new) as a),
        array(select n from unnest(p_new) as a, unnest(a.needs) as n),
        array(select a.ordering_key from unnest(p_new) as a),
        p_maximum_pending is not null or p_maximum_bytes is not null, cardinality(p_new) > 1);
      foreach v_new in array p_new loop
        v_answer := mainstay.take_locked(
          v_new, p_maximum_pending, p_maximum_bytes, p_outcomes, v_at);
        code := v_answer.code;
        uuid := v_answer.uuid;
        return next;
      end loop;
    end $$;
    """
}
