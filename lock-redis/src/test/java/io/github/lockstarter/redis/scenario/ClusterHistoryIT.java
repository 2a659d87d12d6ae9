package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisCluster;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.testing.Effort;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The history guard where the nodes of a cluster promote. */
@Tag(Effort.FULL)
class ClusterHistoryIT extends HistoryFailover {

    @RegisterExtension
    static final TopologyExtension<RedisCluster> REDIS = TopologyExtension.cluster();

    private final String lockKey = "lock:{" + key + "}";

    @AfterEach
    void mendReplication() {
        REDIS.topology().servers().stream().filter(RedisServer::answers).forEach(server -> server.commands()
                .configSet("masteruser", "fixture"));
    }

    @Override
    void restore() {
        mendReplication();
        REDIS.topology().reset();
        mendReplication();
    }

    @Override
    Duration lease() {
        return Duration.ofSeconds(12);
    }

    @Override
    RedisStore servers() {
        return RedisStore.of(REDIS.topology());
    }

    @Override
    RedisServer master() {
        return REDIS.topology().masterOf(lockKey);
    }

    /** The replica can no longer authenticate. It stays a node of the cluster, which considers it healthy. */
    @Override
    void cutReplication(RedisServer master) {
        RedisServer replica = REDIS.topology().replicaOf(master);
        replica.commands().configSet("masteruser", "nobody");
        master.commands().clientKill(KillArgs.Builder.typeSlave());
        await().atMost(Patience.TIME)
                .untilAsserted(() -> assertThat(replica.info("replication").get("master_link_status"))
                        .isEqualTo("down"));
    }

    @Override
    void awaitPromotion(RedisServer before) {
        await().atMost(Patience.TIME).until(() -> REDIS.topology().masterOf(lockKey) != before);
    }

    /** The slots of the other masters have histories of their own. */
    @Override
    List<String> keysElsewhere() {
        RedisServer here = master();
        return IntStream.range(0, 100)
                .mapToObj(i -> "elsewhere:" + i)
                .filter(other -> REDIS.topology().masterOf("lock:{" + other + "}") != here)
                .limit(1)
                .toList();
    }
}
