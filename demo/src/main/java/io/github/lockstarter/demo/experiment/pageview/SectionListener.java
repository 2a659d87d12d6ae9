package io.github.lockstarter.demo.experiment.pageview;

/** Receives the critical sections of this instance, on the threads that run them. Declare beans of this type. */
public interface SectionListener {

    /**
     * A section begins; nothing has been read yet.
     *
     * @param section which one
     */
    default void began(Section section) {}

    /**
     * A section has read the counter and not yet written it. What takes time here makes the section longer.
     *
     * @param section which one
     */
    default void hasRead(Section section) {}

    /**
     * A section ends; its lock is still held, unless it was lost.
     *
     * @param section which one
     * @param end what it came to
     */
    default void ended(Section section, SectionEnd end) {}
}
