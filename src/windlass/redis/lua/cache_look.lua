-- Take what is kept, and leave a lease where nothing is. KEYS: entries. ARGV: the lease, its life in ms.
-- Answers with the time in ms, then with what was there. A Redis that is full gives no lease, and that is all.
local time = redis.call('TIME')
local answer = {time[1] * 1000 + math.floor(time[2] / 1000)}
local found = redis.call('MGET', unpack(KEYS))
for i, key in ipairs(KEYS) do
    if not found[i] then redis.pcall('SET', key, ARGV[1], 'PX', ARGV[2]) end
    answer[i + 1] = found[i]
end
return answer
