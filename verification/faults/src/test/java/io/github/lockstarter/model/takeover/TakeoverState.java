package io.github.lockstarter.model.takeover;

import java.util.stream.IntStream;

/** A state of everything. */
record TakeoverState(ServerPair servers, Holder holder) {

    TakeoverState with(ServerPair other) {
        return new TakeoverState(other, holder);
    }

    TakeoverState with(int server, TakeoverServer other) {
        return with(servers.with(server, other));
    }

    TakeoverState with(Holder other) {
        return new TakeoverState(servers, other);
    }

    TakeoverState with(int lock, TakeoverHold hold) {
        return with(holder.with(lock, hold));
    }

    TakeoverState withoutHold(int lock) {
        ServerPair abandoned =
                servers.each(each -> each.with(lock, each.lock(lock).abandoned()));
        return new TakeoverState(abandoned, holder.with(lock, holder.hold(lock).ended()));
    }

    boolean isViolated(TakeoverRules rules) {
        for (int lock = 0; lock < rules.locks(); lock++) {
            TakeoverHold hold = holder.hold(lock);
            if (holder.isCertain(lock, rules) && (hold.hadTaker() || hold.takerLeft() > 0)) {
                return true;
            }
        }
        return false;
    }

    TakeoverState tick(TakeoverRules rules) {
        TakeoverState later = new TakeoverState(servers.tick(rules), holder.tick(rules));
        for (int lock = 0; lock < rules.locks(); lock++) {
            if (holder.hold(lock).hasToken() && !later.holder.hold(lock).hasToken()) {
                later = later.withoutHold(lock);
            }
        }
        return later;
    }

    /** A number that no mark and no trace has. */
    int freshBegin() {
        return IntStream.of(begins()).max().orElse(0) + 1;
    }

    /** The representative of all worlds that differ only in numbers. */
    TakeoverState canonical(TakeoverRules rules) {
        int[] begins = begins();
        int[] numbers = new int[IntStream.of(begins).max().orElse(0) + 1];
        int most = 0;
        boolean same = true;
        for (int begin : begins) {
            if (begin != 0 && numbers[begin] == 0) {
                numbers[begin] = ++most;
                same = same && begin == most;
            }
        }
        TakeoverState numbered = same
                ? this
                : new TakeoverState(servers.renumbered(it -> numbers[it]), holder.renumbered(it -> numbers[it]));
        return numbered.with(numbered.holder.withLowPeriods(rules));
    }

    private int[] begins() {
        int[] begins = new int[5 + holder.beats().size()];
        begins[0] = servers.first().mark().begin();
        begins[1] = servers.first().trace().begin();
        begins[2] = servers.second().mark().begin();
        begins[3] = servers.second().trace().begin();
        begins[4] = holder.heartbeat().trace();
        for (int index = 0; index < holder.beats().size(); index++) {
            begins[5 + index] = holder.beats().get(index).trace();
        }
        return begins;
    }
}
