package io.github.lockstarter.redis.history;

/** Why a server began another history, as far as an instance can tell by the markers that it saw before and after. */
enum HistoryChange {
    /** The instance saw no marker before. */
    UNSEEN("may have forgotten locks before this instance asked it"),
    /** The marker was deleted while the server ran. */
    DATA_LOST("lost its data"),
    /** The history has another name. */
    REPLACED("was restarted or replaced by another server"),
    /** The history began later by the former clock than by the present one. */
    CLOCK_SET_BACK("has a clock that was set back");

    private final String saying;

    HistoryChange(String saying) {
        this.saying = saying;
    }

    /** What happened, behind the name of the server. */
    String saying() {
        return saying;
    }

    /**
     * Compares what was known of a history with the marker that took its place.
     *
     * @param known a marker, or what stands for one that was never seen
     * @param other the marker that is stored now
     */
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
