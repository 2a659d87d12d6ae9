package io.github.lockstarter.model.readers;

/** A rule of read/write locks in {@code docs/design.md}; each can be left out. */
enum ReadRule {

    /** A reader gets nothing while a writer has the gate. */
    READER_LOOKS_AT_GATE,

    /** A reader marks the gate, so that what takes a free gate excludes it. */
    READER_MARKS_GATE,

    /** The mark has the longest lease of all readers. */
    MARK_HAS_LONGEST_LEASE,

    /** A writer that finds the mark gets the gate only if no reader has a slot. */
    WRITER_LOOKS_AT_SLOTS,

    /** A reader that takes over from a writer replaces its token in the gate. */
    READER_REPLACES_WRITER,

    /** A writer that takes over from readers deletes their slots. */
    WRITER_DELETES_SLOTS,

    /** A reader renews the mark, too. */
    RENEWAL_RENEWS_MARK,

    /** A reader's renewal counts only if the gate has the mark. */
    RENEWAL_REQUIRES_MARK,

    /** Only the release of the last reader deletes the mark. */
    LAST_READER_DELETES_MARK,

    /** In the grace no reader is granted, even beside others. */
    NO_READER_IN_GRACE,

    /** The grace lasts a lease longer than a deposed master writes. */
    GRACE_COVERS_LEASE,

    /** Renewals wait until a deposed master writes no more. */
    RENEWAL_WAITS_FOR_DEPOSED,

    /** While a writer waits, no reader joins others. */
    READER_WAITS_BEHIND_WRITER,

    /** A downgrade replaces the token in the gate by slot and mark in one step. */
    DOWNGRADE_IS_ONE_STEP,

    /** A downgrade counts from its sending: from then on the owner only reads. */
    DOWNGRADE_COUNTS_FROM_SENDING
}
