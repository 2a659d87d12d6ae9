package io.github.lockstarter.redis.contract;

import io.github.lockstarter.contract.AdminContract;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.contract.MinimumHoldContract;
import io.github.lockstarter.contract.PermitsContract;
import io.github.lockstarter.contract.ReadersContract;
import io.github.lockstarter.contract.WakeUpContract;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.connection.RoutingProxy;
import io.github.lockstarter.testing.Effort;
import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The Redis backend, on a server whose scripts may not publish, against the contracts with signals. */
class ClientSignalsContractIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static RoutingProxy proxy;

    @BeforeAll
    static void restrict() throws IOException {
        proxy = new RoutingProxy(
                List.of(REDIS.server()), true, script -> script.replace("redis.pcall('PUBLISH'", "redis.pcall('NONE'"));
    }

    @AfterAll
    static void close() throws IOException {
        proxy.close();
    }

    private static LockStore restricted() {
        return new RedisStore(RedisURI.create("127.0.0.1", proxy.port()));
    }

    @Nested
    class WakeUp extends WakeUpContract {
        WakeUp() {
            super(ClientSignalsContractIT::restricted);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Admin extends AdminContract {
        Admin() {
            super(ClientSignalsContractIT::restricted);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class MinimumHold extends MinimumHoldContract {
        MinimumHold() {
            super(ClientSignalsContractIT::restricted);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Permits extends PermitsContract {
        Permits() {
            super(ClientSignalsContractIT::restricted);
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class Readers extends ReadersContract {
        Readers() {
            super(ClientSignalsContractIT::restricted);
        }
    }
}
