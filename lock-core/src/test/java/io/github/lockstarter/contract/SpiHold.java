package io.github.lockstarter.contract;

import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;

/** A grant to one application at the level of the SPI. */
public record SpiHold(SpiClient client, String key, LockToken token, long fencingToken) {

    ReleaseResult release() {
        return client.release(key, token, fencingToken);
    }

    RenewResult renew(Duration lease) {
        return client.renew(key, token, lease, fencingToken);
    }
}
