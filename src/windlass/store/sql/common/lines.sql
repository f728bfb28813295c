-- What a job logged, oldest first.
select job, fence, number, level, message, at
  from windlass_lines
 where job = :id
 order by fence, number
