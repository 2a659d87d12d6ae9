package io.github.lockstarter.demo.experiment.pageview;

/** Receives the sections of this instance on their own threads. Declare beans of this type. */
public interface SectionListener {

    /** A section starts, before its read. */
    default void began(PageViewSection section) {}

    /** A section has read the counter but not written it. Delays prolong the section. */
    default void hasRead(PageViewSection section) {}

    /** A section ends; its lock is still held, unless lost. */
    default void ended(PageViewSection section, SectionEnd end) {}
}
