-- As cache_look, for idempotency keys: where one is kept, what is kept of its job comes with it.
-- KEYS: the era, then in pairs the entry of a key and the entry of the job that wants it.
-- ARGV: as there; what the entries of jobs begin with, and where in a kept key its job is named.
local time = redis.call('TIME')
local answer = {time[1] * 1000 + math.floor(time[2] / 1000)}
local era = redis.call('GET', KEYS[1]) or ARGV[1]
answer[2] = era
local lease, leased = ARGV[1] .. era .. ARGV[2], false
for i = 2, #KEYS, 2 do
    local held, job = redis.call('GET', KEYS[i]), false
    if not held then
        redis.pcall('SET', KEYS[i], lease, 'PX', ARGV[3])
        redis.pcall('SET', KEYS[i + 1], lease, 'PX', ARGV[3])
        leased = true
    elseif string.len(held) >= tonumber(ARGV[6]) then
        job = redis.call('GET', ARGV[5] .. string.sub(held, ARGV[6]))
        if job and string.sub(job, 17, 32) ~= era then job = false end
    end
    answer[i + 1], answer[i + 2] = held, job
end
if leased then redis.pcall('SET', KEYS[1], era, 'PX', ARGV[4]) end
return answer
