package io.github.lockstarter.demo.gallery.caller;

/** Points at which a caller stands still, if it was told to, until it is told to go on. For one thread. */
final class CommandBreakpoint {

    static final String NONE = "-";
    static final String ACQUIRE = "acquire";
    static final String WRITE = "write";
    static final String RELEASE = "release";

    private final Runnable halt;
    private String next = NONE;

    /**
     * Points.
     *
     * @param halt tells that one is reached, and returns when the caller may go on
     */
    CommandBreakpoint(Runnable halt) {
        this.halt = halt;
    }

    /** Sets the one to stand still at; it does so once. */
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
