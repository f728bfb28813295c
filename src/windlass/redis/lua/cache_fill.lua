-- Put values where tag and era are still the ones that were seen. KEYS: the era, then entries.
-- ARGV: the era that was seen and its life in ms, then for each entry its tag, the value, and the time in ms at which
-- it ends. Answers how many were put.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local put = 0
for i = 2, #KEYS do
    local tag, value, ends = ARGV[3 * i - 3], ARGV[3 * i - 2], ARGV[3 * i - 1]
    if redis.call('GETRANGE', KEYS[i], 0, 31) == tag .. ARGV[1] then
        redis.call('SET', KEYS[i], value, 'PXAT', ends)
        put = put + 1
    end
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return put
