package io.github.lockstarter.demo.experiment.stage;

/** What a lock's key is called in Redis, with the default prefix. */
final class LockKey {

    private LockKey() {}

    static String of(String key) {
        return "lock:{" + key + "}";
    }
}
