-- Say that a worker waits, for as long as given. KEYS: the kinds that somebody waits for; those who
-- wait of this kind. ARGV: the kind, the worker, for how many milliseconds.
-- Answers 1 if it has waited until now without a gap, so that it missed no token.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ttl = tonumber(ARGV[3])

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. now)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', '(' .. now)
local unbroken = redis.call('ZSCORE', KEYS[2], ARGV[2])

redis.call('ZADD', KEYS[1], now + ttl, ARGV[1])
redis.call('ZADD', KEYS[2], now + ttl, ARGV[2])
redis.call('PEXPIRE', KEYS[1], ttl)
redis.call('PEXPIRE', KEYS[2], ttl)
return unbroken and 1 or 0
