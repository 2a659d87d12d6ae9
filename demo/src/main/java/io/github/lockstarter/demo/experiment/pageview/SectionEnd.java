package io.github.lockstarter.demo.experiment.pageview;

/**
 * What a section came to.
 *
 * @param outcome how it ended
 * @param read views that it read, zero when it did not get so far
 * @param wrote views that stand in the store after it, as far as it knows; what it read when it wrote nothing
 */
public record SectionEnd(Outcome outcome, long read, long wrote) {

    /** How a section ends. */
    public enum Outcome {
        /** The view is counted. */
        WRITTEN,
        /** The store refused a fencing token that is older than one it has seen. */
        REFUSED,
        /** An error; nothing is known of the write. */
        FAILED
    }
}
