package io.github.lockstarter.kit;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/** Lets {@code await()} wait for {@link Patience#TIME} unless a test says otherwise. JUnit finds it as a service. */
public final class PatientAwaitility implements LauncherSessionListener {

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(Patience.TIME);
    }
}
