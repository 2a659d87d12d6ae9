package io.github.lockstarter.kit.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The topologies have the declared roles, and recover from the changes of tests. */
@Tag("full")
class RedisServerGroupIT {

    @Nested
    class Replication {

        @RegisterExtension
        static final TopologyExtension<RedisReplication> REDIS = TopologyExtension.replication();

        @Test
        void replicatesTheDataOfTheMaster() {
            RedisReplication servers = REDIS.topology();
            servers.master().commands().set("key", "value");
            assertThat(servers.replicas()).hasSize(2).allSatisfy(replica -> Awaitility.await()
                    .untilAsserted(
                            () -> assertThat(replica.commands().get("key")).isEqualTo("value")));
        }

        @Test
        void restoresItsFirstMasterAtAReset() {
            RedisReplication servers = REDIS.topology();
            RedisServer first = servers.master();
            servers.replicas().get(0).commands().replicaofNoOne();
            first.kill();
            servers.reset();
            assertThat(servers.master()).isSameAs(first);
            assertThat(servers.replicas()).hasSize(2);
        }
    }

    @Nested
    class Sentinels {

        @RegisterExtension
        static final TopologyExtension<RedisSentinels> REDIS = TopologyExtension.sentinels();

        @Test
        void promotesAReplicaWhenTheMasterIsDead() {
            RedisServer before = REDIS.topology().master();
            before.kill();
            REDIS.topology().awaitPromotion(before);
            RedisServer after = REDIS.topology().master();
            assertThat(after.isMaster()).isTrue();
            after.restart();
            assertThat(after.isMaster()).as("after a restart").isTrue();
            REDIS.topology().reset();
            assertThat(before.answers()).isTrue();
            assertThat(REDIS.topology().servers())
                    .filteredOn(
                            server -> "master".equals(server.info("replication").get("role")))
                    .hasSize(1);
        }
    }

    @Nested
    class Cluster {

        @RegisterExtension
        static final TopologyExtension<RedisCluster> REDIS = TopologyExtension.cluster();

        @Test
        void sendsClientsToTheMasterOfTheSlot() {
            RedisServer master = REDIS.topology().masterOf("{a}");
            assertThat(master.commands().set("{a}", "1")).isEqualTo("OK");
            assertThat(REDIS.topology().replicaOf(master).info("replication")).containsEntry("role", "slave");
        }

        @Test
        void promotesTheReplicaOfADeadMaster() {
            RedisServer before = REDIS.topology().masterOf("{a}");
            RedisServer replica = REDIS.topology().replicaOf(before);
            before.kill();
            Awaitility.await()
                    .untilAsserted(() -> assertThat(replica.info("replication")).containsEntry("role", "master"));
            REDIS.topology().reset();
            assertThat(REDIS.topology().masterOf("{a}")).isSameAs(replica);
        }
    }
}
