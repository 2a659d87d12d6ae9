package io.github.lockstarter.architecture;

import io.github.lockstarter.LockOperations;
import io.github.lockstarter.fence.Fences;
import io.github.lockstarter.fence.RedisFences;
import io.github.lockstarter.leader.Leaders;
import io.github.lockstarter.reactive.ReactiveLockOperations;
import java.math.BigDecimal;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;

/** What the code of the documents mentions without its declaration. Only compiled. */
public abstract class DocumentedApplication {

    protected LockOperations locks;
    protected ReactiveLockOperations reactiveLocks;
    protected Fences fences;
    protected RedisFences redisFences;
    protected Leaders leaders;
    protected TransactionTemplate transaction;
    protected RedisScript<Long> LEFT;
    protected RedisScript<Long> SELL;
    protected Client client;
    protected Consumer consumer;
    protected Ids ids;
    protected Storage storage;
    protected Order order;
    protected List<String> keys;
    protected long id;
    protected BigDecimal amount;
    protected String product;

    protected abstract Receipt archive(long id);

    protected abstract String write();

    protected abstract void transfer(BigDecimal amount);

    protected abstract void withdraw(BigDecimal amount);

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
