package io.github.lockstarter.faults.worker;

import java.nio.file.Path;
import java.time.Duration;

/**
 * What a worker is told on its command line.
 *
 * @param name its name and incarnation
 * @param address how it reaches the servers of the locks
 * @param resourcePort where the resource is that the locks protect; never faulted
 * @param log where its events go
 * @param seed of its threads' choices
 * @param subject the lock client and how it is set up
 * @param load how much it does
 */
public record WorkerOptions(
        String name, String address, int resourcePort, Path log, long seed, Setup subject, Load load) {

    /** Which client takes the locks. */
    public enum Client {
        /** This starter's engine. */
        STARTER,
        /** Redisson's fenced lock. */
        REDISSON,
        /** Nobody: each request is granted at once. A control. */
        NONE
    }

    /**
     * The lock client and how it is set up.
     *
     * @param client which one
     * @param lease default lease
     * @param handOverBound whether hand-overs are bounded as by default
     * @param fencing whether the resource checks the fencing token
     */
    public record Setup(Client client, Duration lease, boolean handOverBound, boolean fencing) {

        /** The starter with a short lease, everything on. */
        public static final Setup STARTER = new Setup(Client.STARTER, Duration.ofMillis(1500), true, true);

        /**
         * The same with hand-overs that go on while others wait.
         *
         * @return the setup
         */
        public Setup withoutHandOverBound() {
            return new Setup(client, lease, false, fencing);
        }

        /**
         * The same with a resource that takes every write.
         *
         * @return the setup
         */
        public Setup withoutFencing() {
            return new Setup(client, lease, handOverBound, false);
        }

        /**
         * The same with another client.
         *
         * @param other which one
         * @return the setup
         */
        public Setup of(Client other) {
            return new Setup(other, lease, handOverBound, fencing);
        }
    }

    /**
     * How much a worker does.
     *
     * @param threads that acquire
     * @param hotKeys that all threads of all workers want
     * @param coldKeys that are rarely wanted twice at a time
     */
    public record Load(int threads, int hotKeys, int coldKeys) {

        /** Enough for local hand-over, remote waiters and leases that nobody wants, at once. */
        public static final Load DEFAULT = new Load(10, 3, 1000);
    }

    /**
     * The command line.
     *
     * @return what {@link #parse} reads
     */
    public String[] toArguments() {
        return new String[] {
            name,
            address,
            Integer.toString(resourcePort),
            log.toString(),
            Long.toString(seed),
            subject.client().name(),
            Long.toString(subject.lease().toMillis()),
            Boolean.toString(subject.handOverBound()),
            Boolean.toString(subject.fencing()),
            Integer.toString(load.threads()),
            Integer.toString(load.hotKeys()),
            Integer.toString(load.coldKeys())
        };
    }

    /**
     * Reads a command line.
     *
     * @param arguments as of {@link #toArguments}
     * @return the options
     */
    public static WorkerOptions parse(String... arguments) {
        Setup setup = new Setup(
                Client.valueOf(arguments[5]),
                Duration.ofMillis(Long.parseLong(arguments[6])),
                Boolean.parseBoolean(arguments[7]),
                Boolean.parseBoolean(arguments[8]));
        Load load = new Load(
                Integer.parseInt(arguments[9]), Integer.parseInt(arguments[10]), Integer.parseInt(arguments[11]));
        return new WorkerOptions(
                arguments[0],
                arguments[1],
                Integer.parseInt(arguments[2]),
                Path.of(arguments[3]),
                Long.parseLong(arguments[4]),
                setup,
                load);
    }
}
