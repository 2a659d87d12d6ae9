package io.github.lockstarter.architecture;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.fence.Fences;
import io.github.lockstarter.fence.RedisFences;
import io.github.lockstarter.leader.Leaders;
import io.github.lockstarter.reactive.ReactiveLockOperations;
import java.math.BigDecimal;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.transaction.reactive.TransactionCallback;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What the code of the documents mentions without its declaration, and what of it ran. */
public class DocumentedApplication {

    /** A documented body ran. */
    @SuppressWarnings("serial")
    static final class Ran extends RuntimeException {}

    private final List<String> seen = new CopyOnWriteArrayList<>();

    @Autowired
    private HeldLocks held;

    @Autowired
    @Qualifier("heldZookeeperLocks")
    private HeldLocks heldInZooKeeper;

    @Autowired
    protected LockOperations locks;

    @Autowired
    protected ReactiveLockOperations reactiveLocks;

    @Autowired
    protected Fences fences;

    @Autowired
    protected Leaders leaders;

    @Autowired
    protected TransactionTemplate transaction;

    protected TransactionalOperator operator = new TransactionalOperator() {

        @Override
        public <T> Flux<T> execute(TransactionCallback<T> action) {
            return Flux.empty();
        }
    };
    protected RedisFences redisFences;
    protected RedisScript<Long> LEFT;
    protected RedisScript<Long> SELL;

    protected Client client = new Client() {

        @Override
        public CompletableFuture<Receipt> shipAsync(long orderId) {
            ran();
            return CompletableFuture.completedFuture(new Receipt("shipped"));
        }

        @Override
        public Mono<Receipt> ship(long orderId) {
            return Mono.fromSupplier(() -> {
                ran();
                return new Receipt("shipped");
            });
        }

        @Override
        public Mono<Report> report() {
            return Mono.just(new Report(""));
        }
    };
    protected Consumer consumer = new Consumer() {

        @Override
        public void start(long term) {
            seen.add("start " + term);
        }

        @Override
        public void stop() {
            seen.add("stop");
        }
    };
    protected Ids ids = new Ids() {

        @Override
        public void start(int worker) {
            ran();
        }

        @Override
        public void stop() {
            seen.add("stop");
        }
    };
    protected Storage storage = (order, fencingToken) -> ran();
    protected Order order = new Order(42);
    protected List<String> keys = List.of("account:1", "account:2");
    protected long id = 42;
    protected BigDecimal amount = BigDecimal.ONE;
    protected String product = "lamp";

    /** {@return for each body that ran, the keys of the locks then held; and the calls of {@link Consumer}} */
    public List<String> seen() {
        return seen;
    }

    /** Notes that a body ran. Roles are held at any time. */
    protected RuntimeException ran() {
        seen.add(Stream.concat(
                        held.snapshot().stream().map(HeldLock::key),
                        heldInZooKeeper.snapshot().stream().map(lock -> "zookeeperLocks/" + lock.key()))
                .filter(key -> !key.startsWith("leader:"))
                .sorted()
                .collect(Collectors.joining(" ")));
        return new Ran();
    }

    protected Receipt archive(long archived) {
        ran();
        return new Receipt("archived");
    }

    protected String write() {
        ran();
        return "written";
    }

    protected void transfer(BigDecimal transferred) {
        ran();
    }

    protected void withdraw(BigDecimal withdrawn) {
        ran();
    }

    public record Order(long id) {}

    public record Event(String id) {}

    public record Label(String text) {}

    public record Product(long id) {}

    public record Quote(BigDecimal price) {}

    public record Report(String text) {}

    public record Sms(String text) {}

    public record Receipt(String text) {

        public static Receipt later(long orderId) {
            return new Receipt("later: " + orderId);
        }
    }

    public interface OrderService {

        void ship(long orderId);
    }

    public interface Client {

        CompletableFuture<Receipt> shipAsync(long orderId);

        Mono<Receipt> ship(long orderId);

        Mono<Report> report();
    }

    public interface Consumer {

        void start(long term);

        void stop();
    }

    public interface Ids {

        void start(int worker);

        void stop();
    }

    public interface Storage {

        void write(Order order, long fencingToken);
    }
}
