// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// What has expired goes by parts, too, and what was parked is not looked at as a whole.
  ///
  /// A newcomer dropped all that had expired, in one statement: where that was much, it took longer
  /// than a statement may, and nothing ever went.
  static let expiry = inOrder + makingRoom

  private static let inOrder = """
    -- In the order in which it goes: much may expire at the same moment, and is not sorted for a
    -- few of it.
    drop index mainstay.op_expiry;
    create index op_expiry on mainstay.op (expires_at, id) where expires_at is not null;
    alter function mainstay.expire(integer, boolean, bigint)
      set plan_cache_mode = force_generic_plan set enable_sort = off set enable_seqscan = off
      set enable_bitmapscan = off set jit = off;

    -- It takes a part of what is due and of what was parked, and a bitmap is made of all.
    alter function mainstay.promote(text[], integer[], boolean, bigint)
      set enable_bitmapscan = off;


    """

  private static let makingRoom = """
    -- What the store holds, as limits count it.
    create function mainstay.held_load(out pending bigint, out bytes bigint)
    language plpgsql volatile as $$
    begin
      select coalesce(sum(l.pending), 0), coalesce(sum(l.bytes), 0) into pending, bytes
        from mainstay.load as l;
    end $$;

    -- Drops what has expired, and then what is expendable, until a newcomer has room; false where
    -- it has none. A holder is the one whose place it takes; what the newcomer needs stays. Of what
    -- was too much before it, a few go with each newcomer: no one has to wait for all.
    create or replace function mainstay.make_room(
      p_new mainstay.arrival, p_holder bigint, p_freed bigint, p_maximum_pending bigint,
      p_maximum_bytes bigint, p_outcomes boolean, p_at bigint
    ) returns boolean language plpgsql volatile as $$
    declare
      v_size bigint := octet_length(p_new.payload);
      v_before record;
      v_now record;
      v_rows bigint;
      v_bytes bigint;
      v_victims bigint[] := '{}';
      v_own bigint := v_size - p_freed;
      v_is_enough boolean := false;
      v_row record;
      -- What has expired and went in this transaction, and no newcomer came for yet: rows and
      -- bytes. Each look for more passes by all that went before.
      v_credit bigint[] := coalesce(
        nullif(current_setting('mainstay.credit', true), ''), '{0,0}')::bigint[];
      v_found integer := 100;
      v_looked integer := 0;
    begin
      if p_maximum_pending is null and p_maximum_bytes is null then return true; end if;
      -- One after the other: two newcomers must not take the same place.
      perform pg_advisory_xact_lock(hashtext('mainstay.room'), 0);
      -- What nobody wants any more goes before what somebody does: two at least for each newcomer.
      loop
        select * into v_now from mainstay.held_load();
        if v_looked > 0 then
          v_credit := array[v_credit[1] + v_before.pending - v_now.pending,
            v_credit[2] + v_before.bytes - v_now.bytes];
        end if;
        v_rows := v_now.pending + 1 - p_maximum_pending;
        v_bytes := v_now.bytes + v_size - p_freed - p_maximum_bytes;
        v_is_enough := coalesce(v_rows, 0) <= 0 and coalesce(v_bytes, 0) <= 0;
        if not v_is_enough and v_credit[1] >= 2
          and (coalesce(v_bytes, 0) <= 0 or v_credit[2] >= v_own)
          and v_size <= coalesce(p_maximum_bytes, v_size)
        then
          v_credit := array[v_credit[1] - 2, v_credit[2] - v_own];
          v_is_enough := true;
        end if;
        if v_looked > 0 or v_is_enough then
          perform set_config('mainstay.credit', v_credit::text, true);
        end if;
        if v_is_enough then return true; end if;
        if v_size > p_maximum_bytes then return false; end if;
        exit when v_found < 100 or v_looked >= 1000;
        v_before := v_now;
        v_found := mainstay.expire(100, p_outcomes, p_at);
        v_looked := v_looked + v_found;
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
}
