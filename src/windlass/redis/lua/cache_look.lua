-- Take what is kept, and leave a lease where nothing is. KEYS: the era, then entries.
-- ARGV: the tag of the lease, what follows tag and era in it, its life and that of the era, both in ms.
-- Answers with the time in ms and the era, then with what was there. What is of another era counts for nothing,
-- but for marks. A Redis that is full gives no lease, and that is all.
local time = redis.call('TIME')
local answer = {time[1] * 1000 + math.floor(time[2] / 1000)}
local era = redis.call('GET', KEYS[1]) or ARGV[1]
answer[2] = era
local found, leased = redis.call('MGET', unpack(KEYS, 2)), false
for i, value in ipairs(found) do
    if value and string.sub(value, 17, 32) ~= era and string.byte(value, 33) ~= 1 then value = false end
    if not value then
        redis.pcall('SET', KEYS[i + 1], ARGV[1] .. era .. ARGV[2], 'PX', ARGV[3])
        leased = true
    end
    answer[i + 2] = value
end
if leased then redis.pcall('SET', KEYS[1], era, 'PX', ARGV[4]) end
return answer
