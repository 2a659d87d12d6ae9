package io.github.lockstarter.model.takeover;

/**
 * How the servers hear the holder, and what it knows of that.
 *
 * @param mailbox the connection that it uses
 * @param firstHalfOpen a connection to the first server that it has given up
 * @param secondHalfOpen such a connection to the second server
 * @param commands the server that its commands go to
 * @param beat the heartbeat under way
 * @param epoch the present epoch
 */
record Detection(
        Mailbox mailbox, HalfOpen firstHalfOpen, HalfOpen secondHalfOpen, int commands, Beat beat, Epoch epoch) {

    /** What a server has of connections that the holder has given up. */
    enum HalfOpen {
        NONE,

        /** The SUBSCRIBE of one is on its way. */
        SUBSCRIBING,
        HEARD,

        /** One is heard, and the SUBSCRIBE of another one is on its way. */
        BOTH;

        boolean isHeard() {
            return this == HEARD || this == BOTH;
        }

        boolean isSubscribing() {
            return this == SUBSCRIBING || this == BOTH;
        }

        static HalfOpen of(boolean heard, boolean subscribing) {
            return heard ? (subscribing ? BOTH : HEARD) : subscribing ? SUBSCRIBING : NONE;
        }
    }

    /** A heartbeat was just answered. */
    static Detection alive() {
        Mailbox mailbox = Mailbox.to(Servers.FIRST).in(Mailbox.Phase.ACKNOWLEDGED);
        return new Detection(mailbox, HalfOpen.NONE, HalfOpen.NONE, Servers.FIRST, Beat.NONE, Epoch.since(0));
    }

    boolean isHeardAt(int server) {
        return mailbox.isHeardAt(server) || halfOpen(server).isHeard();
    }

    HalfOpen halfOpen(int server) {
        return server == Servers.FIRST ? firstHalfOpen : secondHalfOpen;
    }

    Detection with(Mailbox other) {
        return new Detection(other, firstHalfOpen, secondHalfOpen, commands, beat, epoch);
    }

    Detection with(int server, HalfOpen other) {
        return new Detection(
                mailbox,
                server == Servers.FIRST ? other : firstHalfOpen,
                server == Servers.FIRST ? secondHalfOpen : other,
                commands,
                beat,
                epoch);
    }

    Detection with(Beat other) {
        return new Detection(mailbox, firstHalfOpen, secondHalfOpen, commands, other, epoch);
    }

    Detection with(Epoch other) {
        return new Detection(mailbox, firstHalfOpen, secondHalfOpen, commands, beat, other);
    }

    Detection withCommandsAt(int server) {
        return new Detection(mailbox, firstHalfOpen, secondHalfOpen, server, beat, epoch);
    }

    /** The number of the connection ends: a heartbeat under way will not count, and no epoch goes on. */
    Detection withoutNumber() {
        return with(Beat.NONE).with(epoch.onOtherConnection());
    }

    Detection tick(int takeOver) {
        return with(beat.tick(takeOver)).with(epoch.tick(takeOver));
    }
}
