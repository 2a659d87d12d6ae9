package io.github.lockstarter.demo.experiment.pageview;

import io.github.lockstarter.demo.KebabCase;

/** What keeps two requests from counting at the same time. */
public enum Variant {

    /** Redis itself: one command reads and writes, and executes alone. The control, which needs no lock. */
    V0("INCR"),
    /** Nothing. */
    V1("no lock"),
    /** The monitor of one JVM. */
    V2("synchronized"),
    /** {@code @DistributedLock} on the application's Redis. */
    V3("distributed lock"),
    /** The same annotation on a quorum of independent servers. */
    V4("Redlock");

    private final String title;

    Variant(String title) {
        this.title = title;
    }

    /** Short name, the first part of its path, such as {@code v3}. */
    public String id() {
        return KebabCase.of(this);
    }

    /** What it is, in words. */
    public String title() {
        return title;
    }

    /** Whether it must not lose a view. */
    public boolean isExact() {
        return this == V0 || isLocked();
    }

    /** Whether it takes a distributed lock, which can be hit by faults. */
    public boolean isLocked() {
        return this == V3 || this == V4;
    }

    /** Path at which it is called. */
    public String path() {
        return "/" + id() + "/pview";
    }

    /**
     * Where the views of a page are stored: a hash with the fields {@code views} and {@code fence}. The variants do not
     * share a counter, since the fencing tokens of two locks cannot be compared.
     */
    public String storeKey(String page) {
        return "demo:pview:{" + id() + ":" + page + "}";
    }

    /** Key of the lock under which a page is counted, as {@code @DistributedLock} makes it. */
    public String lockKey(String page) {
        return "pview-" + id() + ":" + page;
    }
}
