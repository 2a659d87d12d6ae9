package io.github.lockstarter.contract;

import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The suites of the engine, apart from {@link EngineAcquireContract} and {@link EngineRestartContract}. */
public abstract class EngineSuites {

    /** Connects to the store that all tests of the class share. */
    protected abstract LockStore store();

    @Nested
    class EngineHold extends EngineHoldContract {
        EngineHold() {
            super(EngineSuites.this::store);
        }
    }

    @Nested
    class EngineRenewal extends EngineRenewalContract {
        EngineRenewal() {
            super(EngineSuites.this::store);
        }
    }

    @Nested
    class EngineExtension extends EngineExtensionContract {
        EngineExtension() {
            super(EngineSuites.this::store);
        }
    }

    @Nested
    class AbandonedHold extends AbandonedHoldContract {
        AbandonedHold() {
            super(EngineSuites.this::store);
        }
    }

    @Nested
    class EngineMinimumHold extends EngineMinimumHoldContract {
        EngineMinimumHold() {
            super(EngineSuites.this::store);
        }
    }

    @Nested
    class EngineTickets extends EngineTicketContract {
        EngineTickets() {
            super(EngineSuites.this::store);
        }
    }

    @Nested
    class EngineReaders extends EngineReadersContract {
        EngineReaders() {
            super(EngineSuites.this::store);
        }
    }

    @Nested
    class EnginePermits extends EnginePermitsContract {
        EnginePermits() {
            super(EngineSuites.this::store);
        }
    }

    @Nested
    class EngineInput extends EngineInputContract {
        EngineInput() {
            super(EngineSuites.this::store);
        }
    }

    @Nested
    class EngineAdmin extends EngineAdminContract {
        EngineAdmin() {
            super(EngineSuites.this::store);
        }
    }

    @Nested
    class EngineForkJoin extends EngineForkJoinContract {
        EngineForkJoin() {
            super(EngineSuites.this::store);
        }
    }

    @Nested
    @Tag(Effort.SLOW)
    class StackOverflow extends StackOverflowContract {
        StackOverflow() {
            super(EngineSuites.this::store);
        }
    }
}
