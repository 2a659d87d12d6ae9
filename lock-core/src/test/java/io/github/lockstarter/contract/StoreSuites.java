package io.github.lockstarter.contract;

import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The suites that a store binds: one that lacks a feature skips the tests of it. */
public abstract class StoreSuites {

    /** Connects to the store that all tests of the class share. */
    protected abstract LockStore store();

    /** The same with a command timeout that a test sits through. */
    protected abstract LockStore hastyStore();

    @Nested
    class Acquire extends AcquireContract {
        Acquire() {
            super(StoreSuites.this::store);
        }
    }

    @Nested
    class Release extends ReleaseContract {
        Release() {
            super(StoreSuites.this::store);
        }
    }

    @Nested
    class MinimumHold extends MinimumHoldContract {
        MinimumHold() {
            super(StoreSuites.this::store);
        }
    }

    @Nested
    class Tickets extends TicketContract {
        Tickets() {
            super(StoreSuites.this::store);
        }
    }

    @Nested
    class Permits extends PermitsContract {
        Permits() {
            super(StoreSuites.this::store);
        }
    }

    @Nested
    class Readers extends ReadersContract {
        Readers() {
            super(StoreSuites.this::store);
        }
    }

    @Nested
    class Renew extends RenewContract {
        Renew() {
            super(StoreSuites.this::store);
        }
    }

    @Nested
    class Fencing extends FencingContract {
        Fencing() {
            super(StoreSuites.this::store);
        }
    }

    @Nested
    @Tag(Effort.SLOW)
    class WakeUp extends WakeUpContract {
        WakeUp() {
            super(StoreSuites.this::store);
        }
    }

    @Nested
    class Keys extends KeyContract {
        Keys() {
            super(StoreSuites.this::store);
        }
    }

    @Nested
    class Restart extends RestartContract {
        Restart() {
            super(StoreSuites.this::store);
        }
    }

    @Nested
    class Closing extends ClosingContract {
        Closing() {
            super(StoreSuites.this::store);
        }
    }

    @Nested
    @Tag(Effort.SLOW)
    class CommandTimeout extends CommandTimeoutContract {
        CommandTimeout() {
            super(StoreSuites.this::hastyStore);
        }
    }

    @Nested
    class Admin extends AdminContract {
        Admin() {
            super(StoreSuites.this::store);
        }
    }
}
