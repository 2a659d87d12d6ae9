package io.github.lockstarter.benchmarks.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.redis.RedisServer;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
@Tag("full")
class ServerObserverIT {

    @Test
    void countsReadsCommandsAndScripts() throws Exception {
        try (RedisServer process = RedisServer.start();
                ServerObserver observer = new ServerObserver(process.uri())) {
            RedisCommands<String, String> redis = observer.redis();

            ServerWork work = observer.during(() -> {
                        redis.set("key", "value");
                        return redis.<String>eval(
                                "return redis.call('get', KEYS[1])", ScriptOutputType.VALUE, new String[] {"key"});
                    })
                    .work();

            assertThat(work.reads()).isEqualTo(2);
            assertThat(work.commands()).as("that of the script included").isEqualTo(3);
            assertThat(work.scripts().count()).isOne();
            assertThat(work.sets().count()).isOne();
        }
    }
}
