package io.github.lockstarter.redis;

/** Why a server started another history, derived from the markers before and after. */
enum HistoryChange {
    /** The instance had seen no marker. */
    UNSEEN("may have forgotten locks before this instance asked it: it was restarted, promoted, emptied or restored"
            + " from a snapshot"),
    /** The marker was deleted while the server ran. */
    DATA_LOST("lost its data"),
    REPLACED("was restarted, replaced by another server or restored from a snapshot"),
    /** The new history starts earlier than the previous one: the clock was set back. */
    CLOCK_SET_BACK("has a clock that was set back");

    private final String predicate;

    HistoryChange(String predicate) {
        this.predicate = predicate;
    }

    String predicate() {
        return predicate;
    }

    static HistoryChange between(String known, String other) {
        int name = known.indexOf(':');
        if (name < 0) {
            return known.isEmpty() || known.equals(NodeHistoryIds.DISTRUST) || other.startsWith(known + ':')
                    ? UNSEEN
                    : REPLACED;
        }
        if (!other.startsWith(known.substring(0, name + 1))) {
            return REPLACED;
        }
        return sinceOf(other) < sinceOf(known) ? CLOCK_SET_BACK : DATA_LOST;
    }

    private static long sinceOf(String marker) {
        int from = marker.indexOf(':') + 1;
        int to = marker.indexOf(':', from);
        try {
            return to < 0 ? 0 : Long.parseLong(marker.substring(from, to));
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
