package io.github.lockstarter.faults.nemesis;

import io.github.lockstarter.faults.topology.Topology;
import io.github.lockstarter.faults.topology.Topology.Trait;
import io.github.lockstarter.kit.check.History;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * Something that can go wrong.
 *
 * @param name as in reports, such as {@code server-killed}
 * @param description what is done
 * @param lane what it strikes; two faults of one lane never happen at a time
 * @param terms where and for how long it is injected
 * @param injection injects it
 */
public record Fault(String name, String description, Lane lane, Terms terms, Injection injection) {

    /** What a fault strikes. */
    public enum Lane {
        /** A JVM that uses locks. */
        WORKER,
        /** A link or a server. */
        SERVER
    }

    /** What a fault does to the memory of the servers. */
    public enum Harm {
        /** Nothing. */
        NONE,
        /**
         * Nothing, but a master is silent for long enough to be replaced, where somebody does that, and then goes on.
         * Who is master of what for how long is left to {@link FailoverFaults} there.
         */
        SILENCES,
        /** Locks are lost. */
        FORGETS,
        /** Leases end early. */
        AGES,
        /** An operator takes the locks of one instance away, which learns of it afterwards. */
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
     * @param needs what the topology must promise, or the fault would break what nobody promised
     * @param shortest it lasts
     * @param longest it lasts
     * @param harm what it does to the memory of the servers
     * @param alone nothing else goes wrong while it lasts, and all workers run
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

        /**
         * Injects it.
         *
         * @param site where
         * @return what heals it
         */
        Healing inject(Site site);
    }

    /** Ends a fault. */
    public interface Healing {

        /** Nothing to heal. */
        Healing NONE = () -> {};

        /** Ends the fault; returns when what was struck works again, or soon will. */
        void heal();
    }

    /**
     * Whether the topology promises what this fault needs.
     *
     * @param topology where it would be injected
     * @return false if a violation were no surprise
     */
    public boolean appliesTo(Topology topology) {
        return topology.traits().containsAll(terms.needs()) && terms.harm().isStoodBy(topology);
    }

    /**
     * How the fault begins its note in the event log, so that the checks know what it does.
     *
     * @return empty if whoever has a lock keeps it
     */
    String mark() {
        return switch (terms.harm()) {
            case FORGETS, AGES -> History.FORGETS;
            case REVOKES -> History.REVOKES;
            case NONE, SILENCES -> "";
        };
    }
}
