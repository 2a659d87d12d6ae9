package io.github.lockstarter.kit;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Lets {@code await()} wait for {@link Patience#TIME}, and look so often that it hardly delays a test, unless a test
 * says otherwise. JUnit finds it as a service.
 */
public final class PatientAwaitility implements LauncherSessionListener {

    /** The default of Awaitility is 100 ms, which is what most tests wait. */
    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(Patience.TIME);
        Awaitility.setDefaultPollInterval(POLL_INTERVAL);
    }
}
