package io.github.lockstarter.leader;

import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.redis.RedisLockAutoConfiguration;
import io.github.lockstarter.kit.jvm.ChildJvm;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;

/**
 * One instance that competes for a role. Prints its {@link Claim}s, and those of a consumer that caches the state of
 * the events, as they grow.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({
    DataRedisAutoConfiguration.class,
    DistributedLockAutoConfiguration.class,
    RedisLockAutoConfiguration.class,
    LeaderAutoConfiguration.class
})
@Import(LeaderApplication.Cached.class)
class LeaderApplication {

    static final String ROLE = "billing";
    static final String READY = "READY";
    static final String CLAIM = "CLAIM";
    static final String CACHED = "CACHED";

    private static final long PRINT_MS = 10;

    /** The control: a boolean that the events set. */
    static class Cached {

        private volatile boolean leader;

        @EventListener
        void lead(LeaderGranted event) {
            leader = true;
        }

        @EventListener
        void leave(LeaderRevoked event) {
            leader = false;
        }
    }

    /** Runs. */
    public static void main(String[] arguments) throws InterruptedException {
        SpringApplication application = new SpringApplication(LeaderApplication.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        var context = application.run(arguments);
        Leadership leadership = context.getBean(Leaders.class).role(ROLE);
        Cached cached = context.getBean(Cached.class);
        try (Claims claims = new Claims("", leadership::isLeader);
                Claims ofCached = new Claims("", () -> cached.leader)) {
            System.out.println(READY);
            while (true) {
                print(CLAIM, claims.all());
                print(CACHED, ofCached.all());
                Thread.sleep(PRINT_MS); // between two questions
            }
        }
    }

    private static void print(String word, List<Claim> claims) {
        if (!claims.isEmpty()) {
            Claim last = claims.get(claims.size() - 1);
            System.out.println(word + " " + last.begin() + " " + last.end());
        }
    }

    /** The claims that a JVM has printed. */
    static Collection<Claim> of(ChildJvm jvm, String word) {
        Map<Long, Claim> byBegin = new HashMap<>();
        for (String line : jvm.lines()) {
            String[] words = line.split(" ", -1);
            if (words[0].equals(word) && words.length == 3) {
                Claim claim = new Claim(String.valueOf(jvm.pid()), Long.parseLong(words[1]), Long.parseLong(words[2]));
                byBegin.put(claim.begin(), claim);
            }
        }
        return byBegin.values();
    }
}
