package io.github.lockstarter.contract;

import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.Tag;

/** Apart from {@link LocalEngineContractTests}, since it waits for leases to end: forks run the two side by side. */
@Tag(Effort.SLOW)
class LocalEngineExtensionContractTests extends EngineExtensionContract {

    LocalEngineExtensionContractTests() {
        super(LocalStore::new);
    }
}
