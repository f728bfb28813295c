-- Keep one new job that is due now as the claim of a worker that stood by for it.
insert into windlass_jobs (id, type, queue, name, state, lane, rank, priority, threads, payload,
                           max_attempts, max_crashes, policy, fence, worker, created_at, run_at, claimed_at)
values (:id, :type, :queue, :name, 'running', 'open',
        :now - :priority * (select aging_us from windlass_settings),
        :priority, 0, :payload, :max_attempts, :max_crashes, :policy, 1, :worker, :now, :now, :now)
returning rank
