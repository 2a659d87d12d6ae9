package io.github.lockstarter.benchmarks.measure;

/** Metrics, in the order of the columns. */
public enum Metric {
    /** Acquisitions and releases per second. */
    OPERATIONS("ops/s", Better.HIGHER),
    /** Median latency, as defined by the workload. */
    P50("p50 µs", Better.LOWER),
    P99("p99 µs", Better.LOWER),
    /** Median of a time in seconds, as defined by the workload. */
    P50_SECONDS("p50 s", Better.LOWER),
    P99_SECONDS("p99 s", Better.LOWER),
    MAX_SECONDS("max s", Better.LOWER),
    /** {@code total_reads_processed} of the server. */
    READS("reads/op", Better.LOWER),
    /** {@code total_commands_processed} of the server. */
    COMMANDS("commands/op", Better.LOWER),
    /** Processor time of the server. */
    SERVER_CPU("server µs/op", Better.LOWER),
    /** Commands that try to acquire. */
    TRIES("tries/acquisition", Better.LOWER),
    /** Jain's fairness index of the threads. */
    FAIRNESS_OF_THREADS("Jain, threads", Better.HIGHER),
    /** Jain's fairness index of the JVMs or client instances. */
    FAIRNESS_OF_INSTANCES("Jain, instances", Better.HIGHER),
    /** Overwritten increments, which show that exclusion failed. */
    LOST_UPDATES("lost updates", Better.LOWER),
    /** Processor time of the client's process. */
    CPU("CPU ms/s", Better.LOWER),
    /** Additional live threads since before the locks were acquired. */
    MORE_THREADS("threads for the locks", Better.LOWER),
    /** Live heap per held lock, with handle and key. */
    HEAP("heap B/lock", Better.LOWER),
    LOST_LOCKS("lost locks", Better.LOWER),
    /** Number of pauses of a holder's process. */
    PAUSES("pauses", Better.HIGHER),
    /** Number of pauses after which the holder still had its lock. */
    KEPT("kept", Better.HIGHER),
    /** Time in the server. */
    ACQUIRING_IN_SERVER("server µs/acquire", Better.LOWER),
    /** Time in the server. */
    RELEASING_IN_SERVER("server µs/release", Better.LOWER),
    /** Server memory for each held lock. */
    BYTES_PER_HELD("server B/held lock", Better.LOWER),
    /** Server memory that remains for each released lock. */
    BYTES_PER_RELEASED("server B/released lock", Better.LOWER),
    NANOS("ns/call", Better.LOWER),
    ALLOCATED("B/call", Better.LOWER);

    public enum Better {
        HIGHER,
        LOWER
    }

    private final String label;
    private final Better better;

    Metric(String label, Better better) {
        this.label = label;
        this.better = better;
    }

    public String label() {
        return label;
    }

    public Better better() {
        return better;
    }
}
