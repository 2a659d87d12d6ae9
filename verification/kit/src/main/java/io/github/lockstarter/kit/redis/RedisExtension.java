package io.github.lockstarter.kit.redis;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One {@link RedisServer} per test class, as new before each test; nested classes share it: a container where Docker
 * answers and no binary is named, else the binary. Register it as a static field:
 *
 * <pre>{@code
 * @RegisterExtension
 * static final RedisExtension REDIS = new RedisExtension();
 * }</pre>
 */
public final class RedisExtension extends FreshBeforeEachTest implements BeforeAllCallback {

    private final String[] arguments;
    private @Nullable RedisServer server;

    /**
     * The server starts with the first class.
     *
     * @param arguments as {@link RedisServer#start}
     */
    public RedisExtension(String... arguments) {
        this.arguments = arguments.clone();
    }

    public RedisServer server() {
        if (server == null) {
            throw new IllegalStateException(
                    "Redis starts with the test class: register the extension as a static field");
        }
        return server;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        // The store of the outermost class closes the server after its last test.
        server = context.getStore(ExtensionContext.Namespace.create(RedisExtension.class))
                .computeIfAbsent(this, self -> start(), RedisServer.class);
    }

    private RedisServer start() {
        return RedisContainer.isPreferred() ? RedisContainer.startContainer(arguments) : RedisServer.start(arguments);
    }

    @Override
    void reset(ExtensionContext context) {
        server().reset();
    }
}
