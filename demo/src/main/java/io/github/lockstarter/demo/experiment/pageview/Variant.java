package io.github.lockstarter.demo.experiment.pageview;

import io.github.lockstarter.demo.KebabCase;

/** The ways to count. */
public enum Variant {

    /** A single command, which is atomic. The control, without a lock. */
    V0("INCR"),
    V1("no lock"),
    /** The monitor of one JVM. */
    V2("synchronized"),
    /** {@code @DistributedLock} on the application's Redis. */
    V3("distributed lock"),
    /** {@code @DistributedLock} on a quorum of independent servers. */
    V4("Redlock");

    private final String title;

    Variant(String title) {
        this.title = title;
    }

    /** Short name and path prefix, such as {@code v3}. */
    public String id() {
        return KebabCase.of(this);
    }

    public String title() {
        return title;
    }

    /** Whether it never loses a view. */
    public boolean isExact() {
        return this == V0 || isLocked();
    }

    /** Whether it takes a distributed lock, which faults can hit. */
    public boolean isLocked() {
        return this == V3 || this == V4;
    }

    public String path() {
        return "/" + id() + "/pview";
    }

    /**
     * Key of the hash with {@code views} and {@code fence}. Variants do not share a counter, since fencing tokens of
     * different locks are not comparable.
     */
    public String storeKey(String page) {
        return "demo:pview:{" + id() + ":" + page + "}";
    }

    /** Key of the lock, as {@code @DistributedLock} builds it. */
    public String lockKey(String page) {
        return "pview-" + id() + ":" + page;
    }
}
