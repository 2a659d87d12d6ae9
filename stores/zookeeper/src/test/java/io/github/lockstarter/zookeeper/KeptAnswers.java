package io.github.lockstarter.zookeeper;

import io.github.lockstarter.kit.Patience;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import java.util.stream.StreamSupport;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.AsyncCallback.MultiCallback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;

/** A client that keeps the answer to one command until the test passes it on. */
final class KeptAnswers {

    /** Answers that can be kept. */
    enum Kind {
        /** The answer to the write of a lock token. */
        WRITE,

        /** The answer to a release with which the instance joins the line again. */
        REPLACEMENT
    }

    private final AtomicReference<Kind> kind = new AtomicReference<>();
    private final BlockingQueue<IntConsumer> kept = new LinkedBlockingQueue<>();

    /** How many deletions are refused from now on, as if the connection were lost. */
    final AtomicInteger refusedDeletions = new AtomicInteger();

    CuratorFramework client(String server) {
        return CuratorFrameworkFactory.builder()
                .connectString(server)
                .sessionTimeoutMs((int) ZooKeeperClients.SESSION.toMillis())
                .connectionTimeoutMs((int) ZooKeeperClients.COMMAND_TIMEOUT.toMillis())
                .retryPolicy(new RetryOneTime(50))
                .zookeeperFactory((servers, timeout, watcher, readOnly) -> new Keeping(servers, timeout, watcher))
                .build();
    }

    /** Keeps the next one. */
    void keep(Kind next) {
        kind.set(next);
    }

    /** Waits for the kept answer; the result takes its code. */
    IntConsumer kept() throws InterruptedException {
        return Objects.requireNonNull(kept.poll(Patience.SECONDS, TimeUnit.SECONDS), "nothing was kept");
    }

    private void pass(Kind passing, int code, IntConsumer next) {
        if (kind.compareAndSet(passing, null)) {
            kept.add(next);
        } else {
            next.accept(code);
        }
    }

    @SuppressWarnings("try") // as ZooKeeper itself: close() may be interrupted
    private final class Keeping extends ZooKeeper {

        Keeping(String servers, int timeout, Watcher watcher) throws IOException {
            super(servers, timeout, watcher);
        }

        @Override
        public void setData(String path, byte[] data, int version, StatCallback callback, Object context) {
            StatCallback later = (code, name, same, stat) ->
                    pass(Kind.WRITE, code, as -> callback.processResult(as, name, same, stat));
            super.setData(path, data, version, later, context);
        }

        @Override
        public void multi(Iterable<Op> ops, MultiCallback callback, Object context) {
            boolean proof = StreamSupport.stream(ops.spliterator(), false).count() == 1;
            MultiCallback later = (code, path, same, results) ->
                    pass(Kind.REPLACEMENT, code, as -> callback.processResult(as, path, same, results));
            super.multi(ops, proof ? callback : later, context);
        }

        @Override
        public void delete(String path, int version, VoidCallback callback, Object context) {
            if (refusedDeletions.getAndUpdate(left -> Math.max(left - 1, 0)) > 0) {
                callback.processResult(Code.CONNECTIONLOSS.intValue(), path, context);
            } else {
                super.delete(path, version, callback, context);
            }
        }
    }
}
