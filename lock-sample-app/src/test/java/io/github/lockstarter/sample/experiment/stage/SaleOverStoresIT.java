package io.github.lockstarter.sample.experiment.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThatCode;

import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.sample.SampleApp;
import io.github.lockstarter.sample.SampleClient;
import io.github.lockstarter.sample.SampleClient.Answer;
import io.github.lockstarter.sample.process.Loopback;
import io.github.lockstarter.sample.redis.EmbeddedRedis;
import io.github.lockstarter.sample.redis.RedisSetup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** The flash sale, whose data stay in Redis, with its locks in each of the other stores. Two instances share them. */
class SaleOverStoresIT {

    private static final int STOCK = 20;
    private static final int BUYERS = 60;

    private final Belongings belongings = new Belongings();
    private final EmbeddedRedis redis = EmbeddedRedis.start(RedisSetup.inMemory(), belongings::add);

    @AfterEach
    void end() {
        belongings.close();
    }

    @Test
    void sellsTheStockAndNoMoreWithLocksInADatabase() {
        sellsTheStockAndNoMore(Backend.JDBC);
    }

    @Test
    void sellsTheStockAndNoMoreWithLocksInZooKeeper() {
        sellsTheStockAndNoMore(Backend.ZOOKEEPER);
    }

    @Test
    void sellsTheStockAndNoMoreWithLocksInEtcd() {
        assumeThatCode(StoreServer::etcdBinary).doesNotThrowAnyException();
        sellsTheStockAndNoMore(Backend.ETCD);
    }

    private void sellsTheStockAndNoMore(Backend backend) {
        StoreServer server = StoreServer.start(backend, belongings);
        List<SampleClient> instances = List.of(instance(backend, server), instance(backend, server));
        Answer offered = instances.get(0).post("/sales", "{\"product\":\"lamp\",\"stock\":" + STOCK + "}");
        assertThat(offered.status()).isEqualTo(201);

        List<Answer> answers = buyAtOnce(instances);

        List<Answer> sold =
                answers.stream().filter(answer -> answer.status() == 201).toList();
        assertThat(answers)
                .filteredOn(answer -> answer.status() != 201 && answer.status() != 409)
                .isEmpty();
        assertThat(sold).hasSize(STOCK);
        assertThat(sold).extracting(answer -> answer.text("buyer")).doesNotHaveDuplicates();
        assertThat(sold).extracting(answer -> answer.number("fencingToken")).doesNotHaveDuplicates();
        assertThat(instances.get(1).get("/sales/lamp").number("left")).isZero();
    }

    private SampleClient instance(Backend backend, StoreServer server) {
        String[] arguments = Stream.concat(
                        server.properties().stream(),
                        Stream.of(
                                "distributed-lock.backend=" + backend.id(),
                                "distributed-lock.locks.sale.wait=30s",
                                // 24 threads begin at once in instances that have not answered a request yet.
                                "distributed-lock." + backend.id() + ".command-timeout=10s",
                                // It has a minimum time, which not all stores have.
                                "distributed-lock.locks.report.backend=redis",
                                // Its lease of 1 s is below the least that etcd keeps.
                                "distributed-lock.locks.index.backend=redis",
                                "spring.data.redis.host=" + Loopback.HOST,
                                "spring.data.redis.port=" + redis.port(),
                                "server.port=0"))
                .map(property -> "--" + property)
                .toArray(String[]::new);
        ConfigurableApplicationContext context = belongings.add(SpringApplication.run(SampleApp.class, arguments));
        assertThat(context.getBean(LockTemplate.class)).isNotNull();
        return new SampleClient(
                ((WebServerApplicationContext) context).getWebServer().getPort());
    }

    /** Each asks twice, both instances at a time. */
    private static List<Answer> buyAtOnce(List<SampleClient> instances) {
        ExecutorService threads = Executors.newFixedThreadPool(24);
        try {
            List<CompletableFuture<Answer>> answers = new ArrayList<>();
            for (int request = 0; request < 2 * BUYERS; request++) {
                String json = "{\"buyer\":\"buyer-" + request % BUYERS + "\"}";
                SampleClient instance = instances.get(request / BUYERS);
                answers.add(CompletableFuture.supplyAsync(() -> instance.post("/sales/lamp/purchases", json), threads));
            }
            return answers.stream().map(CompletableFuture::join).toList();
        } finally {
            threads.shutdownNow();
        }
    }
}
