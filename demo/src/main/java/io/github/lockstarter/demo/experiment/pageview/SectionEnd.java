package io.github.lockstarter.demo.experiment.pageview;

/**
 * The end of a section.
 *
 * @param read views that it read; zero if it failed before
 * @param wrote stored views after it, as far as it knows; {@code read} if it wrote nothing
 */
public record SectionEnd(Outcome outcome, long read, long wrote) {

    public enum Outcome {
        WRITTEN,
        /** The store rejected an old fencing token. */
        REFUSED,
        /** An error; the write may or may not have happened. */
        FAILED
    }
}
