-- Put values where the tag is still the one that was seen. KEYS: entries. ARGV: for each its tag, the value, and the
-- time in ms at which it ends. Answers how many were put.
local put = 0
for i, key in ipairs(KEYS) do
    local tag, value, ends = ARGV[3 * i - 2], ARGV[3 * i - 1], ARGV[3 * i]
    if redis.call('GETRANGE', key, 0, string.len(tag) - 1) == tag then
        redis.call('SET', key, value, 'PXAT', ends)
        put = put + 1
    end
end
return put
