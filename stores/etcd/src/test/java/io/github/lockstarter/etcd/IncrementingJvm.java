package io.github.lockstarter.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.TxnRequest;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.testing.Crowd;
import io.github.lockstarter.testing.WarmUp;
import java.time.Duration;
import java.util.UUID;

/**
 * A JVM whose threads read a value from etcd, add one and write it back: under the lock, or for control without. Prints
 * a line for each time: {@code section from to fencingToken}.
 */
final class IncrementingJvm {

    static final String LOCKED = "locked";
    static final String UNLOCKED = "unlocked";

    private IncrementingJvm() {}

    /**
     * Runs.
     *
     * @param arguments endpoint, key of the lock and of the value, {@code locked} or {@code unlocked}, threads,
     *     increments of each
     */
    public static void main(String[] arguments) {
        String key = arguments[1];
        boolean locked = arguments[2].equals(LOCKED);
        Application application =
                Application.over(new EtcdStore(arguments[0]).connect(), Application.settings(Duration.ofSeconds(20)));
        WarmUp.connect(application.locks(), "warm-up:" + UUID.randomUUID());
        EtcdClient client = new EtcdClient(EtcdStore.settings(arguments[0]), Runnable::run);
        LockRequest request = LockRequest.of(key).waitingUpTo(Duration.ofSeconds(60));
        Crowd.of(Integer.parseInt(arguments[3])).eachRuns(Integer.parseInt(arguments[4]), () -> {
            if (locked) {
                try (LockHandle lock = application.locks().acquire(request)) {
                    increment(client, key, lock.fencingToken());
                }
            } else {
                increment(client, key, 0);
            }
        });
        System.out.println("done");
        System.exit(0);
    }

    private static void increment(EtcdClient client, String key, long fencingToken) {
        long from = System.nanoTime();
        int value = counted(client, key);
        ByteString next = ByteString.copyFromUtf8(Integer.toString(value + 1));
        EtcdScenario.answer(client.transact(
                TxnRequest.newBuilder()
                        .addSuccess(Requests.put(ByteString.copyFromUtf8(key), next, 0))
                        .build(),
                EtcdScenario.deadline()));
        System.out.println("section " + from + " " + System.nanoTime() + " " + fencingToken);
    }

    static int counted(EtcdClient client, String key) {
        return EtcdScenario.answer(client.read(ByteString.copyFromUtf8(key), EtcdScenario.deadline()))
                .map(KeyValue::getValue)
                .map(ByteString::toStringUtf8)
                .map(Integer::parseInt)
                .orElse(0);
    }
}
