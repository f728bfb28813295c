-- Put a mark where something is kept, or was about to be. KEYS: entries. ARGV: the mark, its life in ms.
-- Deleted first: a Redis that is full allows that, and then the rest as well.
redis.call('DEL', unpack(KEYS))
for _, key in ipairs(KEYS) do redis.call('SET', key, ARGV[1], 'PX', ARGV[2]) end
