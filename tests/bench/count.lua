-- wrk sends the bytes of a file until so many answers have come, then says so; wrk itself is ended by a signal.
local ffi = require("ffi")
ffi.cdef("typedef struct { long s; long ns; } when; int clock_gettime(int, when *);")
local MONOTONIC = 1
local began, seen, limit = 0, 0, 0

local function now_us()
  local when = ffi.new("when")
  ffi.C.clock_gettime(MONOTONIC, when)
  return tonumber(when.s) * 1e6 + tonumber(when.ns) / 1e3
end

function init(args)
  local file = assert(io.open(args[1], "rb"))
  local raw = file:read("*a")
  file:close()
  limit = tonumber(args[2])
  wrk.format = function() return raw end
end

function response(status)
  seen = seen + 1
  if status ~= 200 then io.write("status " .. status .. "\n") io.flush() end
  if seen == 1 then began = now_us() end
  if seen == limit then
    io.write("counted " .. (seen - 1) .. " " .. math.floor(now_us() - began) .. "\n")
    io.flush()
    wrk.thread:stop()
  end
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write("done " .. summary.requests .. " " .. failed .. " " .. latency:percentile(50) .. "\n")
  io.flush()
end
