package io.github.lockstarter.local;

import io.github.lockstarter.spi.SignalListener;

/**
 * A message to an instance about a lock.
 *
 * @param instanceId the instance
 * @param subject what about
 */
record MailboxMessage(String instanceId, Subject subject) {

    /** What a mail is about. */
    enum Subject {
        /** The lock may be free. */
        SIGNAL,
        /** Another instance has begun to wait for it. */
        WANTED
    }

    void deliver(SignalListener listener, String key) {
        switch (subject) {
            case SIGNAL -> listener.onSignal(key);
            case WANTED -> listener.onWanted(key);
        }
    }
}
