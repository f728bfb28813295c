-- Wake workers: for each kind that serves one of the queues as many as there are jobs, at most as
-- many as wait. KEYS: the kinds that somebody waits for; where words for all are published.
-- ARGV: prefix of other keys, jobs, what a token says, what to publish ('' for nothing), the queues.
-- Answers how many wait, and how many heard what was published.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local jobs, waiting, heard = tonumber(ARGV[2]), 0, 0

local rung = {}
for i = 5, #ARGV do rung[ARGV[i]] = true end

local function serves(queues)
    if queues == '*' or rung['*'] then return true end
    for _, queue in ipairs(cjson.decode(queues)) do
        if rung[queue] then return true end
    end
    return false
end

if #ARGV >= 5 then
    for _, kind in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], now, '+inf')) do
        local name, queues = string.match(kind, '^(%S+) (.*)$')
        if serves(queues) then
            local tokens = ARGV[1] .. 'tokens:' .. name
            local room = redis.call('ZCOUNT', ARGV[1] .. 'waiting:' .. name, now, '+inf')
            local more = math.min(jobs, room - redis.call('LLEN', tokens))
            for _ = 1, more do redis.call('RPUSH', tokens, ARGV[3]) end
            if more > 0 then redis.call('PEXPIRE', tokens, 3000) end
            waiting = waiting + room
        end
    end
end
if ARGV[4] ~= '' then heard = redis.call('PUBLISH', KEYS[2], ARGV[4]) end
return {waiting, heard}
