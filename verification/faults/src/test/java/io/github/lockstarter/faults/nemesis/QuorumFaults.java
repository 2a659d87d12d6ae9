package io.github.lockstarter.faults.nemesis;

import io.github.lockstarter.faults.nemesis.Fault.Harm;
import io.github.lockstarter.faults.nemesis.Fault.Injection;
import io.github.lockstarter.faults.nemesis.Fault.Lane;
import io.github.lockstarter.faults.nemesis.Fault.Terms;
import io.github.lockstarter.faults.topology.Topology.Trait;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Faults of some of the independent servers of a quorum. */
final class QuorumFaults {

    /** By how much a clock is set back: less than a lease, more than one, more than any. */
    private static final List<Duration> BACK =
            List.of(Duration.ofMillis(100), Duration.ofMillis(900), Duration.ofSeconds(31), Duration.ofHours(1));

    /**
     * How far the clock is set forward: at most by the longest lease. Fencing tokens run ahead of the other clocks by
     * as much, and a server that forgets its own and is the only common one of two quorums is trusted again after a
     * lease: a documented hole. {@code RedlockMemoryIT} has a clock that is set forward by 31 s.
     */
    private static final List<Duration> FORWARD =
            List.of(Duration.ofMillis(100), Duration.ofMillis(900), Duration.ofSeconds(2));

    /**
     * After this time, the clock no longer misleads workers that connect to the server for the first time: slightly
     * longer than the longest lease.
     */
    private static final Duration UNTIL_HARMLESS = Duration.ofMillis(3200);

    private QuorumFaults() {}

    static List<Fault> all() {
        return List.of(
                fault(
                        "two-killed",
                        "kill -9 of two servers; they come back without data",
                        Terms.lasting(200, 2500, Trait.QUORUM).doing(Harm.FORGETS),
                        two(RedisServer::kill, RedisServer::restart)),
                fault(
                        "two-paused",
                        "SIGSTOP of two servers",
                        Terms.lasting(200, 3000, Trait.QUORUM),
                        two(RedisServer::pause, RedisServer::resume)),
                fault(
                        "node-unreachable",
                        "no worker reaches one of the servers",
                        Terms.lasting(200, 3000, Trait.QUORUM),
                        links(
                                link -> {
                                    link.refuse();
                                    link.cut();
                                },
                                TcpProxy::accept)),
                fault(
                        "node-stalled",
                        "answers of one server arrive late",
                        Terms.lasting(200, 2500, Trait.QUORUM),
                        links(TcpProxy::stallReplies, TcpProxy::flow)),
                fault(
                        "clock-set",
                        "one server's clock is set, forward by up to 2 s or back by up to 1 h",
                        Terms.lasting(50, 50, Trait.CLOCKS).doing(Harm.FORGETS).undisturbed(),
                        QuorumFaults::setClock));
    }

    /** Excludes workers that connect to the server for the first time during this period: a documented hole. */
    private static Fault.Healing setClock(Site site) {
        int lot = site.plan().lot();
        Duration step = lot % 2 == 0
                ? FORWARD.get(lot / 2 % FORWARD.size())
                : BACK.get(lot / 2 % BACK.size()).negated();
        site.redis().setClock(site.redisServer(), step);
        return () -> LockSupport.parkNanos(UNTIL_HARMLESS.toNanos());
    }

    private static Injection two(Consumer<RedisServer> harm, Consumer<RedisServer> heal) {
        return site -> {
            List<RedisServer> all = site.redis().servers();
            int first = site.plan().lot() % all.size();
            List<RedisServer> struck = List.of(all.get(first), all.get((first + 2) % all.size()));
            struck.forEach(harm);
            return () -> struck.forEach(heal);
        };
    }

    private static Injection links(Consumer<TcpProxy> harm, Consumer<TcpProxy> heal) {
        return site -> {
            List<TcpProxy> links = site.linksTo(site.server());
            links.forEach(harm);
            return () -> links.forEach(heal);
        };
    }

    private static Fault fault(String name, String description, Terms terms, Injection injection) {
        return new Fault(name, description, Lane.SERVER, terms, injection);
    }
}
