package io.github.lockstarter.faults.worker;

import io.github.lockstarter.faults.topology.Address;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The command line of a worker.
 *
 * @param name name and incarnation
 * @param resourcePort of the resource that the locks protect, which has no faults
 * @param log file of its events
 * @param seed of its threads' choices and of the checkpoint that its engine is restored from; clones have the same
 * @param subject the lock client and its configuration
 */
public record WorkerOptions(
        String name, Address address, int resourcePort, Path log, long seed, Setup subject, Load load) {

    private static final String TAKEOVER = "--crash-takeover=";
    private static final String MILLIS = "ms";

    /** Which client takes the locks. */
    public enum Client {
        /** This starter's engine. */
        STARTER,
        /** Redisson's fenced lock. */
        REDISSON,
        /** None: each request is granted at once. A control. */
        NONE
    }

    /** Guards that keep locks exclusive, handovers bounded, or late writes out. Each is disabled in some control. */
    public enum Guard {
        /** The lock client detects a server that may have lost locks. */
        HISTORY,
        /** Handovers are bounded as by default. */
        HAND_OVER_BOUND,
        /** The resource checks the fencing token. */
        FENCING,
        /** No lock is taken over earlier than its holder expects. */
        TAKEOVER_TIME,
        /** No server is chosen among two masters. */
        ONE_MASTER,
        /** A connection that leads nowhere, or to a server that refuses writes, is replaced. */
        RECONNECTION,
        /** A writer is not granted the lock beside readers. */
        READERS,
        /** The store answers renewals, and reports whether the instance is connected. */
        RENEWAL,
        /** All JDKs store a key under one text. */
        KEY_TEXT,
        /** Clones of an instance draw instance ids and lock tokens of their own. */
        RANDOM_TOKENS,
        /** The lock client has threads of its own, which no other code of the worker blocks. */
        OWN_THREADS
    }

    /**
     * The lock client and its configuration.
     *
     * @param lease default lease
     * @param takeover time from the end of the holder's connection to a takeover; zero for never
     * @param guards enabled ones
     */
    public record Setup(Client client, Duration lease, Duration takeover, Set<Guard> guards) {

        /**
         * The starter, everything on. The lease is short, since after some faults nothing is granted for as long, and
         * longer than it takes to replace a master, or no lock could be lost with one.
         */
        public static final Setup STARTER =
                new Setup(Client.STARTER, Duration.ofSeconds(2), Duration.ofSeconds(1), EnumSet.allOf(Guard.class));

        public Setup {
            guards = Set.copyOf(guards);
        }

        /** The same without one guard. */
        public Setup without(Guard guard) {
            Set<Guard> others = EnumSet.allOf(Guard.class);
            others.retainAll(guards);
            others.remove(guard);
            return new Setup(client, lease, takeover, others);
        }

        public boolean has(Guard guard) {
            return guards.contains(guard);
        }

        /** The longest requested lease, slightly longer than the default. */
        public Duration longestLease() {
            return lease.multipliedBy(4).dividedBy(3);
        }

        public Setup of(Client other) {
            return new Setup(other, lease, takeover, guards);
        }

        /** The same with another default lease. */
        public Setup lease(Duration other) {
            return new Setup(client, other, takeover, guards);
        }

        /** The same with another takeover time; zero for never. */
        public Setup takingOverAfter(Duration other) {
            return new Setup(client, lease, other, guards);
        }
    }

    /**
     * Load of a worker.
     *
     * @param threads that acquire
     * @param hotKeys contended by all threads of all workers
     * @param coldKeys rarely contended
     * @param pause of a thread between two requests, on average
     */
    public record Load(int threads, int hotKeys, int coldKeys, Duration pause) {

        /** Enough for local handover, remote waiters and uncontended leases at the same time; takes two cores. */
        public static final Load DEFAULT = new Load(10, 5, 1000, Duration.ZERO);

        /** A quarter of the processor time, so that three runs fit beside each other; as many callers for a hot key. */
        public static final Load LIGHT = new Load(2, 1, 1000, Duration.ofMillis(40));
    }

    /** Its name without the incarnation, such as {@code w1}. */
    String instance() {
        return name.substring(0, name.indexOf('.'));
    }

    /** The command line, for {@link #parse}. */
    public String[] toArguments() {
        return new String[] {
            name,
            address.toText(),
            Integer.toString(resourcePort),
            log.toString(),
            Long.toString(seed),
            subject.client().name(),
            Long.toString(subject.lease().toMillis()),
            subject.guards().stream().map(Guard::name).collect(Collectors.joining(",", "+,", "")),
            Integer.toString(load.threads()),
            Integer.toString(load.hotKeys()),
            Integer.toString(load.coldKeys()),
            Long.toString(load.pause().toMillis()),
            TAKEOVER + subject.takeover().toMillis() + MILLIS
        };
    }

    /** Parses a command line of {@link #toArguments}. */
    public static WorkerOptions parse(String... arguments) {
        Setup setup = new Setup(
                Client.valueOf(arguments[5]),
                Duration.ofMillis(Long.parseLong(arguments[6])),
                takeover(arguments[12]),
                guards(arguments[7]));
        Load load = new Load(
                Integer.parseInt(arguments[8]),
                Integer.parseInt(arguments[9]),
                Integer.parseInt(arguments[10]),
                Duration.ofMillis(Long.parseLong(arguments[11])));
        return new WorkerOptions(
                arguments[0],
                Address.parse(arguments[1]),
                Integer.parseInt(arguments[2]),
                Path.of(arguments[3]),
                Long.parseLong(arguments[4]),
                setup,
                load);
    }

    private static Duration takeover(String argument) {
        return Duration.ofMillis(
                Long.parseLong(argument.substring(TAKEOVER.length(), argument.length() - MILLIS.length())));
    }

    private static Set<Guard> guards(String names) {
        return Stream.of(names.split(",", -1))
                .filter(name -> !name.equals("+") && !name.isEmpty())
                .map(Guard::valueOf)
                .collect(Collectors.toUnmodifiableSet());
    }
}
