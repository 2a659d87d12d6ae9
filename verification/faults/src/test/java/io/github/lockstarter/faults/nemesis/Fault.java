package io.github.lockstarter.faults.nemesis;

import io.github.lockstarter.faults.topology.Topology;
import io.github.lockstarter.faults.topology.Topology.Trait;
import io.github.lockstarter.kit.check.History;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * A fault.
 *
 * @param name as in reports, such as {@code server-killed}
 * @param lane two faults of one lane never happen at the same time
 * @param terms where and for how long it is injected
 */
public record Fault(String name, String description, Lane lane, Terms terms, Injection injection) {

    /** The target of a fault. */
    public enum Lane {
        /** A JVM that uses locks. */
        WORKER,
        /** A link or a server. */
        SERVER
    }

    /** Effect of a fault on the data of the servers. */
    public enum Harm {
        /** Nothing. */
        NONE,
        /**
         * None, but a master is silent long enough to be replaced, if sentinels do so, and then continues. {@link
         * FailoverFaults} covers how long it may stay master.
         */
        SILENCES,
        /** Locks are lost. */
        FORGETS,
        /** Leases end early. */
        AGES,
        /** An operator revokes the locks of one instance, which detects it afterwards. */
        REVOKES;

        private boolean isStoodBy(Topology topology) {
            Set<Trait> traits = topology.traits();
            return switch (this) {
                case NONE, REVOKES -> true;
                case SILENCES -> !traits.contains(Trait.FAILOVER);
                case FORGETS -> traits.contains(Trait.HISTORY_GUARD);
                case AGES -> traits.contains(Trait.CLOCK_GUARD);
            };
        }
    }

    /**
     * Where and for how long a fault is injected.
     *
     * @param needs promises of the topology without which a violation would be legitimate
     * @param shortest minimum duration
     * @param longest maximum duration
     * @param harm effect on the data of the servers
     * @param alone no other fault at the same time, and all workers run
     */
    public record Terms(Set<Trait> needs, Duration shortest, Duration longest, Harm harm, boolean alone) {

        static Terms lasting(int shortestMillis, int longestMillis, Trait... needs) {
            Duration shortest = Duration.ofMillis(shortestMillis);
            return new Terms(Set.of(needs), shortest, Duration.ofMillis(longestMillis), Harm.NONE, false);
        }

        Terms needing(Trait further) {
            Set<Trait> all = EnumSet.of(further);
            all.addAll(needs);
            return new Terms(all, shortest, longest, harm, alone);
        }

        Terms doing(Harm what) {
            return new Terms(needs, shortest, longest, what, alone);
        }

        Terms undisturbed() {
            return new Terms(needs, shortest, longest, harm, true);
        }
    }

    /** Injects a fault. */
    public interface Injection {

        /** Injects the fault; returns the way to heal it. */
        Healing inject(Site site);
    }

    /** Ends a fault. */
    public interface Healing {

        /** Nothing to heal. */
        Healing NONE = () -> {};

        /** Ends the fault; returns when the target works again, or soon will. */
        void heal();
    }

    /** Whether the topology makes the promises that this fault needs; otherwise a violation would be legitimate. */
    public boolean appliesTo(Topology topology) {
        return topology.traits().containsAll(terms.needs()) && terms.harm().isStoodBy(topology);
    }

    /** Prefix of the fault's note in the event log, which the checks evaluate; empty if holders keep their locks. */
    String mark() {
        return switch (terms.harm()) {
            case FORGETS, AGES -> History.FORGETS;
            case REVOKES -> History.REVOKES;
            case NONE, SILENCES -> "";
        };
    }
}
