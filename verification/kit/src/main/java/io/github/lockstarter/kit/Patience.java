package io.github.lockstarter.kit;

import java.time.Duration;

/**
 * How long every test waits for something that is to happen: longer than any pause of a busy machine. It passes only
 * when the test fails.
 */
public final class Patience {

    public static final long SECONDS = 60;

    public static final Duration TIME = Duration.ofSeconds(SECONDS);

    /** How long a test watches that something does not happen, where a busy machine only lets it pass. */
    public static final int MOMENT_MILLIS = 300;

    private Patience() {}
}
