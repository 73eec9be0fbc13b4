// SPDX-License-Identifier: Apache-2.0

extension Migration {
  /// What constraints hold back is looked at anew only where they may hold, and by whoever has a
  /// worker for it: all else would be set aside again at once.
  static let held = """
    -- Makes ready some of what waits for constraints none of which is unmet where it is asked, if
    -- it is of these types, and answers behind what there may be more; null where there is none.
    -- What has the same constraints is passed by with one look, and so is a type in a lane.
    create function mainstay.reconsider(
      p_after jsonb, p_unmet text[], p_types text[]
    ) returns jsonb
    language plpgsql volatile set enable_seqscan to off set enable_bitmapscan to off
      set plan_cache_mode to force_generic_plan set jit to off as $$
    declare
      v_constraints text[] := coalesce(array(
        select c from jsonb_array_elements_text(p_after -> 'constraints') as c), '{}');
      v_lane text := coalesce(p_after ->> 'lane', '');
      v_kind text := coalesce(p_after ->> 'kind', '');
      v_version integer := coalesce((p_after ->> 'version')::integer, 0);
      v_rank bigint := coalesce((p_after ->> 'rank')::bigint, 0);
      v_id bigint := coalesce((p_after ->> 'id')::bigint, 0);
      v_last constant bigint := 9223372036854775807;
      v_row record;
      v_ids bigint[];
      v_count integer := 0;
    begin
      -- However many of them there are, no part takes long.
      for v_look in 1..1000 loop
        exit when v_count >= 1000;
        select o.constraints, o.lane, o.kind, o.version, o.rank, o.id into v_row
          from mainstay.op as o
          where o.state = 'waiting' and o.run_at is null
            and (o.constraints, o.lane, o.kind, o.version, o.rank, o.id)
              > (v_constraints, v_lane, v_kind, v_version, v_rank, v_id)
          order by o.constraints, o.lane, o.kind, o.version, o.rank, o.id limit 1;
        if not found then return null; end if;
        if v_row.constraints && p_unmet then
          -- The least that comes behind all with the same constraints.
          v_constraints := v_row.constraints || ''::text;
          v_lane := '';
          v_kind := '';
          v_version := 0;
          v_rank := 0;
          v_id := 0;
          continue;
        end if;
        v_constraints := v_row.constraints;
        v_lane := v_row.lane;
        v_kind := v_row.kind;
        v_version := v_row.version;
        v_rank := v_last;
        v_id := v_last;
        continue when v_kind || '/' || v_version <> all (p_types);
        v_ids := array(
          select o.id from mainstay.op as o
          where o.state = 'waiting' and o.run_at is null and o.constraints = v_constraints
            and o.lane = v_lane and o.kind = v_kind and o.version = v_version
            and (o.rank, o.id) >= (v_row.rank, v_row.id)
          order by o.rank, o.id limit 1000 - v_count for no key update skip locked);
        update mainstay.op set state = 'ready', cause = null where id = any (v_ids);
        v_count := v_count + cardinality(v_ids);
        if v_count >= 1000 then
          select o.rank, o.id into v_rank, v_id
            from mainstay.op as o where o.id = v_ids[cardinality(v_ids)];
        end if;
      end loop;
      return jsonb_build_object('constraints', v_constraints, 'lane', v_lane, 'kind', v_kind,
        'version', v_version, 'rank', v_rank, 'id', v_id);
    end $$;
    """
}
