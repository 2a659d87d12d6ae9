package io.github.lockstarter.etcd;

import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.lockstarter.kit.server.EtcdServer;

/** Whether this machine has an etcd: {@code -Petcd} demands one. */
public final class EtcdPresence {

    private EtcdPresence() {}

    /** Skips the calling tests where there is none; call it before their class, so that no other step fails. */
    public static void assume() {
        if (EtcdServer.binary().isEmpty() && Boolean.getBoolean("lock.test.etcd.required")) {
            throw new AssertionError("There is no etcd: name the binary with -Dlock.test.etcd=/path/to/etcd");
        }
        assumeThat(EtcdServer.binary())
                .as("etcd of -Dlock.test.etcd, or on the path")
                .isPresent();
    }
}
