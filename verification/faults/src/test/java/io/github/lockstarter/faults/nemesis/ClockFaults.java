package io.github.lockstarter.faults.nemesis;

import static io.github.lockstarter.faults.nemesis.RedisFaults.fault;

import io.github.lockstarter.faults.nemesis.Fault.Harm;
import io.github.lockstarter.faults.nemesis.Fault.Healing;
import io.github.lockstarter.faults.nemesis.Fault.Injection;
import io.github.lockstarter.faults.nemesis.Fault.Terms;
import io.lettuce.core.ScriptOutputType;
import java.util.List;

/**
 * The effect of a jump of a server's wall clock on the leases. Redis keeps the end of a lease as a wall-clock time: a
 * jump ahead makes all of them shorter by as much, a jump back longer. These faults change the leases in one step, on
 * any machine. The effect of the jump on the fencing tokens is in {@code AcquireScriptFencingIT}.
 */
final class ClockFaults {

    private static final String SHIFT = """
            local shifted = 0
            for _, key in ipairs(redis.call('KEYS', 'lock:*')) do
              local left = redis.call('PTTL', key)
              if left > 0 then
                redis.call('PEXPIRE', key, math.max(1, left - ARGV[1]))
                shifted = shifted + 1
              end
            end
            return shifted
            """;

    private ClockFaults() {}

    static List<Fault> all() {
        return List.of(
                fault("clock-back", "the masters' clock jumps back by up to 1 s", Terms.lasting(10, 1000), jump(-1)),
                fault(
                        "clock-ahead",
                        "the masters' clock jumps ahead by up to 3 s",
                        Terms.lasting(10, 3000).doing(Harm.AGES),
                        jump(1)));
    }

    /** By the duration of the fault: for this long, leases differ from the granted ones. */
    private static Injection jump(int direction) {
        return site -> {
            String millis = Long.toString(direction * site.duration().toMillis());
            site.redis().masters().forEach(master -> master.commands()
                    .eval(SHIFT, ScriptOutputType.INTEGER, new String[0], millis));
            return Healing.NONE;
        };
    }
}
