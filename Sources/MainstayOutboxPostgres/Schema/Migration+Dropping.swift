// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// How an operation is put together with the last one of its key, anew: what is held back counts.
  static let coalescing = """
    -- The last one of the key gets what both come to, or both are gone.
    create or replace function mainstay.coalesce_arrival(
      p_new mainstay.arrival, p_maximum_bytes bigint, p_outcomes boolean, p_at bigint
    ) returns mainstay.arrival_answer language plpgsql volatile as $$
    declare
      v_row record;
    begin
      perform mainstay.lock_key(p_new.ordering_key);
      select id, octet_length(payload) as bytes into v_row from mainstay.op as o
        where uuid = p_new.earlier and payload = p_new.expected and kind = p_new.kind
          and version = p_new.version and ordering_key = p_new.ordering_key
          and state in ('ready', 'scheduled', 'blocked', 'waiting') and effect = 'notSent'
          and not cancelled
          and not exists (select 1 from mainstay.op as later
            where later.ordering_key = p_new.ordering_key and later.id > o.id)
          and unique_key is null and expires_at is null and constraints is null and timeout is null
          and priority = p_new.priority and expendable = p_new.expendable
          and not exists (select 1 from mainstay.dep where op = o.id)
          and (p_new.merged is not null
            or not exists (select 1 from mainstay.dep where needs = o.id))
        for update skip locked;
      if not found then return ('changedMeanwhile', null)::mainstay.arrival_answer; end if;
      -- What both come to must have room; nothing is dropped for it.
      if octet_length(p_new.merged) > v_row.bytes
        and (select h.bytes from mainstay.held_load() as h) + octet_length(p_new.merged)
          - v_row.bytes > p_maximum_bytes
      then return ('changedMeanwhile', null)::mainstay.arrival_answer; end if;
      perform mainstay.count_load(1, 0, 0);
      if p_new.merged is not null then
        -- How far a run came says nothing about another payload.
        update mainstay.op set payload = p_new.merged, idem_key = p_new.idem_key,
          checkpoint = null where id = v_row.id;
        perform mainstay.leave_receipt(p_new.kind, 'coalesced', 1, v_row.bytes, p_at);
        perform mainstay.count_load(0, 0, octet_length(p_new.merged) - v_row.bytes);
        return ('kept', p_new.earlier)::mainstay.arrival_answer;
      end if;
      perform mainstay.leave_receipt(p_new.kind, 'coalesced', 1, octet_length(p_new.payload), p_at);
      if p_outcomes then
        perform mainstay.keep_outcome(p_new.uuid, p_new.kind, 'coalesced', null, p_at);
      end if;
      perform mainstay.remove(v_row.id, 'coalesced', null, p_outcomes, p_at);
      return ('kept', p_new.uuid)::mainstay.arrival_answer;
    end $$;


    """

  /// What becomes of those behind a dead letter, anew.
  static let dropping = """
    -- Makes a dead letter of an operation, and decides about those behind it. However many of them
    -- go, few statements do it: one for each of them took longer than all of them may.
    create or replace function mainstay.bury(
      p_id bigint, p_reason text, p_followers text, p_outcomes boolean, p_at bigint
    ) returns void language plpgsql volatile as $$
    declare
      v_key bytea;
      v_id bigint;
      v_ids bigint[];
    begin
      select ordering_key into v_key from mainstay.op where id = p_id for update;
      if not mainstay.move(p_id, p_reason, p_followers = 'holdKey', p_at) then return; end if;
      perform mainstay.tell(p_id, 'givenUp', p_at);
      if v_key is null or p_followers = 'holdKey' then return; end if;
      perform mainstay.lock_key(v_key);
      if p_followers = 'dropFollowers' then
        -- In one order, as everybody who locks several of them; nobody comes to need one then.
        v_ids := array(select o.id from mainstay.op as o
          where o.ordering_key = v_key and o.state = 'blocked'
            and o.effect in ('notSent', 'refused')
          order by o.id for update);
        -- Those that others need tell them so, and may take some along.
        for v_id in select u.id from unnest(v_ids) as u (id)
          where (select d.op from mainstay.dep as d where d.needs = u.id limit 1) is not null
          order by u.id
        loop
          perform mainstay.remove(v_id, 'followed', null, p_outcomes, p_at, false);
        end loop;
        if found then v_ids := array(select o.id from mainstay.op as o where o.id = any (v_ids));
        end if;
        perform mainstay.drop_followers(v_ids, p_outcomes, p_at);
      end if;
      perform mainstay.unblock(v_key, p_at);
    end $$;

    -- Takes operations out that nothing needs, and leaves receipts.
    create function mainstay.drop_followers(p_ids bigint[], p_outcomes boolean, p_at bigint)
    returns void language plpgsql volatile as $$
    declare
      v_row record;
    begin
      if cardinality(p_ids) = 0 then return; end if;
      delete from mainstay.conflict where op = any (p_ids);
      delete from mainstay.attempt where op = any (p_ids);
      delete from mainstay.dep where op = any (p_ids);
      for v_row in
        with gone as (
          delete from mainstay.op as o where o.id = any (p_ids)
          returning o.id, o.uuid, o.kind, octet_length(o.payload) as bytes
        ), remembered as (
          insert into mainstay.outcome (number, uuid, kind, reason, output, at)
          select nextval('mainstay.outcome_number'), g.uuid, g.kind, 'followed', null, p_at
          from (select * from gone order by id) as g where p_outcomes
        )
        select g.kind, count(*) as count, sum(g.bytes)::bigint as bytes
          from gone as g group by g.kind order by g.kind
      loop
        perform mainstay.leave_receipt(v_row.kind, 'followed', v_row.count, v_row.bytes, p_at);
        perform mainstay.count_load(0, -v_row.count, -v_row.bytes);
      end loop;
    end $$;
    """
}
