package io.github.lockstarter.leader;

import io.github.lockstarter.leader.testing.LeaderElectionSuite;
import io.github.lockstarter.local.LocalLockBackend;
import org.springframework.boot.builder.SpringApplicationBuilder;

/** Leader election on the in-JVM store, which the instances of a test share. */
class LeaderElectionTests extends LeaderElectionSuite {

    private final LocalLockBackend store = new LocalLockBackend();

    @Override
    protected SpringApplicationBuilder onStore(SpringApplicationBuilder application) {
        return application.initializers(context -> context.getBeanFactory().registerSingleton("sharedStore", store));
    }
}
