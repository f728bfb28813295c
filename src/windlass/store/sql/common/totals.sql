-- How many jobs and attempts ever came to which end; never less than before, whatever is gone since.
select queue, type, state, sum(ended) as ended, sum(waited_us) as waited_us, sum(ran_us) as ran_us
  from (select queue, type, state, ended, waited_us, ran_us
          from windlass_totals
         union all
        select queue, type, state, jobs, case when waited_us > 0 then waited_us else 0 end,
               case when ran_us > 0 then ran_us else 0 end
          from windlass_rollups
         where grain = 0 and jobs > 0) counted
 group by queue, type, state
