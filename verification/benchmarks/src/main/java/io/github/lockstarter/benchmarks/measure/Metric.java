package io.github.lockstarter.benchmarks.measure;

/** What is measured. The order is that of the columns. */
public enum Metric {
    /** Acquisitions and releases a second. */
    OPERATIONS("ops/s", Better.HIGHER),
    /** Median latency of what the workload describes. */
    P50("p50 µs", Better.LOWER),
    /** 99th percentile of the same. */
    P99("p99 µs", Better.LOWER),
    /** Median of a time in seconds that the workload describes. */
    P50_SECONDS("p50 s", Better.LOWER),
    /** 99th percentile of the same. */
    P99_SECONDS("p99 s", Better.LOWER),
    /** Longest of the same. */
    MAX_SECONDS("max s", Better.LOWER),
    /** {@code total_reads_processed} of the server per operation. */
    READS("reads/op", Better.LOWER),
    /** {@code total_commands_processed} of the server per operation. */
    COMMANDS("commands/op", Better.LOWER),
    /** Processor time of the server per operation. */
    SERVER_CPU("server µs/op", Better.LOWER),
    /** Commands that try to acquire, per acquisition. */
    TRIES("tries/acquisition", Better.LOWER),
    /** Jain's fairness index of the operations of the threads. */
    FAIRNESS_OF_THREADS("Jain, threads", Better.HIGHER),
    /** Jain's fairness index of the operations of the JVMs or client instances. */
    FAIRNESS_OF_INSTANCES("Jain, instances", Better.HIGHER),
    /** Increments that were overwritten: exclusion failed. */
    LOST_UPDATES("lost updates", Better.LOWER),
    /** CPU time of the client's process per second. */
    CPU("CPU ms/s", Better.LOWER),
    /** {@code total_commands_processed} of the server a second. */
    COMMAND_RATE("commands/s", Better.LOWER),
    /** Live threads of the client's process. */
    THREADS("threads", Better.LOWER),
    /** Live threads more than before the locks were acquired. */
    MORE_THREADS("threads for the locks", Better.LOWER),
    /** Live heap per held lock, handle and key included. */
    HEAP("heap B/lock", Better.LOWER),
    /** Locks that were lost while held. */
    LOST_LOCKS("lost locks", Better.LOWER),
    /** How often the process of a holder was paused. */
    PAUSES("pauses", Better.HIGHER),
    /** After how many of these pauses the holder still had its lock. */
    KEPT("kept", Better.HIGHER),
    /** Time of the server per acquiring command. */
    ACQUIRING_IN_SERVER("server µs/acquire", Better.LOWER),
    /** Time of the server per releasing command. */
    RELEASING_IN_SERVER("server µs/release", Better.LOWER),
    /** Memory of the server for each open client that has used locks. */
    BYTES_PER_CLIENT("server B/client", Better.LOWER),
    /** Memory of the server for each client that waits. */
    BYTES_PER_WAITER("server B/waiting client", Better.LOWER),
    /** Memory of the server for each held lock. */
    BYTES_PER_HELD("server B/held lock", Better.LOWER),
    /** Memory of the server for each lock that was held and is released. */
    BYTES_PER_RELEASED("server B/released lock", Better.LOWER),
    /** Time of a call. */
    NANOS("ns/call", Better.LOWER),
    /** Bytes allocated by a call. */
    ALLOCATED("B/call", Better.LOWER);

    /** Which way is good. */
    public enum Better {
        /** More is better. */
        HIGHER,
        /** Less is better. */
        LOWER
    }

    private final String label;
    private final Better better;

    Metric(String label, Better better) {
        this.label = label;
        this.better = better;
    }

    /**
     * Name with unit.
     *
     * @return for tables and charts
     */
    public String label() {
        return label;
    }

    /**
     * Which way is good.
     *
     * @return the direction
     */
    public Better better() {
        return better;
    }
}
