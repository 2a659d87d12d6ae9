package io.github.lockstarter.model.takeover;

/**
 * A state of everything.
 *
 * @param servers what the servers have
 * @param detection how they hear the holder
 * @param hold what the holder has
 */
record World(Servers servers, Detection detection, Hold hold) {

    World with(Servers other) {
        return new World(other, detection, hold);
    }

    World with(Detection other) {
        return new World(servers, other, hold);
    }

    World with(Hold other) {
        return new World(servers, detection, other);
    }

    World withNewEpoch(Epoch epoch) {
        return new World(servers, detection.with(epoch), hold.inNoEpoch());
    }

    World withoutHold() {
        return new World(servers.abandoned(), detection, Hold.NONE);
    }

    /** The application of the holder is told that it has the lock. */
    boolean isCertain(Rules rules) {
        int takeOver = rules.takeOver();
        boolean byEpoch = hold.inEpoch() || !rules.keeps(Rule.EPOCH_NEEDS_CONFIRMATION);
        Epoch epoch = detection.epoch();
        return hold.exists()
                && !hold.doubt().undecidable()
                && (hold.confirmation() < takeOver || (byEpoch && epoch.exists() && epoch.beat() < takeOver));
    }

    World tick(Rules rules) {
        Hold later = hold.tick(rules);
        boolean hadToken = hold.exists() || hold.request().isUnderWay();
        boolean losesToken = hadToken && !later.exists() && !later.request().isUnderWay();
        Servers aged = servers.tick(rules);
        Detection older = detection.tick(rules.takeOver());
        World next = new World(losesToken ? aged.abandoned() : aged, older, later);
        boolean lapses = older.epoch().beat() >= rules.takeOver() && rules.keeps(Rule.LAPSE_ENDS_EPOCH);
        return lapses ? next.withNewEpoch(Epoch.NONE) : next;
    }
}
