package io.github.lockstarter.demo.gallery.caller;

/** Points at which a caller can be stopped until it receives {@code go}. Used by one thread. */
final class CommandBreakpoint {

    static final String NONE = "-";
    static final String ACQUIRE = "acquire";
    static final String WRITE = "write";
    static final String RELEASE = "release";

    private final Runnable halt;
    private String next = NONE;

    /** @param halt reports that a point is reached, and returns when the caller may continue */
    CommandBreakpoint(Runnable halt) {
        this.halt = halt;
    }

    void set(String point) {
        next = point;
    }

    void reach(String point) {
        if (next.equals(point)) {
            next = NONE;
            halt.run();
        }
    }
}
