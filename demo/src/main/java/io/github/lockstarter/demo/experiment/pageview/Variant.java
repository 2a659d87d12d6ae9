package io.github.lockstarter.demo.experiment.pageview;

import java.util.Arrays;
import java.util.Optional;

/** What keeps two requests from counting at the same time. */
public enum Variant {
    /** Redis itself: one command reads and writes, and executes alone. The control, which needs no lock. */
    V0("v0", "INCR", true, false),
    /** Nothing. */
    V1("v1", "no lock", false, false),
    /** The monitor of one JVM. */
    V2("v2", "synchronized", false, false),
    /** {@code @DistributedLock} on the application's Redis. */
    V3("v3", "distributed lock", true, true),
    /** The same annotation on a quorum of independent servers. */
    V4("v4", "Redlock", true, true);

    private final String id;
    private final String title;
    private final boolean exact;
    private final boolean locked;

    Variant(String id, String title, boolean exact, boolean locked) {
        this.id = id;
        this.title = title;
        this.exact = exact;
        this.locked = locked;
    }

    /**
     * The variant of that short name.
     *
     * @param id such as {@code v3}
     * @return the variant, if there is one
     */
    public static Optional<Variant> of(String id) {
        return Arrays.stream(values()).filter(variant -> variant.id.equals(id)).findFirst();
    }

    /**
     * Its short name, the first part of its path.
     *
     * @return such as {@code v3}
     */
    public String id() {
        return id;
    }

    /**
     * What it is, in words.
     *
     * @return such as {@code distributed lock}
     */
    public String title() {
        return title;
    }

    /**
     * Whether it must not lose a view.
     *
     * @return true for the distributed locks and for {@code INCR}
     */
    public boolean isExact() {
        return exact;
    }

    /**
     * Whether it takes a distributed lock, which can be hit.
     *
     * @return true for the distributed locks
     */
    public boolean isLocked() {
        return locked;
    }

    /**
     * Where it is called.
     *
     * @return the path
     */
    public String path() {
        return "/" + id + "/pview";
    }

    /**
     * Where the views of a page are stored. The variants do not share a counter, since the fencing tokens of two locks
     * cannot be compared.
     *
     * @param page the page
     * @return a hash with the fields {@code views} and {@code fence}
     */
    public String storeKey(String page) {
        return "demo:pview:{" + id + ":" + page + "}";
    }

    /**
     * The key of the lock under which a page is counted.
     *
     * @param page the page
     * @return the key, as {@code @DistributedLock} makes it; of use where the variant is locked
     */
    public String lockKey(String page) {
        return lockName() + ":" + page;
    }

    /**
     * The name of that lock, by which it is configured.
     *
     * @return such as {@code pview-v3}
     */
    public String lockName() {
        return "pview-" + id;
    }
}
