-- As cache_look, for idempotency keys: where one is kept, what is kept of its job comes with it.
-- KEYS: in pairs, the entry of a key and the entry of the job that wants it.
-- ARGV: the lease, its life in ms, what the entries of jobs begin with, and where in a kept key its job is named.
local time = redis.call('TIME')
local answer = {time[1] * 1000 + math.floor(time[2] / 1000)}
for i = 1, #KEYS, 2 do
    local held, job = redis.call('GET', KEYS[i]), false
    if not held then
        redis.pcall('SET', KEYS[i], ARGV[1], 'PX', ARGV[2])
        redis.pcall('SET', KEYS[i + 1], ARGV[1], 'PX', ARGV[2])
    elseif string.len(held) >= tonumber(ARGV[4]) then
        job = redis.call('GET', ARGV[3] .. string.sub(held, ARGV[4]))
    end
    answer[i + 1], answer[i + 2] = held, job
end
return answer
