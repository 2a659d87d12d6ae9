package io.github.lockstarter.redis.scenario;

import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.LockedTask;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.testing.BlockingWork;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/**
 * A JVM whose virtual threads block under locks until they are interrupted. Prints {@code all hold their locks}, and
 * how each call ended.
 */
final class InterruptedJvm {

    private static final Duration LEASE = Duration.ofSeconds(5);

    private InterruptedJvm() {}

    /**
     * Runs.
     *
     * @param arguments port, prefix of the keys
     */
    public static void main(String[] arguments) throws Exception {
        LockTemplate locks = ChildClient.locks(arguments[0], LEASE);
        Map<String, LockedTask<Exception>> works = new LinkedHashMap<>();
        for (BlockingWork work : BlockingWork.values()) {
            works.put(work.name(), work::run);
        }
        works.put("SOCKET", InterruptedJvm::readFromASocket);
        CountDownLatch holding = new CountDownLatch(works.size());
        ExecutorService threads = (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null); // JDK 17 compiles this
        works.forEach((name, work) -> threads.execute(() -> System.out.println(name + ": "
                + ended(locks, LockRequest.of(arguments[1] + name), () -> {
                    holding.countDown();
                    work.run();
                }))));
        holding.await();
        System.out.println("all hold their locks");
        threads.shutdown();
        new CountDownLatch(1).await(); // the parent ends this JVM
    }

    private static String ended(LockTemplate locks, LockRequest request, LockedTask<Exception> work) {
        String end;
        try {
            locks.execute(request.onLost(OnLost.INTERRUPT), work);
            end = "not lost";
        } catch (LockLostException loss) {
            end = "lost "
                    + Stream.of(loss.getSuppressed())
                            .map(thrown -> thrown.getClass().getSimpleName())
                            .toList();
        } catch (Exception other) {
            end = other.toString();
        }
        return end + ", flag " + Thread.currentThread().isInterrupted();
    }

    private static void readFromASocket() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = new Socket(silent.getInetAddress(), silent.getLocalPort())) {
            client.getInputStream().read();
        }
    }
}
